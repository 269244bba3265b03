//! Patches as agents write them: the `*** Begin Patch` language, and unified diffs. Reads anything; what it
//! does not know it leaves out.

use crate::Replacement;

/// The most files of a patch that are looked at.
pub const FILES: usize = 1000;

/// What is left out of the names in a diff's head.
#[derive(Clone, Copy, Debug)]
pub enum Strip {
    /// The `a/` or `b/` of a diff, where it is there.
    Side,
    /// So many folders, whatever they are called.
    Folders(usize),
    /// All folders.
    All,
}

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes it, or replaces it.
    Add {
        /// Which.
        path: String,
        /// What goes in.
        text: String,
    },
    /// Changes it, and perhaps moves it.
    Update {
        /// Which.
        path: String,
        /// Where to.
        to: Option<String>,
        /// Its hunks.
        edits: Vec<Replacement>,
    },
    /// Deletes it.
    Delete {
        /// Which.
        path: String,
    },
}

impl Change {
    /// What the same patch does when it is applied backwards.
    pub fn reversed(self) -> Self {
        match self {
            Self::Add { path, .. } => Self::Delete { path },
            // What was in it is not read.
            Self::Delete { path } => Self::Update { path, to: None, edits: Vec::new() },
            Self::Update { path, to, edits } => {
                let back = |edit: Replacement| Replacement { old: edit.new, new: edit.old };
                let edits = edits.into_iter().map(back).collect();
                match to {
                    Some(to) => Self::Update { path: to, to: Some(path), edits },
                    None => Self::Update { path, to, edits },
                }
            }
        }
    }
}

/// Reads a patch of either kind.
pub fn read(text: &str) -> Vec<Change> {
    let starts = |marker: &str| text.lines().any(|line| line.starts_with(marker));
    let mut changes = if starts("*** Begin Patch")
        || starts("*** Add File:")
        || starts("*** Update File:")
        || starts("*** Delete File:")
    {
        envelope(text)
    } else {
        unified(text, Strip::Side)
    };
    changes.truncate(FILES);
    changes
}

/// Is there nothing in it but its own marks?
pub fn is_empty(text: &str) -> bool {
    let marks = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("*** Begin Patch") || line.starts_with("*** End Patch")
    };
    text.lines().all(marks)
}

fn envelope(text: &str) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for line in text.lines() {
        if let Some(path) = after(line, "*** Add File:") {
            changes.push(Change::Add { path, text: String::new() });
        } else if let Some(path) = after(line, "*** Delete File:") {
            changes.push(Change::Delete { path });
        } else if let Some(path) = after(line, "*** Update File:") {
            changes.push(Change::Update { path, to: None, edits: Vec::new() });
        } else if let Some(target) = after(line, "*** Move to:") {
            if let Some(Change::Update { to, .. }) = changes.last_mut() {
                *to = Some(target);
            }
        } else if !line.starts_with("***")
            && let Some(change) = changes.last_mut()
        {
            body_line(change, line);
        }
    }
    changes
}

fn after(line: &str, marker: &str) -> Option<String> {
    line.trim_start().strip_prefix(marker).map(|rest| rest.trim().to_owned()).filter(|path| !path.is_empty())
}

/// One line of a file's part: added, removed, kept, or the head of the next hunk.
fn body_line(change: &mut Change, line: &str) {
    match change {
        Change::Add { text, .. } => {
            text.push_str(line.strip_prefix('+').unwrap_or(line));
            text.push('\n');
        }
        Change::Update { edits, .. } => {
            if line.starts_with("@@") || edits.is_empty() {
                edits.push(Replacement { old: String::new(), new: String::new() });
                if line.starts_with("@@") {
                    return;
                }
            }
            let Some(edit) = edits.last_mut() else { return };
            let rest = line.get(1..).unwrap_or_default();
            if !line.starts_with('+') {
                push_line(&mut edit.old, rest);
            }
            if !line.starts_with('-') {
                push_line(&mut edit.new, rest);
            }
        }
        Change::Delete { .. } => {}
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Reads a diff, whatever else stands around it, up to one file more than are looked at.
pub fn unified(text: &str, strip: Strip) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut old: Option<String> = None;
    let mut left = 0_usize;
    for line in text.lines() {
        if changes.len() > FILES {
            break;
        }
        if left > 0 && line.starts_with([' ', '+', '-', '\\']) {
            left -= usize::from(!line.starts_with('\\'));
            if let Some(change) = changes.last_mut().filter(|_| !line.starts_with('\\')) {
                body_line(change, line);
            }
        } else if let Some(path) = line.strip_prefix("--- ") {
            old = Some(strip.head(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let new = strip.head(path);
            changes.extend(strip.other(old.as_deref(), &new));
            changes.extend(begun(old.take(), new));
        } else if line.starts_with("@@") {
            left = hunk_lines(line);
            if let Some(change @ Change::Update { .. }) = changes.last_mut() {
                body_line(change, line);
            }
        } else if let Some(path) = line.strip_prefix("rename from ").or(line.strip_prefix("copy from ")) {
            changes.push(Change::Update { path: strip.renamed(path), to: None, edits: Vec::new() });
        } else if let Some(path) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to "))
            && let Some(Change::Update { to, .. }) = changes.last_mut()
        {
            *to = Some(strip.renamed(path));
        }
    }
    changes
}

/// A file's part begins, unless its renaming began it already.
fn begun(old: Option<String>, new: String) -> Option<Change> {
    match (old.as_deref(), new.as_str()) {
        (Some("/dev/null"), "/dev/null") => None,
        (Some("/dev/null"), _) => Some(Change::Add { path: new, text: String::new() }),
        (Some(path), "/dev/null") => Some(Change::Delete { path: path.to_owned() }),
        (_, "") => None,
        _ => Some(Change::Update { path: new, to: None, edits: Vec::new() }),
    }
}

impl Strip {
    /// A name of a diff's head, without what follows a tab.
    fn head(self, text: &str) -> String {
        let name = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
        match self {
            _ if name == "/dev/null" => name,
            Self::Side => name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name),
            Self::Folders(count) => without_folders(name, count),
            Self::All => last(name),
        }
        .to_owned()
    }

    /// Of two names in a head, the one is taken that fits; either file may change.
    fn other(self, old: Option<&str>, new: &str) -> Option<Change> {
        let named =
            |name: &&str| *name != new && *name != "/dev/null" && new != "/dev/null" && !name.is_empty();
        let path = old.filter(named).filter(|_| !matches!(self, Self::Side))?.to_owned();
        Some(Change::Update { path, to: None, edits: Vec::new() })
    }

    /// A name behind `rename to`, which has no side before it.
    fn renamed(self, text: &str) -> String {
        let name = text.trim().trim_matches('"');
        match self {
            Self::Side => name,
            Self::Folders(count) => without_folders(name, count.saturating_sub(1)),
            Self::All => last(name),
        }
        .to_owned()
    }
}

/// The name at the end of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without its first folders; one that has no more than these is kept as it is.
fn without_folders(path: &str, count: usize) -> &str {
    path.splitn(count.saturating_add(1), '/').nth(count).unwrap_or(path)
}

/// How many lines a hunk has at most: `@@ -1,3 +1,4 @@`.
fn hunk_lines(line: &str) -> usize {
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    line.split_whitespace()
        .filter(|part| part.len() > 1 && part.starts_with(['-', '+']))
        .take(2)
        .filter_map(count)
        .fold(0, |sum: usize, lines: usize| sum.saturating_add(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |change: &Change| match change {
            Change::Add { path, text } => format!("add {path} {text:?}"),
            Change::Update { path, to, edits } => {
                let edits: Vec<_> =
                    edits.iter().map(|edit| format!("{:?}>{:?}", edit.old, edit.new)).collect();
                format!("update {path} {} {}", to.clone().unwrap_or_default(), edits.join(" "))
            }
            Change::Delete { path } => format!("delete {path}"),
        };
        read(text).iter().map(show).collect()
    }

    #[test]
    fn patches_become_changes() {
        for (text, expected) in [
            ("*** Begin Patch\n*** Add File: a.sh\n+x\n+y\n*** End Patch", vec!["add a.sh \"x\\ny\\n\""]),
            ("*** Begin Patch\n*** Delete File: b\n*** End Patch", vec!["delete b"]),
            (
                "*** Begin Patch\n*** Update File: c\n*** Move to: d\n@@ fn\n k\n-o\n+n\n*** End Patch",
                vec!["update c d \"k\\no\\n\">\"k\\nn\\n\""],
            ),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-o\n+n\n", vec!["update x  \"o\\n\">\"n\\n\""]),
            ("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n", vec!["add new \"n\\n\""]),
            ("--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n", vec!["delete old"]),
            (
                "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- sql\n k\n",
                vec!["update x  \"-- sql\\nk\\n\">\"k\\n\""],
            ),
            ("rename from p\nrename to q\n", vec!["update p q "]),
            ("nothing here", vec![]),
            ("*** Update File:", vec![]),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
