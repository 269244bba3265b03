//! Broken, vanished, hostile and changed files: never looser, always told.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::{Machine, level, told, wait_until_old};
use tollgate_policy::Health;

/// Tighter than the built-in policy in one rule, looser in another, and with an exception.
const GOOD: &str =
    "mode: observe\nrules:\n  git-push: deny\n  git-force-push: off\n  secret-file-read: {except: ['/x']}\n";
const STRICT: &str = "the strictest of the built-in and the last good policy";

/// In force is the join: what was tighter stays, what was looser does not.
#[track_caller]
fn is_strict(machine: &Machine, notice: &str) {
    for round in ["rebuilt", "again", "and again"] {
        let loaded = machine.load();
        assert_eq!(level(&loaded, "git-push"), "deny", "{round} {notice}");
        assert_eq!(level(&loaded, "git-force-push"), "deny", "{round} {notice}");
        assert_eq!(loaded.policy.mode, tollgate_model::Mode::Enforce, "{round} {notice}");
        assert!(!loaded.policy.excepted("secret-file-read", "/x"), "{round} {notice}");
        assert!(told(&loaded, notice) && told(&loaded, STRICT), "{round} {notice}: {:?}", loaded.notices);
        assert!(loaded.changes.is_empty(), "{round} {notice}: {:?}", loaded.changes);
    }
}

fn good_machine() -> Machine {
    let machine = Machine::with(&[("config", GOOD)]);
    let loaded = machine.load();
    assert_eq!(level(&loaded, "git-force-push"), "off");
    assert!(loaded.policy.excepted("secret-file-read", "/x"));
    machine
}

#[test]
fn f06_a_broken_file_never_loosens() {
    let big = format!("version: 1\n#{}", "x".repeat(10 << 20));
    let deep = format!("version: 1\nrules: {}", "[".repeat(100_000));
    let at = |line: &str| format!("config/tollgate.yaml:{line}");
    for (text, notice) in [
        (&b"version: 1\nmoed: observe\n"[..], at("2:1")),
        (b"version: 1\nmode: observe\n\tx: y\n", at("2:7")),
        (b"version: 9\n", at("1:10")),
        (b"mode: observe\n", at("1:1")),
        (b"version: 1\nrules: {git-push: [off]}\n", at("2:19")),
        (b"version: 1\nmode: observe\nmode: observe\n", at("3:1")),
        (b"version: 1\ncustom: [other]\n", at("2:10")),
        (b"\x00\xff\xfe\x80binary", "is broken".into()),
        (b"version: 1\nmode: obs\xffrve\n", at("2:10")),
        (big.as_bytes(), "is too big".into()),
        (deep.as_bytes(), at("2:")),
    ] {
        let machine = good_machine();
        machine.write("config", text);
        is_strict(&machine, &notice);
        machine.set("config", GOOD);
        let mended = machine.load();
        assert!(mended.notices.is_empty(), "{:?}", mended.notices);
        assert_eq!(level(&mended, "git-force-push"), "off");
    }
}

#[test]
fn f06_a_vanished_file_never_loosens() {
    let machine = good_machine();
    fs::remove_file(machine.file("config")).unwrap();
    is_strict(&machine, "is gone");
    machine.write("config", "");
    let loaded = machine.load();
    assert!(!told(&loaded, "is gone"), "an empty file says that nothing is set");
    assert_eq!((level(&loaded, "git-push"), level(&loaded, "git-force-push")), ("note", "deny"));
    fs::remove_dir_all(machine.root.join("config")).unwrap();
    assert!(told(&machine.load(), "is gone"), "the directory may vanish with it");
}

#[test]
fn f06_the_owner_may_accept_that_a_file_is_gone() {
    let machine = good_machine();
    fs::remove_file(machine.file("config")).unwrap();
    is_strict(&machine, "is gone");
    assert!(tollgate_policy::forget(&machine.root.join("state"), &machine.file("config")));
    let loaded = machine.load();
    assert!(loaded.notices.is_empty(), "{:?}", loaded.notices);
    assert_eq!(level(&loaded, "git-push"), "note");
}

#[test]
fn f06_a_directory_that_cannot_exist_is_no_fault() {
    let machine = good_machine();
    for cwd in
        ["project/\0", &format!("project/{}", "x".repeat(300)), &format!("project{}", "/x".repeat(5000)), ""]
    {
        assert_eq!(machine.load_in(cwd).notices, [""; 0], "{cwd:.20}");
        assert_eq!(machine.load_at(std::path::Path::new(cwd)).notices, [""; 0], "{cwd:.20}");
    }
}

#[test]
fn f06_what_is_kept_of_a_file_is_looked_at_when_it_is_gone() {
    let machine = Machine::new();
    fs::create_dir(machine.root.join("project/sub")).unwrap();
    assert_eq!(machine.load_in("project/sub").notices, [""; 0]);
    machine.set("config", GOOD);
    machine.load();
    fs::remove_file(machine.file("config")).unwrap();
    // The snapshot of this directory was made when there was no file, and there is none now.
    let loaded = machine.load_in("project/sub");
    assert!(told(&loaded, "is gone") && level(&loaded, "git-push") == "deny");
}

#[test]
fn f06_a_first_file_that_is_broken_may_tighten() {
    let machine = Machine::new();
    machine.set("config", "mode: observe\nrules:\n  git-push: deny\n  git-force-push: off\nnonsense: 1");
    is_strict(&machine, "config/tollgate.yaml:6:1");
}

#[test]
fn f06_a_broken_project_file_never_loosens() {
    let machine = Machine::with(&[("project", "rules: {git-push: deny}")]);
    machine.load();
    for text in ["version: 1\nrules: {git-push: of}\n", "", "]"] {
        let broken = !text.is_empty();
        machine.write("project", text);
        let loaded = machine.load();
        assert_eq!(level(&loaded, "git-push"), if broken { "deny" } else { "note" }, "{text:?}");
        assert_eq!(told(&loaded, "is broken"), broken, "{text:?} {:?}", loaded.notices);
        machine.set("project", "rules: {git-push: deny}");
        machine.load();
    }
}

#[test]
fn f06_f21_what_is_no_file_is_not_opened() {
    let path = |machine: &Machine| machine.file("config");
    type Plant = fn(&Machine);
    let plants: [(Plant, &str); 6] = [
        (|machine| fs::create_dir(machine.file("config")).unwrap(), "is a directory"),
        (|machine| fifo(machine), "is not a regular file"),
        (|machine| symlink("/dev/zero", machine.file("config")).unwrap(), "is not a regular file"),
        (|machine| symlink("tollgate.yaml", machine.file("config")).unwrap(), "cannot be read"),
        (|machine| symlink("/proc/self/mem", machine.file("config")).unwrap(), "cannot be read"),
        (|machine| symlink("/nowhere", machine.file("config")).unwrap(), "is gone"),
    ];
    for (plant, notice) in plants {
        let machine = good_machine();
        fs::remove_file(path(&machine)).unwrap();
        plant(&machine);
        is_strict(&machine, notice);
    }
}

fn fifo(machine: &Machine) {
    let made = std::process::Command::new("mkfifo").arg(machine.file("config")).status().unwrap();
    assert!(made.success());
}

#[test]
fn f06_an_unreadable_file_never_loosens() {
    let machine = good_machine();
    machine.mode("config", 0o000);
    if fs::read(machine.file("config")).is_err() {
        is_strict(&machine, "cannot be read");
    } else {
        // Root reads it all the same, and then it is as good as before.
        assert_eq!(level(&machine.load(), "git-force-push"), "off");
    }
}

#[test]
fn f21_a_users_file_may_be_a_link_to_a_file_of_the_users() {
    let machine = good_machine();
    machine.set("dotfiles", "rules: {git-push: ask}");
    fs::remove_file(machine.file("config")).unwrap();
    symlink(machine.file("dotfiles"), machine.file("config")).unwrap();
    let loaded = machine.load();
    assert_eq!(level(&loaded, "git-push"), "ask");
    assert_eq!(loaded.sources[1].real, machine.file("dotfiles"));
    machine.set("dotfiles", "rules: {git-push: deny}");
    assert_eq!(level(&machine.load(), "git-push"), "deny", "a change behind the link is seen");
    if std::os::unix::fs::chown(machine.file("dotfiles"), Some(12345), None).is_ok() {
        is_strict_about_push(&machine, "belongs to another user (uid 12345)");
    }
}

#[track_caller]
fn is_strict_about_push(machine: &Machine, notice: &str) {
    let loaded = machine.load();
    assert_eq!(level(&loaded, "git-push"), "deny");
    assert!(told(&loaded, notice), "{:?}", loaded.notices);
}

#[test]
fn f24_a_file_that_strangers_can_write_never_loosens() {
    for at in ["config", "etc"] {
        let machine = Machine::with(&[(at, GOOD)]);
        machine.load();
        machine.mode(at, 0o666);
        is_strict(&machine, "can be written by everybody (mode 0666");
        machine.set(at, "");
        machine.mode(at, 0o646);
        is_strict(&machine, "can be written by everybody (mode 0646");
        machine.set(at, GOOD);
        machine.mode(at, 0o644);
        assert_eq!(level(&machine.load(), "git-force-push"), "off", "mended");
    }
    let first = Machine::with(&[("config", GOOD)]);
    first.mode("config", 0o666);
    is_strict(&first, "can be written by everybody");
}

#[test]
fn f24_a_group_with_others_in_it_is_strangers() {
    let machine = good_machine();
    machine.mode("config", 0o664);
    let Ok(()) = std::os::unix::fs::chown(machine.file("config"), None, Some(54321)) else { return };
    is_strict(&machine, "can be written by others of its group (mode 0664");
}

#[test]
fn f24_a_project_file_may_be_writable_for_it_only_tightens() {
    let machine = Machine::with(&[("project", "rules: {git-push: deny}")]);
    machine.mode("project", 0o666);
    let loaded = machine.load();
    assert_eq!(level(&loaded, "git-push"), "deny");
    assert!(!told(&loaded, "written by"), "{:?}", loaded.notices);
}

#[test]
fn f26_a_change_is_told_once_with_its_diff() {
    let machine = Machine::with(&[("config", "rules: {git-push: deny}")]);
    machine.load();
    machine.set(
        "config",
        "on_fault: allow\nrules: {git-push: note, secret-file-read: {level: deny, except: [/x]}}",
    );
    let loaded = machine.load();
    let told: Vec<String> = loaded.changes.iter().map(ToString::to_string).collect();
    let expected = [
        "on_fault: ask → allow (looser)",
        "git-push: deny → note (looser)",
        "secret-file-read: ask → deny",
        "secret-file-read except: nothing → /x (looser)",
    ];
    assert_eq!(told, expected);
    let path = machine.file("config");
    assert_eq!(loaded.notices, [format!("policy changed by {}: {}", path.display(), expected.join("; "))]);
    assert_eq!(level(&loaded, "git-push"), "note", "a change of the user's takes effect");
    let again = machine.load();
    assert!(again.notices.is_empty() && again.changes.is_empty() && !again.rebuilt, "{again:?}");
    assert_eq!(again.digest, loaded.digest);
    fs::create_dir(machine.root.join("project/sub")).unwrap();
    assert!(machine.load_in("project/sub").notices.is_empty(), "nor told again elsewhere");
}

#[test]
fn f26_a_new_file_that_loosens_is_told() {
    let machine = Machine::new();
    let before = machine.load();
    machine.set("config", "mode: observe");
    let loaded = machine.load();
    assert!(told(&loaded, "mode: enforce → observe (looser)"), "{:?}", loaded.notices);
    assert_ne!(loaded.digest, before.digest);
    assert_eq!(loaded.sources[1].health, Health::Good);
}

#[test]
fn f26_a_change_that_keeps_size_and_time_is_seen() {
    let machine = Machine::with(&[("config", "rules: {git-push: deny}")]);
    let path = machine.file("config");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    wait_until_old();
    machine.load();
    machine.load();
    assert!(!machine.load().rebuilt);
    fs::write(&path, "version: 1\nrules: {git-push: note}\n").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    let loaded = machine.load();
    assert!(loaded.rebuilt && level(&loaded, "git-push") == "note");
}

#[test]
fn f26_a_change_within_one_tick_of_the_clock_is_seen() {
    let machine = Machine::new();
    let path = machine.file("config");
    for round in 0..300 {
        let wanted = ["note", "deny", "none"][round % 2];
        fs::write(&path, format!("version: 1\nrules: {{git-push: {wanted}}}\n")).unwrap();
        assert_eq!(level(&machine.load(), "git-push"), wanted, "round {round}");
    }
}

#[test]
fn f16_a_file_from_another_time_is_a_file() {
    let machine = Machine::with(&[("config", "rules: {git-push: deny}")]);
    let file = fs::File::options().write(true).open(machine.file("config")).unwrap();
    for years in [-10i64, 10] {
        let shift = std::time::Duration::from_secs(years.unsigned_abs() * 31_557_600);
        let now = std::time::SystemTime::now();
        file.set_modified(if years < 0 { now - shift } else { now + shift }).unwrap();
        assert_eq!(level(&machine.load(), "git-push"), "deny");
    }
}

#[test]
fn f30_a_link_of_a_projects_shows_nothing_of_what_it_leads_to() {
    let machine = Machine::new();
    fs::write(machine.root.join("secret"), "hunter2: x\n").unwrap();
    symlink(machine.root.join("secret"), machine.file("project")).unwrap();
    let loaded = machine.load();
    assert!(told(&loaded, "project/tollgate.yaml:1:1") && !told(&loaded, "hunter2"), "{:?}", loaded.notices);
    assert!(!told(&machine.load(), "hunter2"));
}

#[test]
fn f28_no_environment_is_read() {
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            files += 1;
            assert!(!fs::read_to_string(&entry).unwrap().contains("std::env"), "{}", entry.display());
        }
    }
    assert!(files > 10);
}
