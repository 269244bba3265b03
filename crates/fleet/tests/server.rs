//! The server as it is started by people, with a real PostgreSQL. One of them serves all scenarios, which run one after
//! the other and each with machines of its own; a test runner that starts a process for each test would start as many.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests"
)]

mod scenarios;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use world::World;

/// All of it, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(150);

type Scenario = (&'static str, fn(&mut World));

const SCENARIOS: &[Scenario] = &[
    ("a token lets one machine join", scenarios::machines::a_token_lets_one_machine_join),
    ("only fresh signed requests are answered", scenarios::machines::only_fresh_signed_requests_are_answered),
    ("a revoked key is refused at once", scenarios::machines::a_revoked_key_is_refused_at_once),
    ("a key on two machines is found", scenarios::machines::a_key_on_two_machines_is_found),
    ("records are stored once and in order", scenarios::logs::records_are_stored_once_and_in_order),
    ("what is no batch is refused", scenarios::logs::what_is_no_batch_is_refused),
    ("edited and removed records are found", scenarios::logs::edited_and_removed_records_are_found),
    ("a log on two machines has two chains", scenarios::logs::a_log_on_two_machines_has_two_chains),
    ("a log that was cut or begun anew is found", scenarios::logs::a_log_that_was_cut_or_begun_anew_is_found),
    (
        "a record that was rewritten later is found",
        scenarios::logs::a_record_that_was_rewritten_later_is_found,
    ),
    (
        "a pruned log is taken from where it begins",
        scenarios::logs::a_pruned_log_is_taken_from_where_it_begins,
    ),
    ("only sound bundles are taken", scenarios::people::only_sound_bundles_are_taken),
    ("a bundle goes out in stages", scenarios::people::a_bundle_goes_out_in_stages),
    ("a harmful rollout is held", scenarios::people::a_harmful_rollout_is_held),
    ("an approval reaches its machine", scenarios::people::an_approval_reaches_its_machine),
    ("roles are kept", scenarios::people::roles_are_kept),
    ("pages need a login and their own forms", scenarios::people::pages_need_a_login_and_their_own_forms),
    ("the audit trail cannot be changed", scenarios::people::the_audit_trail_cannot_be_changed),
    ("more batches than can be taken wait", scenarios::faults::more_batches_than_can_be_taken_wait),
    ("a killed server loses nothing", scenarios::faults::a_killed_server_loses_nothing),
    ("a crash of the database loses nothing", scenarios::faults::a_crash_of_the_database_loses_nothing),
    (
        "the demonstration leaves nothing",
        scenarios::faults::the_demonstration_shows_machines_and_leaves_nothing,
    ),
    ("a server that is asked to end ends", scenarios::faults::a_server_that_is_asked_to_end_ends),
];

#[test]
fn the_server_does_what_it_says() {
    let (done, finished) = mpsc::channel();
    // On a thread of its own, so that nothing here can wait for ever. PostgreSQL and the servers end with that thread.
    std::thread::spawn(move || done.send(run()));
    match finished.recv_timeout(PATIENCE) {
        Ok(failed) => assert!(failed.is_empty(), "failed: {failed:?}"),
        Err(error) => panic!("the scenarios did not come to an end: {error}"),
    }
}

fn run() -> Vec<&'static str> {
    let mut world = World::start();
    let mut failed = Vec::new();
    for (name, scenario) in SCENARIOS {
        let begun = Instant::now();
        let passed = catch_unwind(AssertUnwindSafe(|| scenario(&mut world))).is_ok();
        println!("{} {name} ({} ms)", if passed { "ok    " } else { "FAILED" }, begun.elapsed().as_millis());
        if !passed {
            failed.push(*name);
        }
    }
    failed
}
