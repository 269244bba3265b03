//! The compiled policy: a hit reads no YAML; whatever is wrong with it costs time, never strictness.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Instant;

use common::{Machine, Rules, level, wait_until_old};
use tollgate_model::{Card, Catalogue, Level};
use tollgate_policy::{Loaded, Request, load};

const SETTINGS: &str = "rules: {git-push: deny, secret-file-read: {level: deny, except: ['a/**']}}";

fn only(all: Vec<PathBuf>) -> PathBuf {
    assert_eq!(all.len(), 1, "{all:?}");
    all.into_iter().next().unwrap()
}

#[track_caller]
fn same(loaded: &Loaded, first: &Loaded) {
    assert_eq!((&loaded.policy, &loaded.digest), (&first.policy, &first.digest));
}

#[test]
fn the_second_load_reads_the_snapshot() {
    let machine = Machine::with(&[("config", SETTINGS), ("project", "mode: observe")]);
    let first = machine.load();
    assert!(first.rebuilt);
    let second = machine.load();
    assert!(!second.rebuilt);
    same(&second, &first);
    assert_eq!(second.sources, first.sources);
    assert_eq!(second.notices.len(), 1, "only what stands: {:?}", second.notices);
    wait_until_old();
    assert!(!machine.load().rebuilt && !machine.load().rebuilt);
}

#[test]
fn every_kind_of_change_is_seen() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    fs::create_dir(machine.root.join("project/sub")).unwrap();
    let load = || machine.load_in("project/sub");
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a managed file", &|| machine.set("etc", "audit: required")),
        ("a project file", &|| machine.set("project", "audit: required")),
        ("a nested file", &|| machine.set("project/sub", "audit: required")),
        ("a file gone", &|| fs::remove_file(machine.file("project/sub")).unwrap()),
        ("a mode", &|| machine.mode("config", 0o600)),
        ("a file replaced", &|| {
            fs::write(machine.root.join("new"), "version: 1\n").unwrap();
            fs::rename(machine.root.join("new"), machine.file("config")).unwrap();
        }),
    ];
    for (what, change) in changes {
        load();
        assert!(!load().rebuilt, "before {what}");
        change();
        assert!(load().rebuilt, "{what}");
    }
}

#[test]
fn f05_a_snapshot_with_any_byte_changed_is_not_believed() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    let first = machine.load();
    let path = only(machine.kept(".snap"));
    let good = fs::read(&path).unwrap();
    let step = if cfg!(debug_assertions) { 3 } else { 1 };
    for at in (0..good.len()).step_by(step) {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&path, &bad).unwrap();
        let loaded = machine.load();
        assert!(loaded.rebuilt, "byte {at}");
        same(&loaded, &first);
    }
    for length in (0..good.len()).step_by(step) {
        fs::write(&path, &good[..length]).unwrap();
        let loaded = machine.load();
        assert!(loaded.rebuilt, "length {length}");
        same(&loaded, &first);
    }
    fs::write(&path, [&good[..], b"x"].concat()).unwrap();
    assert!(machine.load().rebuilt, "a byte too many");
}

#[test]
fn f05_a_last_good_text_with_any_byte_changed_is_not_believed() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    machine.load();
    let path = only(machine.kept(".good"));
    let good = fs::read(&path).unwrap();
    fs::remove_file(machine.file("config")).unwrap();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        fs::write(&path, &bad).unwrap();
        let loaded = machine.load();
        assert!(
            common::told(&loaded, "is gone") && common::told(&loaded, "is lost"),
            "byte {at}: {:?}",
            loaded.notices
        );
        assert_eq!(level(&loaded, "git-force-push"), "deny");
    }
    fs::write(&path, &good).unwrap();
    assert_eq!(level(&machine.load(), "git-push"), "deny");
}

#[test]
fn f21_a_snapshot_that_is_not_ours_alone_is_not_believed() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    let first = machine.load();
    let path = only(machine.kept(".snap"));
    let aside = machine.root.join("aside");
    let plants: [(&str, &dyn Fn()); 6] = [
        ("writable by the group", &|| fs::set_permissions(&path, PermissionsExt::from_mode(0o620)).unwrap()),
        ("writable by the world", &|| fs::set_permissions(&path, PermissionsExt::from_mode(0o602)).unwrap()),
        ("a hard link", &|| fs::hard_link(&path, &aside).unwrap()),
        ("a symbolic link", &|| {
            fs::rename(&path, &aside).unwrap();
            symlink(&aside, &path).unwrap();
        }),
        ("a directory", &|| {
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
        }),
        ("a pipe", &|| {
            fs::remove_dir(&path).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        }),
    ];
    for (what, plant) in plants {
        machine.load();
        assert!(!machine.load().rebuilt || path.is_dir(), "before {what}");
        plant();
        let before = fs::read(&aside).ok();
        let loaded = machine.load();
        assert!(loaded.rebuilt, "{what}");
        same(&loaded, &first);
        assert_eq!(fs::read(&aside).ok(), before, "{what}: the target is untouched");
        let _ = fs::remove_file(&aside);
    }
}

#[test]
fn f21_the_gates_files_are_its_own() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    machine.load();
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().mode() & 0o7777;
    assert_eq!(mode(&machine.root.join("state")), 0o700);
    assert_eq!(mode(&machine.root.join("state/snapshots")), 0o700);
    for file in [machine.kept(".snap"), machine.kept(".good")].concat() {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!(machine.kept(".new"), Vec::<PathBuf>::new());
    fs::set_permissions(machine.root.join("state/snapshots"), PermissionsExt::from_mode(0o777)).unwrap();
    machine.set("config", "");
    machine.load();
    assert_eq!(mode(&machine.root.join("state/snapshots")), 0o700, "closed again");
}

#[test]
fn f21_a_link_in_place_of_the_directory_is_not_followed() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    fs::create_dir_all(machine.root.join("state")).unwrap();
    fs::create_dir(machine.root.join("victim")).unwrap();
    symlink(machine.root.join("victim"), machine.root.join("state/snapshots")).unwrap();
    assert_eq!(level(&machine.load(), "git-push"), "deny");
    assert_eq!(fs::read_dir(machine.root.join("victim")).unwrap().count(), 0);
}

#[test]
fn a_snapshot_of_another_request_is_not_believed() {
    let machine = Machine::with(&[("project/a", "rules: {git-push: deny}")]);
    let loose = machine.load();
    assert_eq!(level(&loose, "git-push"), "note");
    let path = only(machine.kept(".snap"));
    let saved = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    machine.load_in("project/a");
    fs::write(only(machine.kept(".snap")), saved).unwrap();
    assert_eq!(level(&machine.load_in("project/a"), "git-push"), "deny");
}

#[test]
fn f34_other_rules_make_a_new_snapshot() {
    struct Other;
    impl Catalogue for Other {
        fn cards(&self) -> Vec<&'static Card> {
            static CARD: Card = Card {
                id: "git-push",
                pack: tollgate_model::Pack::Git,
                level: Level::Ask,
                otherwise: Level::Ask,
                unsure: Level::Ask,
                doc: "",
                instead: &[],
                person: "",
                examples: &[],
            };
            vec![&CARD]
        }
    }
    let machine = Machine::with(&[("project", "rules: {git-push: note}")]);
    let paths = ["etc", "config", "state", "project"].map(|name| machine.root.join(name));
    let [managed_dir, config_dir, state_dir, project] = &paths;
    let request =
        Request { managed_dir, config_dir, state_dir, project: Some(project), built: None, cwd: project };
    assert_eq!(level(&load(&request, &Rules), "git-push"), "note");
    let other = load(&request, &Other);
    assert!(other.rebuilt);
    assert_eq!(other.policy.level(Other.cards()[0]), Level::Ask, "`note` is now a loosening");
}

#[test]
fn f03_without_a_state_directory_it_is_only_slower() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    fs::write(machine.root.join("state"), "a file in its place").unwrap();
    for _ in 0..2 {
        let loaded = machine.load();
        assert!(loaded.rebuilt);
        assert_eq!(level(&loaded, "git-push"), "deny");
    }
}

#[test]
fn old_snapshots_go_but_what_was_last_good_stays() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    let most = 512;
    machine.load();
    for number in 0..most + 10 {
        fs::write(machine.root.join(format!("state/snapshots/{number}.snap")), "").unwrap();
    }
    let cwd = machine.root.join("project/new");
    fs::create_dir(&cwd).unwrap();
    machine.load_at(&cwd);
    assert!(machine.kept(".snap").len() <= most);
    assert_eq!(machine.kept(".good").len(), 1);
    assert!(!machine.load_at(&cwd).rebuilt, "the newest stays");
}

#[test]
fn f14_fifty_at_once_agree() {
    let machine = Machine::with(&[("config", SETTINGS), ("project", "audit: required")]);
    for round in 0..20 {
        let text = format!("{SETTINGS}\n# {round}");
        machine.set("config", &text);
        std::thread::scope(|scope| {
            let loads: Vec<_> = (0..50).map(|_| scope.spawn(|| machine.load())).collect();
            for loaded in loads {
                assert_eq!(level(&loaded.join().unwrap(), "git-push"), "deny");
            }
        });
        assert_eq!(machine.kept(".new"), Vec::<PathBuf>::new(), "nothing half-written is left");
    }
    assert!(!machine.load().rebuilt);
}

/// Started by the test below, many times at once.
#[test]
#[ignore = "a part of another test"]
fn one_of_many_processes() {
    let Some(root) = std::env::var_os("POLICY_TEST_ROOT").map(PathBuf::from) else { return };
    let machine = Machine { dir: tempfile::tempdir().unwrap(), root };
    for _ in 0..40 {
        assert_eq!(level(&machine.load(), "git-push"), "deny");
    }
}

#[test]
fn f14_many_processes_agree_while_the_file_changes() {
    let machine = Machine::with(&[("config", SETTINGS)]);
    let start = || {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "one_of_many_processes", "--ignored"])
            .env("POLICY_TEST_ROOT", &machine.root)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut all: Vec<_> = (0..12).map(|_| start()).collect();
    let new = machine.root.join("new.yaml");
    let mut round = 0;
    while all.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        round += 1;
        fs::write(&new, format!("version: 1\n{SETTINGS}\n# {round}\n")).unwrap();
        fs::rename(&new, machine.file("config")).unwrap();
    }
    assert!(all.iter_mut().all(|child| child.wait().unwrap().success()));
    machine.load();
    assert!(!machine.load().rebuilt);
}

#[test]
#[ignore = "a measurement: run it with --release --nocapture"]
fn a_hit_is_quick() {
    /// As many rules as a full catalogue has.
    struct Many(Vec<&'static Card>);
    impl Catalogue for Many {
        fn cards(&self) -> Vec<&'static Card> {
            self.0.clone()
        }
    }
    let more = (0..200).map(|number| {
        let id = Box::leak(format!("some-rule-with-a-name-{number}").into_boxed_str());
        &*Box::leak(Box::new(Card { id, examples: &[], ..common::CARDS[0] }))
    });
    let rules = Many(Rules.cards().into_iter().chain(more).collect());
    let machine = Machine::with(&[("config", SETTINGS), ("project", "audit: required")]);
    let paths = ["etc", "config", "state", "project", "project/a/b"].map(|name| machine.root.join(name));
    let [managed_dir, config_dir, state_dir, project, cwd] = &paths;
    let request = Request { managed_dir, config_dir, state_dir, project: Some(project), built: None, cwd };
    fs::create_dir_all(cwd).unwrap();
    let _ = load(&request, &rules);
    wait_until_old();
    let _ = load(&request, &rules);
    let mut times: Vec<_> = (0..5000)
        .map(|_| {
            let started = Instant::now();
            assert!(!load(&request, &rules).rebuilt);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    let at = |part: usize| times[times.len() * part / 100];
    println!("hit: p50 {:?} p90 {:?} p99 {:?}", at(50), at(90), at(99));
    let started = Instant::now();
    fs::remove_dir_all(state_dir).unwrap();
    assert!(load(&request, &rules).rebuilt);
    println!("rebuild: {:?}", started.elapsed());
    assert!(cfg!(debug_assertions) || at(50).as_micros() <= 40);
}
