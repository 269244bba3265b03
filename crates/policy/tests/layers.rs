//! Who may say what: the managed, the user's and the project's files together.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use common::{Machine, level, told};
use tollgate_model::{Approve, Mode, OnFault};
use tollgate_policy::{Audit, Health, Layer};

/// Files, a rule, the level that comes out, and what is told.
#[track_caller]
fn comes_to(files: &[(&str, &str)], rule: &str, expected: &str, notice: &str) {
    let loaded = Machine::with(files).load();
    assert_eq!(level(&loaded, rule), expected, "{files:?} {:?}", loaded.notices);
    let ignored: Vec<&String> = loaded.notices.iter().filter(|text| text.contains("ignored")).collect();
    if notice.is_empty() {
        assert!(ignored.is_empty(), "{files:?} {ignored:?}");
    } else {
        assert!(ignored.iter().any(|text| text.contains(notice)), "{files:?} {:?}", loaded.notices);
    }
}

#[test]
fn levels() {
    let deny_push = "rules: {git-push: deny}";
    let off_force = "rules: {git-force-push: off}";
    let ask_force = "rules: {git-force-push: ask}";
    for (files, rule, expected, notice) in [
        (&[][..], "git-force-push", "deny", ""),
        (&[("config", off_force)], "git-force-push", "off", ""),
        (&[("config", deny_push)], "git-push", "deny", ""),
        (&[("etc", ask_force)], "git-force-push", "ask", ""),
        (&[("etc", ask_force), ("config", off_force)], "git-force-push", "ask", "config/tollgate.yaml:2:9"),
        (&[("etc", off_force), ("config", ask_force)], "git-force-push", "ask", ""),
        (
            &[("etc", deny_push), ("config", "rules: {git-push: off}")],
            "git-push",
            "deny",
            "managed policy may only",
        ),
        (&[("project", deny_push)], "git-push", "deny", ""),
        (&[("project", off_force)], "git-force-push", "deny", "project/tollgate.yaml:2:9"),
        (&[("config", ask_force), ("project", off_force)], "git-force-push", "ask", "is looser than `ask`"),
        (&[("config", off_force), ("project", ask_force)], "git-force-push", "ask", ""),
        (
            &[("config", deny_push), ("project", "rules: {git-push: ask}")],
            "git-push",
            "deny",
            "project/tollgate.yaml",
        ),
        (
            &[("etc", off_force), ("config", ask_force), ("project", "rules: {git-force-push: deny}")],
            "git-force-push",
            "deny",
            "",
        ),
    ] {
        comes_to(files, rule, expected, notice);
    }
}

#[test]
fn packs() {
    for (files, rule, expected, notice) in [
        (&[("config", "packs: [-git]")][..], "git-force-push", "off", ""),
        (&[("config", "packs: [-git]\nrules: {git-push: ask}")], "git-push", "ask", ""),
        (&[("config", "packs: [-git]\nrules: {git-push: {except: [x]}}")], "git-push", "off", ""),
        (&[("etc", "packs: [git]"), ("config", "packs: [-git]")], "git-force-push", "deny", "`-git`"),
        (
            &[("etc", "packs: [git]"), ("config", "rules: {git-force-push: off}")],
            "git-force-push",
            "deny",
            "config/tollgate.yaml",
        ),
        (&[("etc", "packs: [-git]"), ("config", "packs: [git]")], "git-force-push", "deny", ""),
        (&[("etc", "rules: {git-push: ask}"), ("config", "packs: [-git]")], "git-push", "ask", ""),
        (&[("etc", "rules: {git-push: ask}"), ("config", "packs: [-git]")], "git-force-push", "off", ""),
        (&[("project", "packs: [-git]")], "git-force-push", "deny", "takes out a pack"),
        (&[("config", "packs: [-git]"), ("project", "packs: [git]")], "git-force-push", "deny", ""),
        (&[("config", "packs: [-git]"), ("project", "packs: [-git]")], "git-force-push", "off", ""),
        (&[("config", "packs: [-git]"), ("project", "rules: {git-push: deny}")], "git-push", "deny", ""),
        (&[("config", "packs: [-git]"), ("project", "rules: {git-push: deny}")], "git-force-push", "off", ""),
        (&[("config", "rules: {git-push: deny}"), ("project", "packs: [git]")], "git-push", "deny", ""),
    ] {
        comes_to(files, rule, expected, notice);
    }
}

#[test]
fn f07_a_project_loosens_nothing() {
    let loose = "mode: observe\non_fault: allow\napprove: read-only\naudit: optional\npacks: [-git, -secrets, -cloud]\nrules:\n  git-force-push: off\n  secret-file-read: {level: off, except: ['**']}\n";
    let user =
        "on_fault: deny\naudit: required\nrules: {git-push: ask, secret-file-read: {except: [fixtures/x]}}";
    let machine = Machine::with(&[("config", user)]);
    let before = machine.load().policy;
    machine.set("project", loose);
    machine.set("project/a", loose);
    let after = machine.load_in("project/a");
    assert_eq!(after.policy, before);
    for (line, key) in
        [(2, "mode: observe"), (3, "on_fault: allow"), (4, "approve: read-only"), (5, "audit: optional")]
    {
        assert!(told(&after, &format!("`{key}` is looser")), "{key}: {:?}", after.notices);
        assert!(told(&after, &format!("project/tollgate.yaml:{line}:")), "{key}");
        assert!(told(&after, &format!("project/a/tollgate.yaml:{line}:")), "{key}");
    }
    assert!(after.changes.is_empty(), "{:?}", after.changes);
    assert!(told(&machine.load_in("project/a"), "`mode: observe` is looser"), "told as long as it stands");
}

#[test]
fn switches() {
    let set =
        Machine::with(&[("config", "mode: observe\non_fault: allow\napprove: read-only\naudit: required")])
            .load()
            .policy;
    assert_eq!((set.mode, set.on_fault), (Mode::Observe, OnFault::Allow));
    assert_eq!((set.approve, set.audit), (Approve::ReadOnly, Audit::Required));
    let tight = "mode: enforce\non_fault: deny\napprove: none\naudit: required";
    let loose = "mode: observe\non_fault: allow\napprove: read-only\naudit: optional";
    for files in [
        [("etc", tight), ("config", loose)],
        [("config", loose), ("project", tight)],
        [("etc", loose), ("config", tight)],
    ] {
        let policy = Machine::with(&files).load().policy;
        assert_eq!((policy.mode, policy.on_fault), (Mode::Enforce, OnFault::Deny), "{files:?}");
        assert_eq!((policy.approve, policy.audit), (Approve::None, Audit::Required), "{files:?}");
    }
}

#[test]
fn exceptions() {
    let rule = "secret-file-read";
    let user = "rules: {secret-file-read: {level: deny, except: ['fixtures/**', '/srv/{a,b}/x']}}";
    let machine = Machine::with(&[("config", user)]);
    let excepted = |machine: &Machine, path: &str| machine.load().policy.excepted(rule, path);
    let below = |at: &str| machine.root.join(at).to_str().unwrap().to_owned();
    // A relative pattern of the user holds below the project and below the file's own directory.
    for path in
        [below("project/fixtures/a/b"), below("config/fixtures/a"), "/srv/a/x".into(), "/srv/b/x".into()]
    {
        assert!(excepted(&machine, &path), "{path}");
    }
    for path in [below("fixtures/a"), below("project/a/fixtures/b"), "/srv/c/x".into(), "/srv/a/y".into()] {
        assert!(!excepted(&machine, &path), "{path}");
    }
    machine.set("project", "rules: {secret-file-read: {except: ['**']}}");
    assert!(!excepted(&machine, &below("project/x")), "a project makes no exception");
    assert!(excepted(&machine, &below("project/fixtures/a")), "and takes none away by trying");
    machine.set("project", "rules: {secret-file-read: {except: []}}");
    assert!(!excepted(&machine, &below("project/fixtures/a")), "but may take all away");
    let managed = Machine::with(&[("etc", "rules: {secret-file-read: deny}"), ("config", user)]);
    assert!(!managed.load().policy.excepted(rule, "/srv/a/x"));
    assert!(told(&managed.load(), "`except` of `secret-file-read` is looser"));
}

#[test]
fn self_protection_stays() {
    for text in [
        "packs: [-self-protection]",
        "rules: {gate-tamper: off}",
        "rules: {gate-tamper: {except: ['**']}}",
        "mode: observe",
    ] {
        for at in ["etc", "config", "project"] {
            let loaded = Machine::with(&[(at, text)]).load();
            assert_eq!(level(&loaded, "gate-tamper"), "deny", "{at} {text}");
            assert!(!loaded.policy.excepted("gate-tamper", "/x"), "{at} {text}");
        }
    }
}

#[test]
fn f44_every_file_between_the_project_and_the_working_directory_applies() {
    let machine = Machine::with(&[
        ("project", "rules: {git-push: ask}"),
        ("project/a", "rules: {secret-file-read: deny}"),
        ("project/a/b", "on_fault: deny"),
        ("project/other", "audit: required"),
        ("elsewhere", "mode: enforce\nrules: {git-push: deny}"),
    ]);
    let seen = |cwd: &str| {
        let loaded = machine.load_in(cwd);
        let policy = &loaded.policy;
        (level(&loaded, "git-push"), level(&loaded, "secret-file-read"), policy.on_fault, policy.audit)
    };
    assert_eq!(seen("project"), ("ask", "ask", OnFault::Ask, Audit::Optional));
    assert_eq!(seen("project/a"), ("ask", "deny", OnFault::Ask, Audit::Optional));
    assert_eq!(seen("project/a/b"), ("ask", "deny", OnFault::Deny, Audit::Optional));
    assert_eq!(seen("project/a/b/gone"), ("ask", "deny", OnFault::Deny, Audit::Optional));
    assert_eq!(seen("project/other"), ("ask", "ask", OnFault::Ask, Audit::Required));
    // A new repository elsewhere brings nothing and sheds nothing.
    assert_eq!(seen("elsewhere"), ("ask", "ask", OnFault::Ask, Audit::Optional));
    assert_eq!(seen("nowhere/at/all"), ("ask", "ask", OnFault::Ask, Audit::Optional));
    assert_eq!(seen("projectile"), ("ask", "ask", OnFault::Ask, Audit::Optional));
    // Links, into the project and out of it, shed nothing; by its name the latter lies in the project.
    std::os::unix::fs::symlink(machine.root.join("project/a/b"), machine.root.join("link")).unwrap();
    assert_eq!(seen("link"), ("ask", "deny", OnFault::Deny, Audit::Optional));
    std::os::unix::fs::symlink(machine.root.join("elsewhere"), machine.root.join("project/a/out")).unwrap();
    assert_eq!(seen("project/a/out"), ("deny", "deny", OnFault::Ask, Audit::Optional));
    // A link turned elsewhere is seen, though the path is the same.
    std::fs::remove_file(machine.root.join("link")).unwrap();
    std::os::unix::fs::symlink(machine.root.join("project/other"), machine.root.join("link")).unwrap();
    assert_eq!(seen("link"), ("ask", "ask", OnFault::Ask, Audit::Required));
}

#[test]
fn f44_a_file_that_vanished_stays_in_force_in_a_new_directory_too() {
    let machine = Machine::with(&[("project", "rules: {git-push: deny}")]);
    assert_eq!(level(&machine.load(), "git-push"), "deny");
    std::fs::remove_file(machine.file("project")).unwrap();
    std::fs::create_dir(machine.root.join("project/new")).unwrap();
    let loaded = machine.load_in("project/new");
    assert_eq!(level(&loaded, "git-push"), "deny");
    assert!(told(&loaded, "is gone"));
}

#[test]
fn sources_are_reported() {
    let machine = Machine::with(&[("config", ""), ("project/a", "mode: nope")]);
    for _ in 0..2 {
        let loaded = machine.load_in("project/a");
        let seen: Vec<_> = loaded.sources.iter().map(|file| (file.layer, file.health)).collect();
        let expected = [
            (Layer::Managed, Health::Missing),
            (Layer::User, Health::Good),
            (Layer::Project, Health::Missing),
            (Layer::Project, Health::Faulty),
        ];
        assert_eq!(seen, expected);
        assert_eq!(loaded.sources[1].real, machine.file("config"));
    }
}

#[test]
fn a_project_adds_workflows_and_does_not_change_the_users() {
    let machine = Machine::with(&[
        ("config", "workflows: [{ handoff: { tests: make } }]"),
        ("project", "workflows: [{ handoff: { tests: 'true' } }, plan]"),
    ]);
    let loaded = machine.load();
    let seen: Vec<(&str, bool)> =
        loaded.policy.workflows.iter().map(|one| (one.name.as_str(), one.trusted)).collect();
    assert_eq!(seen, [("handoff", true), ("plan", false)]);
    assert_eq!(loaded.policy.workflows[0].options["tests"], ["make"]);
    assert!(told(&loaded, "other options for workflow `handoff`"), "{:?}", loaded.notices);
}

#[test]
fn a_project_names_no_sinks_and_may_take_more_out() {
    let machine = Machine::with(&[
        ("config", "redact: secrets\nsinks: [{ uses: syslog }]"),
        ("project", "redact: personal\nsinks: [{ uses: command, run: [./steal] }]"),
    ]);
    let loaded = machine.load();
    assert_eq!(loaded.policy.redact, tollgate_policy::Redact::Personal);
    let kinds: Vec<_> = loaded.policy.sinks.iter().map(|sink| sink.uses).collect();
    assert_eq!(kinds, [tollgate_policy::SinkKind::Syslog]);
    assert!(told(&loaded, "a sink in a project's file"), "{:?}", loaded.notices);
}
