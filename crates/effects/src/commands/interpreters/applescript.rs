//! AppleScript: what it hands to a shell, and what it tells the Finder to do with files.

use tollgate_model::{EffectKind, Lasting, Span, WriteMode};
use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters};
use crate::word::Word;

/// The most references in one another.
const DEPTH: usize = 16;

/// Takes down what a script does.
pub(super) fn run(run: &mut Run, text: &str, span: Span) {
    if text.contains("login item") && text.contains("make") {
        run.push(EffectKind::Persist { kind: Lasting::Job, what: "the login items".into() });
    }
    let home = run.analyst.world.home().to_owned();
    if text.contains("empty trash") || text.contains("empty the trash") {
        run.analyst.delete(&Word::literal_at(&format!("{home}/.Trash"), span), true, run.shell);
    }
    for command in shell_scripts(text) {
        interpreters::code(run, &Value::text(&command), span);
    }
    let lower = text.to_lowercase();
    let of_files = ["\"finder\"", "\"system events\""].iter().any(|name| lower.contains(name));
    for line in text.lines().take(10_000) {
        files(run, line, &home, of_files, span);
    }
}

/// What one line does to files.
fn files(run: &mut Run, line: &str, home: &str, of_files: bool, span: Span) {
    let place = |rest: &str| reference(rest, home).map(|path| Word::literal_at(&path, span));
    let trashed = || after(line, "move").filter(|rest| rest.to_lowercase().contains("to trash"));
    if let Some(path) = after(line, "delete").or_else(trashed).filter(|_| of_files).and_then(place) {
        run.analyst.delete(&path, true, run.shell);
    }
    if let Some(path) = after(line, "read").and_then(place) {
        run.read(&path, false);
    }
    let opened = after(line, "access").filter(|rest| rest.contains("write permission"));
    if let Some(path) = opened.and_then(place) {
        run.analyst.write(&path, WriteMode::Overwrite, None, run.shell);
    }
}

/// What follows a verb in a line.
fn after<'l>(line: &'l str, verb: &str) -> Option<&'l str> {
    let mut rest = line;
    while let Some((before, next)) = rest.split_once(verb) {
        let begins = before.is_empty() || before.ends_with([' ', '\t', '(']);
        if begins && next.starts_with([' ', '(']) && !before.contains('"') | before.contains(" to ") {
            return Some(next);
        }
        rest = next;
    }
    None
}

/// Folders of the user by the names that `path to` and the Finder have for them.
const FOLDERS: &[(&str, &str)] = &[
    ("home", ""),
    ("desktop", "/Desktop"),
    ("documents", "/Documents"),
    ("downloads", "/Downloads"),
    ("pictures", "/Pictures"),
    ("music", "/Music"),
    ("movies", "/Movies"),
    ("library", "/Library"),
    ("trash", "/.Trash"),
];

/// The path that a reference means: `folder "A" of home`, `POSIX file "/a"`, `path to documents folder`.
fn reference(text: &str, home: &str) -> Option<String> {
    let mut below = Vec::new();
    let mut rest = text;
    for _ in 0..DEPTH {
        rest = rest.trim_start_matches([' ', '\t', '(']);
        let word = rest.split([' ', '"', ')']).next().unwrap_or_default();
        let next = rest.strip_prefix(word).unwrap_or_default();
        let quoted_text = next.trim_start().strip_prefix('"').and_then(quoted);
        match (word.to_lowercase().as_str(), quoted_text) {
            ("posix", _) => rest = next.trim_start().trim_start_matches("file").trim_start_matches("path of"),
            ("", _) if rest.starts_with('"') => {
                let (path, _) = rest.strip_prefix('"').and_then(quoted)?;
                return Some(joined(&of_colons(&path), &below));
            }
            ("folder" | "file" | "item" | "alias" | "disk", Some((name, after))) => {
                let owner = after.trim_start().strip_prefix("of ");
                let Some(owner) = owner else { return Some(joined(&of_colons(&name), &below)) };
                below.push(name);
                rest = owner;
            }
            (name, _) if let Some((_, path)) = FOLDERS.iter().find(|(known, _)| *known == name) => {
                return Some(joined(&format!("{home}{path}"), &below));
            }
            ("", _) => return None,
            _ => rest = next,
        }
    }
    None
}

/// The names in reverse below a folder.
fn joined(folder: &str, below: &[String]) -> String {
    let names = below.iter().rev().map(|name| format!("/{name}")).collect::<String>();
    format!("{}{names}", folder.trim_end_matches('/'))
}

/// `Macintosh HD:Users:me` is a path from the top.
fn of_colons(path: &str) -> String {
    match path.split_once(':') {
        Some((_, rest)) if !path.starts_with('/') => format!("/{}", rest.replace(':', "/")),
        _ => path.to_owned(),
    }
}

/// The texts after `do shell script`, joined where `&` joins them.
fn shell_scripts(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in text.split("do shell script").skip(1) {
        let mut command = String::new();
        let mut rest = rest.trim_start();
        while let Some((string, after)) = rest.strip_prefix('"').and_then(quoted) {
            command.push_str(&string);
            let Some(next) = after.trim_start().strip_prefix('&') else { break };
            rest = next.trim_start().trim_start_matches("quoted form of").trim_start();
        }
        found.push(command);
    }
    found
}

/// A string whose opening quote was read, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some((out, text.get(at + 1..).unwrap_or_default())),
            '\\' => out.extend(characters.next().map(|(_, c)| c)),
            _ => out.push(c),
        }
    }
    None
}
