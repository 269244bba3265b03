use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tollgate_agents::install::claude::EVENTS;

use crate::support::{Scratch, VERSION, answer, binary, done, package};

/// Unpacks the marketplace; where the plugin lies.
pub fn unpack(scratch: &Scratch) -> PathBuf {
    let tarball = package("tollgate-claude-plugin-", ".tar.gz");
    done(scratch.command("tar").arg("-xzf").arg(tarball).arg("-C").arg(scratch.path()));
    scratch.path().join(format!("tollgate-claude-plugin-{VERSION}/plugins/tollgate"))
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The handler of an event as Claude Code starts it, with a folder of programs on the search path.
fn hook(scratch: &Scratch, plugin: &Path, event: &str, folder: &Path) -> Command {
    let hooks = read(&plugin.join("hooks/hooks.json"));
    let handler = &hooks["hooks"][event][0]["hooks"][0];
    let root = plugin.to_str().unwrap();
    let program = handler["command"].as_str().unwrap().replace("${CLAUDE_PLUGIN_ROOT}", root);
    let mut command = scratch.command(program);
    command.args(handler["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
    command.env("PATH", format!("relative:{}:/usr/bin:/bin", folder.display()));
    command.env("CLAUDE_PROJECT_DIR", scratch.project());
    command
}

fn folder_with_gate(scratch: &Scratch, name: &str) -> PathBuf {
    let folder = scratch.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(binary(), folder.join("tollgate")).unwrap();
    folder
}

/// No test can see past a gate that is installed for everybody.
fn is_installed_here() -> bool {
    ["/usr/local/bin/tollgate", "/usr/bin/tollgate"].iter().any(|path| Path::new(path).exists())
}

#[test]
fn the_manifests_name_the_plugin_and_each_other() {
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let marketplace_folder = plugin.ancestors().nth(2).unwrap().to_owned();
    let marketplace = read(&marketplace_folder.join(".claude-plugin/marketplace.json"));
    let listed = &marketplace["plugins"][0];
    assert_eq!(marketplace_folder.join(listed["source"].as_str().unwrap()).canonicalize().unwrap(), plugin);
    let manifest = read(&plugin.join(".claude-plugin/plugin.json"));
    assert_eq!((&manifest["name"], &manifest["version"]), (&listed["name"], &VERSION.into()));
    assert!(marketplace["owner"]["name"].is_string());
    let hooks = read(&plugin.join("hooks/hooks.json"));
    let events: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, EVENTS.iter().map(|hooked| hooked.event).collect::<Vec<_>>());
}

#[test]
fn the_plugins_hook_guards() {
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let folder = folder_with_gate(&scratch, "my bin");
    scratch.answers(|| hook(&scratch, &plugin, "PreToolUse", &folder));
    let start = json!({"session_id": "s", "cwd": scratch.project(), "hook_event_name": "SessionStart",
        "source": "startup", "transcript_path": "/x/t.jsonl"});
    let answer = answer(&mut hook(&scratch, &plugin, "SessionStart", &folder), start.to_string().as_bytes());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let log = fs::read_to_string(scratch.home().join(".local/state/tollgate/events.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 3, "{log}");
}

#[test]
fn without_the_binary_calls_are_refused_and_nothing_else_is() {
    if is_installed_here() {
        println!("left out: tollgate is installed for everybody on this machine");
        return;
    }
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let empty = scratch.path().join("empty");
    for hooked in EVENTS {
        let answer = answer(&mut hook(&scratch, &plugin, hooked.event, &empty), b"{}");
        let expected = if hooked.blocks { 2 } else { 1 };
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(expected), ""), "{}", hooked.event);
        assert!(answer.stderr.contains("install tollgate"), "{answer:?}");
    }
}

#[test]
fn a_program_of_the_project_or_of_a_relative_folder_is_never_the_gate() {
    if is_installed_here() {
        println!("left out: tollgate is installed for everybody on this machine");
        return;
    }
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    for name in ["home/project/bin", "home/project/relative"] {
        let folder = scratch.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        let planted = folder.join("tollgate");
        fs::write(&planted, "#!/bin/sh\nexit 0\n").unwrap();
        done(Command::new("chmod").arg("755").arg(&planted));
    }
    let linked = scratch.path().join("linked");
    std::os::unix::fs::symlink(scratch.project().join("bin"), &linked).unwrap();
    for folder in [scratch.project().join("bin"), linked] {
        let answer = scratch.ask(&mut hook(&scratch, &plugin, "PreToolUse", &folder), "ls");
        assert_eq!(answer.code, Some(2), "{}: {answer:?}", folder.display());
    }
}

#[test]
fn a_gate_that_gives_no_answer_refuses() {
    let scratch = Scratch::new();
    let plugin = unpack(&scratch);
    let folder = scratch.path().join("broken");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("tollgate");
    for script in ["kill -9 $$", "exit 1", "exit 127", "echo half an answer", "echo '{\"a\":'; exit 0"] {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        done(Command::new("chmod").arg("755").arg(&program));
        let answer = scratch.ask(&mut hook(&scratch, &plugin, "PreToolUse", &folder), "ls");
        assert_eq!((answer.code, answer.stdout.as_str()), (Some(2), ""), "{script}: {answer:?}");
        assert!(answer.stderr.contains("does not run"), "{script}: {answer:?}");
    }
    // A client that is too old to give arguments.
    let script = plugin.join("hooks/tollgate-hook");
    let answer = scratch.ask(&mut scratch.command(script), "ls");
    assert!(answer.code == Some(2) && answer.stderr.contains("2.1.139"), "{answer:?}");
}
