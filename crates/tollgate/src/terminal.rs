//! Asking a person.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};

/// Asks for a yes on the controlling terminal, wherever standard input comes from. None: there is no terminal.
pub fn confirm(question: &str) -> Option<bool> {
    let mut terminal = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
    write!(terminal, "{question} [y/N] ").and_then(|()| terminal.flush()).ok()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
