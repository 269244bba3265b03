//! `tollgate init` from a cache of `npx` or `uvx`: what is registered must outlive the cache.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Answer, Scratch, answer};

/// A copy of the program under a path of the home.
fn put(scratch: &Scratch, folder: &str) -> PathBuf {
    let program = scratch.home().join(folder).join("tollgate");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_tollgate"), &program).unwrap();
    program
}

fn run(scratch: &Scratch, program: &Path, args: &[&str]) -> Answer {
    let mut command = Command::new(program);
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
    answer(command.args(args), b"")
}

#[test]
fn a_program_in_a_cache_is_copied_and_the_copy_is_registered() {
    let scratch = Scratch::new();
    let cached = put(&scratch, ".npm/_npx/0f1e/node_modules/@tollgate/linux-x64/bin");
    let planned = run(&scratch, &cached, &["init", "--agent", "claude-code", "--dry-run"]);
    assert!(planned.says("~/.local/bin/tollgate  (copy of ~/.npm/_npx/"), "{}", planned.stdout);
    let kept = scratch.home().join(".local/bin/tollgate");
    assert!(!kept.exists(), "a dry run changes nothing");
    let done = run(&scratch, &cached, &["init", "--agent", "claude-code", "--yes"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let settings = fs::read_to_string(scratch.home().join(".claude/settings.json")).unwrap();
    assert!(settings.contains(&kept.display().to_string()) && !settings.contains("_npx"), "{settings}");
    fs::remove_dir_all(scratch.home().join(".npm")).unwrap();
    let canary = run(&scratch, &kept, &["canary"]);
    assert_eq!(canary.code, Some(0), "{}{}", canary.stdout, canary.stderr);
}

#[test]
fn a_program_elsewhere_stays_where_it_is() {
    let scratch = Scratch::new();
    let program = put(&scratch, "tools/bin");
    let done = run(&scratch, &program, &["init", "--agent", "claude-code", "--yes"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(!scratch.home().join(".local/bin").exists());
    let settings = fs::read_to_string(scratch.home().join(".claude/settings.json")).unwrap();
    assert!(settings.contains(&program.display().to_string()), "{settings}");
}
