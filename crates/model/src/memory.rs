//! What a session remembers of its earlier calls, and how that is written down: one line per entry.

/// What is known about a file that an earlier call left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// It came from the network. A path that ends with `/` stands for everything below it.
    Downloaded,
    /// It is in a repository from a well-known forge: its programs are asked about, its tasks are not.
    Cloned,
    /// It was decoded from something unreadable.
    Decoded,
    /// It is, or was made from, a secret.
    Secret,
    /// It says of a folder that it can be made again; the session's own word does not count.
    Claim,
    /// It stands for a remote that the session gave to a repository, with its address: `remotes/NAME` in git's folder.
    Remote(String),
    /// It was replaced by something that is known and harmless to hold: the past is over.
    Known,
    /// What it would do when it runs: "deletes `~`".
    Dangerous(String),
    /// This is what it holds once the call has run. The memory says only that there is a text; the text lies beside it.
    Text(String),
    /// This much is known of what it holds; how it is written down is the analysis' own.
    Shape(String),
    /// The session has changed code in a way that is not known.
    Edited,
    /// It is a link that leads there.
    Link(String),
    /// It is the program that lies there, by another name.
    Copy(String),
    /// Work of the project that lay there before was moved here, where nobody looks for work.
    Moved(String),
    /// What it held is no more, and what it holds is not known.
    Gone,
}

/// One thing to remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file, by its absolute path.
    File {
        /// Which.
        path: String,
        /// What is known about it.
        mark: Mark,
    },
    /// A file was replaced by something that is known: what was remembered of it is over.
    Replaced {
        /// Which.
        path: String,
    },
    /// What lay there, and all below it, is no more; its history is not over, since the file may come back.
    Gone {
        /// Which.
        path: String,
    },
    /// A secret was read.
    SecretRead {
        /// Its name, as people write it.
        shown: String,
    },
    /// A call was refused.
    Refused(Refusal),
    /// A person spoke.
    Turn,
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The agent's id of the call; empty when it gives none.
    pub call: String,
    /// Names the call by its text and effects.
    pub code: String,
    /// Names what the rules saw, whatever words it was asked for in.
    pub meaning: String,
}

/// How often a call was refused before, since a person last spoke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The same call.
    pub same: usize,
    /// The same or another call that comes to the same.
    pub alike: usize,
}

/// What a session remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    entries: Vec<Entry>,
}

/// The memory of a session in which nothing has happened.
pub static NOTHING: Memory = Memory { entries: Vec::new() };

impl Memory {
    /// Reads what `Entry::line` wrote. A line that is torn or of a later version is left out.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { entries: text.lines().filter_map(Entry::parse).collect() }
    }

    /// A memory of these things, oldest first.
    #[must_use]
    pub fn of(entries: Vec<Entry>) -> Self {
        Self { entries }
    }

    /// Is there nothing in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Is this already known?
    #[must_use]
    pub fn holds(&self, entry: &Entry) -> bool {
        match entry {
            Entry::File { path, mark: Mark::Text(_) } => matches!(self.state_of(path), Some(Mark::Text(_))),
            Entry::File { path, mark } if mark.is_state() => self.state_of(path) == Some(mark),
            Entry::File { path, mark } => self.marks(path).contains(&mark),
            Entry::Replaced { path } => self.marks(path).is_empty(),
            Entry::Gone { path } => {
                let below = format!("{path}/");
                self.moved_below(path).is_empty()
                    && !self.entries.iter().any(|entry| match entry {
                        Entry::File { path: known, mark } if mark.is_state() => {
                            (known == path || known.starts_with(&below)) && self.state_of(known).is_some()
                        }
                        _ => false,
                    })
            }
            other => self.entries.contains(other),
        }
    }

    /// What the session has made of a path, as far as nothing has ended that: a text, known or in part, a link or a copy.
    #[must_use]
    pub fn state_of(&self, path: &str) -> Option<&Mark> {
        for entry in self.entries.iter().rev() {
            match entry {
                Entry::File { path: known, mark } if mark.is_state() && known == path => return Some(mark),
                Entry::Replaced { path: known } if known == path => return None,
                Entry::Gone { path: known } if is_at_or_below(path, known) => return None,
                _ => {}
            }
        }
        None
    }

    /// Has the session made anything of a file with this name, or a link, behind which every name may be?
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::File { mark: Mark::Link(_), .. } => true,
            Entry::File { path, mark } if mark.is_state() => path.rsplit('/').next() == Some(name),
            _ => false,
        })
    }

    /// The link that a path leads over, and where that leads.
    #[must_use]
    pub fn link_on(&self, path: &str) -> Option<(&str, &str)> {
        let leads = |(name, target): &(&str, &str)| {
            is_at_or_below(path, name) && self.state_of(name) == Some(&Mark::Link((*target).to_owned()))
        };
        let links = self.entries.iter().rev().filter_map(|entry| match entry {
            Entry::File { path, mark: Mark::Link(target) } => Some((path.as_str(), target.as_str())),
            _ => None,
        });
        links.into_iter().find(leads)
    }

    /// The paths whose texts or links are known, those first that came first, each as often as it was said.
    pub fn stated(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::File { path, mark: Mark::Text(_) | Mark::Link(_) } => Some(path.as_str()),
            _ => None,
        })
    }

    /// What is known about the file at a path.
    #[must_use]
    pub fn marks(&self, path: &str) -> Vec<&Mark> {
        self.marks_within(path, "")
    }

    /// What is known about the file at a path, but for what it has from a folder that the given one lies in.
    #[must_use]
    pub fn marks_within(&self, path: &str, folder: &str) -> Vec<&Mark> {
        let mut marks = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::File { path: known, mark }
                    if !mark.is_state()
                        && covers(known, path)
                        && known.starts_with(folder)
                        && !marks.contains(&mark) =>
                {
                    marks.push(mark);
                }
                Entry::Replaced { path: known } if known == path => marks.clear(),
                _ => {}
            }
        }
        marks
    }

    /// Has the session written, replaced, deleted or brought what lies there, or something above it?
    #[must_use]
    pub fn has_changed(&self, path: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::File { path: known, .. } => covers(known, path) || is_at_or_below(path, known),
            Entry::Replaced { path: known } | Entry::Gone { path: known } => is_at_or_below(path, known),
            Entry::SecretRead { .. } | Entry::Refused(_) | Entry::Turn => false,
        })
    }

    /// Has the session left anything at a path or below it?
    #[must_use]
    pub fn touches(&self, folder: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::File { path, .. } => is_at_or_below(path.trim_end_matches('/'), folder),
            _ => false,
        })
    }

    /// Does something below a folder hold what was a secret?
    #[must_use]
    pub fn has_secret_below(&self, folder: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::File { path, mark: Mark::Secret } => {
                path != folder && covers(&format!("{}/", folder.trim_end_matches('/')), path)
            }
            _ => false,
        })
    }

    /// Work that was moved to a path or below it and has not left it since, with where it lay before.
    #[must_use]
    pub fn moved_below(&self, folder: &str) -> Vec<(&str, &str)> {
        let mut moved: Vec<(&str, &str)> = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::File { path, mark: Mark::Moved(from) } if is_at_or_below(path, folder) => {
                    moved.push((path, from));
                }
                Entry::Gone { path: gone } | Entry::Replaced { path: gone } => {
                    moved.retain(|(path, _)| !is_at_or_below(path, gone));
                }
                _ => {}
            }
        }
        moved
    }

    /// The secrets that were read, as people write them.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::SecretRead { shown } => Some(shown.as_str()),
            _ => None,
        })
    }

    /// How often this call was refused in this turn. A call that is delivered twice counts once.
    #[must_use]
    pub fn repeats(&self, refusal: &Refusal) -> Repeats {
        let turn = self.entries.iter().rposition(|entry| *entry == Entry::Turn).map_or(0, |at| at + 1);
        let mut seen: Vec<&str> = vec![&refusal.call];
        let mut repeats = Repeats::default();
        for entry in self.entries.iter().skip(turn) {
            let Entry::Refused(earlier) = entry else { continue };
            if !earlier.call.is_empty() && seen.contains(&earlier.call.as_str()) {
                continue;
            }
            seen.push(&earlier.call);
            repeats.same += usize::from(earlier.code == refusal.code);
            repeats.alike += usize::from(earlier.code == refusal.code || earlier.meaning == refusal.meaning);
        }
        repeats
    }

    /// Was anything refused since a person last spoke?
    #[must_use]
    pub fn refused_in_turn(&self) -> bool {
        let recent = self.entries.iter().rev().take_while(|entry| **entry != Entry::Turn);
        recent.into_iter().any(|entry| matches!(entry, Entry::Refused(_)))
    }
}

impl Entry {
    /// The entry as one line, with its line end.
    #[must_use]
    pub fn line(&self) -> String {
        let fields: Vec<&str> = match self {
            Self::File { path, mark } => vec!["file", mark.name(), path, mark.detail()],
            Self::Replaced { path } => vec!["replaced", path],
            Self::Gone { path } => vec!["gone", path],
            Self::SecretRead { shown } => vec!["secret", shown],
            Self::Refused(Refusal { call, code, meaning }) => vec!["refused", call, code, meaning],
            Self::Turn => vec!["turn"],
        };
        let mut line = fields.into_iter().map(escaped).collect::<Vec<_>>().join("\t");
        line.push('\n');
        line
    }

    /// Reads what `line` wrote. `None` for a line that is torn or of a later version.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let name = fields.next()?;
        let rest = [fields.next(), fields.next(), fields.next()];
        if fields.next().is_some() {
            return None;
        }
        Some(match (name, rest) {
            ("file", [Some(name), Some(path), Some(detail)]) => {
                Self::File { path: unescaped(path), mark: Mark::parse(name, detail)? }
            }
            ("replaced", [Some(path), None, _]) => Self::Replaced { path: unescaped(path) },
            ("gone", [Some(path), None, _]) => Self::Gone { path: unescaped(path) },
            ("secret", [Some(shown), None, _]) => Self::SecretRead { shown: unescaped(shown) },
            ("refused", [Some(call), Some(code), Some(meaning)]) => Self::Refused(Refusal {
                call: unescaped(call),
                code: unescaped(code),
                meaning: unescaped(meaning),
            }),
            ("turn", [None, ..]) => Self::Turn,
            _ => return None,
        })
    }
}

impl Mark {
    /// Its name in the memory and in the log.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Downloaded => "downloaded",
            Self::Cloned => "cloned",
            Self::Decoded => "decoded",
            Self::Secret => "secret",
            Self::Claim => "claim",
            Self::Remote(_) => "remote",
            Self::Known => "known",
            Self::Dangerous(_) => "dangerous",
            Self::Text(_) => "text",
            Self::Shape(_) => "shape",
            Self::Link(_) => "link",
            Self::Copy(_) => "copy",
            Self::Edited => "edited",
            Self::Moved(_) => "moved",
            Self::Gone => "gone",
        }
    }

    /// Does it say what is there now, rather than where that comes from?
    #[must_use]
    pub fn is_state(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Shape(_) | Self::Link(_) | Self::Copy(_))
    }

    fn detail(&self) -> &str {
        match self {
            Self::Dangerous(detail)
            | Self::Remote(detail)
            | Self::Shape(detail)
            | Self::Link(detail)
            | Self::Copy(detail)
            | Self::Moved(detail) => detail,
            _ => "",
        }
    }

    fn parse(name: &str, detail: &str) -> Option<Self> {
        Some(match name {
            "downloaded" => Self::Downloaded,
            "cloned" => Self::Cloned,
            "decoded" => Self::Decoded,
            "secret" => Self::Secret,
            "claim" => Self::Claim,
            "edited" => Self::Edited,
            "remote" => Self::Remote(unescaped(detail)),
            "dangerous" => Self::Dangerous(unescaped(detail)),
            "text" => Self::Text(String::new()),
            "shape" => Self::Shape(unescaped(detail)),
            "link" => Self::Link(unescaped(detail)),
            "copy" => Self::Copy(unescaped(detail)),
            "moved" => Self::Moved(unescaped(detail)),
            _ => return None,
        })
    }
}

/// Is it the path itself, or a folder that the path is in?
fn covers(known: &str, path: &str) -> bool {
    known == path || (known.ends_with('/') && path.starts_with(known))
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Without the characters that part fields and lines.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            other => out.push(other),
        }
    }
    out
}

fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('t') => out.push('\t'),
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, mark: Mark) -> Entry {
        Entry::File { path: path.into(), mark }
    }

    fn refusal(call: &str, code: &str, meaning: &str) -> Refusal {
        Refusal { call: call.into(), code: code.into(), meaning: meaning.into() }
    }

    #[test]
    fn what_is_written_is_read() {
        let entries = vec![
            file("/w/a\tb\nc\\n", Mark::Downloaded),
            file("/w/tree/", Mark::Cloned),
            file("/w/x", Mark::Dangerous("deletes `~`\tand more".into())),
            Entry::Replaced { path: "/w/x\r".into() },
            Entry::Gone { path: "/w/gone".into() },
            file("/w/link", Mark::Link("/h/\tuser".into())),
            file("/w/bin", Mark::Copy("/usr/bin/shred".into())),
            file("/w/.git/remotes/m", Mark::Remote("https://example.test/m".into())),
            file("/w/text", Mark::Text(String::new())),
            file("/w/run.sh", Mark::Edited),
            Entry::SecretRead { shown: ".env".into() },
            Entry::Refused(refusal("toolu_1", "abc", "m")),
            Entry::Turn,
        ];
        let text: String = entries.iter().map(Entry::line).collect();
        assert_eq!(text.lines().count(), entries.len());
        assert_eq!(Memory::read(&text), Memory::of(entries));
    }

    #[test]
    fn strange_lines_are_left_out() {
        let text = "file\tdownloaded\t/w/a\t\nfuture\tx\nfile\tnew-mark\t/w/b\t\nturn\textra\nfile\tdown";
        assert_eq!(Memory::read(text), Memory::of(vec![file("/w/a", Mark::Downloaded)]));
    }

    #[test]
    fn what_the_session_has_touched_is_changed() {
        let memory = Memory::of(vec![
            file("/w/a.sh", Mark::Edited),
            file("/w/tree/", Mark::Cloned),
            file("/w/linked", Mark::Link("/elsewhere".into())),
            Entry::Replaced { path: "/w/b.sh".into() },
            Entry::Gone { path: "/w/old".into() },
            Entry::SecretRead { shown: "/w/c.sh".into() },
        ]);
        for path in ["/w/a.sh", "/w/tree/x", "/w/linked/x", "/w/b.sh", "/w/old/x"] {
            assert!(memory.has_changed(path), "{path}");
        }
        for path in ["/w/c.sh", "/w/a.shx", "/w/older", "/w"] {
            assert!(!memory.has_changed(path), "{path}");
        }
    }

    #[test]
    fn a_file_is_known_until_it_is_replaced() {
        let mut entries = vec![file("/w/a", Mark::Downloaded), file("/w/b", Mark::Decoded)];
        assert_eq!(Memory::of(entries.clone()).marks("/w/a"), [&Mark::Downloaded]);
        entries.push(Entry::Replaced { path: "/w/a".into() });
        let memory = Memory::of(entries);
        assert!(memory.marks("/w/a").is_empty());
        assert_eq!(memory.marks("/w/b"), [&Mark::Decoded]);
        assert!(!memory.holds(&file("/w/a", Mark::Downloaded)));
    }

    #[test]
    fn a_folder_stands_for_what_is_in_it() {
        let memory = Memory::of(vec![
            file("/w/tool/", Mark::Cloned),
            Entry::Replaced { path: "/w/tool/own.sh".into() },
        ]);
        assert_eq!(memory.marks("/w/tool/bin/run"), [&Mark::Cloned]);
        for path in ["/w/tool/own.sh", "/w/tools/run", "/w/tool"] {
            assert!(memory.marks(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn what_is_there_is_what_was_said_last() {
        let text = || Mark::Text(String::new());
        let link = |target: &str| Mark::Link(target.into());
        let memory = Memory::of(vec![
            file("/w/a", text()),
            file("/w/b", link("/h")),
            file("/w/b", link("/h/docs")),
            file("/w/d/c", text()),
            file("/w/d", Mark::Downloaded),
            Entry::Gone { path: "/w/d".into() },
            file("/w/e", Mark::Copy("/usr/bin/rm".into())),
            Entry::Replaced { path: "/w/e".into() },
        ]);
        assert_eq!(memory.state_of("/w/a"), Some(&text()));
        assert_eq!(memory.link_on("/w/b/x/y"), Some(("/w/b", "/h/docs")));
        assert_eq!(memory.link_on("/w/bb"), None);
        for path in ["/w/d/c", "/w/d", "/w/e", "/w"] {
            assert_eq!(memory.state_of(path), None, "{path}");
        }
        assert_eq!(memory.marks("/w/d"), [&Mark::Downloaded], "where it came from is not forgotten");
        for (path, gone) in [("/w/a", true), ("/w/d", false), ("/w", true), ("/w/x", false)] {
            assert_eq!(!memory.holds(&Entry::Gone { path: path.into() }), gone, "{path}");
        }
    }

    #[test]
    fn f41_refusals_are_counted_by_turn_call_and_meaning() {
        let now = refusal("4", "x", "m");
        let count = |entries: &[Entry]| {
            let Repeats { same, alike } = Memory::of(entries.to_vec()).repeats(&now);
            (same, alike)
        };
        let earlier = |call: &str, code: &str, meaning: &str| Entry::Refused(refusal(call, code, meaning));
        assert_eq!(count(&[]), (0, 0));
        assert_eq!(count(&[earlier("1", "x", "m")]), (1, 1));
        assert_eq!(count(&[earlier("1", "x", "m"), earlier("2", "y", "m"), earlier("3", "z", "n")]), (1, 2));
        assert_eq!(count(&[earlier("1", "x", "m"), Entry::Turn, earlier("2", "x", "m")]), (1, 1));
        assert_eq!(count(&[earlier("1", "x", "m"), earlier("1", "x", "m")]), (1, 1), "delivered twice");
        assert_eq!(count(&[earlier("4", "x", "m")]), (0, 0), "the other delivery of this call");
        assert_eq!(count(&[earlier("", "x", "m"), earlier("", "x", "m")]), (2, 2), "no ids");
    }
}
