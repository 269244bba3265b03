//! `init`, `doctor` and `uninstall` with the agents beside Claude Code.

#![allow(clippy::unwrap_used, reason = "tests")]

mod install_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use install_support::{Home, Ran, TOLLGATE, finish};
use tollgate_agents::ADAPTERS;
use tollgate_agents::install::canary::{Answer, read_answer};
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::registration::Registration;
use tollgate_agents::install::setup::{Roots, SETUPS, Setup};
use tollgate_model::Agent;

fn check(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for words in says {
        assert!(ran.out.contains(words), "`{words}` is not in:\n{}", ran.out);
    }
}

/// A home with the settings of every proven agent.
fn home() -> Home {
    let home = Home::with("{}");
    for folder in [".codex", ".gemini", ".qwen", ".copilot", ".config/opencode"] {
        fs::create_dir_all(home.path(folder)).unwrap();
    }
    home.write(".codex/config.toml", "model = \"gpt-5.5\"\n");
    home.write(".gemini/settings.json", "{\n  // a word of mine\n  \"theme\": \"dark\"\n}\n");
    home
}

#[test]
fn every_agent_that_is_found_is_guarded_in_one_go() {
    let home = home();
    let before = [".codex/config.toml", ".gemini/settings.json"].map(|file| home.read(file));
    let says = [
        "registered for 29 events",
        "registered for 12 events in ~/.codex/hooks.json",
        "the hooks are trusted in ~/.codex/config.toml",
        "registered for 7 events in ~/.gemini/settings.json",
        "registered for 16 events in ~/.qwen/settings.json",
        "~/.copilot/hooks/tollgate.json is as this version writes it",
        "~/.config/opencode/plugin/tollgate.js is as this version writes it",
        "Tollgate is active",
    ];
    let ran = home.run(&["init", "--yes"]);
    check(&ran, 0, &says);
    assert_eq!(ran.out.matches("`rm -rf ~` is refused").count(), 6, "{}", ran.out);
    check(&home.run(&["init"]), 0, &["as it should be"]);
    check(&home.run(&["canary"]), 0, &["Codex", "OpenCode", "`ls` passes"]);
    check(&home.run(&["doctor"]), 0, &["Gemini CLI (tested with 0.61.0)", "newly installed"]);
    check(&home.run(&["uninstall", "--yes"]), 0, &["config.toml is as it was, byte for byte"]);
    assert_eq!([".codex/config.toml", ".gemini/settings.json"].map(|file| home.read(file)), before);
    for gone in [".codex/hooks.json", ".qwen/settings.json", ".copilot/hooks", ".config/opencode/plugin"] {
        assert!(!home.path(gone).exists(), "{gone}");
    }
}

#[test]
fn unverified_agents_are_guarded_with_the_others_when_all_are_wanted() {
    let home = home();
    for folder in [
        ".cursor",
        ".factory",
        ".augment",
        ".codeium/windsurf",
        ".kiro",
        ".cline",
        ".config/kilo",
        ".config/amp",
    ] {
        fs::create_dir_all(home.path(folder)).unwrap();
    }
    let ran = home.run(&["init", "--yes", "--all"]);
    check(&ran, 0, &["Tollgate is active"]);
    assert_eq!(ran.out.matches("`rm -rf ~` is refused").count(), ADAPTERS.len() - 1, "{}", ran.out);
    check(&home.run(&["uninstall", "--yes"]), 0, &["~/.cursor/hooks.json is gone"]);
    assert!(!home.path(".cline/hooks").exists() && !home.path(".kiro/hooks").exists());
}

#[test]
fn unverified_agents_are_guarded_only_when_named() {
    let home = Home::empty();
    fs::create_dir(home.path(".cursor")).unwrap();
    check(&home.run(&["init", "--yes"]), 2, &["no coding agent was found"]);
    let ran = home.run(&["init", "--yes", "--agent", "cursor"]);
    check(
        &ran,
        0,
        &["unverified: written from documentation", "registered for 10 events in ~/.cursor/hooks.json"],
    );
    assert!(home.read(".cursor/hooks.json").starts_with("{\n  \"version\": 1,"));
    check(&home.run(&["doctor"]), 0, &["Cursor (unverified adapter)", "watch a call being refused"]);
    check(&home.run(&["uninstall", "--yes", "--agent", "codex"]), 0, &["nothing to take out"]);
    check(&home.run(&["uninstall", "--yes", "--agent", "cursor"]), 0, &["~/.cursor/hooks.json is gone"]);
    let home = Home::new();
    fs::create_dir(home.path(".cursor")).unwrap();
    let also = "Also found: Cursor. Its adapter is unverified; to use it: tollgate init --agent cursor";
    check(&home.run(&["init", "--yes"]), 0, &[also]);
}

#[test]
fn an_agent_without_that_scope_says_so() {
    let home = home();
    check(
        &home.run(&["init", "--yes", "--agent", "codex", "--scope", "local"]),
        2,
        &["has no `local` scope"],
    );
    check(
        &home.run(&["init", "--yes", "--agent", "codex", "--scope", "project"]),
        0,
        &["p/.codex/hooks.json"],
    );
    assert!(home.path("p/.codex/hooks.json").exists());
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn doctor_knows_how_each_agent_skips_the_gate_in_silence() {
    let cases: &[(&str, &str, &str, &str, &str)] = &[
        ("codex", ".codex/config.toml", "sha256:", "sha256:0", "skips them in silence"),
        (
            "codex",
            ".codex/config.toml",
            "model =",
            "features.hooks = false\nmodel =",
            "switches all hooks off",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "\"theme\"",
            "\"hooksConfig\": {\"enabled\": false}, \"theme\"",
            "switches all hooks off",
        ),
        (
            "qwen-code",
            ".qwen/settings.json",
            "{\n",
            "{\n  \"disableAllHooks\": true,\n",
            "switches all hooks off",
        ),
        (
            "copilot-cli",
            ".copilot/hooks/tollgate.json",
            "{\"version\":1",
            "{\"version\":1,\"disableAllHooks\":true",
            "switches all hooks off",
        ),
    ];
    for (agent, file, from, to, says) in cases {
        let home = home();
        check(&home.run(&["init", "--yes", "--agent", agent]), 0, &[]);
        home.edit(file, from, to);
        check(&home.run(&["doctor"]), 1, &[says, "NOT active"]);
    }
    // Files that the gate is not registered in.
    let off = r#"{"disableAllHooks": true}"#;
    let elsewhere = [
        ("gemini-cli", ".gemini/settings.json", r#"{"hooksConfig": {"enabled": false}}"#),
        (
            "gemini-cli",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"disabled": ["/a/tollgate hook gemini-cli"]}}"#,
        ),
        ("qwen-code", ".qwen/settings.json", off),
        ("copilot-cli", ".github/copilot/settings.json", off),
    ];
    for (agent, file, text) in elsewhere {
        let home = home();
        fs::create_dir_all(home.path("p/.git")).unwrap();
        check(&home.run(&["init", "--yes", "--agent", agent]), 0, &[]);
        home.write(&format!("p/{file}"), text);
        let mut doctor = home.command(Path::new(TOLLGATE), &["doctor"]);
        let ran = finish(doctor.current_dir(home.path("p")), b"");
        check(&ran, 1, &["NOT active", &format!("p/{file}")]);
    }
    let home = home();
    check(&home.run(&["init", "--yes", "--agent", "cline", "--agent", "cursor"]), 0, &[]);
    fs::set_permissions(home.path(".cline/hooks/PreToolUse"), fs::Permissions::from_mode(0o644)).unwrap();
    home.edit(".cursor/hooks.json", "\"stop\"", "\"stopped\"");
    check(&home.run(&["doctor"]), 1, &["is not executable", "does not know the event `stopped`"]);
}

#[test]
fn doctor_tells_drift_and_puts_it_right() {
    let cases = [
        ("gemini-cli", ".gemini/settings.json", "86400000", "7"),
        ("codex", ".codex/hooks.json", "86400", "5"),
        ("copilot-cli", ".copilot/hooks/tollgate.json", "86400", "1"),
        ("opencode", ".config/opencode/plugin/tollgate.js", "throw new Error", "console.log"),
        ("qwen-code", ".qwen/settings.json", "\"PreToolUse\"", "\"Stop2\""),
    ];
    for (agent, file, from, to) in cases {
        let home = home();
        check(&home.run(&["init", "--yes", "--agent", agent]), 0, &[]);
        let whole = home.read(file);
        home.edit(file, from, to);
        let ran = home.run(&["doctor"]);
        assert!(
            ran.out.contains("is not as this version writes it")
                || ran.out.contains("the event that decides"),
            "{}",
            ran.out
        );
        check(&home.run(&["init", "--yes", "--agent", agent]), 0, &["`ls` passes"]);
        if agent != "qwen-code" {
            assert_eq!(home.read(file), whole);
        }
    }
}

#[test]
fn doctor_knows_which_versions_were_observed() {
    let cases = [
        ("codex", "codex-cli 0.166.0", 0, "Codex 0.166.0 is the version that was observed"),
        ("codex", "codex-cli 0.170.1", 0, "Codex 0.170.1 was never observed"),
        ("gemini", "0.60.9", 0, "the adapter was proven with 0.61.0"),
        ("copilot", "1.0.96", 0, "Copilot CLI 1.0.96 is older than 1.0.97"),
        ("copilot", "1.0.50", 1, "a hook that fails lets the call run"),
        ("opencode", "a word", 0, "Tollgate is active"),
    ];
    for (program, version, exit, says) in cases {
        let home = home();
        check(&home.run(&["init", "--yes"]), 0, &[]);
        home.program(program, &format!("echo '{version}'"));
        check(&home.run(&["doctor"]), exit, &[says]);
    }
    let home = home();
    check(&home.run(&["init", "--yes"]), 0, &[]);
    home.program("claude", "echo '2.9.0 (Claude Code)'");
    check(&home.run(&["doctor"]), 0, &["Claude Code 2.9.0 was never observed"]);
}

/// Qwen Code's last hook decides, so the gate asks only when it is the only one.
#[test]
fn qwen_is_asked_unless_another_hook_has_a_say() {
    let mine = r#""hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine"}]}]}"#;
    let stop = mine.replace("PreToolUse", "Stop");
    let cases: &[(&str, &str, &str, &str)] = &[
        ("nothing else", "", "", r#""permissionDecision":"ask""#),
        ("hooks of other events", ".qwen/settings.json", &stop, r#""permissionDecision":"ask""#),
        ("the user's", ".qwen/settings.json", mine, r#""permissionDecision":"deny""#),
        ("the project's", "p/.qwen/settings.json", mine, r#""permissionDecision":"deny""#),
        ("an extension's", ".qwen/extensions/x/hooks/hooks.json", mine, r#""permissionDecision":"deny""#),
        (
            "an extension without",
            ".qwen/extensions/x/qwen-extension.json",
            "",
            r#""permissionDecision":"ask""#,
        ),
        ("a subagent's", "p/.qwen/agents/x.md", "hooks: PreToolUse", r#""permissionDecision":"deny""#),
        ("a skill without", "p/.qwen/skills/x/SKILL.md", "Be brief.", r#""permissionDecision":"ask""#),
        ("what cannot be read", "p/.qwen/settings.json", "{", r#""permissionDecision":"deny""#),
    ];
    for (about, file, text, says) in cases {
        let home = home();
        fs::create_dir_all(home.path("p/.git")).unwrap();
        if !file.is_empty() {
            home.write(file, &format!("{{{text}}}"));
        }
        check(&home.run(&["init", "--yes", "--agent", "qwen-code"]), 0, &[]);
        let cwd = home.path("p").display().to_string();
        let payload = format!(
            r#"{{"session_id":"s","cwd":"{cwd}","hook_event_name":"PreToolUse","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{{"command":"npm publish"}},"tool_use_id":"t"}}"#
        );
        let mut hook = home.command(Path::new(TOLLGATE), &["hook", "qwen-code", "PreToolUse"]);
        let ran = finish(&mut hook, payload.as_bytes());
        assert!(ran.out.contains(says), "{about}: {}", ran.out);
    }
}

/// The event at which a call waits, per agent.
fn deciding() -> Vec<(Agent, &'static str)> {
    let event = |agent: Agent| match agent {
        Agent::ClaudeCode => "PreToolUse",
        Agent::Generic => "pre-tool",
        other => Setup::of(other.name()).unwrap().decides,
    };
    ADAPTERS.iter().map(|adapter| (adapter.agent(), event(adapter.agent()))).collect()
}

#[test]
fn f31_a_gate_that_is_ended_refuses_in_every_language() {
    let home = Home::empty();
    for (agent, event) in deciding() {
        let mut hook = Command::new(TOLLGATE);
        hook.args(["hook", agent.name(), event]).env("HOME", home.path(""));
        let mut child =
            hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let ended = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
        assert!(ended.success());
        let stdin = child.stdin.take();
        refuses(agent, &child.wait_with_output().unwrap());
        drop(stdin);
    }
}

#[test]
fn f09_an_empty_payload_is_refused_in_every_language() {
    let home = Home::empty();
    for (agent, event) in deciding() {
        for words in [vec!["hook", agent.name(), event], vec!["hook", agent.name()]] {
            let mut hook = Command::new(TOLLGATE);
            hook.args(words).env("HOME", home.path("")).stdin(Stdio::null());
            refuses(agent, &hook.output().unwrap());
        }
    }
}

fn refuses(agent: Agent, output: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let answer = read_answer(agent, output.status.code(), &text(&output.stdout), &text(&output.stderr));
    assert!(
        matches!(&answer, Answer::Refused(why) if why.contains("Tollgate")),
        "{agent:?}: {answer:?} {output:?}"
    );
}

/// No agent may write what `init` writes, whichever agent it is: the registration is the owner's.
#[test]
fn f25_no_agent_may_write_a_file_that_init_writes() {
    let home = Home::empty();
    let (user, project) = (home.path(""), home.path("p"));
    fs::create_dir(project.join(".git")).unwrap();
    let roots = Roots { home: &user, project: &project, env: &|_| None };
    let registration =
        Registration { command: "/t/tollgate".into(), config: "/c".into(), state: "/s".into() };
    for setup in SETUPS {
        for scope in [Scope::User, Scope::Project] {
            for piece in setup.pieces(&registration, &roots, scope).unwrap() {
                let call = serde_json::json!({
                    "event": "pre-tool", "session": "s", "cwd": project,
                    "tool": {"name": "write", "kind": "write",
                             "input": {"path": piece.path, "content": "{\"hooks\": {}}"}},
                });
                let mut hook = home.command(Path::new(TOLLGATE), &["hook", "generic", "pre-tool"]);
                let ran = finish(&mut hook, call.to_string().as_bytes());
                let refused =
                    ran.out.contains("\"verdict\":\"deny\"") || ran.out.contains("\"verdict\":\"ask\"");
                assert!(refused, "{}: {}", piece.path.display(), ran.out);
            }
        }
    }
}
