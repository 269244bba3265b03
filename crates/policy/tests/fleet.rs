//! The policy of a fleet: a managed one below the machine's own, and nothing on a machine that has not joined.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::{Machine, level, told, wait_until_old};
use tollgate_policy::{expire, fleet_file, forget};

const AT: &str = "state/fleet/bundles/one";

/// Puts a policy where the courier does: behind a link.
fn join(machine: &Machine, settings: &str) {
    machine.set(AT, settings);
    let link = machine.root.join("state/fleet/policy");
    let _ = fs::remove_file(&link);
    symlink("bundles/one", link).unwrap();
    expire(&machine.root.join("state"));
}

#[test]
fn a_machine_looks_for_a_fleet_only_after_it_joined() {
    let machine = Machine::with(&[("config", "mode: enforce")]);
    let alone = machine.load();
    assert!(
        !alone.has_fleet()
            && alone.sources.iter().all(|source| !source.path.ends_with("policy/tollgate.yaml"))
    );
    join(&machine, "rules: {git-push: deny}");
    let joined = machine.load();
    assert!(joined.rebuilt && joined.has_fleet());
    assert_eq!(level(&joined, "git-push"), "deny");
    wait_until_old();
    machine.load();
    let known = machine.load();
    assert!(!known.rebuilt && known.has_fleet(), "the snapshot says so");
}

#[test]
fn users_and_projects_only_tighten_what_the_fleet_says_and_the_fleet_what_the_machine_says() {
    let machine = Machine::with(&[
        ("etc", "rules: {cloud-delete: deny}"),
        ("config", "rules: {git-push: note, cloud-delete: ask}"),
        ("project", "rules: {git-push: off, secret-file-read: deny}"),
    ]);
    join(&machine, "rules: {git-push: ask, cloud-delete: note}");
    let loaded = machine.load();
    let levels = ["git-push", "cloud-delete", "secret-file-read"].map(|rule| level(&loaded, rule));
    assert_eq!(levels, ["ask", "deny", "deny"]);
    assert!(told(&loaded, "the managed policy may only be tightened"), "{:?}", loaded.notices);
}

#[test]
fn a_link_that_is_turned_is_seen_at_the_next_event() {
    let machine = Machine::new();
    join(&machine, "rules: {git-push: deny}");
    machine.load();
    wait_until_old();
    assert_eq!(level(&machine.load(), "git-push"), "deny");
    machine.set("state/fleet/bundles/two", "rules: {git-push: ask}");
    symlink("bundles/two", machine.root.join("state/fleet/next")).unwrap();
    fs::rename(machine.root.join("state/fleet/next"), machine.root.join("state/fleet/policy")).unwrap();
    assert_eq!(level(&machine.load(), "git-push"), "ask");
}

#[test]
fn a_policy_that_vanishes_or_breaks_stays_in_force_until_somebody_leaves() {
    let machine = Machine::new();
    let state = machine.root.join("state");
    join(&machine, "rules: {git-push: deny}");
    assert_eq!(level(&machine.load(), "git-push"), "deny");
    fs::write(machine.file(AT), "version: 1\nrules: [\n").unwrap();
    let broken = machine.load();
    assert!(level(&broken, "git-push") == "deny" && told(&broken, "broken"), "{:?}", broken.notices);
    fs::remove_dir_all(state.join("fleet")).unwrap();
    for _ in 0..2 {
        let gone = machine.load();
        assert!(level(&gone, "git-push") == "deny" && told(&gone, "is gone"), "{:?}", gone.notices);
        expire(&state);
    }
    assert!(forget(&state, &fleet_file(&state)));
    expire(&state);
    let left = machine.load();
    assert_eq!((level(&left, "git-push"), left.has_fleet()), ("note", false));
}
