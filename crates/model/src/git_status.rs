//! What a `World` is asked about a work tree, and what it answers.

/// The most paths in one list of a `GitStatus`.
pub const STATUS_LIMIT: usize = 1000;

/// Which part of a work tree is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitAsk {
    /// Absolute paths, each with everything below it; `*` stands for any text. None means the whole tree.
    pub paths: Vec<String>,
    /// Files that git does not know are wanted too.
    pub untracked: bool,
    /// Files that git ignores are wanted too.
    pub ignored: bool,
    /// Submodules that stand at another commit than the one that is recorded are wanted too.
    pub modules: bool,
}

/// What is not committed. Paths are relative to the work tree; a folder of which git knows nothing stands
/// for all that is in it and ends with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitStatus {
    /// Content that is in the index and not in the last commit.
    pub staged: Vec<String>,
    /// Content of known files that is only in the work tree.
    pub modified: Vec<String>,
    /// Files that git does not know.
    pub untracked: Vec<String>,
    /// Files that git is told not to know.
    pub ignored: Vec<String>,
    /// Known files that are gone from the index or the work tree; the last commit has them.
    pub deleted: Vec<String>,
    /// There is more than these lists hold.
    pub cut: bool,
}

impl GitStatus {
    /// Nothing at all is to be told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.cut
            && [&self.staged, &self.modified, &self.untracked, &self.ignored]
                .iter()
                .all(|list| list.is_empty())
    }

    /// The part that is asked about, of a status that is known in full.
    #[must_use]
    pub fn part(&self, root: &str, ask: &GitAsk) -> Self {
        let wanted = |path: &String| {
            let whole = format!("{root}/{}", path.trim_end_matches('/'));
            ask.paths.is_empty() || ask.paths.iter().any(|part| covers(part, &whole))
        };
        let pick =
            |list: &[String], on: bool| list.iter().filter(|path| on && wanted(path)).cloned().collect();
        Self {
            staged: pick(&self.staged, true),
            modified: pick(&self.modified, true),
            untracked: pick(&self.untracked, ask.untracked),
            ignored: pick(&self.ignored, ask.ignored),
            deleted: pick(&self.deleted, true),
            cut: self.cut,
        }
    }
}

/// Does the pattern stand for the path, for a folder above it, or for something below it?
fn covers(pattern: &str, path: &str) -> bool {
    let below = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if pattern.contains(['*', '?']) {
        // A folder that is listed as a whole may hold what the pattern stands for.
        let folder = pattern.split(['*', '?']).next().unwrap_or_default();
        return ancestors(path).any(|at| stands_for(pattern, at)) || below(folder, path);
    }
    below(path, pattern.trim_end_matches('/')) || below(pattern, path)
}

/// Does a pattern, in which `*` stands for any text and `?` for any one byte, stand for a text?
#[must_use]
pub fn stands_for(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut from) = (0, 0);
    let (mut star, mut mark) = (None, 0);
    while from < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some(at);
                mark = from;
                at += 1;
            }
            Some(byte) if text.get(from) == Some(byte) || *byte == b'?' => {
                at += 1;
                from += 1;
            }
            _ => {
                let Some(back) = star else { return false };
                at = back + 1;
                mark += 1;
                from = mark;
            }
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// A folder and everything above it.
pub(crate) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at: &&str| {
        let at: &str = at;
        let end = at.rfind('/')?;
        if end == 0 && at.len() > 1 { Some("/") } else { at.get(..end) }
    })
    .filter(|at| !at.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_status() {
        let list = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let status = GitStatus {
            modified: list(&["src/a.rs", "docs/b.md"]),
            untracked: list(&["new/", "notes.txt"]),
            ..GitStatus::default()
        };
        let check = |paths: &[&str], expected: &[&str]| {
            let ask = GitAsk { paths: list(paths), untracked: true, ignored: true, ..GitAsk::default() };
            let part = status.part("/w", &ask);
            assert_eq!([part.modified, part.untracked].concat(), list(expected), "{paths:?}");
        };
        check(&[], &["src/a.rs", "docs/b.md", "new/", "notes.txt"]);
        check(&["/w/src"], &["src/a.rs"]);
        check(&["/w/new/sub/f"], &["new/"]);
        check(&["/w/*.md"], &["docs/b.md"]);
        check(&["/w/s*c"], &["src/a.rs"]);
        check(&["/w/not", "/w/sr"], &[]);
    }
}
