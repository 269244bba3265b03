//! However the process dies, exactly the prepared answer comes out.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::Read;
use std::os::fd::AsRawFd;
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
    for how in ["panic", "overflow", "abort", "memory", "deadline", "stuck", "loop", "thread"] {
        let output = dies(how);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"refused\":true}", "{how}");
        // The allocator says a word of its own first.
        assert!(output.stderr.ends_with(b"last words\n"), "{how}");
        assert_eq!(output.status.code(), Some(0), "{how}");
    }
}

#[test]
fn after_the_deadline_has_answered_the_process_may_finish_its_record() {
    let output = dies("record");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"refused\":true}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "last words\nrecorded\n");
    assert_eq!(output.status.code(), Some(0), "the exit code is that of the prepared answer");
}

#[test]
fn waiting_for_a_processor_does_not_count_against_the_deadline() {
    if !std::path::Path::new("/proc/self/schedstat").exists() {
        return;
    }
    // As many as make one processor's share far smaller than the 300 ms that each may take.
    let crowd: Vec<_> = (0..40)
        .map(|_| Command::new(example()).arg("work").stdout(std::process::Stdio::piped()).spawn().unwrap())
        .collect();
    for one in crowd {
        let output = one.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"fine\":true}");
    }
}

#[test]
fn a_life_speaks_for_itself() {
    let output = dies("not at all");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"fine\":true}");
}

/// With exit 0, half an answer would pass for a good one.
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    for how in ["", "twice"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let status = Command::new(example()).arg(how).stdout(full).status().unwrap();
        assert_eq!(status.code(), Some(1), "{how}");
    }
}

#[test]
fn a_pipe_that_does_not_wait_gets_the_whole_answer() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    // SAFETY: the descriptor is open as long as `writer`.
    let flagged = unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    assert_eq!(flagged, 0);
    let mut child = Command::new(example()).arg("much").stdout(writer).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!((text.len(), child.wait().unwrap().code()), (1 << 20, Some(0)));
}
