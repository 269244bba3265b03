//! However the process dies, exactly the prepared answer comes out.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;
use std::process::{Command, Output};

fn dies(how: &str) -> Output {
    Command::new(example()).arg(how).output().unwrap()
}

fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = folder.join("examples/dies");
    assert!(program.exists(), "cargo builds examples with the tests: {}", program.display());
    program
}

#[test]
fn f31_every_death_speaks() {
    for how in ["panic", "overflow", "abort", "memory", "deadline", "loop", "thread"] {
        let output = dies(how);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"refused\":true}", "{how}");
        // The allocator says a word of its own first.
        assert!(output.stderr.ends_with(b"last words\n"), "{how}");
        assert_eq!(output.status.code(), Some(0), "{how}");
    }
}

#[test]
fn a_life_speaks_for_itself() {
    let output = dies("not at all");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"fine\":true}");
}
