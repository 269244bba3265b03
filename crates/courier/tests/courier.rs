//! The courier against a small server: the log arrives whole and once, under every fault, and no policy that is not
//! signed, newer and valid ever counts.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "tests"
)]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use support::{Server, TOKEN, Trouble, bundle, now, policy_key, sign};
use tollgate_courier::{
    Courier, Error, InForce, Invitation, Machine, Member, Observed, Status, forget, is_running, join, leave,
};
use tollgate_fleet_protocol::{Agent, Bundle, ErrorCode, SignedBundle, Stage, System};
use tollgate_model::Record;
use tollgate_store::{Keep, Limits, Log};

/// A machine that takes every policy but one that says `broken`.
#[derive(Default)]
struct Stub {
    changes: Mutex<usize>,
}

impl Machine for Stub {
    fn system(&self) -> System {
        System { host: "box".into(), ..System::default() }
    }

    fn agents(&self) -> Vec<Agent> {
        vec![Agent { name: "claude-code".into(), version: String::new(), guarded: true }]
    }

    fn check_policy(&self, folder: &Path) -> Result<(), String> {
        let text =
            std::fs::read_to_string(folder.join("tollgate.yaml")).map_err(|error| error.to_string())?;
        if text.contains("broken") { Err("it is broken".into()) } else { Ok(()) }
    }

    fn policy_changed(&self) {
        *self.changes.lock().unwrap() += 1;
    }

    fn observe(&self, folder: &Path, from: u64) -> Observed {
        assert!(folder.join("tollgate.yaml").is_file());
        Observed { calls: 1, refusals: from % 2, reached: from }
    }
}

struct Home {
    folder: tempfile::TempDir,
    stub: Stub,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::Builder::new().prefix("a machine ").tempdir().unwrap(),
            stub: Stub::default(),
        }
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn log(&self) -> Log {
        Log::at(&self.state()).limits(Limits { part: 64 << 10, ..Limits::default() })
    }

    fn write(&self, count: u64) {
        let fields = |number: u64| vec![("prompt".to_owned(), format!("step {number}").into())];
        let records = (0..count)
            .map(|number| (Record { call: String::new(), fields: fields(number) }, SystemTime::now()));
        self.log().append_all(records).unwrap();
    }

    fn lines(&self) -> Vec<String> {
        self.log().records().map(|entry| entry.line).collect()
    }

    fn join(&self, server: &Server) -> Member {
        let invitation =
            Invitation { server: server.url.clone(), token: TOKEN.into(), ..Invitation::default() };
        join(&self.state(), &invitation, &self.stub).unwrap()
    }

    fn courier<'a>(&'a self, state: &'a Path) -> Courier<'a> {
        Courier { state, machine: &self.stub }
    }

    fn sync(&self) -> Result<Status, Error> {
        self.courier(&self.state()).sync().map(|status| status.unwrap())
    }

    /// The policy that hooks read.
    fn policy(&self) -> String {
        std::fs::read_to_string(self.state().join("fleet/policy/tollgate.yaml")).unwrap()
    }

    fn version(&self) -> Option<u64> {
        InForce::of(&self.state()).unwrap().map(|trust| trust.installed.version)
    }

    fn fault(&self, kind: &str) -> Option<String> {
        let status = Status::of(&self.state());
        status.faults.into_iter().find(|fault| fault.kind == kind).map(|fault| fault.text)
    }
}

fn received(server: &Server) -> Vec<String> {
    server.fleet().records.iter().map(|(_, _, line)| line.clone()).collect()
}

#[test]
fn a_machine_joins_once_and_its_key_is_its_own() {
    let (server, machine) = (Server::start(), Home::new());
    let wrong = Invitation { server: server.url.clone(), token: "x".into(), ..Invitation::default() };
    let refused = join(&machine.state(), &wrong, &machine.stub).unwrap_err();
    assert!(refused.to_string().contains("the token is not known"), "{refused}");
    assert_eq!(Member::of(&machine.state()).unwrap(), None);
    let key = machine.state().join("fleet/key");
    let first = std::fs::read(&key).unwrap();
    let member = machine.join(&server);
    assert_eq!(std::fs::read(&key).unwrap(), first, "a failed try keeps its key");
    assert_eq!((member.fleet.as_str(), member.group.as_str(), first.len()), ("acme", "all", 32));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(machine.policy(), "version: 1\n");
    let again = join(&machine.state(), &wrong, &machine.stub).unwrap_err();
    assert!(matches!(again, Error::Joined(_)), "{again}");
    assert!(server.fleet().keys.contains_key(&member.machine));
}

#[test]
fn a_log_of_weeks_arrives_in_order_and_once_and_then_only_what_is_new() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(4500);
    machine.log().compress().unwrap();
    machine.join(&server);
    let status = machine.sync().unwrap();
    assert_eq!(received(&server), machine.lines());
    assert_eq!((status.sent, status.head.seq), (4500, 4500));
    assert!(
        server.fleet().batches.len() >= 3 && server.fleet().batches.iter().all(|(_, size)| *size <= 2000)
    );
    let before = server.fleet().batches.len();
    machine.write(10);
    machine.sync().unwrap();
    assert_eq!(server.fleet().batches[before..], [(4501, 10)]);
    machine.sync().unwrap();
    assert_eq!(server.fleet().batches.len(), before + 1, "nothing new is nothing sent");
    let hello = server.fleet().hellos.last().unwrap().clone();
    assert_eq!((hello.system.host.as_str(), hello.agents.len()), ("box", 1));
    assert_eq!(hello.head.unwrap().seq, 4510);
}

/// Takes some seconds: the pauses between two tries are those of a real courier.
#[test]
fn every_fault_on_the_way_only_delays() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(2500);
    machine.join(&server);
    server.fleet().troubles = [
        ("/v1/hello", Trouble::Busy(1)),
        ("/v1/hello", Trouble::Replayed),
        ("/v1/records", Trouble::Cut),
        ("/v1/records", Trouble::Proxy),
    ]
    .into();
    let state = machine.state();
    std::thread::scope(|scope| {
        let courier = scope.spawn(|| machine.courier(&state).run());
        server.wait("all records are there", |fleet| fleet.records.len() == 2500);
        assert!(is_running(&state));
        assert_eq!(machine.courier(&state).sync().unwrap(), None, "one courier runs");
        machine.write(3);
        server.wait("new ones are there", |fleet| fleet.records.len() == 2503);
        forget(&state).unwrap();
        courier.join().unwrap().unwrap();
    });
    assert!(server.fleet().troubles.is_empty(), "{:?}", server.fleet().troubles);
    assert_eq!(received(&server), machine.lines());
    // The pause that the server asked for was kept.
    let fleet = server.fleet();
    let hellos: Vec<Duration> =
        fleet.requests.iter().filter(|(what, _)| what == "POST /v1/hello").map(|(_, at)| *at).collect();
    assert!(hellos[1] - hellos[0] >= Duration::from_secs(1), "{hellos:?}");
    assert!(!is_running(&state));
}

#[test]
fn a_clock_that_is_a_day_off_is_told_and_cuts_nobody_off() {
    for ahead in [86_400, -86_400] {
        let (server, machine) = (Server::start(), Home::new());
        machine.write(5);
        server.fleet().ahead = ahead;
        machine.join(&server);
        machine.sync().unwrap();
        assert_eq!(received(&server).len(), 5);
        assert!(machine.fault("clock").is_some());
        let asked = server.fleet().requests.len();
        machine.sync().unwrap();
        let requests = server.fleet().requests[asked..].len();
        assert_eq!(requests, 3, "the clock is remembered: two greetings, one look for approvals");
        server.fleet().ahead = 0;
        machine.sync().unwrap();
        assert_eq!(machine.fault("clock"), None);
    }
}

#[test]
fn a_log_that_was_cut_rewritten_or_begun_anew_is_sent_and_told() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(100);
    machine.join(&server);
    machine.sync().unwrap();
    let state = machine.state();
    let kept: Vec<(PathBuf, Vec<u8>)> = ["events.jsonl", "head"]
        .map(|name| (state.join(name), std::fs::read(state.join(name)).unwrap()))
        .into();
    machine.write(50);
    machine.sync().unwrap();
    // An older copy of the log is put back.
    kept.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    let status = machine.sync().unwrap();
    assert_eq!(status.incidents, ["rollback"]);
    let told = server.fleet().batches.len();
    machine.sync().unwrap();
    assert_eq!(server.fleet().batches.len(), told + 1, "each courier tells it once");
    // It goes on from there.
    machine.write(20);
    let status = machine.sync().unwrap();
    assert_eq!((status.incidents, status.head.seq), (vec!["rollback".to_owned(), "fork".to_owned()], 120));
    assert_eq!(received(&server), machine.lines());
    // All of it goes away, and another log begins.
    kept.iter().for_each(|(path, _)| std::fs::remove_file(path).unwrap());
    machine.write(7);
    machine.sync().unwrap();
    assert_eq!(received(&server), machine.lines());
}

#[test]
fn a_log_that_differs_far_back_is_found_by_what_the_server_knows() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(300);
    machine.join(&server);
    machine.sync().unwrap();
    let state = machine.state();
    let kept =
        ["events.jsonl", "head"].map(|name| (state.join(name), std::fs::read(state.join(name)).unwrap()));
    machine.write(3000);
    machine.sync().unwrap();
    for name in machine.log().parts() {
        std::fs::remove_file(state.join(name)).unwrap();
    }
    kept.iter().for_each(|(path, bytes)| std::fs::write(path, bytes).unwrap());
    machine.write(2900);
    machine.sync().unwrap();
    assert_eq!(received(&server), machine.lines());
}

#[test]
fn what_was_pruned_before_it_was_sent_is_named() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(1000);
    assert!(machine.log().parts().len() > 2);
    let keep = Keep { bytes: Some(64 << 10), since: None };
    machine.log().prune(keep, SystemTime::now()).unwrap().unwrap();
    let first = machine.log().records().next().unwrap().seq;
    machine.join(&server);
    machine.sync().unwrap();
    assert_eq!(server.fleet().missing, [(1, first - 1, "pruned".to_owned())]);
    assert_eq!(received(&server), machine.lines());
    // What vanishes without a word is named otherwise.
    machine.write(1000);
    let state = machine.state();
    let parts = machine.log().parts();
    for name in &parts[..parts.len() - 1] {
        std::fs::remove_file(state.join(name)).unwrap();
    }
    machine.sync().unwrap();
    assert_eq!(server.fleet().missing.last().unwrap().2, "not in the log");
}

#[test]
fn the_server_gets_the_hashes_that_it_asks_for() {
    let (server, machine) = (Server::start(), Home::new());
    machine.write(20);
    machine.join(&server);
    machine.sync().unwrap();
    let true_hash = server.fleet().records[4].1.clone();
    let path = machine.state().join("events.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("step 5\"", "step X\"", 1)).unwrap();
    server.fleet().check = vec![5, 6, 99];
    machine.sync().unwrap();
    machine.sync().unwrap();
    let checked = server.fleet().hellos.last().unwrap().checked.clone();
    let edited = server.fleet().records[5].1.clone();
    assert_eq!((checked[0].seq, &checked[0].hash), (5, &true_hash));
    assert!(checked[1].hash.len() == 32 && checked[1].hash != edited, "computed, not copied");
    assert_eq!((checked[2].seq, checked[2].hash.as_str()), (99, ""));
}

fn with_key() -> (Server, Home, minisign::KeyPair) {
    let (server, machine, key) = (Server::start(), Home::new(), policy_key());
    server.fleet().policy_keys = vec![key.pk.to_base64()];
    machine.join(&server);
    (server, machine, key)
}

#[test]
fn a_signed_bundle_comes_into_force_and_an_older_one_never_again() {
    let (server, machine, key) = with_key();
    let mut first = bundle(3, "version: 1\nmode: enforce\n");
    first.files.insert("hooks/guard.py".into(), "#!/usr/bin/python3\n".into());
    let digest = server.offer(&sign(&first, &key), 3, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!((machine.policy().as_str(), machine.version()), ("version: 1\nmode: enforce\n", Some(3)));
    assert!(machine.state().join("fleet/policy/hooks/guard.py").is_file());
    assert!(*machine.stub.changes.lock().unwrap() >= 2);
    let told = server.fleet().hellos.last().unwrap().policy.enforced.clone().unwrap();
    assert_eq!((told.version, told.digest), (3, digest));
    server.offer(&sign(&bundle(2, "version: 1\nmode: observe\n"), &key), 2, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(3));
    assert!(machine.fault("bundle-refused").unwrap().contains("version 2"));
    server.offer(&sign(&bundle(4, "version: 1\n"), &key), 4, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!((machine.version(), machine.fault("bundle-refused")), (Some(4), None));
    let left = std::fs::read_dir(machine.state().join("fleet/bundles")).unwrap().count();
    assert_eq!(left, 2, "only the bundle in force and its text stay");
}

#[test]
fn no_bundle_that_is_forged_old_expired_foreign_or_cut_counts() {
    let (server, machine, key) = with_key();
    let good = "version: 1\nmode: enforce\n";
    server.offer(&sign(&bundle(5, good), &key), 5, Stage::Enforce);
    machine.sync().unwrap();
    let loose = "version: 1\nmode: observe\n";
    let newer = || bundle(9, loose);
    let signed = sign(&newer(), &key);
    let cut = SignedBundle { bundle: signed.bundle[..signed.bundle.len() - 9].into(), ..signed.clone() };
    let edited = SignedBundle { bundle: signed.bundle.replace("\"version\":9", "\"version\":8"), ..signed };
    let cases: Vec<(&str, SignedBundle)> = vec![
        ("not signed by a key", sign(&newer(), &policy_key())),
        ("not signed by a key", cut),
        ("not signed by a key", edited),
        ("version 5 is in force", sign(&bundle(5, loose), &key)),
        ("version 7", sign(&Bundle { min_previous: 7, ..newer() }, &key)),
        ("expired", sign(&Bundle { expires: now() - 1, ..newer() }, &key)),
        ("of the fleet `other`", sign(&Bundle { fleet: "other".into(), ..newer() }, &key)),
        ("not for the group", sign(&Bundle { groups: vec!["lab".into()], ..newer() }, &key)),
        ("it is broken", sign(&bundle(9, "broken"), &key)),
        ("no policy of this Tollgate", sign(&Bundle { files: [].into(), ..newer() }, &key)),
        (
            "path is not allowed",
            sign(&Bundle { files: [("../x".to_owned(), String::new())].into(), ..newer() }, &key),
        ),
        ("format 2", sign(&Bundle { format: 2, ..newer() }, &key)),
    ];
    for (says, signed) in cases {
        for stage in [Stage::Enforce, Stage::Observe] {
            server.fleet().policies.clear();
            server.offer(&signed, 9, stage);
            machine.sync().unwrap();
            assert_eq!((machine.policy().as_str(), machine.version()), (good, Some(5)), "{says}");
            let fault = machine.fault("bundle-refused").unwrap_or_default();
            assert!(fault.contains(says), "{says}: {fault}");
            assert_eq!(Status::of(&machine.state()).observed, None, "{says}");
        }
    }
    // A refused bundle is not fetched again at each greeting.
    let fetched = |server: &Server| {
        server.fleet().requests.iter().filter(|(what, _)| what.starts_with("GET /v1/bundles/")).count()
    };
    let before = fetched(&server);
    machine.sync().unwrap();
    assert_eq!(fetched(&server), before);
    // The server sends another bundle than it named.
    let swapped = sign(&bundle(10, loose), &key);
    let digest = server.offer(&sign(&bundle(11, loose), &key), 11, Stage::Enforce);
    server.fleet().bundles.insert(digest, swapped);
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(5));
    assert!(machine.fault("bundle-refused").unwrap().contains("another bundle than it named"));
    assert!(!machine.state().parent().unwrap().join("x").exists());
}

#[test]
fn a_bundle_names_the_keys_of_the_next_one() {
    let (server, machine, key) = with_key();
    let next = policy_key();
    let turning = Bundle { keys: vec![next.pk.to_base64()], ..bundle(1, "version: 1\n") };
    server.offer(&sign(&turning, &key), 1, Stage::Enforce);
    machine.sync().unwrap();
    server.offer(&sign(&bundle(2, "version: 1\n"), &key), 2, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(1), "the old key signs nothing more");
    server.offer(&sign(&bundle(3, "version: 1\n"), &next), 3, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(3));
    // What was pinned with the token counts before what the server names.
    let (server, machine) = (Server::start(), Home::new());
    server.fleet().policy_keys = vec![key.pk.to_base64()];
    let policy_keys = vec![next.pk.to_base64()];
    let invitation = Invitation { server: server.url.clone(), token: TOKEN.into(), ca: None, policy_keys };
    join(&machine.state(), &invitation, &machine.stub).unwrap();
    server.offer(&sign(&bundle(1, "version: 1\n"), &key), 1, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!(machine.version(), None);
}

#[test]
fn an_installed_policy_is_put_back_and_one_that_expired_stays() {
    let (server, machine, key) = with_key();
    let good = "version: 1\nmode: enforce\n";
    let digest =
        server.offer(&sign(&Bundle { expires: now() + 1, ..bundle(1, good) }, &key), 1, Stage::Enforce);
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(1));
    let folder = machine.state().join("fleet/bundles").join(&digest);
    std::fs::write(folder.join("tollgate.yaml"), "version: 1\nmode: observe\n").unwrap();
    machine.sync().unwrap();
    assert_eq!(machine.policy(), good);
    std::fs::write(folder.join("more.yaml"), "x").unwrap();
    std::fs::remove_file(machine.state().join("fleet/policy")).unwrap();
    machine.sync().unwrap();
    assert!(!folder.join("more.yaml").exists() && machine.policy() == good);
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while machine.fault("bundle-expired").is_none() && std::time::Instant::now() < end {
        machine.sync().unwrap();
    }
    assert!(machine.fault("bundle-expired").unwrap().contains("stays in force"));
    assert_eq!((machine.policy().as_str(), machine.version()), (good, Some(1)));
    // A server that takes its policy back leaves it in force.
    server.fleet().policies.clear();
    machine.sync().unwrap();
    assert_eq!(machine.version(), Some(1));
}

#[test]
fn an_observed_bundle_is_judged_by_and_changes_nothing() {
    let (server, machine, key) = with_key();
    machine.write(4);
    machine.sync().unwrap();
    let digest = server.offer(&sign(&bundle(1, "version: 1\nmode: observe\n"), &key), 1, Stage::Observe);
    machine.sync().unwrap();
    machine.write(6);
    machine.sync().unwrap();
    assert_eq!((machine.policy().as_str(), machine.version()), ("version: 1\n", None));
    let told = server.fleet().hellos.last().unwrap().policy.clone();
    assert_eq!(told.observed.unwrap().digest, digest);
    assert_eq!((told.observed_calls, told.observed_refusals), (6, 3));
    server.fleet().policies.clear();
    machine.sync().unwrap();
    machine.sync().unwrap();
    assert_eq!(server.fleet().hellos.last().unwrap().policy.observed, None);
}

#[test]
fn an_approval_is_pulled_within_two_seconds_and_used_once() {
    let (server, machine) = (Server::start(), Home::new());
    machine.join(&server);
    let state = machine.state();
    let digest = "d".repeat(64);
    std::thread::scope(|scope| {
        let courier = scope.spawn(|| machine.courier(&state).run());
        server.wait("the courier waits for approvals", |fleet| {
            fleet.requests.iter().any(|(what, _)| what.starts_with("GET /v1/grants"))
        });
        let begun = std::time::Instant::now();
        server.approve(&digest);
        while !tollgate_store::take_grant(&state, &digest, SystemTime::now()).unwrap() {
            assert!(begun.elapsed() < support::PATIENCE, "no approval came");
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(2), "{took:?}");
        forget(&state).unwrap();
        courier.join().unwrap().unwrap();
    });
    assert!(!tollgate_store::take_grant(&state, &digest, SystemTime::now()).unwrap());
}

#[test]
fn a_revoked_machine_keeps_its_policy_and_sends_nothing() {
    let (server, machine, key) = with_key();
    server.offer(&sign(&bundle(1, "version: 1\nmode: enforce\n"), &key), 1, Stage::Enforce);
    machine.sync().unwrap();
    server.fleet().revoked = true;
    machine.write(3);
    let error = machine.sync().unwrap_err();
    let Error::Request(failure) = &error else { panic!("{error}") };
    assert_eq!(failure.code(), Some(ErrorCode::Revoked));
    assert!(Status::of(&machine.state()).revoked);
    assert_eq!((machine.version(), received(&server).len()), (Some(1), 0));
    assert!(leave(&machine.state()).is_err());
    server.fleet().revoked = false;
    leave(&machine.state()).unwrap();
    forget(&machine.state()).unwrap();
    assert!(!machine.state().join("fleet").exists() && machine.log().records().count() == 3);
    assert!(matches!(machine.sync(), Err(Error::NotJoined)));
}

#[test]
fn a_key_that_was_exchanged_speaks_for_nobody() {
    let (server, machine) = (Server::start(), Home::new());
    machine.join(&server);
    std::fs::write(machine.state().join("fleet/key"), [7; 32]).unwrap();
    assert!(machine.sync().unwrap_err().to_string().contains("not the key that joined"));
    std::fs::write(machine.state().join("fleet/key"), b"short").unwrap();
    assert!(machine.sync().unwrap_err().to_string().contains("damaged"));
}

#[test]
fn only_a_server_that_the_given_authority_vouches_for_is_joined() {
    let (server, machine) = (Server::start_tls(30), Home::new());
    let with = |ca: Option<&str>| Invitation {
        server: server.url.clone(),
        token: TOKEN.into(),
        ca: ca.map(|pem| pem.as_bytes().to_vec()),
        policy_keys: Vec::new(),
    };
    for ca in [None, Some(Server::start_tls(30).ca.as_str()), Some("no certificate")] {
        let error = join(&machine.state(), &with(ca), &machine.stub).unwrap_err().to_string();
        assert!(error.contains("cannot be reached"), "{error}");
    }
    assert!(server.fleet().requests.is_empty());
    let member = join(&machine.state(), &with(Some(&server.ca)), &machine.stub).unwrap();
    assert!(member.own_ca);
    machine.write(3);
    machine.sync().unwrap();
    assert_eq!(received(&server), machine.lines());
    let (expired, machine) = (Server::start_tls(-1), Home::new());
    let invitation =
        Invitation { server: expired.url.clone(), ca: Some(expired.ca.clone().into()), ..with(None) };
    let error = join(&machine.state(), &invitation, &machine.stub).unwrap_err().to_string();
    assert!(error.contains("cannot be reached") && error.to_lowercase().contains("expired"), "{error}");
}
