//! The middleware pipeline, through the binary: the documents' own files, every kind of program, every fault.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]

mod support;

use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, finish, in_terminal, is_missing};

const DOCUMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents");

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A user's policy with one hook before tools, and files beside it.
fn with_hook(middleware: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (name, text) in files {
        fs::create_dir_all(scratch.config()).unwrap();
        fs::write(scratch.config().join(name), text).unwrap();
    }
    scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n{middleware}"));
    scratch
}

fn soon(what: &str, mut check: impl FnMut() -> bool) {
    let start = Instant::now();
    while !check() {
        assert!(start.elapsed() < Duration::from_secs(10), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_documents_hook_works_unchanged() {
    let scratch = Scratch::new();
    let hooks = scratch.config().join("hooks/lifecycle/pre-tool-use");
    copy(&Path::new(DOCUMENTS).join("pipeline"), &hooks);
    let statsd = UdpSocket::bind("127.0.0.1:0").unwrap();
    statsd.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // The one thing that differs: a port of our own, so that the packets can be seen.
    let meta = fs::read_to_string(hooks.join("hook.meta.yaml")).unwrap();
    let port = statsd.local_addr().unwrap().port();
    let meta = meta.replace("8125", &port.to_string()).replace("\"localhost\"", "\"127.0.0.1\"");
    fs::write(hooks.join("hook.meta.yaml"), meta).unwrap();

    let blocked = scratch.bash("rm -rf node_modules");
    blocked.denied();
    assert!(blocked.says("Dangerous command pattern detected: rm -rf"), "{}", blocked.stdout);
    scratch.bash("cp .env.local backup").denied();
    scratch.tool("Read", json!({"file_path": scratch.project().join("server.pem")})).denied();
    scratch.bash("ls -la").quiet();
    let log = scratch.home().join(".claude/logs/operations.jsonl");
    let lines = || fs::read_to_string(&log).unwrap_or_default();
    soon("the operations are logged", || lines().lines().count() == 4);
    let of = |text: &str| lines().lines().find(|line| line.contains(text)).map(str::to_owned).unwrap();
    let entry = |text: &str| serde_json::from_str::<Value>(&of(text)).unwrap();
    assert_eq!(entry("node_modules")["blocked"], true);
    assert_eq!(entry("ls -la")["blocked"], false);
    let mut packet = [0; 512];
    let size = statsd.recv(&mut packet).unwrap();
    assert!(String::from_utf8_lossy(&packet[..size]).contains("tool.Bash:1|c"));
}

#[test]
fn the_documents_validator_works_unchanged() {
    let path = format!("{DOCUMENTS}/atomic/validators/security/bash.py");
    let scratch = with_hook(&format!("      - {{id: bash, type: safety, path: {path}}}\n"), &[]);
    let blocked = scratch.bash("echo 'curl x | bash'");
    blocked.denied();
    assert!(blocked.says("curl pipe to bash"), "{}", blocked.stdout);
    assert_eq!(scratch.bash("ls").decision(), "none");
}

const PROGRAM: &str =
    "#!/bin/sh\nread -r event\ncase $event in *forbidden*) echo 'no such thing' >&2; exit 2;; esac\n";
const PYTHON: &str = "from middleware_base import MiddlewareResult\ndef process(hook_input, config, previous_results):\n    print('chatter')\n    bad = config['word'] in hook_input['tool_input'].get('command', '')\n    return MiddlewareResult('block' if bad else 'allow', 'the word', {'n': len(previous_results)})\n";
const DICTIONARY: &str = "async def process(hook_input, config, previous_results):\n    return {'action': 'fail' if 'forbidden' in str(hook_input) else 'continue', 'reason': previous_results[0]['id']}\n";
const JAVASCRIPT: &str = "export function process(event, config) {\n  console.log('chatter');\n  return { decision: event.tool_input.command.includes(config.word) ? 'block' : 'allow', reason: 'the word', metrics: {} };\n}\n";

#[test]
fn programs_of_every_kind_refuse_and_pass() {
    for (entry, files) in [
        ("run: [./check.sh]", &[("check.sh", PROGRAM)][..]),
        ("path: check.py, config: {word: forbidden}", &[("check.py", PYTHON)]),
        ("path: check.mjs, config: {word: forbidden}", &[("check.mjs", JAVASCRIPT)]),
    ] {
        let scratch = with_hook(&format!("      - {{id: check, type: safety, {entry}}}\n"), files);
        for (name, _) in files {
            let mut mode = fs::metadata(scratch.config().join(name)).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o700);
            fs::set_permissions(scratch.config().join(name), mode).unwrap();
        }
        let refused = scratch.bash("echo forbidden");
        assert!(refused.denied().says("middleware/check"), "{entry}: {}", refused.stdout);
        scratch.bash("echo fine");
        scratch.bash("echo fine").quiet();
        let record = scratch.log().pop().unwrap();
        assert_eq!(record["middleware"][0]["id"], "check", "{record}");
    }
}

#[test]
fn stages_see_the_results_before_them_and_stop_at_the_first_block() {
    let stages = "      - {id: one, type: safety, path: one.py, config: {word: nothing}}\n      - {id: two, type: safety, path: two.py}\n      - {id: three, type: safety, path: one.py, config: {word: nothing}}\n";
    let scratch = with_hook(stages, &[("one.py", PYTHON), ("two.py", DICTIONARY)]);
    let refused = scratch.bash("echo forbidden");
    assert!(refused.denied().says("middleware `two` refuses this call: one"), "{}", refused.stdout);
    let record = scratch.log().pop().unwrap();
    let ran: Vec<&str> =
        record["middleware"].as_array().unwrap().iter().map(|stage| stage["id"].as_str().unwrap()).collect();
    assert_eq!(ran, ["one", "two"]);
    scratch.bash("echo fine").quiet();
    let record = scratch.log().pop().unwrap();
    assert_eq!(record["middleware"][2]["metrics"]["n"], 2, "{record}");
}

#[test]
fn a_middleware_that_fails_is_a_fault() {
    let slow = "import time\ndef process(*_):\n    time.sleep(60)\n";
    for (entry, text, says) in [
        ("path: x.py", "def process(*_):\n    raise ValueError('boom')\n", "boom"),
        ("path: x.py", "import os\ndef process(*_):\n    os._exit(3)\n", "exit code 3"),
        ("path: x.py", "def process(*_):\n    return {'decision': 'perhaps'}\n", "perhaps"),
        ("path: x.py", "nonsense(\n", "SyntaxError"),
        ("path: x.py", "x = 1\n", "neither"),
        ("path: x.py, timeout: 0.2", slow, "longer than 200 ms"),
        ("path: missing.py", "", "is not there"),
        ("path: x.mjs", "export const process = () => { throw new Error('boom') }\n", "boom"),
        ("run: [/no/such/program]", "", "cannot be started"),
        ("run: [/bin/echo, not, json]", "", "not one JSON object"),
        ("run: [/bin/sleep, 60], timeout: 0.2", "", "longer than 200 ms"),
        ("run: [/bin/false]", "", "exit code 1"),
    ] {
        let name = if entry.contains(".mjs") { "x.mjs" } else { "x.py" };
        let ask = with_hook(&format!("      - {{id: check, type: safety, {entry}}}\n"), &[(name, text)]);
        let answer = ask.bash("ls");
        assert_eq!(answer.decision(), "ask", "{entry}: {}", answer.stdout);
        assert!(answer.says(says), "{entry} must say {says}: {}", answer.stdout);
        assert!(answer.time < Duration::from_secs(30), "{entry}: {:?}", answer.time);
    }
}

#[test]
fn on_error_says_what_follows() {
    let boom = &[("x.py", "def process(*_):\n    raise ValueError('boom')\n")];
    for (on_error, decision) in [("allow", "none"), ("ask", "ask"), ("deny", "deny"), ("retry", "ask")] {
        let entry = format!("      - {{id: check, type: safety, path: x.py, on_error: {on_error}}}\n");
        let scratch = with_hook(&entry, boom);
        scratch.bash("ls");
        assert_eq!(scratch.bash("ls").decision(), decision, "{on_error}");
    }
}

#[test]
fn a_retry_helps_what_fails_once() {
    let once = "import os\ndef process(event, config, _):\n    mark = os.path.join(os.path.dirname(__file__), 'mark')\n    if not os.path.exists(mark):\n        open(mark, 'w').close()\n        raise OSError('not yet')\n    return None\n";
    let scratch =
        with_hook("      - {id: check, type: safety, path: x.py, on_error: retry}\n", &[("x.py", once)]);
    assert_eq!(scratch.bash("ls").decision(), "none");
}

#[test]
fn observers_never_delay_or_change_an_answer() {
    let stages = "      - {id: slow, type: observability, path: slow.py}\n      - {id: bad, type: observability, path: bad.py}\n      - {id: good, type: observability, path: good.py}\n";
    let slow = "import time\ndef process(*_):\n    time.sleep(30)\n    return {'decision': 'block'}\n";
    let bad = "def process(*_):\n    raise ValueError('boom')\n";
    let good = "import os\ndef process(event, config, results):\n    open(os.path.join(os.path.dirname(__file__), 'seen'), 'a').write(event['tool_input']['command'] + str([r.decision for r in results]) + '\\n')\n    return {'decision': 'block'}\n";
    let scratch = with_hook(stages, &[("slow.py", slow), ("bad.py", bad), ("good.py", good)]);
    scratch.bash("echo first");
    let answer = scratch.bash("echo second");
    answer.silent();
    assert!(answer.time < Duration::from_secs(3), "{:?}", answer.time);
    scratch.bash("rm -rf ~").denied();
    let seen = || fs::read_to_string(scratch.config().join("seen")).unwrap_or_default();
    soon("the observer has seen all three", || seen().lines().count() == 3);
    assert!(seen().contains("echo second[]") && seen().contains("rm -rf ~['block']"), "{}", seen());
}

/// The shortest of some answers: what else this machine does can only make one longer.
fn quickest(scratch: &Scratch) -> Duration {
    (0..7).map(|_| scratch.bash("echo fine").time).min().unwrap()
}

#[test]
fn hanging_and_failing_observers_cost_no_more_than_good_ones() {
    let observers = |text: &str| {
        let stages = "      - {id: a, type: observability, path: x.py}\n      - {id: b, type: observability, run: [./x.sh]}\n";
        let scratch = with_hook(stages, &[("x.py", text), ("x.sh", "#!/bin/sh\nexec sleep 20\n")]);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(scratch.config().join("x.sh"), mode).unwrap();
        scratch.bash("true");
        scratch
    };
    let good = observers("def process(*_):\n    return None\n");
    let hanging = observers("import time\ndef process(*_):\n    time.sleep(20)\n");
    let failing = observers("import os\ndef process(*_):\n    os._exit(3)\n");
    let margin = quickest(&good) + Duration::from_secs(1);
    for scratch in [&hanging, &failing] {
        let time = quickest(scratch);
        assert!(time < margin, "{time:?} instead of {margin:?}");
    }
    let failed = || failing.log().iter().filter(|record| record["event"] == "observer-fault").count();
    soon("the failures are counted", || failed() > 0);
}

#[test]
fn built_ins_alone_start_nothing() {
    if is_missing("strace") {
        return;
    }
    let stages = "      - {id: validate-tool-inputs, type: validation}\n      - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [hello]}}\n";
    let scratch = with_hook(stages, &[]);
    scratch.bash("true");
    let hook = scratch.command(Some("PreToolUse"));
    let mut traced = Command::new("/usr/bin/strace");
    traced.args(["-f", "-qq", "-e", "trace=process", "-o"]).arg(scratch.home().join("trace"));
    traced.arg(hook.get_program()).args(hook.get_args());
    scratch.clean(&mut traced);
    let refused = answer(&mut traced, &scratch.payload("Bash", json!({"command": "echo hello"})));
    let trace = fs::read_to_string(scratch.home().join("trace")).unwrap_or_default();
    if !trace.contains("execve(") {
        eprintln!("left out: nothing can be traced here");
        return;
    }
    refused.denied();
    let started = |line: &&str| ["execve(", "clone", "fork("].iter().any(|call| line.contains(call));
    let started: Vec<&str> = trace.lines().filter(started).collect();
    assert_eq!(started.len(), 1, "{started:?}");
}

#[test]
fn transforms_rewrite_and_the_new_call_is_judged() {
    let rewrite = "def process(event, config, _):\n    return {'tool_input': {'command': event['tool_input']['command'].replace('npm', config['to'])}}\n";
    let scratch =
        with_hook("      - {id: t, type: transform, path: t.py, config: {to: pnpm}}\n", &[("t.py", rewrite)]);
    scratch.bash("true");
    let answer = scratch.bash("npm test");
    let value: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(value["hookSpecificOutput"]["updatedInput"]["command"], "pnpm test");
    let scratch = with_hook(
        "      - {id: t, type: transform, path: t.py, config: {to: rm -rf ~; true}}\n",
        &[("t.py", rewrite)],
    );
    scratch.bash("npm test").denied();
}

#[test]
fn providers_and_matches_choose_what_runs() {
    for (extra, decision) in [
        ("enabled: false", "none"),
        ("providers: {claude: {enabled: false}}", "none"),
        ("providers: {openai: {enabled: false}}", "deny"),
        ("match: {tools: [Write]}", "none"),
        ("match: {tools: ['Ba*']}", "deny"),
        ("match: {agents: [gemini]}", "none"),
        ("match: {effects: [delete]}", "none"),
        ("match: {effects: [exec]}", "deny"),
        ("providers: {claude: {config: {dangerous_patterns: [other]}}}", "none"),
    ] {
        let entry = format!(
            "      - {{id: block-dangerous-commands, type: safety, config: {{dangerous_patterns: [hello]}}, {extra}}}\n"
        );
        let scratch = with_hook(&entry, &[]);
        scratch.bash("true");
        assert_eq!(scratch.bash("echo hello").decision(), decision, "{extra}");
    }
}

#[test]
fn pipelines_at_once_and_by_default() {
    let head = "version: 1\nhooks:\n  PreToolUse:\n";
    let one = "    middleware:\n      - {id: validate-tool-inputs, type: validation, config: {max_command_length: 20}}\n      - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [hello]}}\n";
    let scratch = Scratch::new();
    scratch.policy(&format!("{head}    execution: parallel\n{one}"));
    scratch.bash("echo hello").denied();
    scratch.bash("echo a command that is longer than that").denied();
    scratch.bash("echo fine").quiet();
    scratch.policy(&format!("{head}    default_decision: block\n    middleware: []\n"));
    let refused = scratch.bash("echo fine");
    assert!(refused.denied().says("default decision"), "{}", refused.stdout);
}

#[test]
fn f06_a_broken_hook_file_counts_as_it_was() {
    let scratch = Scratch::new();
    let file = scratch.config().join("hooks/a/hook.meta.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let good = "id: a\nkind: hook\nevent: PreToolUse\nmiddleware:\n  - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [hello]}}\n";
    fs::write(&file, good).unwrap();
    scratch.bash("echo hello").denied();
    fs::write(&file, good.replace("type: safety", "tpye: safety")).unwrap();
    let refused = scratch.bash("echo hello");
    assert!(refused.denied().says("unknown key `tpye`"), "{}", refused.stdout);
}

#[test]
fn a_projects_programs_run_only_when_trusted_and_as_they_were() {
    let scratch = Scratch::new();
    let project = scratch.project();
    let hooks = project.join(".tollgate/hooks/pre");
    fs::create_dir_all(&hooks).unwrap();
    let check = |word: &str| {
        format!(
            "def process(event, config, _):\n    open('{}', 'a').close()\n    return {{'decision': 'block' if '{word}' in str(event['tool_input']) else 'allow', 'reason': '{word}'}}\n",
            project.join("ran").display()
        )
    };
    fs::write(
        hooks.join("hook.meta.yaml"),
        "id: pre\nevent: PreToolUse\nmiddleware:\n  - {id: team, type: safety, path: team.py}\n",
    )
    .unwrap();
    fs::write(hooks.join("team.py"), check("hello")).unwrap();
    let folder = project.display().to_string();

    let first = scratch.bash("echo hello");
    assert!(first.decision() == "none" && first.says("nobody has trusted them"), "{}", first.stdout);
    assert!(!project.join("ran").exists(), "nothing of an untrusted project runs");
    assert_eq!(in_terminal(&scratch, &format!("trust {folder}"), "n\n").code, Some(1));
    scratch.bash("echo hello");
    assert!(!project.join("ran").exists());
    let trusted = in_terminal(&scratch, &format!("trust {folder}"), "y\n");
    assert!(trusted.code == Some(0) && trusted.says("team.py"), "{}", trusted.stdout);
    scratch.bash("echo hello").denied();

    fs::write(hooks.join("team.py"), check("other")).unwrap();
    scratch.bash("echo hello").denied();
    fs::remove_file(hooks.join("hook.meta.yaml")).unwrap();
    scratch.bash("echo hello").denied();
    assert_eq!(in_terminal(&scratch, &format!("trust {folder} --revoke"), "").code, Some(0));
    assert_eq!(scratch.bash("echo hello").decision(), "none");
}

/// The payload in a file: on a crowded machine the thread that writes into a pipe may be the one that waits.
fn from_file(scratch: &Scratch, command: &str, number: u32) -> Answer {
    let file = scratch.home().join(format!("payload-{number}"));
    fs::write(&file, scratch.payload("Bash", json!({"command": command}))).unwrap();
    let mut hook = scratch.command(Some("PreToolUse"));
    hook.stdin(fs::File::open(file).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(hook.spawn().unwrap(), Instant::now())
}

#[test]
fn a_hundred_agents_at_once_through_python() {
    let scratch = with_hook(
        "      - {id: check, type: safety, path: check.py, config: {word: forbidden}}\n",
        &[("check.py", PYTHON)],
    );
    scratch.bash("true");
    let answers: Vec<(u32, Answer)> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..100)
            .map(|number| {
                let command = if number % 2 == 0 { "echo forbidden" } else { "echo fine" };
                let scratch = &scratch;
                scope.spawn(move || (number, from_file(scratch, command, number)))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    for (number, answer) in answers {
        let expected = if number % 2 == 0 { "deny" } else { "none" };
        assert_eq!(answer.decision(), expected, "{} after {:?}", answer.stdout, answer.time);
    }
    let log = scratch.log();
    assert_eq!(log.len(), 101);
    let faults = log.iter().filter(|record| record["middleware"][0].get("fault").is_some()).count();
    assert_eq!(faults, 0, "with the time-out that every middleware has");
}
