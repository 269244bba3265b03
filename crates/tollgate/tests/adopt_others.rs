//! Hooks of the agents beside Claude Code in the gate's pipeline, and back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod install_support;

use std::fs;
use std::path::Path;

use install_support::{Home, Ran, TOLLGATE, finish};
use serde_json::{Value, json};
use tollgate_agents::install::{Doc, codex};

fn done(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for text in says {
        assert!(ran.out.contains(text), "must say {text}: {}", ran.out);
    }
}

/// An event of an agent's, as its host delivers it.
fn event(home: &Home, agent: &str, name: &str, payload: &Value) -> Ran {
    let dirs = [home.path(".config/tollgate"), home.path(".local/state/tollgate")];
    let [config, state] = dirs.map(|dir| dir.display().to_string());
    let args = ["hook", agent, name, "--config", &config, "--state", &state];
    finish(&mut home.command(Path::new(TOLLGATE), &args), payload.to_string().as_bytes())
}

/// What refuses commands with a word in them, in every agent's language.
const NO: &str = "grep -q forbidden && { echo not-that >&2; exit 2; } || true";

struct Case {
    agent: &'static str,
    /// A file of the agent's with hooks in it.
    file: &'static str,
    text: String,
    /// What `init` says of them.
    says: &'static [&'static str],
    /// The event at which a call waits, and a call of the shell there.
    event: &'static str,
    call: fn(&Home, &str) -> Value,
    /// What a call that the hook is not for would be.
    other: Option<Value>,
}

fn snake(home: &Home, event: &str, tool: &str, command: &str) -> Value {
    json!({
        "session_id": "s", "transcript_path": "", "cwd": home.path("p"), "hook_event_name": event,
        "tool_name": tool, "tool_input": {"command": command}, "tool_use_id": "t",
    })
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn cases() -> Vec<Case> {
    vec![
        Case {
            agent: "gemini-cli",
            file: ".gemini/settings.json",
            text: format!(
                r#"{{ "hooks": {{ "BeforeTool": [ {{ "matcher": "run_shell_command", "hooks": [
  {{ "type": "command", "command": {NO:?}, "timeout": 9000 }} ] }} ] }} }}"#
            ),
            says: &["1. BeforeTool", "within 9 s"],
            event: "BeforeTool",
            call: |home, command| snake(home, "BeforeTool", "run_shell_command", command),
            other: Some(json!({"tool_name": "read_file", "tool_input": {"file_path": "forbidden"}})),
        },
        Case {
            agent: "qwen-code",
            file: ".qwen/settings.json",
            text: format!(
                r#"{{ "hooks": {{ "PreToolUse": [ {{ "hooks": [ {{ "type": "command", "command": {NO:?} }} ] }} ] }} }}"#
            ),
            says: &["1. PreToolUse", "within 50 s"],
            event: "PreToolUse",
            call: |home, command| snake(home, "PreToolUse", "run_shell_command", command),
            other: None,
        },
        Case {
            agent: "cursor",
            file: ".cursor/hooks.json",
            text: r#"{ "version": 1,
  "hooks": {
    "beforeShellExecution": [ { "command": "./deny.sh", "timeout": 5 } ],
    "afterFileEdit": [ { "command": "./format.sh" } ],
    "stop": [ { "command": "true", "loop_limit": 2 } ] } }"#
                .to_owned(),
            says: &[
                "1. beforeShellExecution: `./deny.sh` runs",
                "at which the gate runs nothing; it stays",
                "has `loop_limit`",
            ],
            event: "beforeShellExecution",
            call: |home, command| {
                json!({
                    "conversation_id": "s", "hook_event_name": "beforeShellExecution", "command": command,
                    "cwd": home.path("p"), "workspace_roots": [home.path("p")],
                })
            },
            other: None,
        },
        Case {
            agent: "windsurf",
            file: ".codeium/windsurf/hooks.json",
            text: format!(
                r#"{{"hooks": {{"pre_run_command": [{{"command": {NO:?}, "show_output": true}}]}}}}"#
            ),
            says: &["1. pre_run_command"],
            event: "pre_run_command",
            call: |home, command| {
                json!({
                    "agent_action_name": "pre_run_command", "trajectory_id": "s", "execution_id": "t",
                    "tool_info": {"command_line": command, "cwd": home.path("p")},
                })
            },
            other: None,
        },
        Case {
            agent: "copilot-cli",
            file: ".copilot/hooks/mine.json",
            text: format!(
                r#"{{ "version": 1, "hooks": {{ "preToolUse": [
  {{ "type": "command", "bash": {NO:?}, "powershell": "x", "timeoutSec": 8 }} ] }} }}"#
            ),
            says: &["1. preToolUse", "within 8 s", "~/.copilot/hooks/mine.json  (edited)"],
            event: "preToolUse",
            call: |home, command| {
                json!({
                    "sessionId": "s", "timestamp": 1, "cwd": home.path("p"), "toolName": "bash",
                    "toolArgs": {"command": command}, "toolCallId": "t",
                })
            },
            other: None,
        },
    ]
}

#[test]
fn every_agents_hooks_run_in_the_pipeline_and_come_back_byte_for_byte() {
    for case in cases() {
        let home = Home::empty();
        home.write(case.file, &case.text);
        home.program("deny.sh", NO);
        if case.agent == "cursor" {
            fs::copy(home.path("bin/deny.sh"), home.path(".cursor/deny.sh")).unwrap();
        }
        done(&home.run(&["init", "--agent", case.agent, "--adopt", "--yes"]), 0, case.says);
        assert!(
            !home.read(case.file).contains("deny.sh") && !home.read(case.file).contains("grep"),
            "{}",
            case.agent
        );
        let call = |command: &str| event(&home, case.agent, case.event, &(case.call)(&home, command)).out;
        assert!(call("echo forbidden").contains("not-that"), "{}: {}", case.agent, call("echo forbidden"));
        assert!(!call("echo fine").contains("adopted"), "{}: {}", case.agent, call("echo fine"));
        if let Some(mut other) = case.other {
            let mut whole = (case.call)(&home, "");
            whole.as_object_mut().unwrap().append(other.as_object_mut().unwrap());
            let out = event(&home, case.agent, case.event, &whole).out;
            assert!(!out.contains("adopted"), "{}: {out}", case.agent);
        }
        done(&home.run(&["init", "--agent", case.agent, "--yes"]), 0, &["as it should be"]);
        assert!(call("echo forbidden").contains("not-that"), "{}", case.agent);
        done(&home.run(&["uninstall", "--yes", "--agent", case.agent]), 0, &["byte for byte"]);
        assert_eq!(home.read(case.file), case.text, "{}", case.agent);
        assert!(!home.path(".config/tollgate/hooks/adopted").exists(), "{}", case.agent);
    }
}

#[test]
fn settings_that_changed_since_get_their_hooks_back_too() {
    for case in cases() {
        let home = Home::empty();
        home.write(case.file, &case.text);
        done(&home.run(&["init", "--agent", case.agent, "--adopt", "--yes"]), 0, &[]);
        home.edit(case.file, "\"hooks\"", "\"mine\": 1, \"hooks\"");
        done(&home.run(&["uninstall", "--yes", "--scope", "user"]), 0, &["the hook that it ran comes back"]);
        let (mut is, was): (Value, Value) =
            (serde_json::from_str(&home.read(case.file)).unwrap(), serde_json::from_str(&case.text).unwrap());
        is.as_object_mut().unwrap().remove("mine");
        assert_eq!(is, was, "{}", case.agent);
    }
}

/// A shell call comes to Cursor's hooks twice. Each hook runs at its own event.
#[test]
fn a_hook_runs_at_its_own_event_only() {
    let home = Home::empty();
    let mark = |event: &str| format!(r#""{event}": [{{"command": "echo {event} >> $HOME/ran"}}]"#);
    let text =
        format!(r#"{{"version": 1, "hooks": {{{}, {}}}}}"#, mark("preToolUse"), mark("beforeShellExecution"));
    home.write(".cursor/hooks.json", &text);
    done(&home.run(&["init", "--agent", "cursor", "--adopt", "--yes"]), 0, &[]);
    let _ = fs::remove_file(home.path("ran"));
    let call = json!({"conversation_id": "s", "command": "ls", "cwd": home.path("p"), "tool_name": "Shell",
                      "tool_input": {"command": "ls"}});
    for name in ["preToolUse", "beforeShellExecution"] {
        let mut call = call.clone();
        call["hook_event_name"] = name.into();
        event(&home, "cursor", name, &call);
        assert_eq!(home.read("ran").trim(), name);
        fs::remove_file(home.path("ran")).unwrap();
    }
}

/// Codex knows its hooks by their places and hashes. What it trusts is taken, what stays keeps its place, and what comes
/// back is trusted as before.
#[test]
fn codex_keeps_the_places_of_what_stays() {
    let home = Home::empty();
    let text = format!(
        r#"{{ "hooks": {{ "PreToolUse": [
  {{ "matcher": "Bash", "hooks": [ {{ "type": "command", "command": {NO:?}, "timeout": 5 }} ] }},
  {{ "matcher": "^odd", "hooks": [ {{ "type": "command", "command": "stays" }} ] }},
  {{ "hooks": [ {{ "type": "command", "command": "untrusted" }} ] }} ] }} }}"#
    );
    home.write(".codex/hooks.json", &text);
    let settings = Doc::parse(&text).unwrap().value();
    let groups = tollgate_agents::install::groups(&settings, "PreToolUse");
    let mut config = "model = \"m\"\n".to_owned();
    for (at, group) in groups.iter().enumerate().take(2) {
        let handler =
            group.get("hooks").and_then(tollgate_model::json::Value::as_list).unwrap().first().unwrap();
        let table = codex::table(&home.path(".codex/hooks.json"), ("PreToolUse", at, 0), group, handler);
        config.push_str(&format!("\n{}\n{} = {:?}\n", table.header, table.key, table.value));
    }
    home.write(".codex/config.toml", &config);
    let says = ["1. PreToolUse", "`stays` has the matcher", "`untrusted` is not trusted by the agent"];
    done(&home.run(&["init", "--agent", "codex", "--adopt", "--yes"]), 0, &says);
    let now: Value = serde_json::from_str(&home.read(".codex/hooks.json")).unwrap();
    let list = now["hooks"]["PreToolUse"].as_array().unwrap();
    let of = |at: usize| list[at]["hooks"].as_array().unwrap();
    assert!(of(0).is_empty() && of(1)[0]["command"] == "stays", "{now}");
    assert!(home.read(".codex/config.toml").starts_with(&config), "what was trusted is");
    let call =
        |command: &str| event(&home, "codex", "PreToolUse", &snake(&home, "PreToolUse", "Bash", command)).out;
    assert!(call("echo forbidden").contains("not-that"), "{}", call("echo forbidden"));
    done(&home.run(&["init", "--agent", "codex", "--yes"]), 0, &["as it should be"]);
    done(&home.run(&["doctor"]), 0, &["registered for 12 events", "the hooks are trusted"]);
    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(
        (home.read(".codex/hooks.json"), home.read(".codex/config.toml")),
        (text.clone(), config.clone())
    );
    done(&home.run(&["init", "--agent", "codex", "--adopt", "--yes"]), 0, &says);
    home.edit(".codex/hooks.json", "\"stays\"", "\"changed\"");
    done(&home.run(&["uninstall", "--yes"]), 0, &["the hook that it ran comes back"]);
    let back: Value = serde_json::from_str(&home.read(".codex/hooks.json")).unwrap();
    assert_eq!(back, serde_json::from_str::<Value>(&text.replace("stays", "changed")).unwrap());
}

/// What runs inside of an agent, or is written in a way that is not read, stays, and that is said.
#[test]
fn what_cannot_be_taken_over_is_said() {
    for (agent, file, says) in [
        (
            "opencode",
            ".config/opencode/plugin/mine.js",
            "`mine.js` is a plug-in, which runs inside of OpenCode; it stays",
        ),
        ("kilo", ".config/kilo/plugin/mine.ts", "`mine.ts` is a plug-in, which runs inside of Kilo"),
        ("amp", ".config/amp/plugins/mine.ts", "`mine.ts` is a plug-in, which runs inside of Amp"),
        ("kiro", ".kiro/hooks/mine.json", "`mine.json` is written in a form that the gate does not read"),
        ("cline", ".cline/hooks/TaskStart", "`TaskStart` is for an event at which the gate runs nothing"),
    ] {
        let home = Home::empty();
        home.write(file, "{}");
        done(&home.run(&["init", "--agent", agent, "--adopt", "--yes"]), 0, &[says]);
        done(&home.run(&["uninstall", "--yes"]), 0, &[]);
        assert_eq!(home.read(file), "{}");
    }
    let home = Home::empty();
    home.write(".codex/config.toml", "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n");
    done(
        &home.run(&["init", "--agent", "codex", "--adopt", "--yes"]),
        0,
        &["`config.toml` has hooks of its own"],
    );
}

/// Copilot CLI refuses when a hook of its own fails, and so does the gate in its place; the others go on.
#[test]
fn a_hook_that_fails_does_what_it_did() {
    for case in cases() {
        let home = Home::empty();
        home.write(
            case.file,
            &case.text.replace("./deny.sh", "exit 9").replace(&format!("{NO:?}"), "\"exit 9\""),
        );
        done(&home.run(&["init", "--agent", case.agent, "--adopt", "--yes"]), 0, &[]);
        let out = event(&home, case.agent, case.event, &(case.call)(&home, "echo fine")).out;
        assert_eq!(out.contains("deny"), case.agent == "copilot-cli", "{}: {out}", case.agent);
    }
}
