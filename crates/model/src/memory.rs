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
    /// It stands for a remote that the session gave to a repository: `remotes/NAME` in git's folder.
    Remote,
    /// It was replaced by something that is known and harmless to hold: the past is over.
    Known,
    /// What it would do when it runs: "deletes `~`".
    Dangerous(String),
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
            Entry::File { path, mark } => self.marks(path).contains(&mark),
            Entry::Replaced { path } => self.marks(path).is_empty(),
            other => self.entries.contains(other),
        }
    }

    /// What is known about the file at a path.
    #[must_use]
    pub fn marks(&self, path: &str) -> Vec<&Mark> {
        let mut marks = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::File { path: known, mark } if covers(known, path) && !marks.contains(&mark) => {
                    marks.push(mark);
                }
                Entry::Replaced { path: known } if known == path => marks.clear(),
                _ => {}
            }
        }
        marks
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
            Self::File { path, mark } => vec!["file", mark.name(), path, mark.danger()],
            Self::Replaced { path } => vec!["replaced", path],
            Self::SecretRead { shown } => vec!["secret", shown],
            Self::Refused(Refusal { call, code, meaning }) => vec!["refused", call, code, meaning],
            Self::Turn => vec!["turn"],
        };
        let mut line = fields.into_iter().map(escaped).collect::<Vec<_>>().join("\t");
        line.push('\n');
        line
    }

    fn parse(line: &str) -> Option<Self> {
        let fields: Vec<String> = line.split('\t').map(unescaped).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let owned = |text: &str| text.to_owned();
        Some(match fields.as_slice() {
            ["file", name, path, danger] => {
                Self::File { path: owned(path), mark: Mark::parse(name, danger)? }
            }
            ["replaced", path] => Self::Replaced { path: owned(path) },
            ["secret", shown] => Self::SecretRead { shown: owned(shown) },
            ["refused", call, code, meaning] => {
                Self::Refused(Refusal { call: owned(call), code: owned(code), meaning: owned(meaning) })
            }
            ["turn"] => Self::Turn,
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
            Self::Remote => "remote",
            Self::Known => "known",
            Self::Dangerous(_) => "dangerous",
        }
    }

    fn danger(&self) -> &str {
        match self {
            Self::Dangerous(what) => what,
            _ => "",
        }
    }

    fn parse(name: &str, danger: &str) -> Option<Self> {
        let plain = [Self::Downloaded, Self::Cloned, Self::Decoded, Self::Secret, Self::Claim, Self::Remote];
        match name {
            "dangerous" => Some(Self::Dangerous(danger.to_owned())),
            _ => plain.into_iter().find(|mark| mark.name() == name),
        }
    }
}

/// Is it the path itself, or a folder that the path is in?
fn covers(known: &str, path: &str) -> bool {
    known == path || (known.ends_with('/') && path.starts_with(known))
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
