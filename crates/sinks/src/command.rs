//! A program that gets the records on its standard input. One that does not end in time is ended.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Trouble;

pub(crate) fn feed(words: &[String], records: &[Value], end: Instant) -> Result<(), Trouble> {
    let Some((program, args)) = words.split_first() else {
        return Err(Trouble::lost("no program is named"));
    };
    let told = |error: std::io::Error| format!("`{program}`: {error}");
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| Trouble::later(told(error)))?;
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let stdin = child.stdin.take();
    // A program that does not read must not hold us: its pipe is filled from another thread.
    let writer = std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(text.as_bytes());
        }
    });
    while Instant::now() < end {
        match child.try_wait().map_err(|error| Trouble::lost(told(error)))? {
            Some(status) if status.success() => {
                let _ = writer.join();
                return Ok(());
            }
            // It has seen the records: giving them again might count them twice.
            Some(status) => return Err(Trouble::lost(format!("`{program}` ended with {status}"))),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(Trouble::lost(format!("`{program}` took too long")))
}
