//! `tollgate build`: what it writes works on a machine with only the binary, and nothing is written when anything is
//! wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod install_support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use install_support::{Home, Ran, TOLLGATE, finish};
use serde_json::{Value, json};

const POLICY: &str = "version: 1\nrules:\n  infra-apply: deny\n";

fn project() -> Home {
    let home = Home::empty();
    fs::create_dir(home.path("p/.git")).unwrap();
    home.write("p/tollgate.yaml", POLICY);
    home.write(
        "p/.tollgate/hooks/pre/hook.meta.yaml",
        "id: pre\nevent: PreToolUse\nmiddleware:\n  - {id: team, type: safety, path: team.py}\n",
    );
    home.write("p/.tollgate/hooks/pre/team.py", "def process(event, config, _):\n    return {'decision': 'block' if 'hello' in str(event['tool_input']) else 'allow', 'reason': 'team'}\n");
    home
}

fn done(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for text in says {
        assert!(ran.out.contains(text), "must say {text}: {}", ran.out);
    }
}

/// Another machine: a clone with what was built, an empty home, and the binary.
fn elsewhere(built: &Home, agent: &str) -> Home {
    let other = Home::empty();
    fs::create_dir(other.path("p/.git")).unwrap();
    let copied = Command::new("cp").arg("-r").arg(built.path("p/build")).arg(other.path("p/build")).status();
    assert!(copied.unwrap().success());
    // The agent's own files go where the agent looks for them.
    let folder = format!("p/build/{agent}/.");
    let copied = Command::new("cp").arg("-r").arg(built.path(&folder)).arg(other.path("p")).status();
    assert!(copied.unwrap().success());
    symlink(TOLLGATE, other.path("bin/tollgate")).unwrap();
    other
}

/// Starts a handler of Claude Code's settings as Claude Code would.
fn call(machine: &Home, command: &str) -> Ran {
    let settings: Value = serde_json::from_str(&machine.read("p/.claude/settings.json")).unwrap();
    let handler = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
    let args: Vec<&str> =
        handler["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    let payload = json!({
        "session_id": "5122a393", "transcript_path": "", "cwd": machine.path("p"), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": "t1",
    });
    let program = handler["command"].as_str().unwrap();
    let mut hook = machine.command(Path::new(program), &args);
    hook.env("CLAUDE_PROJECT_DIR", machine.path("p"));
    finish(&mut hook, payload.to_string().as_bytes())
}

#[test]
fn what_is_built_works_on_a_machine_with_only_the_binary() {
    let home = project();
    let ran = home.run(&["build"]);
    done(
        &ran,
        0,
        &[
            "Wrote for claude-code:\n  build/claude-code/.claude/settings.json",
            "gemini-cli",
            "once its user trusts",
        ],
    );
    assert!(!ran.out.contains("nobody"), "{}", ran.out);
    let built = home.read("p/build/claude-code/.claude/settings.json");
    assert!(!built.contains(&home.path("").display().to_string()), "no path of this machine: {built}");
    assert!(!home.path(".config").exists() && !home.path(".local").exists(), "building leaves no trace");

    let machine = elsewhere(&home, "claude-code");
    assert!(!machine.path("p/tollgate.yaml").exists());
    let denied = "\"permissionDecision\":\"deny\"";
    done(&call(&machine, "terraform apply -auto-approve"), 2, &[denied, "infra-apply"]);
    done(&call(&machine, "rm -rf ~"), 2, &[denied]);
    let passed = call(&machine, "ls");
    assert!(!passed.out.contains("permissionDecision"), "{}", passed.out);
    let told = call(&machine, "echo hello");
    assert!(!told.out.contains(denied), "programs do not run before they are trusted: {}", told.out);

    fs::remove_dir_all(machine.path("p/build/claude-code/policy")).unwrap();
    done(&call(&machine, "terraform apply -auto-approve"), 2, &["tollgate.yaml is gone"]);
    let fresh = elsewhere(&home, "claude-code");
    fs::remove_dir_all(fresh.path("p/build/claude-code/policy")).unwrap();
    done(&call(&fresh, "rm -rf ~"), 2, &[denied, "which the hook's command names, is not there"]);
}

#[test]
fn its_hooks_run_once_they_are_trusted() {
    let home = project();
    done(&home.run(&["build", "--agent", "claude-code"]), 0, &[]);
    assert!(!home.path("p/build/gemini-cli").exists());
    let machine = elsewhere(&home, "claude-code");
    let printed = machine.run(&["trust", "--print", "build/claude-code/policy"]);
    done(&printed, 0, &["team.py", "trust:"]);
    machine.write(".config/tollgate/tollgate.yaml", &format!("version: 1\n{}", printed.out));
    done(&call(&machine, "echo hello"), 2, &["middleware `team` refuses this call"]);
    // The project's own files come first where they are there.
    machine.write("p/tollgate.yaml", "version: 1\n");
    assert!(!call(&machine, "echo hello").out.contains("`team`"));
}

#[test]
fn every_agent_that_can_be_guarded_in_a_project_gets_its_files() {
    let home = project();
    done(&home.run(&["build"]), 0, &[]);
    for (agent, file) in [
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("qwen-code", ".qwen/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot-cli", ".github/hooks/tollgate.json"),
        ("opencode", ".opencode/plugin/tollgate.js"),
        ("cline", ".clinerules/hooks/PreToolUse"),
    ] {
        let text = home.read(&format!("p/build/{agent}/{file}"));
        assert!(text.contains(&format!("build/{agent}/policy")), "{agent}: {text}");
        assert!(!text.contains(&home.path("p").display().to_string()), "{agent}: {text}");
    }
    let again = home.run(&["build"]);
    done(&again, 0, &[]);
}

#[test]
fn nothing_is_written_when_anything_is_wrong() {
    for (file, text, says) in [
        ("p/tollgate.yaml", "version: 1\nruls: {}\n", "did you mean `rules`?"),
        ("p/tollgate.yaml", "version: 1\nrules: {git-stash-dorp: deny}\n", "git-stash-drop"),
        ("p/tollgate.yaml", "version: 1\nworkflows: [nonesuch]\n", "nonesuch"),
        (
            "p/.tollgate/hooks/pre/hook.meta.yaml",
            "id: x\nevent: PreToolUs\nmiddleware: []\n",
            "unknown event",
        ),
        (
            "p/.tollgate/hooks/pre/hook.meta.yaml",
            "id: x\nevent: PreToolUse\nmiddleware: [{id: a, type: safety, path: none.py}]\n",
            "none.py` is not there",
        ),
    ] {
        let home = project();
        home.write(file, text);
        done(&home.run(&["build"]), 1, &[says, "nothing was written"]);
        assert!(!home.path("p/build").exists(), "{text}");
        if !text.contains("workflows") {
            done(&home.run(&["check"]), 1, &[says]);
        }
    }
    let home = project();
    home.write("p/build/claude-code/mine.txt", "mine");
    done(&home.run(&["build"]), 2, &["not Tollgate's"]);
    assert_eq!(home.read("p/build/claude-code/mine.txt"), "mine");
}
