//! A call over several files, as calls over one file each.
//!
//! File guards look at `tool_input.file_path` of Write, Edit or Read. A patch over several files, or one read of
//! several paths, would pass them by. So guards also see such a call once per file, in the shape they know.

use tollgate_model::json::Value;
use tollgate_model::{Effect, EffectKind, Event, Kind, Replacement, ToolCall, ToolUse};

/// The most files of a call that guards are shown one by one.
pub(crate) const MOST: usize = 50;

/// The event once per file of its call, and how many files there are; none for a call over at most one file. Paths are
/// absolute.
pub(crate) fn one_by_one(event: &Event, effects: &[Effect]) -> (Vec<Event>, usize) {
    let Some(tool) = event.tool() else { return (Vec::new(), 0) };
    let calls = match &tool.call {
        ToolCall::Patch { text } => patched(text, &event.cwd, effects),
        ToolCall::Read { paths } if paths.len() > 1 => {
            paths.iter().map(|path| ToolCall::Read { paths: vec![absolute(path, &event.cwd)] }).collect()
        }
        _ => return (Vec::new(), 0),
    };
    let count = calls.len();
    let events = calls.into_iter().take(MOST).filter_map(|call| with_call(event, tool, call)).collect();
    (events, count)
}

/// The event once per file of the patch that a transform has put in the place of the call's.
pub(crate) fn of_rewritten(event: &Event, input: &Value) -> Vec<Event> {
    let Some(tool) = event.tool().filter(|tool| matches!(tool.call, ToolCall::Patch { .. })) else {
        return Vec::new();
    };
    let text = ["patch", "command", "input"].iter().find_map(|key| input.text(key)).or(input.as_str());
    let calls = patched(text.unwrap_or_default(), &event.cwd, &[]);
    calls.into_iter().take(MOST).filter_map(|call| with_call(event, tool, call)).collect()
}

/// The paths that a call over several files names.
pub(crate) fn paths(tool: &ToolUse, cwd: &str) -> Vec<String> {
    match &tool.call {
        ToolCall::Patch { text } => parts(text).iter().map(|part| absolute(&part.path, cwd)).collect(),
        ToolCall::Read { paths } => paths.iter().map(|path| absolute(path, cwd)).collect(),
        _ => Vec::new(),
    }
}

/// The same event with another call.
fn with_call(event: &Event, tool: &ToolUse, call: ToolCall) -> Option<Event> {
    let tool = ToolUse { call, ..tool.clone() };
    let kind = match &event.kind {
        Kind::PreTool(_) => Kind::PreTool(tool),
        Kind::Permission(_) => Kind::Permission(tool),
        Kind::PermissionDenied { reason, .. } => Kind::PermissionDenied { tool, reason: reason.clone() },
        Kind::PostTool { response, .. } => Kind::PostTool { tool, response: response.clone() },
        Kind::PostToolFail { error, .. } => Kind::PostToolFail { tool, error: error.clone() },
        _ => return None,
    };
    Some(Event { kind, ..event.clone() })
}

/// The calls that a patch comes to. What the analysis found and this reader did not is an edit too: a guard rather sees
/// one file twice than not at all.
fn patched(text: &str, cwd: &str, effects: &[Effect]) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    let mut known: Vec<String> = Vec::new();
    for part in parts(text) {
        let path = absolute(&part.path, cwd);
        known.push(path.clone());
        calls.push(if part.is_new {
            ToolCall::Write { path, content: part.edits.into_iter().map(|edit| edit.new).collect() }
        } else {
            ToolCall::Edit { path, edits: part.edits }
        });
    }
    for effect in effects {
        let (EffectKind::Write { place, .. } | EffectKind::Delete { place, .. }) = &effect.kind else {
            continue;
        };
        if !known.contains(&place.path) {
            known.push(place.path.clone());
            calls.push(ToolCall::Edit { path: place.path.clone(), edits: Vec::new() });
        }
    }
    calls
}

/// What a patch does to one file. One that it deletes has no edits.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    path: String,
    is_new: bool,
    edits: Vec<Replacement>,
}

/// Reads the `*** Begin Patch` language and unified diffs, line by line.
fn parts(text: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    // In a unified diff, the file before the change: `/dev/null` for a new one.
    let mut before = "";
    for line in text.lines() {
        match head(line) {
            Some(Head::Begin { path, is_new }) => {
                parts.push(Part { path: path.to_owned(), is_new, edits: Vec::new() });
            }
            Some(Head::MovedTo(path)) => {
                // What is written under the new name is the file with its edits.
                let edits = parts.last().map(|part| part.edits.clone()).unwrap_or_default();
                parts.push(Part { path: path.to_owned(), is_new: false, edits });
            }
            Some(Head::Before(path)) => before = path,
            Some(Head::After(path)) => {
                let (is_new, path) =
                    if path == NOWHERE { (false, before) } else { (before == NOWHERE, path) };
                parts.push(Part { path: path.to_owned(), is_new, edits: Vec::new() });
            }
            None => {
                if let Some(part) = parts.last_mut() {
                    part.take(line);
                }
            }
        }
    }
    parts.retain(|part| !part.path.is_empty() && part.path != NOWHERE);
    parts
}

const NOWHERE: &str = "/dev/null";

/// A line that begins another file's part.
enum Head<'a> {
    Begin { path: &'a str, is_new: bool },
    MovedTo(&'a str),
    Before(&'a str),
    After(&'a str),
}

fn head(line: &str) -> Option<Head<'_>> {
    let after = |marker: &str| line.trim_start().strip_prefix(marker).map(str::trim);
    if let Some(path) = after("*** Add File:") {
        return Some(Head::Begin { path, is_new: true });
    }
    if let Some(path) = after("*** Update File:").or_else(|| after("*** Delete File:")) {
        return Some(Head::Begin { path, is_new: false });
    }
    if let Some(path) = after("*** Move to:").or_else(|| line.strip_prefix("rename to ")) {
        return Some(Head::MovedTo(path));
    }
    if let Some(path) = line.strip_prefix("rename from ") {
        return Some(Head::Begin { path, is_new: false });
    }
    // A removed line that begins with `-- ` looks the same; it names a file that is not there, which harms nobody.
    let removed = line.strip_prefix("--- ").map(|path| Head::Before(name_in_diff(path)));
    removed.or_else(|| line.strip_prefix("+++ ").map(|path| Head::After(name_in_diff(path))))
}

/// A name in a diff's head, without its side and what follows a tab.
fn name_in_diff(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

impl Part {
    /// A line of the part: kept, removed or added, or the head of the next hunk.
    fn take(&mut self, line: &str) {
        if line.starts_with("***") {
            return;
        }
        if line.starts_with("@@") || self.edits.is_empty() {
            self.edits.push(Replacement { old: String::new(), new: String::new() });
        }
        let Some(edit) = self.edits.last_mut().filter(|_| !line.starts_with("@@")) else { return };
        let (mark, rest) = line.split_at_checked(1).unwrap_or(("", line));
        if mark != "+" {
            edit.old.push_str(rest);
            edit.old.push('\n');
        }
        if mark != "-" {
            edit.new.push_str(rest);
            edit.new.push('\n');
        }
    }
}

/// A path from the root, without `.` and `..`.
fn absolute(path: &str, cwd: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{cwd}/{path}") };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    format!("/{}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{absolute, parts};

    #[test]
    fn patches_are_read_file_by_file() {
        let shown = |text: &str| -> Vec<String> {
            let show = |part: super::Part| {
                let edits = part.edits.iter().map(|edit| format!("{:?}>{:?}", edit.old, edit.new));
                let edits: Vec<String> = edits.collect();
                format!("{}{} {}", if part.is_new { "new " } else { "" }, part.path, edits.join(" "))
            };
            parts(text).into_iter().map(show).collect()
        };
        for (text, expected) in [
            (
                "*** Begin Patch\n*** Add File: a\n+x\n+y\n*** Delete File: b\n*** Update File: c\n@@ fn\n k\n-o\n+n\n*** End Patch",
                vec!["new a \"\">\"x\\ny\\n\"", "b ", "c \"k\\no\\n\">\"k\\nn\\n\""],
            ),
            ("*** Update File: c\n*** Move to: d\n@@\n-o\n+n\n", vec!["c ", "d \"o\\n\">\"n\\n\""]),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-o\n+n\n", vec!["x \"o\\n\">\"n\\n\""]),
            ("--- /dev/null\n+++ b/y\t2026\n@@ -0,0 +1 @@\n+n\n", vec!["new y \"\">\"n\\n\""]),
            ("--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n", vec!["z \"n\\n\">\"\""]),
            ("rename from p\nrename to q\n", vec!["p ", "q "]),
            ("nothing here", vec![]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn paths_are_whole() {
        for (path, expected) in
            [("a/../b", "/w/b"), ("./.env", "/w/.env"), ("/x//y/", "/x/y"), ("../..", "/")]
        {
            assert_eq!(absolute(path, "/w"), expected, "{path}");
        }
    }
}
