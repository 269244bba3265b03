//! A program that gets the records on its standard input. One that does not end in time is ended.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

pub(crate) fn feed(words: &[String], records: &[Value], end: Instant) -> Result<(), String> {
    let Some((program, args)) = words.split_first() else { return Err("no program is named".to_owned()) };
    let told = |error: std::io::Error| format!("`{program}`: {error}");
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(told)?;
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let stdin = child.stdin.take();
    // A program that does not read must not hold us: its pipe is filled from another thread.
    let writer = std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(text.as_bytes());
        }
    });
    while Instant::now() < end {
        match child.try_wait().map_err(told)? {
            Some(status) if status.success() => {
                let _ = writer.join();
                return Ok(());
            }
            Some(status) => return Err(format!("`{program}` ended with {status}")),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(format!("`{program}` took too long"))
}
