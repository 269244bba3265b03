//! Settings files as people have them before Tollgate: handlers as plain strings, matchers as objects. Claude Code skips
//! such a file as a whole; `init` repairs or adopts its hooks, and `doctor` and `canary` do not call a skipped file safe.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod install_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use install_support::{Home, Ran, TOLLGATE, finish};
use serde_json::{Value, json};

const HANDLERS: &str = include_str!("documents/settings/handlers.json");
const COLLECTIVE: &str = include_str!("documents/settings/collective.json");
const PRE_TOOL_USE: &str = include_str!("documents/atomic/handlers/pre-tool-use.py");
const BASH_VALIDATOR: &str = include_str!("documents/atomic/validators/security/bash.py");

const USER: &str = ".claude/settings.json";
const PROJECT: &str = "p/.claude/settings.json";

/// The collective's hooks. Each leaves its name in `~/ran`; one refuses, one has something to say.
const COLLECTIVE_HOOKS: [&str; 8] = [
    "load-behavioral-system",
    "block-destructive-commands",
    "block-sensitive-files",
    "collective-metrics",
    "semantic-docs-update-hook",
    "test-driven-handoff",
    "pre-compact-state",
    "subagent-context-inject",
];

fn done(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for text in says {
        assert!(ran.out.contains(text), "must say {text}: {}", ran.out);
    }
}

fn program(home: &Home, name: &str, text: &str) {
    home.write(name, text);
    fs::set_permissions(home.path(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// The handler and the validator where the settings expect them.
fn with_handlers(home: &Home) {
    program(home, "p/.claude/hooks/handlers/pre-tool-use.py", PRE_TOOL_USE);
    home.write("p/.claude/hooks/validators/security/bash.py", BASH_VALIDATOR);
}

fn with_collective(home: &Home) {
    for name in COLLECTIVE_HOOKS {
        let rest = match name {
            "block-destructive-commands" => {
                "case $(cat) in *forbidden*) echo '{\"decision\": \"block\", \"reason\": \"the collective says no\"}';; esac"
            }
            "subagent-context-inject" => {
                "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"SubagentStart\", \"additionalContext\": \"memory is in notes.md\"}}'"
            }
            _ => "",
        };
        let text = format!("#!/bin/sh\necho {name} >> $HOME/ran\n{rest}\n");
        program(home, &format!("p/.claude/hooks/{name}.sh"), &text);
    }
}

fn event_in(home: &Home, folder: &str, name: &str, more: &Value) -> Ran {
    let cwd = home.path(folder);
    let mut payload = json!({
        "session_id": "5122a393", "transcript_path": "", "cwd": cwd, "permission_mode": "default",
        "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let dirs = [home.path(".config/tollgate"), home.path(".local/state/tollgate")];
    let [config, state] = dirs.map(|dir| dir.display().to_string());
    let args = ["hook", "claude-code", name, "--config", &config, "--state", &state];
    let mut command = home.command(Path::new(TOLLGATE), &args);
    command.env("CLAUDE_PROJECT_DIR", &cwd).current_dir(&cwd);
    finish(&mut command, payload.to_string().as_bytes())
}

fn tool(home: &Home, event: &str, name: &str, input: Value) -> Ran {
    event_in(home, "p", event, &call(name, input))
}

fn call(name: &str, input: Value) -> Value {
    json!({"tool_name": name, "tool_input": input, "tool_use_id": "t1", "tool_response": {}})
}

fn ran(home: &Home) -> Vec<String> {
    let text = fs::read_to_string(home.path("ran")).unwrap_or_default();
    let _ = fs::remove_file(home.path("ran"));
    text.lines().map(str::to_owned).collect()
}

/// Every group has a string for a matcher, and every handler is an object with a type.
fn assert_read_by_claude_code(settings: &str) {
    let settings: Value = serde_json::from_str(settings).unwrap();
    for (event, groups) in settings["hooks"].as_object().unwrap() {
        for group in groups.as_array().unwrap() {
            assert!(group.get("matcher").is_none_or(Value::is_string), "{event}: {group}");
            for handler in group["hooks"].as_array().unwrap() {
                assert_eq!(handler["type"], "command", "{event}: {handler}");
            }
        }
    }
}

#[test]
fn init_repairs_what_claude_code_would_skip_and_uninstall_puts_the_bytes_back() {
    for (settings, change, command) in [
        (
            HANDLERS,
            "hooks.PreToolUse.0.hooks.0: \"$CLAUDE_PROJECT_DIR/.claude/hooks/handlers/pre-tool-use.py\" -> ",
            "$CLAUDE_PROJECT_DIR/.claude/hooks/handlers/user-prompt.py",
        ),
        (
            COLLECTIVE,
            "hooks.PreToolUse.0.matcher: { \"toolName\": \"Bash\" } -> \"Bash\"",
            ".claude/hooks/subagent-context-inject.sh",
        ),
    ] {
        let home = Home::with(settings);
        done(&home.run(&["init", "--dry-run"]), 0, &[change]);
        assert_eq!(home.settings(), settings);
        done(&home.run(&["init", "--yes"]), 0, &[change, "the old file is kept in", "is active"]);
        let now = home.settings();
        assert!(now.contains(command), "{now}");
        assert_read_by_claude_code(&now);
        done(&home.run(&["doctor"]), 0, &["registered for"]);
        done(&home.run(&["canary"]), 0, &["is refused"]);
        done(&home.run(&["init", "--yes"]), 0, &["as it should be"]);
        assert_eq!(home.settings(), now);
        done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
        assert_eq!(home.settings(), settings);
    }
}

#[test]
fn doctor_and_canary_are_red_when_claude_code_skips_the_file() {
    let home = Home::installed();
    let sound = home.settings();
    let gate: Value = serde_json::from_str(&sound).unwrap();
    for (document, place) in
        [(HANDLERS, "`hooks.PreToolUse.1.hooks.0`"), (COLLECTIVE, "`hooks.PreToolUse.1`")]
    {
        let mut both = gate.clone();
        let document: Value = serde_json::from_str(document).unwrap();
        for (event, groups) in document["hooks"].as_object().unwrap() {
            both["hooks"][event].as_array_mut().unwrap().extend(groups.as_array().unwrap().clone());
        }
        fs::write(home.path(USER), both.to_string()).unwrap();
        let says = [place, "Claude Code skips the whole file", "tollgate init --scope user"];
        done(&home.run(&["doctor"]), 1, &says);
        done(&home.run(&["doctor", "--json"]), 1, &["\"active\":false"]);
        let canary = home.run(&["canary"]);
        done(&canary, 1, &says);
        assert!(!canary.out.contains("is refused"), "{}", canary.out);
        done(&home.run(&["init", "--yes"]), 0, &["is active"]);
        done(&home.run(&["doctor"]), 0, &[]);
        fs::write(home.path(USER), &sound).unwrap();
    }
    for (key, value) in
        [("model", json!(5)), ("permissions", json!({"deny": "Bash"})), ("PreToolUse", json!([{}]))]
    {
        let mut wrong = gate.clone();
        wrong[key] = value;
        fs::write(home.path(USER), wrong.to_string()).unwrap();
        done(&home.run(&["doctor"]), 1, &[key, "Claude Code skips the whole file"]);
        done(&home.run(&["canary"]), 1, &[key]);
        done(&home.run(&["init", "--yes"]), 1, &[key, "NOT active"]);
    }
}

#[test]
fn settings_of_the_project_that_are_skipped_are_red_too() {
    let home = Home::installed();
    for file in [PROJECT, "p/.claude/settings.local.json"] {
        home.write(file, COLLECTIVE);
        done(&home.run(&["doctor"]), 1, &["`hooks.PreToolUse.0`", "tollgate init --scope"]);
        fs::remove_file(home.path(file)).unwrap();
        done(&home.run(&["doctor"]), 0, &[]);
    }
    // Of other events only the hook is dropped: the gate is in force, and the hook is named.
    home.write(PROJECT, r#"{"hooks":{"PostToolUse":[{"hooks":["a.sh"]}],"BeforeLunch":[]}}"#);
    done(&home.run(&["doctor"]), 0, &["`hooks.PostToolUse.0.hooks.0`", "`hooks.BeforeLunch`", "drops it"]);
}

#[test]
fn a_matcher_that_cannot_be_understood_is_named() {
    let hooks = r#"{"hooks":{"PreToolUse":[{"matcher":{"toolName":"Bash","command":"x"},"hooks":[{"type":"command","command":"guard.sh"}]}]}}"#;
    for args in [&["init", "--yes"][..], &["init", "--adopt", "--yes"]] {
        let home = Home::with(hooks);
        done(&home.run(args), 1, &["! `hooks.PreToolUse.0` has a `matcher` that is no string", "NOT active"]);
        done(&home.run(&["doctor"]), 1, &["`hooks.PreToolUse.0`"]);
        assert!(home.settings().contains("guard.sh"), "it is never taken for a hook of every tool");
    }
}

#[test]
fn handlers_that_are_strings_are_adopted_and_refuse() {
    let home = Home::with(HANDLERS);
    with_handlers(&home);
    done(&home.run(&["init", "--adopt", "--yes"]), 0, &["1. PreToolUse", "3. UserPromptSubmit", "is active"]);
    assert!(!home.settings().contains("handlers/"), "{}", home.settings());
    // Harmless to the gate, and the validator's pattern finds it.
    let words = json!({"command": "echo 'curl x | bash'"});
    done(
        &tool(&home, "PreToolUse", "Bash", words),
        2,
        &["\"permissionDecision\":\"deny\"", "curl pipe to bash"],
    );
    let fine = tool(&home, "PreToolUse", "Bash", json!({"command": "echo fine"}));
    assert!(!fine.out.contains("deny"), "{}", fine.out);
    done(&home.run(&["doctor"]), 0, &[]);
    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(home.settings(), HANDLERS);
}

/// What the collective's hooks do once the gate runs them.
fn check_collective(home: &Home) {
    // `init` has made a call of its own.
    ran(home);
    let refused = tool(home, "PreToolUse", "Bash", json!({"command": "echo forbidden"}));
    done(&refused, 2, &["\"permissionDecision\":\"deny\"", "the collective says no"]);
    assert_eq!(ran(home), ["block-destructive-commands"]);
    let file = json!({"file_path": home.path("p/x")});
    tool(home, "PreToolUse", "Read", file.clone());
    assert_eq!(ran(home), ["block-sensitive-files"]);
    tool(home, "PreToolUse", "Write", json!({"file_path": home.path("p/x"), "content": ""}));
    assert_eq!(ran(home), Vec::<String>::new(), "an object matcher is not every tool");
    let spawn = json!({"description": "d", "prompt": "p", "subagent_type": "drupal-architect"});
    for name in ["Agent", "Task"] {
        tool(home, "PostToolUse", name, spawn.clone());
        let all = ["collective-metrics", "semantic-docs-update-hook", "test-driven-handoff"];
        assert_eq!(ran(home), all, "{name}: the matcher `Task` meets both names");
    }
    tool(home, "PostToolUse", "Read", file);
    assert_eq!(ran(home), ["collective-metrics", "semantic-docs-update-hook"]);
    let begun =
        event_in(home, "p", "SubagentStart", &json!({"agent_id": "a1", "agent_type": "drupal-architect"}));
    done(&begun, 0, &["memory is in notes.md"]);
    event_in(home, "p", "SessionStart", &json!({"source": "startup"}));
    event_in(home, "p", "PreCompact", &json!({"trigger": "auto"}));
    assert_eq!(ran(home), ["subagent-context-inject", "load-behavioral-system", "pre-compact-state"]);
}

#[test]
fn hooks_with_object_matchers_are_adopted_for_their_tools() {
    let home = Home::with(COLLECTIVE);
    with_collective(&home);
    let says = ["SubagentStart: `.claude/hooks/subagent-context-inject.sh` runs", "is active"];
    done(&home.run(&["init", "--adopt", "--yes"]), 0, &says);
    assert!(!home.settings().contains(".claude/hooks"), "{}", home.settings());
    check_collective(&home);
    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(home.settings(), COLLECTIVE);
}

#[test]
fn hooks_of_a_project_are_named_and_adopted_for_that_project() {
    let home = Home::with("{}");
    with_collective(&home);
    home.write(PROJECT, COLLECTIVE);
    let named = "PreToolUse: `.claude/hooks/block-destructive-commands.sh` is in ~/p/.claude/settings.json";
    done(
        &home.run(&["init", "--adopt", "--yes"]),
        0,
        &[named, "tollgate init --adopt --scope project", "it stays"],
    );
    assert_eq!(home.read(PROJECT), COLLECTIVE);
    done(&home.run(&["doctor"]), 1, &["Claude Code skips the whole file", "tollgate init --scope project"]);

    done(
        &home.run(&["init", "--adopt", "--scope", "project", "--yes"]),
        0,
        &["1. SessionStart", "is active"],
    );
    assert!(!home.read(PROJECT).contains(".claude/hooks"), "{}", home.read(PROJECT));
    check_collective(&home);
    // The commands are relative: an agent that works in a subfolder has them too.
    fs::create_dir_all(home.path("p/src/deep")).unwrap();
    let deep = event_in(
        &home,
        "p/src/deep",
        "PreToolUse",
        &call("Bash", json!({"command": "echo forbidden again"})),
    );
    done(&deep, 2, &["the collective says no"]);
    assert_eq!(ran(&home), ["block-destructive-commands"]);
    // A project that has hooks of the same names, but never asked for them.
    fs::create_dir_all(home.path("q/.claude/hooks")).unwrap();
    for name in COLLECTIVE_HOOKS {
        let file = format!(".claude/hooks/{name}.sh");
        fs::copy(home.path("p").join(&file), home.path("q").join(&file)).unwrap();
    }
    let elsewhere = event_in(&home, "q", "PreToolUse", &call("Bash", json!({"command": "echo forbidden"})));
    assert!(!elsewhere.out.contains("collective"), "{}", elsewhere.out);
    assert_eq!(ran(&home), Vec::<String>::new());

    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(home.read(PROJECT), COLLECTIVE);
    assert!(!home.path(".config/tollgate/hooks/adopted").exists());
}

#[test]
fn settings_of_a_project_are_enough_without_claude_on_this_machine() {
    let home = Home::empty();
    with_collective(&home);
    home.write(PROJECT, COLLECTIVE);
    assert!(home.run(&["init", "--yes"]).out.contains("no coding agent was found"));
    done(
        &home.run(&["init", "--adopt", "--scope", "project", "--yes"]),
        0,
        &["1. SessionStart", "is active"],
    );
    check_collective(&home);
    done(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    assert_eq!(home.read(PROJECT), COLLECTIVE);
}

#[test]
fn a_policy_that_names_task_or_agent_means_both() {
    for named in ["Task", "Agent"] {
        let home = Home::installed();
        let guard = r#"      - { id: team, type: safety, run: [/bin/sh, -c, "echo no helpers >&2; exit 2"], match: { tools: [NAME] } }"#;
        let hooks = format!("hooks:\n  PreToolUse:\n    middleware:\n{}\n", guard.replace("NAME", named));
        home.write(".config/tollgate/tollgate.yaml", &format!("version: 1\n{hooks}"));
        let spawn = json!({"description": "d", "prompt": "p", "subagent_type": "general-purpose"});
        for name in ["Agent", "Task"] {
            done(&tool(&home, "PreToolUse", name, spawn.clone()), 2, &["no helpers"]);
        }
        let other = tool(&home, "PreToolUse", "Bash", json!({"command": "ls"}));
        assert!(!other.out.contains("no helpers"), "{}", other.out);
    }
}

#[test]
fn an_unknown_agent_is_warned_about_when_it_starts() {
    let home = Home::installed();
    home.write(".config/tollgate/tollgate.yaml", "version: 1\nworkflows: [subagent-context]\n");
    for (name, known) in [("drupal-architekt", false), ("drupal-architect", true), ("general-purpose", true)]
    {
        let begun = event_in(&home, "p", "SubagentStart", &json!({"agent_id": "a1", "agent_type": name}));
        assert_eq!(begun.exit, 0, "{}", begun.out);
        assert_eq!(begun.out.contains("unknown agent name"), !known, "{name}: {}", begun.out);
        assert_eq!(begun.out.contains("Did you mean `drupal-architect`?"), !known, "{name}: {}", begun.out);
    }
}
