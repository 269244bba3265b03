//! Standard output for people. A closed pipe ends the command quietly.

use std::io::Write;

/// Prints a line.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    if writeln!(out, "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Prints text as it is.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    if write!(out, "{text}").and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// Prints a line to standard error.
pub fn error(text: &str) {
    // Nobody is left to tell when standard error is gone.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
