//! Asking a person.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// Asks for a yes on the controlling terminal, wherever standard input comes from. None: there is no terminal.
pub fn confirm(question: &str) -> Option<bool> {
    let answer = line(&mut open()?, &format!("{question} [y/N] "))?;
    Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Asks for a line. None: there is no terminal.
pub fn ask(question: &str) -> Option<String> {
    line(&mut open()?, question)
}

/// Asks for a text that is not shown. None: there is no terminal.
pub fn secret(question: &str) -> Option<String> {
    let mut terminal = open()?;
    let shown = tcgetattr(&terminal).ok()?;
    let mut hidden = shown.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Now, &hidden).ok()?;
    let answer = line(&mut terminal, question);
    let _ = tcsetattr(&terminal, OptionalActions::Now, &shown);
    let _ = writeln!(terminal);
    answer.map(|answer| answer.trim_end_matches(['\r', '\n']).to_owned())
}

fn open() -> Option<File> {
    OpenOptions::new().read(true).write(true).open("/dev/tty").ok()
}

/// None when the terminal is gone.
fn line(terminal: &mut File, question: &str) -> Option<String> {
    write!(terminal, "{question}").and_then(|()| terminal.flush()).ok()?;
    let mut answer = String::new();
    BufReader::new(terminal).read_line(&mut answer).ok()?;
    Some(answer)
}
