//! What an edit changes, from the call's input alone.

use serde::Serialize;
use serde_json::Value;

use crate::row::Row;

/// Lines of one file that are sent.
const MOST: usize = 2_000;

/// The change of one file.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct File {
    path: String,
    lines: Vec<Line>,
    cut: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Line {
    op: char,
    text: String,
}

/// The changes that a call asks for; none for calls that change no text.
pub(crate) fn files(row: &Row, input: &Value) -> Vec<File> {
    let text = |value: &Value, keys: &[&str]| {
        keys.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned)
    };
    let path = text(input, &["file_path", "path", "notebook_path"]).unwrap_or_default();
    let edit = |value: &Value| {
        let old = text(value, &["old_string", "old_str", "oldText"]);
        let new = text(value, &["new_string", "new_str", "newText", "new_source"]);
        (old.is_some() || new.is_some()).then(|| replaced(&old.unwrap_or_default(), &new.unwrap_or_default()))
    };
    let lines: Vec<Line> = match row.class.as_str() {
        "edit" => match input.get("edits").and_then(Value::as_array) {
            Some(edits) => edits.iter().filter_map(edit).flatten().collect(),
            None => edit(input).unwrap_or_default(),
        },
        "write" => replaced("", &text(input, &["content", "contents", "file_text"]).unwrap_or_default()),
        "patch" => text(input, &["patch", "input", "patch_text", "patchText"])
            .map(|text| patch(&text))
            .unwrap_or_default(),
        _ => Vec::new(),
    };
    if lines.is_empty() {
        return Vec::new();
    }
    let cut = lines.len() > MOST;
    vec![File { path, lines: lines.into_iter().take(MOST).collect(), cut }]
}

/// One text for another. Lines that both begin and end with are shown once.
fn replaced(old: &str, new: &str) -> Vec<Line> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same =
        |one: &mut dyn Iterator<Item = (&&str, &&str)>| one.take_while(|(one, other)| one == other).count();
    let head = same(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - head;
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    let part = |lines: &[&str], op: char, from: usize, to: usize| -> Vec<Line> {
        lines.get(from..to).unwrap_or_default().iter().map(|text| line(op, text)).collect()
    };
    let mut out = part(&new, ' ', 0, head);
    out.extend(part(&old, '-', head, old.len() - tail));
    out.extend(part(&new, '+', head, new.len() - tail));
    out.extend(part(&new, ' ', new.len() - tail, new.len()));
    out
}

/// A patch, in either of its forms, as it is written.
fn patch(text: &str) -> Vec<Line> {
    let each = |text: &str| match text.chars().next() {
        Some(op @ ('+' | '-' | ' ')) if !text.starts_with("+++") && !text.starts_with("---") => {
            line(op, text.get(1..).unwrap_or_default())
        }
        _ => line('@', text),
    };
    text.lines().map(each).collect()
}

fn line(op: char, text: &str) -> Line {
    Line { op, text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| format!("{}{}", line.op, line.text)).collect()
    }

    #[test]
    fn what_is_the_same_is_shown_once() {
        assert_eq!(shown(&replaced("a\nb\nc", "a\nx\ny\nc")), [" a", "-b", "+x", "+y", " c"]);
        assert_eq!(shown(&replaced("a\na", "a")), [" a", "-a"]);
        assert_eq!(shown(&replaced("", "a\nb")), ["+a", "+b"]);
        assert_eq!(
            shown(&patch("*** Update File: x\n@@\n-a\n+b\n c")),
            ["@*** Update File: x", "@@@", "-a", "+b", " c"]
        );
    }
}
