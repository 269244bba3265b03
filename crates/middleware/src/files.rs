//! A call over several files, as calls over one file each.
//!
//! File guards look at `tool_input.file_path` of Write, Edit or Read. A patch over several files, or one read of
//! several paths, would pass them by. So guards also see such a call once per file, in the shape they know.

use tollgate_model::json::Value;
use tollgate_model::patch::{self, Change};
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
        ToolCall::Patch { text } => {
            patched(text, cwd, &[]).iter().filter_map(path_of).map(str::to_owned).collect()
        }
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

/// The calls that a patch comes to. What the analysis found and the reader of patches did not is an edit too: a guard rather
/// sees one file twice than not at all.
fn patched(text: &str, cwd: &str, effects: &[Effect]) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> =
        patch::read(text).into_iter().flat_map(|change| calls_of(change, cwd)).collect();
    let mut known: Vec<String> = calls.iter().filter_map(path_of).map(str::to_owned).collect();
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

/// What a patch does to one file, as calls. A file that it moves is edited under both names, one that it deletes has no edits.
fn calls_of(change: Change, cwd: &str) -> Vec<ToolCall> {
    let edit = |path: &str, edits: &[Replacement]| ToolCall::Edit {
        path: absolute(path, cwd),
        edits: edits.to_vec(),
    };
    match change {
        Change::Add { path, text } => vec![ToolCall::Write { path: absolute(&path, cwd), content: text }],
        Change::Update { path, to, edits } => {
            std::iter::once(&path).chain(&to).map(|path| edit(path, &edits)).collect()
        }
        Change::Delete { path } => vec![edit(&path, &[])],
    }
}

fn path_of(call: &ToolCall) -> Option<&str> {
    match call {
        ToolCall::Write { path, .. } | ToolCall::Edit { path, .. } => Some(path),
        _ => None,
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
    use super::*;

    #[test]
    fn patches_are_seen_file_by_file() {
        let shown = |text: &str| -> Vec<String> {
            let show = |call: ToolCall| match call {
                ToolCall::Write { path, content } => format!("write {path} {content:?}"),
                ToolCall::Edit { path, edits } => {
                    let edits = edits.iter().map(|edit| format!(" {:?}>{:?}", edit.old, edit.new));
                    format!("edit {path}{}", edits.collect::<String>())
                }
                other => format!("{other:?}"),
            };
            patched(text, "/w", &[]).into_iter().map(show).collect()
        };
        for (text, expected) in [
            (
                "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n@@ fn\n k\n-o\n+n\n*** End Patch",
                vec!["write /w/a \"x\\n\"", "edit /w/b", "edit /w/c \"k\\no\\n\">\"k\\nn\\n\""],
            ),
            (
                "*** Update File: c\n*** Move to: d\n@@\n-o\n+n\n",
                vec!["edit /w/c \"o\\n\">\"n\\n\"", "edit /w/d \"o\\n\">\"n\\n\""],
            ),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-o\n+n\n", vec!["edit /w/x \"o\\n\">\"n\\n\""]),
            ("--- /dev/null\n+++ b/y\t2026\n@@ -0,0 +1 @@\n+n\n", vec!["write /w/y \"n\\n\""]),
            ("--- a/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n", vec!["edit /w/z"]),
            ("rename from p\nrename to q\n", vec!["edit /w/p", "edit /w/q"]),
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
