//! Middleware in TypeScript, under `uv` and in WebAssembly, what each costs, and how observers are handed their event.
//! What a test needs and does not find is told, and only that part is left out.

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
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

fn with_hook(middleware: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n{middleware}"));
    for (name, text) in files {
        let path = scratch.config().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    scratch
}

/// A program on this machine, by whatever path the tests were started with.
fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_none() {
        eprintln!("left out: `{name}` is not on the search path");
    }
    found.and_then(|file| file.canonicalize().ok())
}

/// The hook with one more program on its search path.
fn bash_with(scratch: &Scratch, name: &str, program: &Path, text: &str) -> Answer {
    let bin = scratch.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let _ = symlink(program, bin.join(name));
    let mut hook = scratch.command(Some("PreToolUse"));
    hook.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    answer(&mut hook, &scratch.payload("Bash", json!({"command": text})))
}

fn node_version(program: &Path) -> (u32, u32) {
    let output = Command::new(program).arg("--version").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut parts = text.trim().trim_start_matches('v').split('.').map(|part| part.parse().unwrap());
    (parts.next().unwrap(), parts.next().unwrap())
}

const CHECK: &str = "import { holds } from './holds.ts';
interface Event { cwd: string; tool_input: { command: string } }
type Result = { decision: 'block' | 'allow'; reason: string; metrics: Record<string, unknown> };
export async function process(event: Event, config: { word: string }): Promise<Result> {
  console.log('chatter');
  const bad: boolean = holds(event.tool_input.command as string, config.word);
  return { decision: bad ? 'block' : 'allow', reason: 'the word', metrics: { cwd: globalThis.process.cwd() } };
}
";
const HOLDS: &str = "export const holds = (text: string, word: string): boolean => text.includes(word);\n";

#[test]
fn typescript_runs_under_every_runner_and_no_project_file_configures_it() {
    for name in ["bun", "deno", "tsx", "node"] {
        let Some(program) = tool(name) else { continue };
        if name == "node" && node_version(&program) < (22, 18) {
            eprintln!("left out: this `node` reads no TypeScript");
            continue;
        }
        let entry =
            "      - {id: check, type: safety, path: ts/check.ts, timeout: 40, config: {word: forbidden}}\n";
        let scratch = with_hook(entry, &[("ts/check.ts", CHECK), ("ts/holds.ts", HOLDS)]);
        let project = scratch.project();
        let evil = format!("require('fs').writeFileSync('{}', '')\n", project.join("ran").display());
        for (file, text) in [
            ("bunfig.toml", "preload = [\"./evil.cjs\"]\n"),
            ("deno.json", "{\"imports\": {\"node:fs\": \"./evil.cjs\"}}"),
            ("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"node:fs\": [\"./evil.cjs\"]}}}"),
            ("evil.cjs", &evil),
        ] {
            fs::write(project.join(file), text).unwrap();
        }
        let refused = bash_with(&scratch, name, &program, "echo forbidden");
        assert!(refused.denied().says("middleware `check` refuses this call: the word"), "{name}");
        let passed = bash_with(&scratch, name, &program, "echo fine");
        assert_eq!(passed.decision(), "none", "{name}: {}", passed.stdout);
        let record = scratch.log().pop().unwrap();
        let folder = project.canonicalize().unwrap();
        assert_eq!(record["middleware"][0]["metrics"]["cwd"], json!(folder), "{name}: {record}");
        assert!(!project.join("ran").exists(), "{name} ran what the project says");
    }
}

#[test]
fn typescript_without_a_runner_is_a_clear_fault() {
    let own = |name: &str| {
        ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(name)).into_iter().find(|p| p.exists())
    };
    let runner = ["bun", "deno", "tsx"].into_iter().find_map(own);
    if runner.is_some() || own("node").is_none_or(|node| node_version(&node) >= (22, 18)) {
        eprintln!("left out: this machine's own programs read TypeScript, or there is no node");
        return;
    }
    let entry = "      - {id: check, type: safety, path: check.ts, timeout: 20}\n";
    let asked = with_hook(entry, &[("check.ts", HOLDS)]).bash("ls");
    assert_eq!(asked.decision(), "ask");
    assert!(asked.says("install bun, deno or tsx, or Node 22.18"), "{}", asked.stdout);
}

#[test]
fn a_folder_with_a_pyproject_runs_under_uv() {
    let Some(uv) = tool("uv") else { return };
    let check = "import sys\ndef process(event, config, previous_results):\n    return {'decision': 'block' if 'forbidden' in event['tool_input']['command'] else 'allow', 'reason': 'uv', 'metrics': {'own': sys.prefix != sys.base_prefix, 'isolated': sys.flags.isolated}}\n";
    let project = "[project]\nname = \"checks\"\nversion = \"0.1.0\"\nrequires-python = \">=3.8\"\n";
    let scratch = with_hook(
        "      - {id: check, type: safety, path: py/check.py, timeout: 50}\n",
        &[("py/check.py", check), ("py/pyproject.toml", project)],
    );
    let refused = bash_with(&scratch, "uv", &uv, "echo forbidden");
    assert!(refused.denied().says("middleware `check` refuses this call: uv"), "{}", refused.stdout);
    assert_eq!(bash_with(&scratch, "uv", &uv, "echo fine").decision(), "none");
    let record = scratch.log().pop().unwrap();
    let metrics = &record["middleware"][0]["metrics"];
    assert_eq!((&metrics["own"], &metrics["isolated"]), (&json!(true), &json!(1)), "{record}");
    // Without `uv` the same file runs under the machine's own Python.
    assert_eq!(scratch.bash("echo fine").decision(), "none");
    assert_eq!(scratch.log().pop().unwrap()["middleware"][0]["metrics"]["own"], false);
}

/// The example, built for WebAssembly; none when the compiler has no such target.
fn guest() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/wasm-guard");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm-guard");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--release",
        "--quiet",
        "--locked",
        "--target",
        "wasm32-unknown-unknown",
        "--target-dir",
    ]);
    let output = cargo.arg(&target).current_dir(folder).env_remove("RUSTFLAGS").output().unwrap();
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        let missing = ["target may not be installed", "can't find crate for `std`", "download", "network"];
        assert!(missing.iter().any(|sign| why.contains(sign)), "the example does not build: {why}");
        eprintln!("left out: the compiler cannot build for wasm32-unknown-unknown: {why}");
        return None;
    }
    Some(target.join("wasm32-unknown-unknown/release/wasm_guard.wasm"))
}

#[test]
fn the_webassembly_example_refuses_and_passes() {
    let Some(module) = guest() else { return };
    let entry = "      - {id: words, type: safety, path: guard.wasm, config: {words: [forbidden]}, match: {tools: [Bash]}}\n";
    let scratch = with_hook(entry, &[]);
    fs::copy(module, scratch.config().join("guard.wasm")).unwrap();
    let refused = scratch.bash("echo forbidden");
    assert!(refused.denied().says("`forbidden` is not for agents"), "{}", refused.stdout);
    scratch.bash("echo fine");
    scratch.bash("echo fine").silent();
    let record = scratch.log().pop().unwrap();
    assert_eq!(record["middleware"][0]["metrics"]["words"], 1, "{record}");
    fs::write(scratch.config().join("guard.wasm"), "nonsense").unwrap();
    let asked = scratch.bash("echo fine");
    assert_eq!(asked.decision(), "ask");
    assert!(asked.says("not a WebAssembly module"), "{}", asked.stdout);
}

#[test]
fn explain_shows_what_each_middleware_costs() {
    let slow = "import time\ndef process(event, config, results):\n    time.sleep(0.2)\n    return {'decision': 'allow', 'metrics': {'seen': len(results)}}\n";
    let quick =
        "def process(event, config, results):\n    return {'decision': 'block', 'reason': 'not today'}\n";
    let entry = "      - {id: slow, type: safety, path: slow.py, timeout: 30, match: {agents: [claude]}}\n      - {id: quick, type: safety, path: quick.py}\n      - {id: seen, type: observability, path: quick.py}\n";
    let scratch = with_hook(entry, &[("slow.py", slow), ("quick.py", quick)]);
    let explain = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        scratch.clean(&mut command);
        let output = command.arg("explain").args(args).arg("ls").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (exit, page) = explain(&[]);
    assert_eq!(exit, Some(1), "{page}");
    let line = |name: &str| page.lines().find(|line| line.contains(&format!("middleware {name} ("))).unwrap();
    let cost = |name: &str| -> f64 {
        let line = line(name);
        line.split(", ").nth(1).unwrap().split(" ms)").next().unwrap().parse().unwrap()
    };
    assert!(cost("slow") >= 200.0 && cost("quick") < cost("slow"), "{page}");
    assert!(line("quick").contains("not today") && !page.contains("middleware seen"), "{page}");
    let (_, object) = explain(&["--json"]);
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_eq!(object["verdict"], "deny");
    assert!(object["middleware"][0]["us"].as_u64().unwrap() >= 200_000, "{object}");
    assert_eq!(object["middleware"][1]["id"], "quick");
    assert!(!scratch.state().join("events.jsonl").exists(), "explaining leaves no trace");
}

/// Every file below a folder that holds these bytes.
fn holding(folder: &Path, needle: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding(&path, needle));
        } else if fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(needle.len()).any(|w| w == needle.as_bytes()))
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn f30_what_observers_see_is_never_on_disk_even_when_they_die() {
    let secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    // Tells what its parent reads its event from, kills it, and stays.
    let killer = "#!/bin/sh\nhere=$(dirname \"$0\")\nreadlink /proc/$PPID/fd/0 > \"$here/link.new\"\nmv \"$here/link.new\" \"$here/link\"\nkill -9 $PPID\nexec sleep 3\n";
    let scratch = with_hook(
        "      - {id: killer, type: observability, run: [./killer.sh]}\n",
        &[("killer.sh", killer)],
    );
    scratch.bash("true");
    let link = scratch.config().join("link");
    let appears = || {
        let start = Instant::now();
        while !link.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "the observer never ran");
            std::thread::sleep(Duration::from_millis(20));
        }
        let text = fs::read_to_string(&link).unwrap();
        fs::remove_file(&link).unwrap();
        text
    };
    appears();
    scratch.bash(&format!("echo {secret}"));
    let source = appears();
    if cfg!(target_os = "linux") {
        assert!(source.starts_with("/memfd:") && source.contains("(deleted)"), "{source}");
    }
    assert_eq!(holding(&scratch.home(), secret), Vec::<PathBuf>::new());
    assert!(!scratch.state().join("spool").exists());
    assert!(holding(&scratch.home(), "PRIVATE-KEY-MATERIAL").len() == 1, "the search itself works");
}
