//! A machine in a fleet, from the command line to the hook: the real binary against a small server.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests"
)]

#[path = "../../courier/tests/support/mod.rs"]
mod fleet_server;
mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use fleet_server::{PATIENCE, Server, TOKEN, bundle, policy_key, sign};
use serde_json::Value;
use support::{Answer, Scratch, answer, in_terminal, is_missing};
use tollgate_fleet_protocol::{SignedBundle, Stage};

/// A managed policy that refuses a word.
const POLICY: &str = concat!(
    "version: 1\nmode: enforce\nhooks:\n  pre-tool-use:\n    middleware:\n",
    "      - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [hello]}}\n",
);

/// A person's command without a terminal.
fn run(scratch: &Scratch, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
    answer(command.args(args), b"")
}

#[track_caller]
fn done(ran: &Answer, code: i32, says: &[&str]) {
    assert_eq!(ran.code, Some(code), "{}{}", ran.stdout, ran.stderr);
    says.iter().for_each(|text| assert!(ran.says(text), "must say `{text}`: {}{}", ran.stdout, ran.stderr));
}

fn join(scratch: &Scratch, server: &Server) {
    let ran = in_terminal(scratch, &format!("fleet join {} --token {TOKEN}", server.url), "y\n");
    done(&ran, 0, &["Joined the fleet `acme`"]);
}

fn status(scratch: &Scratch) -> Value {
    serde_json::from_str(&run(scratch, &["fleet", "status", "--json"]).stdout).unwrap()
}

/// Waits until no courier runs, so that `sync` does the work.
fn settle(scratch: &Scratch) {
    let end = Instant::now() + PATIENCE;
    while status(scratch)["running"] == true {
        assert!(Instant::now() < end, "a courier goes on and on");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_person_joins_in_a_terminal_and_leaves_again() {
    let (scratch, server) = (Scratch::new(), Server::start());
    done(&run(&scratch, &["fleet", "status"]), 0, &["has not joined a fleet", "tollgate fleet join URL"]);
    done(&run(&scratch, &["fleet", "sync"]), 2, &["has not joined a fleet"]);
    let without = run(&scratch, &["fleet", "join", &server.url, "--token", TOKEN]);
    done(&without, 2, &["joining needs a terminal"]);
    let no = in_terminal(&scratch, &format!("fleet join {} --token {TOKEN}", server.url), "n\n");
    done(&no, 1, &["Nothing was joined"]);
    done(&run(&scratch, &["fleet", "join", "http://fleet.example", "--token", "x"]), 2, &["not encrypted"]);
    assert!(server.fleet().requests.is_empty());
    join(&scratch, &server);
    let known = status(&scratch);
    assert_eq!(
        (&known["joined"], &known["fleet"], &known["behind"]),
        (&true.into(), &"acme".into(), &0.into())
    );
    let again = in_terminal(&scratch, &format!("fleet join {} --token {TOKEN}", server.url), "y\n");
    done(&again, 2, &["has joined the fleet `acme` already", "tollgate fleet leave"]);
    done(&run(&scratch, &["doctor"]), 0, &["Fleet", "joined the fleet `acme`", "last contact"]);
    done(&in_terminal(&scratch, "fleet leave", "y\n"), 0, &["left the fleet `acme`"]);
    assert!(server.fleet().keys.is_empty() && !scratch.state().join("fleet").exists());
    assert_eq!(status(&scratch)["joined"], false);
}

#[test]
fn no_agent_joins_leaves_or_reads_the_key() {
    let (scratch, server) = (Scratch::new(), Server::start());
    join(&scratch, &server);
    let key = scratch.state().join("fleet/key");
    for text in [
        format!("tollgate fleet join {} --token x", server.url),
        "tollgate fleet leave --offline".to_owned(),
        "tollgate fleet-courier --config /tmp/a --state /tmp/b".to_owned(),
        "cat ~/.local/state/tollgate/fleet/key".to_owned(),
        "cp -r ~/.local/state/tollgate/fleet /tmp/x".to_owned(),
        "echo x > ~/.local/state/tollgate/fleet/policy/tollgate.yaml".to_owned(),
        "rm ~/.local/state/tollgate/fleet/machine.json".to_owned(),
    ] {
        assert_eq!(scratch.bash(&text).decision(), "deny", "{text}");
    }
    scratch.tool("Read", serde_json::json!({"file_path": key})).denied();
    let mut marked = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut marked);
    for verb in ["leave", "sync"] {
        let ran = answer(marked.env("CLAUDECODE", "1").args(["fleet", verb]), b"");
        assert!(ran.says("is for people"), "{}", ran.stderr);
        marked = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        scratch.clean(&mut marked);
    }
    assert_eq!(status(&scratch)["joined"], true);
}

#[test]
fn hooks_start_the_courier_and_the_log_arrives() {
    let (scratch, server) = (Scratch::new(), Server::start());
    scratch.bash("ls src");
    join(&scratch, &server);
    server.wait("the log so far is there", |fleet| fleet.records.len() == 1);
    scratch.bash("ls src");
    scratch.bash("rm -rf ~/.ssh").denied();
    server.wait("the courier brought the rest", |fleet| fleet.records.len() == 3);
    let lines: Vec<Value> =
        server.fleet().records.iter().map(|record| serde_json::from_str(&record.2).unwrap()).collect();
    assert_eq!(lines, scratch.log());
    assert_eq!(status(&scratch)["running"], true);
    // Another event starts no other courier, and waits for none.
    let before = server.fleet().requests.len();
    assert!(scratch.bash("ls src").time < Duration::from_secs(3));
    server.wait("it arrives", |fleet| fleet.records.len() == 4);
    assert!(server.fleet().requests.len() > before);
    let agents = server.fleet().hellos.last().unwrap().system.clone();
    assert!(!agents.host.is_empty() && !agents.user.is_empty() && agents.gate == env!("CARGO_PKG_VERSION"));
    let left = in_terminal(&scratch, "fleet leave", "y\n");
    done(&left, 0, &["left"]);
    settle(&scratch);
}

#[test]
fn a_policy_of_the_fleet_is_enforced_and_nobody_loosens_it() {
    let (scratch, server, key) = (Scratch::new(), Server::start(), policy_key());
    server.fleet().policy_keys = vec![key.pk.to_base64()];
    scratch.bash("ls");
    assert_ne!(scratch.bash("echo hello").decision(), "deny");
    join(&scratch, &server);
    assert_ne!(scratch.bash("echo hello").decision(), "deny");
    let first = server.offer(&sign(&bundle(1, POLICY), &key), 1, Stage::Enforce);
    server.wait("the policy is in force", |fleet| {
        let told = fleet.hellos.last().and_then(|hello| hello.policy.enforced.clone());
        told.is_some_and(|told| told.digest == first)
    });
    scratch.bash("echo hello").denied();
    // The user's own file cannot take that back, and what is broken or gone does not either.
    scratch.policy("version: 1\nmode: observe\n");
    scratch.bash("echo hello").denied();
    scratch.bash("rm -rf ~/.ssh").denied();
    scratch.policy("version: 1\n");
    server.offer(&sign(&bundle(2, "version: 1\nmode: [\n"), &key), 2, Stage::Enforce);
    server.wait("the broken one is refused", |fleet| {
        let faults = fleet.hellos.last().map(|hello| hello.faults.clone()).unwrap_or_default();
        faults.iter().any(|fault| fault.kind == "bundle-refused")
    });
    scratch.bash("echo hello").denied();
    let told = run(&scratch, &["fleet", "status"]);
    done(&told, 1, &["policy version 1", "a policy bundle was refused", "version 2 is no policy"]);
    done(&run(&scratch, &["doctor"]), 1, &["a policy bundle was refused"]);
    assert!(run(&scratch, &["audit"]).says("fleet: a policy bundle was refused"));
    done(&in_terminal(&scratch, "fleet leave", "y\n"), 0, &["left"]);
    assert_ne!(scratch.bash("echo hello").decision(), "deny");
}

/// A rule that refuses a word.
const RULE: &str = concat!(
    "version: 1\ncustom:\n  - id: no-greeting\n    level: deny\n    when: call.text.contains(\"greeting\")\n",
    "    reason: a test\n    examples:\n      hit: [\"echo greeting\"]\n      pass: [\"ls\"]\n",
);

#[test]
fn an_observed_policy_counts_what_it_would_refuse_and_refuses_nothing() {
    let (scratch, server, key) = (Scratch::new(), Server::start(), policy_key());
    server.fleet().policy_keys = vec![key.pk.to_base64()];
    scratch.bash("ls src");
    join(&scratch, &server);
    let digest = server.offer(&sign(&bundle(1, RULE), &key), 1, Stage::Observe);
    scratch.bash("ls src");
    server.wait("the policy is observed", |fleet| {
        let told = fleet.hellos.last().and_then(|hello| hello.policy.observed.clone());
        told.is_some_and(|told| told.digest == digest)
    });
    let counts = |fleet: &fleet_server::Fleet| {
        let policy = &fleet.hellos.last().unwrap().policy;
        (policy.observed_calls, policy.observed_refusals)
    };
    // What came before may or may not be among them.
    let (before, _) = counts(&server.fleet());
    assert_ne!(scratch.bash("echo greeting").decision(), "deny");
    scratch.bash("rm -rf ~/.ssh").denied();
    server.wait("both were judged", |fleet| counts(fleet).0 >= before + 2 && counts(fleet).1 == 1);
    assert!(status(&scratch)["enforced"].is_null());
    done(&run(&scratch, &["fleet", "status"]), 0, &["policy version 1 is observed", "1 would be refused"]);
    in_terminal(&scratch, "fleet leave", "y\n");
}

#[test]
fn an_approval_of_the_server_lets_exactly_that_call_pass_once() {
    let (scratch, server) = (Scratch::new(), Server::start());
    join(&scratch, &server);
    scratch.bash("rm -rf ~/.ssh").denied();
    server.wait("the refusal is there", |fleet| !fleet.records.is_empty());
    let record: Value = serde_json::from_str(&server.fleet().records.last().unwrap().2).unwrap();
    let digest = record["digest"].as_str().unwrap().to_owned();
    server.approve(&digest);
    let end = Instant::now() + PATIENCE;
    let grant = scratch.state().join("grants").join(&digest);
    while !grant.exists() {
        assert!(Instant::now() < end, "no approval came");
        std::thread::sleep(Duration::from_millis(20));
    }
    scratch.bash("rm -rf ~/.ssh/id_rsa").denied();
    assert_ne!(scratch.bash("rm -rf ~/.ssh").decision(), "deny");
    scratch.bash("rm -rf ~/.ssh").denied();
    in_terminal(&scratch, "fleet leave", "y\n");
}

#[test]
fn an_administrators_file_is_enough_to_join() {
    let (scratch, server) = (Scratch::new(), Server::start());
    let file = scratch.home().join("fleet.yaml");
    let key = policy_key().pk.to_base64();
    let text = format!("server: {}\ntoken: {TOKEN}\npolicy_keys:\n  - {key}\n", server.url);
    std::fs::write(&file, text).unwrap();
    let ran = run(&scratch, &["fleet", "join", "--from", file.to_str().unwrap()]);
    if rustix::process::geteuid().is_root() {
        done(&ran, 0, &["Joined the fleet `acme`", &key]);
    } else {
        done(&ran, 2, &["joining needs a terminal"]);
    }
    std::fs::write(&file, "sever: x\n").unwrap();
    done(&in_terminal(&scratch, "fleet leave", "y\n"), if ran.code == Some(0) { 0 } else { 2 }, &[]);
    let ran = run(&scratch, &["fleet", "join", "--from", file.to_str().unwrap()]);
    done(&ran, 2, &["unknown key `sever`"]);
}

#[test]
fn bundles_are_built_signed_and_verified() {
    let scratch = Scratch::new();
    let home = scratch.home();
    std::fs::write(scratch.project().join("tollgate.yaml"), POLICY).unwrap();
    let at = |name: &str| home.join(name).to_str().unwrap().to_owned();
    done(
        &run(&scratch, &["bundle", "keygen", "--output", &at("a")]),
        2,
        &["needs a terminal", "--no-password"],
    );
    for name in ["a", "b"] {
        let made = run(&scratch, &["bundle", "keygen", "--no-password", "--output", &at(name)]);
        done(&made, 0, &["Secret key", "Public key"]);
    }
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(at("a.key")).unwrap().permissions().mode() & 0o777, 0o600);
    let twice = run(&scratch, &["bundle", "keygen", "--no-password", "--output", &at("a")]);
    done(&twice, 2, &["is there already"]);
    let (key, out) = (at("a.key"), at("bundle.json"));
    done(&run(&scratch, &["build", "--bundle", "--sign", &key]), 2, &["--fleet"]);
    let build =
        ["build", "--bundle", "--sign", &key, "--fleet", "acme", "--group", "all", "--bundle-version", "7"];
    let whole: Vec<&str> = build.into_iter().chain(["--output", &out, "--valid-for", "30d"]).collect();
    done(&run(&scratch, &whole), 0, &["version  7", "tollgate.yaml"]);
    let signed: SignedBundle = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let public = std::fs::read_to_string(at("a.pub")).unwrap().lines().last().unwrap().to_owned();
    let opened = signed.open(&[public]).unwrap();
    assert_eq!((opened.version, opened.files["tollgate.yaml"].as_str()), (7, POLICY));
    assert_eq!(opened.expires - opened.created, 30 * 86_400);
    let verify = |key: &str| run(&scratch, &["bundle", "verify", &out, "--key", &at(key)]);
    done(&verify("a.pub"), 0, &["The signature is good", "fleet    acme"]);
    done(&verify("b.pub"), 1, &["REFUSED"]);
    done(&run(&scratch, &["bundle", "verify", &out]), 2, &["--key KEY"]);
    std::fs::write(&out, std::fs::read_to_string(&out).unwrap().replace("acme", "evil")).unwrap();
    done(&verify("a.pub"), 1, &["REFUSED"]);
    std::fs::write(scratch.project().join("tollgate.yaml"), "version: 1\nmode: maybe\n").unwrap();
    done(&run(&scratch, &whole), 1, &["nothing was written"]);
}

/// What a hook that has been run before does with files, by `strace`; `None` where nothing can be traced.
fn traced(scratch: &Scratch) -> Option<String> {
    let out = scratch.home().join("trace");
    let mut hook = scratch.command(Some("PreToolUse"));
    let mut strace = Command::new("strace");
    strace.args(["-f", "-o"]).arg(&out).arg(hook.get_program()).args(hook.get_args());
    scratch.clean(&mut strace);
    let ran = answer(&mut strace, &scratch.payload("Bash", serde_json::json!({"command": "ls src"})));
    hook.env_clear();
    (ran.code == Some(0)).then(|| std::fs::read_to_string(out).unwrap())
}

#[test]
fn a_hook_looks_for_no_fleet_unless_the_machine_joined_one() {
    if is_missing("strace") {
        return;
    }
    let (scratch, server) = (Scratch::new(), Server::start());
    (0..3).for_each(|_| drop(scratch.bash("ls src")));
    // Until the times of the policy files tell by themselves.
    std::thread::sleep(Duration::from_millis(200));
    scratch.bash("ls src");
    let Some(before) = traced(&scratch) else {
        eprintln!("left out: nothing can be traced here (ptrace is not permitted)");
        return;
    };
    assert!(before.contains("events.jsonl"));
    assert!(!before.contains("fleet"), "{before}");
    join(&scratch, &server);
    (0..3).for_each(|_| drop(scratch.bash("ls src")));
    server.wait("the courier runs", |fleet| fleet.records.len() >= 7);
    std::thread::sleep(Duration::from_millis(200));
    scratch.bash("ls src");
    let after = traced(&scratch).unwrap();
    let of_fleet: Vec<&str> = after.lines().filter(|line| line.contains("/fleet/")).collect();
    assert!((1..=3).contains(&of_fleet.len()), "two looks at the policy and one at the lock: {of_fleet:?}");
    assert!(!after.contains("connect("), "a hook never speaks to the server");
    in_terminal(&scratch, "fleet leave", "y\n");
}
