//! Sed scripts: the commands that run, read or write something.

use tollgate_shell::value::{Hole, HoleSource, Text};

use super::token::Scan;

/// What a sed script does beyond editing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SedAct {
    /// Runs text as a command.
    Run(Text),
    /// Runs the line that a replacement has made.
    Replaced(Text),
    /// Runs the line it has read.
    RunLine,
    /// Reads a file.
    Read(String),
    /// Writes a file.
    Write(String),
}

/// The acts of a script.
pub(crate) fn acts(script: &str) -> Vec<SedAct> {
    let mut found = Vec::new();
    let mut scan = Scan::new(script);
    while !scan.done() && found.len() < 256 {
        scan.take(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}' | '!'));
        address(&mut scan);
        scan.take(|c| c.is_whitespace() || c == '!');
        command(&mut scan, &mut found);
    }
    found
}

/// `1`, `$`, `/re/`, `\,re,`, `1~2`, `1,+3`
fn address(scan: &mut Scan) {
    loop {
        match scan.peek() {
            Some('/') => {
                scan.next();
                delimited(scan, '/');
                scan.take(|c| matches!(c, 'I' | 'M'));
            }
            Some('\\') => {
                scan.next();
                if let Some(mark) = scan.next() {
                    delimited(scan, mark);
                    scan.take(|c| matches!(c, 'I' | 'M'));
                }
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '$' | ',' | '~' | '+' | ' ') => {
                scan.next();
            }
            _ => return,
        }
    }
}

/// Text up to a mark that is not escaped and not in `[…]`.
fn delimited<'s>(scan: &mut Scan<'s>, mark: char) -> &'s str {
    let start = scan.at;
    while let Some(c) = scan.next() {
        if c == '\\' {
            scan.next();
        } else if c == mark {
            return scan.text.get(start..scan.at - mark.len_utf8()).unwrap_or_default();
        }
    }
    scan.text.get(start..).unwrap_or_default()
}

fn command(scan: &mut Scan, found: &mut Vec<SedAct>) {
    let Some(letter) = scan.next() else { return };
    match letter {
        '#' => {
            scan.line();
        }
        'a' | 'i' | 'c' => text(scan),
        's' => substitute(scan, found),
        'y' => {
            if let Some(mark) = scan.next() {
                delimited(scan, mark);
                delimited(scan, mark);
            }
        }
        'e' => {
            let text = scan.line().trim().to_owned();
            found.push(if text.is_empty() { SedAct::RunLine } else { SedAct::Run(Text::literal(&text)) });
        }
        'r' | 'R' => file(scan).into_iter().for_each(|name| found.push(SedAct::Read(name))),
        'w' | 'W' => file(scan).into_iter().for_each(|name| found.push(SedAct::Write(name))),
        'b' | 't' | 'T' | ':' => {
            scan.take(|c| !matches!(c, ';' | '\n' | '}'));
        }
        _ => {}
    }
}

fn file(scan: &mut Scan) -> Option<String> {
    let name = scan.line().trim().to_owned();
    (!name.is_empty() && !name.starts_with("/dev/std")).then_some(name)
}

/// The text of `a`, `i` and `c`: the rest of the line, and those that a backslash joins to it.
fn text(scan: &mut Scan) {
    loop {
        let line = scan.line();
        let goes_on = line.ends_with('\\');
        if scan.next().is_none() || !goes_on {
            return;
        }
    }
}

fn substitute(scan: &mut Scan, found: &mut Vec<SedAct>) {
    let Some(mark) = scan.next() else { return };
    let pattern = delimited(scan, mark);
    let replacement = delimited(scan, mark);
    let flags = scan.take(|c| c.is_ascii_alphanumeric() && c != 'w');
    if flags.contains('e') {
        let whole =
            matches!(pattern.trim_start_matches('^').trim_end_matches('$'), ".*" | "" | "\\(.*\\)" | "(.*)");
        found.push(SedAct::Replaced(replaced(replacement, whole)));
    }
    if scan.peek() == Some('w') {
        scan.next();
        file(scan).into_iter().for_each(|name| found.push(SedAct::Write(name)));
    }
}

/// The line after the replacement: known where the pattern was all of it.
fn replaced(replacement: &str, whole: bool) -> Text {
    let hole = || Text::hole(Hole::new(HoleSource::Input));
    let mut text = if whole { Text::default() } else { hole() };
    let mut scan = Scan::new(replacement);
    while let Some(c) = scan.next() {
        match c {
            '&' => text.append(&hole()),
            '\\' => match scan.next() {
                Some('1'..='9') => text.append(&hole()),
                Some('n') => text.push_str("\n"),
                Some(other) => text.push_str(other.encode_utf8(&mut [0; 4])),
                None => {}
            },
            _ => text.push_str(c.encode_utf8(&mut [0; 4])),
        }
    }
    if !whole {
        text.append(&hole());
    }
    text
}
