//! What stands where our files should: links, pipes, directories. And names that others choose.

use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tollgate_model::Change;
use tollgate_store::{LogFault, Whose, change_state, prune_sessions, session_project};

use crate::support::*;

const SECRET: &str = "the victim's own bytes";
type Plant = fn(&Path, &Path);

/// Each puts something at the first path that leads to the second.
const PLANTS: [(&str, Plant); 6] = [
    ("symbolic link", |at, victim| symlink(victim, at).unwrap()),
    ("link to nothing", |at, victim| symlink(victim.with_extension("new"), at).unwrap()),
    ("hard link", |at, victim| std::fs::hard_link(victim, at).unwrap()),
    ("pipe", |at, _| assert!(Command::new("mkfifo").arg(at).status().unwrap().success())),
    ("directory", |at, _| std::fs::create_dir(at).unwrap()),
    ("socket", |at, _| drop(std::os::unix::net::UnixListener::bind(at).unwrap())),
];

/// Plants each thing at a name in the state directory and tries.
fn check(name: &str, attempt: impl Fn(&Scene) -> Option<LogFault>) {
    for (what, plant) in PLANTS {
        let scene = Scene::new();
        scene.fill(1);
        session_project(&scene.state, "codex", "s", || "/p".to_owned());
        let victim = scene.root.path().join("victim");
        std::fs::write(&victim, SECRET).unwrap();
        std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o644)).unwrap();
        let at = files(&scene.state).into_iter().map(|(path, _)| path).find(|path| path.ends_with(name));
        let at = at.unwrap_or_else(|| scene.path(name));
        let _ = std::fs::remove_file(&at).or_else(|_| std::fs::remove_dir_all(&at));
        plant(&at, &victim);
        let fault = attempt(&scene);
        assert!(matches!(fault, Some(LogFault::Unsafe { .. })), "{what} as {name}: {fault:?}");
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), SECRET, "{what} as {name}");
        assert_eq!(
            std::fs::metadata(&victim).unwrap().permissions().mode() & 0o777,
            0o644,
            "{what} as {name}"
        );
        assert!(!victim.with_extension("new").exists(), "{what} as {name}");
    }
}

#[test]
fn f21_nothing_is_written_through_links_or_into_pipes() {
    check("events.jsonl", |scene| scene.append("x").err());
    check("head", |scene| scene.append("x").err());
    check("project", |scene| session_project(&scene.state, "codex", "s", || "/q".to_owned()).fault);
}

#[test]
fn f21_verify_reads_nothing_that_is_not_ours() {
    check("events.jsonl", |scene| {
        scene.verify().troubles.into_iter().find_map(|trouble| match trouble.breach {
            tollgate_store::Breach::Unreadable(fault) => Some(fault),
            _ => None,
        })
    });
}

/// A record does not fail for want of a key or of a counter; it goes without.
#[test]
fn f21_key_and_counters_are_done_without() {
    check("redact.key", |scene| {
        let appended = scene.append("x --password hunter2").unwrap();
        assert!(appended.line.contains("‹secret:password›"), "{}", appended.line);
        Some(LogFault::Unsafe { path: "".into(), why: "" })
    });
    check("sessions", |scene| {
        let appended = scene.log.append(&call("", "s", "pre-tool", "x"), now()).unwrap();
        assert!(appended.id.starts_with('h'), "{}", appended.id);
        Some(LogFault::Unsafe { path: "".into(), why: "" })
    });
}

#[test]
fn f21_the_state_directory_itself() {
    let scene = Scene::new();
    let elsewhere = scene.root.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &scene.state).unwrap();
    assert!(matches!(scene.append("x"), Err(LogFault::Unsafe { .. })));
    let slash = tollgate_store::Log::at(&scene.root.path().join("state/"));
    assert!(matches!(slash.append(&record("x"), now()), Err(LogFault::Unsafe { .. })));
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    std::fs::remove_file(&scene.state).unwrap();

    std::fs::create_dir(&scene.state).unwrap();
    for mode in [0o777, 0o1777, 0o770, 0o722] {
        std::fs::set_permissions(&scene.state, std::fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(scene.append("x"), Err(LogFault::Unsafe { .. })), "{mode:o}");
    }
    std::fs::set_permissions(&scene.state, std::fs::Permissions::from_mode(0o755)).unwrap();
    scene.append("x").unwrap();
}

#[test]
fn f21_only_the_owner_can_read_what_we_make() {
    let scene = Scene::new();
    let deep = scene.root.path().join("a/b/state");
    let log = tollgate_store::Log::at(&deep);
    let secret = call("", "s", "pre-tool", "x --password hunter2");
    log.append(&secret, now()).unwrap();
    session_project(&deep, "codex", "s", || "/p".to_owned());
    let mode = |path: &Path| std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    for dir in ["a", "a/b", "a/b/state", "a/b/state/sessions"] {
        assert_eq!(mode(&scene.root.path().join(dir)), 0o700, "{dir}");
    }
    let made = files(&deep);
    assert!(made.len() >= 5, "{made:?}");
    for (path, _) in &made {
        assert_eq!(mode(path), 0o600, "{path:?}");
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{path:?}");
    }
    std::fs::set_permissions(deep.join("events.jsonl"), std::fs::Permissions::from_mode(0o666)).unwrap();
    log.append(&secret, now()).unwrap();
    assert_eq!(mode(&deep.join("events.jsonl")), 0o600, "a loosened file is closed again");
}

#[test]
fn f21_devices_are_not_opened_for_writing() {
    let scene = Scene::new();
    scene.fill(1);
    let log = scene.path("events.jsonl");
    std::fs::remove_file(&log).unwrap();
    let made =
        Command::new("mknod").arg(&log).args(["c", "1", "3"]).status().is_ok_and(|status| status.success());
    if made && std::fs::metadata(&log).unwrap().file_type().is_char_device() {
        assert!(matches!(scene.append("x"), Err(LogFault::Unsafe { .. })));
    }
}

#[test]
fn f23_session_ids_name_nothing() {
    let scene = Scene::new();
    let long = "x".repeat(300);
    let ids = ["../../x", "/etc/passwd", "..", ".", "", "a/b", "a\0b", "a\nb", &long, "\u{202e}", "CON", "~"];
    for id in ids {
        scene.log.append(&call("", id, "pre-tool", "x"), now()).unwrap();
        let project = session_project(&scene.state, id, id, || "/p".to_owned());
        assert_eq!((project.path.as_str(), &project.fault), ("/p", &None), "{id:?}");
    }
    let outside: Vec<_> =
        std::fs::read_dir(scene.root.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(outside, ["state"]);
    for (path, _) in files(&scene.state) {
        let path = path.strip_prefix(&scene.state).unwrap().to_str().unwrap().to_owned();
        let session = path.strip_prefix("sessions/").and_then(|rest| rest.split_once('/'));
        let plain = ["events.jsonl", "head"].contains(&path.as_str());
        let hashed = session.is_some_and(|(hash, name)| {
            hash.len() == 32
                && hash.bytes().all(|b| b.is_ascii_hexdigit())
                && ["project", "calls"].contains(&name)
        });
        assert!(plain || hashed, "{path}");
    }
}

#[test]
fn f44_a_session_keeps_its_project() {
    let scene = Scene::new();
    let at = |session: &str, path: &str| {
        let project = session_project(&scene.state, "codex", session, || path.to_owned());
        assert_eq!(project.fault, None);
        (project.path, project.first)
    };
    assert_eq!(at("one", "/a"), ("/a".to_owned(), true));
    assert_eq!(at("one", "/b"), ("/a".to_owned(), false));
    assert_eq!(at("two", "/b"), ("/b".to_owned(), true));
    assert_eq!(at("", "/c"), ("/c".to_owned(), true), "no id, no memory");
    assert_eq!(at("", "/d"), ("/d".to_owned(), true));
    assert_eq!(at("three", ""), (String::new(), false), "not known yet");
    assert_eq!(at("three", "/e\n/f"), ("/e\n/f".to_owned(), true));
    assert_eq!(at("three", "/g"), ("/e\n/f".to_owned(), false));
    let other = session_project(&scene.state, "cursor", "one", || "/z".to_owned());
    assert_eq!(other.path, "/z", "another agent's session of that name");
    let long = session_project(&scene.state, "codex", "four", || "x".repeat(5000));
    assert!(long.fault.is_some() && long.path.len() == 5000);
}

#[test]
fn f05_a_damaged_project_is_fixed_anew() {
    for damage in ["", "/p", "\n", &"x".repeat(9000), "\u{0}"] {
        let scene = Scene::new();
        session_project(&scene.state, "codex", "s", || "/a".to_owned());
        let (path, _) = files(&scene.state).into_iter().find(|(path, _)| path.ends_with("project")).unwrap();
        std::fs::write(&path, damage).unwrap();
        for _ in 0..2 {
            let project = session_project(&scene.state, "codex", "s", || "/b".to_owned());
            assert_eq!((project.path.as_str(), project.fault), ("/b", None), "{damage:?}");
        }
    }
}

#[test]
fn f05_what_is_under_way_is_known_whatever_becomes_of_the_project() {
    let scene = Scene::new();
    let state = &scene.state;
    let whose = Whose::Session { agent: "codex", session: "s" };
    let set = |name: &str, is: bool| {
        let change = Change::Set { space: name.into(), key: "is_active".into(), value: is.into() };
        change_state(state, whose, &[change]).unwrap();
    };
    let event = || session_project(state, "codex", "s", || "/a".to_owned());
    // A person may start one before the session's first event.
    set("plan", true);
    assert!(event().may_be_under_way("plan") && !event().may_be_under_way("code"));
    let (path, whole) = files(state).into_iter().find(|(path, _)| path.ends_with("project")).unwrap();
    for damage in [&b""[..], b"/a", &whole[..whole.len() - 1], &whole[..3]] {
        std::fs::write(&path, damage).unwrap();
        assert!(event().may_be_under_way("plan"), "{damage:?}");
        assert!(event().may_be_under_way("plan"), "{damage:?}");
    }
    // One that is not named is not asked, so a long list is kept whole.
    (0..200).for_each(|number| set(&format!("a-workflow-with-a-long-name-{number}"), true));
    assert!(event().may_be_under_way("a-workflow-with-a-long-name-199") && event().may_be_under_way("plan"));
    set("plan", false);
    assert!(!event().may_be_under_way("plan") && event().may_be_under_way("a-workflow-with-a-long-name-0"));
    // What cannot be read proves nothing.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    assert!(event().may_be_under_way("anything"));
}

#[test]
fn sessions_are_pruned_by_age() {
    let scene = Scene::new();
    for session in ["old", "new"] {
        session_project(&scene.state, "codex", session, || format!("/{session}"));
    }
    let (old, _) = files(&scene.state).into_iter().find(|(_, bytes)| bytes == b"/old\n").unwrap();
    let month_ago = std::time::SystemTime::now() - Duration::from_hours(31 * 24);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(month_ago).unwrap();
    std::fs::write(scene.path("sessions/stranger"), "x").unwrap();
    assert_eq!(prune_sessions(&scene.state, Duration::from_hours(30 * 24)), Ok(1));
    assert!(!old.parent().unwrap().exists());
    assert_eq!(files(&scene.path("sessions")).len(), 2, "the new one and what is not ours");
    assert_eq!(prune_sessions(&scene.root.path().join("none"), Duration::ZERO), Ok(0));
}

#[test]
fn a_session_in_use_is_not_pruned() {
    let scene = Scene::new();
    let project = || session_project(&scene.state, "codex", "s", || "/p".to_owned());
    project();
    let (path, _) = files(&scene.state).pop().unwrap();
    let month_ago = std::time::SystemTime::now() - Duration::from_hours(31 * 24);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(month_ago).unwrap();
    project();
    assert_eq!(prune_sessions(&scene.state, Duration::from_hours(30 * 24)), Ok(0));
}
