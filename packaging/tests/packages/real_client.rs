//! The plugin in the real Claude Code, which a scripted model drives.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use tollgate_e2e::{Claude, Driver, Outcome, Run, Script, Session, Turn};

use crate::claude_plugin::unpack;
use crate::support::{Scratch, binary, done};

/// Lets the model make one shell call and end its turn.
fn play(run: &Run, plugin: &Path, command: &str) -> Outcome {
    let call = Turn::call("Bash", json!({"command": command, "description": "run"}));
    let mut session = Session::from(Script::new([call, Turn::say("FINAL-MARK")]));
    session.arguments = vec!["--plugin-dir".to_owned(), plugin.display().to_string()];
    let outcome = run.go(session).unwrap();
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "{outcome}");
    outcome
}

fn is_on_path() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&path).chain(["/usr/local/bin", "/usr/bin"].map(PathBuf::from));
    all.into_iter().any(|folder| folder.join("tollgate").exists())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn the_plugin_refuses_without_the_binary_and_guards_with_it() {
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let run = Run::new(&Claude).unwrap();
    let made = run.scratch().project().join("made.txt");
    if is_on_path() {
        println!("left out: the plugin without the binary (tollgate is installed here)");
    } else {
        let outcome = play(&run, &plugin, "touch made.txt");
        assert!(!made.exists(), "{outcome}");
        let results = outcome.tool_results();
        assert!(results[0].is_error && results[0].text.contains("install tollgate"), "{outcome}");
    }
    let folder = run.scratch().home().join(".local/bin");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(binary(), folder.join("tollgate")).unwrap();
    let outcome = play(&run, &plugin, "touch made.txt");
    assert!(made.exists(), "{outcome}");
    let precious = run.scratch().write_home("precious/work.txt", "years of work\n").unwrap();
    let outcome = play(&run, &plugin, "rm -rf ~/precious");
    assert!(precious.exists(), "{outcome}");
    assert!(
        outcome.tool_results()[0].is_error && outcome.tool_results()[0].text.contains("delete"),
        "{outcome}"
    );
    let log = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl")).unwrap();
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"] {
        assert!(log.contains(&format!("\"{event}\"")), "{event}: {log}");
    }
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn the_client_accepts_the_manifests() {
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let program = Claude.client().unwrap().install().unwrap();
    for folder in [&plugin, plugin.ancestors().nth(2).unwrap()] {
        let mut command = scratch.command(&program);
        command.args(["plugin", "validate"]).arg(folder).env("DISABLE_AUTOUPDATER", "1");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        assert!(done(&mut command).contains("Validation passed"), "{}", folder.display());
    }
}
