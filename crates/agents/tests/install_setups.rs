//! Installing into every agent but Claude Code: what is written, what is kept, and the way back.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use tollgate_agents::install::canary::{Answer, payload, read_answer};
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::registration::{Registration, gate_words, runs_gate};
use tollgate_agents::install::setup::{Content, Piece, Roots, SETUPS, Setup};
use tollgate_agents::install::{Doc, InstallError, codex};
use tollgate_agents::{ADAPTERS, Payload};
use tollgate_model::json::{Value, object};
use tollgate_model::{Agent, Certainty, Decision, Finding, Hit, Span, ToolCall, Verdict};

/// A home, a project and a state directory.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path("home")).unwrap();
        fs::create_dir(place.path("project")).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn registration(&self, program: &str) -> Registration {
        let text = |name: &str| self.path(name).display().to_string();
        Registration { command: program.to_owned(), config: text("config"), state: text("state") }
    }

    fn pieces(&self, setup: &Setup, program: &str, scope: Scope) -> Vec<Piece> {
        let (home, project) = (self.path("home"), self.path("project"));
        let roots = Roots { home: &home, project: &project, env: &|_| None };
        setup.pieces(&self.registration(program), &roots, scope).unwrap()
    }

    fn registered(&self, setup: &Setup, scope: Scope) -> Option<Vec<String>> {
        let (home, project) = (self.path("home"), self.path("project"));
        setup.registered(&Roots { home: &home, project: &project, env: &|_| None }, scope)
    }

    fn install(&self, setup: &Setup, program: &str, scope: Scope) {
        for piece in self.pieces(setup, program, scope) {
            piece.plan(&self.path("state")).unwrap().apply().unwrap();
        }
    }

    fn remove(&self, setup: &Setup, program: &str, scope: Scope) {
        let pieces = self.pieces(setup, program, scope);
        let removals: Vec<_> =
            pieces.iter().map(|piece| piece.removal(&self.path("state")).unwrap()).collect();
        removals.iter().for_each(|removal| removal.apply().unwrap());
    }

    /// Every file outside the state directory.
    fn files(&self) -> Vec<(PathBuf, String)> {
        fn walk(dir: &Path, into: &mut Vec<(PathBuf, String)>) {
            for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    walk(&entry, into);
                } else {
                    into.push((entry.clone(), fs::read_to_string(&entry).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        walk(&self.path("home"), &mut files);
        walk(&self.path("project"), &mut files);
        files.sort();
        files
    }

    fn write(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const GATE: &str = "/opt/tollgate's bin/tollgate";

#[test]
fn every_setup_is_current_after_it_and_gone_after_its_removal() {
    for setup in SETUPS {
        for scope in [Scope::User, Scope::Project] {
            let place = Place::new();
            place.install(setup, GATE, scope);
            for piece in place.pieces(setup, GATE, scope) {
                let plan = piece.plan(&place.path("state")).unwrap();
                assert!(plan.status.is_current() && plan.edited.is_none(), "{setup:?} {piece:?}");
            }
            let words = place.registered(setup, scope).unwrap_or_else(|| panic!("{setup:?}"));
            let expected = place.registration(GATE).args(setup.agent.name(), setup.decides);
            assert_eq!(words, [vec![GATE.to_owned()], expected].concat(), "{setup:?}");
            place.remove(setup, GATE, scope);
            assert_eq!(place.files(), [], "{setup:?}");
        }
    }
}

#[test]
fn what_was_there_before_comes_back_byte_for_byte() {
    let json = ["", "{}", "{\n\t\"a\": 1,\r\n\t\"hooks\": {}\n}", OTHERS_HOOKS];
    for setup in SETUPS {
        let place = Place::new();
        let pieces = place.pieces(setup, GATE, Scope::User);
        for before in json {
            for piece in &pieces {
                match piece.content {
                    Content::Entries(_) => place.write(&piece.path, before),
                    Content::Tables(_) => place.write(&piece.path, OTHERS_TABLES),
                    Content::Whole(_) => {}
                }
            }
            let files = place.files();
            place.install(setup, GATE, Scope::User);
            assert_ne!(place.files(), files);
            // A new version of the gate takes the place of the old one.
            place.install(setup, "/new/tollgate", Scope::User);
            let all: String = place.files().into_iter().map(|(_, text)| text).collect();
            assert!(!all.contains("/opt/tollgate") && all.contains("/new/tollgate"), "{setup:?}: {all}");
            place.remove(setup, "/new/tollgate", Scope::User);
            assert_eq!(place.files(), files, "{setup:?}");
        }
    }
}

const OTHERS_HOOKS: &str = r#"{ "model": "x",
  "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] } ],
             "preToolUse": [ { "command": "mine too" } ] } }"#;

const OTHERS_TABLES: &str =
    "model = \"x\"\n\n[hooks.state.\"/other/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:0\"";

#[test]
fn what_people_change_in_between_stays() {
    let codex = Setup::of("codex").unwrap();
    let place = Place::new();
    place.install(codex, GATE, Scope::User);
    let config = place.path("home/.codex/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("model = \"new\"\n{text}\n# a word of mine\n[tui]\na = 1\n")).unwrap();
    place.remove(codex, GATE, Scope::User);
    let left = fs::read_to_string(&config).unwrap();
    assert!(
        left.starts_with("model = \"new\"\n") && left.ends_with("# a word of mine\n[tui]\na = 1\n"),
        "{left}"
    );
    assert!(!left.contains("hooks.state"), "{left}");
}

#[test]
fn a_file_of_somebody_elses_is_not_taken() {
    let opencode = Setup::of("opencode").unwrap();
    let place = Place::new();
    let [piece] = place.pieces(opencode, GATE, Scope::User).try_into().unwrap();
    place.write(&piece.path, "export const Mine = () => {};\n");
    assert!(matches!(piece.plan(&place.path("state")), Err(InstallError::NotOurs(_))));
    place.remove(opencode, GATE, Scope::User);
    assert!(piece.path.exists(), "not ours to delete");
    // Ours, changed by hand, is put right and goes.
    fs::remove_file(&piece.path).unwrap();
    place.install(opencode, GATE, Scope::User);
    let text = fs::read_to_string(&piece.path).unwrap();
    fs::write(&piece.path, text.replace("throw new", "console.log; new")).unwrap();
    assert!(!piece.plan(&place.path("state")).unwrap().status.is_current());
    place.install(opencode, GATE, Scope::User);
    assert_eq!(fs::read_to_string(&piece.path).unwrap(), text);
}

/// The real Codex runs hooks with exactly these hashes; `crates/e2e` proves it.
#[test]
fn codex_is_told_the_hash_that_it_computes() {
    let handler = object([
        ("type", "command".into()),
        ("command", "/t/tollgate hook codex Stop".into()),
        ("timeout", 20.into()),
    ]);
    let group = |handler: Value| object([("hooks", Value::List(vec![handler]))]);
    let mine = group(object([("type", "command".into()), ("command", "mine".into())]));
    let settings = object([("hooks", object([("Stop", Value::List(vec![mine, group(handler)]))]))]);
    let [table] = codex::trust(Path::new("/h/hooks.json"), &settings).try_into().unwrap();
    assert_eq!(table.header, "[hooks.state.\"/h/hooks.json:stop:1:0\"]");
    assert_eq!(table.value, "sha256:708ad99b0ca42da2c479e46244b0908a40e2b913f848630225600d3d58a60d1d");
    let config = format!("{}\ntrusted_hash = \"{}\"\n", table.header, table.value);
    let check = |config: &str, weak: bool| {
        assert_eq!(codex::weakness(config, std::slice::from_ref(&table)).is_some(), weak, "{config}")
    };
    check(&config, false);
    check("", true);
    check(&config.replace("sha256:", "sha256:f"), true);
    check(&format!("{config}enabled = false\n"), true);
    check(&format!("[features]\nhooks = false\n{config}"), true);
    check(&format!("[features]\nhooks = true\n{config}"), false);
}

#[test]
fn our_own_commands_are_known_again() {
    let check = |handler: &str, ours: bool| {
        let handler = Doc::parse(handler).unwrap().value();
        assert_eq!(runs_gate(&handler), ours, "{handler:?}");
    };
    check(r#"{"command": "/a/tollgate hook codex PreToolUse"}"#, true);
    check(r#"{"command": "'/a b/tollgate' hook codex"}"#, true);
    check(r#"{"bash": "/a\\ b/tollgate hook copilot-cli preToolUse"}"#, true);
    check(r#"{"command": "/a/tollgate", "args": ["hook", "auggie"]}"#, true);
    check(r#"{"command": "echo tollgate hook"}"#, false);
    check(r#"{"command": "/bin/sh -c 'exit 0' tollgate /a/tollgate hook codex"}"#, false);
    check(r#"{"command": "/a/tollgate doctor"}"#, false);
    check(r#"{"prompt": "/a/tollgate hook"}"#, false);
    let registration = Registration { command: GATE.into(), config: "/c d".into(), state: "/s".into() };
    let line = registration.closed_line("codex", "PreToolUse");
    let words = gate_words(&object([("command", line.as_str().into())])).unwrap();
    check(
        &format!(
            r#"{{"command": "/bin/sh -c '{}' tollgate /a/tollgate hook codex"}}"#,
            OLD_GUARD.replace('"', "\\\"")
        ),
        true,
    );
    assert_eq!(words, [vec![GATE.to_owned()], registration.args("codex", "PreToolUse")].concat());
}

/// Installed by earlier versions, and replaced by the next `init`.
const OLD_GUARD: &str = r#""$@" || { echo "Tollgate gave no answer, so this call does not run; the user can find out more with: tollgate doctor" >&2; exit 2; }"#;

/// Around the gate stands a shell: whatever becomes of the gate, the call is refused with a reason or the gate's own
/// answer gets through.
#[test]
fn the_shell_around_the_gate_refuses_when_it_dies() {
    let dir = tempfile::tempdir().unwrap();
    let gate = dir.path().join("tollgate");
    let text = |path: &Path| path.display().to_string();
    let registration = Registration { command: text(&gate), config: "/c".into(), state: "/s".into() };
    let line = registration.closed_line("codex", "PreToolUse");
    let check = |script: Option<&str>, exit: i32, stdout: &str, reason: bool| {
        if let Some(script) = script {
            fs::write(&gate, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&gate, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let ran = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).contains("Tollgate gave no answer");
        assert!(exit == 0 || !ran.stderr.is_empty(), "exit 2 without a word lets the call run: {script:?}");
        assert_eq!((ran.status.code(), told), (Some(exit), reason), "{script:?} {ran:?}");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), stdout, "{script:?}");
    };
    check(None, 2, "", true);
    check(Some("echo \"{$1 $2 $3}\""), 0, "{hook codex PreToolUse}", false);
    check(Some("cat"), 0, "", false);
    check(Some("exit 0"), 0, "", false);
    check(
        Some(r#"printf '{"decision":"deny",\n "reason":"%%s $(x) \\n"}\n\n'"#),
        0,
        "{\"decision\":\"deny\",\n \"reason\":\"%s $(x) \\n\"}",
        false,
    );
    check(Some("echo warning: noise; echo '{}'"), 2, "", true);
    check(Some("echo '{\"decision\": oo'"), 2, "", true);
    check(Some("echo 0"), 2, "", true);
    check(Some("echo '{}'; exit 1"), 2, "", true);
    check(Some("exit 1"), 2, "", true);
    check(Some("exit 20"), 2, "", true);
    check(Some("echo '{\"decision\":\"allow\"}'; echo why >&2; exit 2"), 2, "", false);
    check(Some("exit 2"), 2, "", false);
    check(Some("kill -9 $$"), 2, "", true);
    check(Some("kill -SEGV $$"), 2, "", true);
}

/// Cline hears words only, so its script has them ready.
#[test]
fn clines_script_refuses_in_words_when_the_gate_dies() {
    let place = Place::new();
    let gate = place.path("tollgate");
    let cline = Setup::of("cline").unwrap();
    place.install(cline, &gate.display().to_string(), Scope::User);
    let script = place.pieces(cline, &gate.display().to_string(), Scope::User).remove(0).path;
    let check = |text: Option<&str>, expected: &str| {
        if let Some(text) = text {
            fs::write(&gate, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&gate, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let ran = std::process::Command::new(&script).output().unwrap();
        let stdout = String::from_utf8_lossy(&ran.stdout);
        assert!(stdout.starts_with(expected), "{text:?}: {stdout}");
    };
    check(None, r#"{"cancel":true,"errorMessage":"Tollgate gave no answer"#);
    check(Some("echo '{\"cancel\":false}'"), r#"{"cancel":false}"#);
    check(Some("exit 0"), r#"{"cancel":true"#);
    check(Some("echo noise"), r#"{"cancel":true"#);
    check(Some("echo '{\"cancel\":false}'; exit 1"), r#"{"cancel":true"#);
    check(Some("kill -9 $$"), r#"{"cancel":true"#);
}

/// What the canary sends is what the adapter reads, and what the adapter says is what the canary understands.
#[test]
fn canaries_speak_every_language() {
    for adapter in ADAPTERS {
        let agent = adapter.agent();
        let text = payload(agent, "s", "/w", "rm -rf ~");
        let hint = Setup::of(agent.name()).map_or("PreToolUse", |setup| setup.decides);
        let hint = if agent == Agent::Generic { "pre-tool" } else { hint };
        let event =
            adapter.read(&Payload { bytes: text.as_bytes(), hint: Some(hint), env: &|_| None }).unwrap();
        assert_eq!(event.session, "s", "{agent:?}");
        let ToolCall::Shell { command, .. } = &event.pending().unwrap().call else {
            panic!("{agent:?}: {event:?}")
        };
        assert_eq!(command, "rm -rf ~", "{agent:?}");
        let answer = |decision: &Decision| {
            let reply = adapter.reply(&event, decision);
            read_answer(agent, Some(i32::from(reply.exit)), &reply.stdout, &reply.stderr)
        };
        assert!(
            matches!(answer(&refusal()), Answer::Refused(reason) if reason.contains("deletes")),
            "{agent:?}"
        );
        assert_eq!(answer(&Decision::default()), Answer::Passed, "{agent:?}");
        assert!(matches!(read_answer(agent, None, "", ""), Answer::Broken(_)));
        assert!(matches!(read_answer(agent, Some(127), "", "not found"), Answer::Broken(_)));
    }
}

fn refusal() -> Decision {
    let hit = Hit {
        what: "deletes all".into(),
        instead: String::new(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    let mut decision = Decision::default();
    decision.add(Finding { rule: "r".into(), verdict: Verdict::Deny, savable: false, hit });
    decision
}
