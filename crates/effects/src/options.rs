//! Command-line options, read as `getopt_long` reads them.

use tollgate_model::work;

use crate::word::Word;

/// What a command was given, after its options were told apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    given: Vec<(&'static str, Option<Word>)>,
    /// Words that are no options.
    pub operands: Vec<Word>,
    /// Options that the specification does not know.
    pub unknown: Vec<String>,
    /// A word that may be any number of words, options included.
    pub unsure: bool,
}

/// Where options may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Anywhere before `--`, as GNU programs read them.
    Anywhere,
    /// Only before the first operand, as wrappers and POSIX programs read them.
    First,
}

impl Options {
    /// Was the option given, by any of its names? `name` is the first name of its group.
    pub fn has(&self, name: &str) -> bool {
        work::charge(1 + self.given.len() / 8) && self.given.iter().any(|(given, _)| *given == name)
    }

    /// The last value of an option.
    pub fn value(&self, name: &str) -> Option<&Word> {
        self.values(name).last()
    }

    /// All values of an option.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &Word> {
        self.given.iter().filter(move |(given, _)| *given == name).filter_map(|(_, value)| value.as_ref())
    }
}

/// Reads options. The specification lists groups of names, first the one to ask for: `r,R,recursive` is a
/// flag, `t,target-directory=` takes a value, `i,interactive?` may have one attached. Names of one letter are
/// short. Long names may be cut as long as they stay clear.
pub(crate) fn read(words: &[Word], spec: &'static str, order: Order) -> Options {
    #[cfg(test)]
    seen::note(spec);
    work::charge(words.len() * 4);
    let spec = Spec(spec);
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.prefix();
        if text == "--" && word.literal().is_some() {
            options.operands.extend(rest.cloned());
            break;
        }
        if let Some(long) = text.strip_prefix("--").filter(|_| text.len() > 2) {
            options.long(long, word, spec, &mut rest);
        } else if text.len() > 1 && text.starts_with('-') {
            options.short(word, spec, &mut rest);
        } else if text == "-" && word.literal().is_none() {
            options.unknown.push(word.shown());
            options.unsure = true;
        } else {
            options.unsure |= word.splits;
            options.operands.push(word.clone());
            if order == Order::First {
                options.operands.extend(rest.cloned());
                break;
            }
        }
    }
    options
}

/// A specification, read where it stands: most commands are given few options, so it is never taken apart.
#[derive(Clone, Copy)]
struct Spec(&'static str);

/// One group of names.
#[derive(Clone, Copy)]
struct Group {
    names: &'static str,
    takes: Takes,
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// The next word, or what is attached.
    Value,
    /// What is attached, if anything.
    Attached,
}

impl Spec {
    #[cfg(test)]
    fn groups(self) -> impl Iterator<Item = Group> {
        self.0.split_ascii_whitespace().map(Group::parse)
    }

    fn short(self, letter: char) -> Option<Group> {
        self.group(letter.encode_utf8(&mut [0; 4]), true)
    }

    fn long(self, name: &str) -> Option<Group> {
        let exact = if name.len() > 1 { self.group(name, true) } else { None };
        // Help is never short for something else.
        exact.or_else(|| if name == "help" { None } else { self.group(name, false) })
    }

    /// The first group with a name that is `start`, or that is longer and begins so.
    fn group(self, start: &str, whole: bool) -> Option<Group> {
        let is_edge = |byte: Option<u8>| {
            byte.is_none_or(|byte| matches!(byte, b',' | b'=' | b'?') || byte.is_ascii_whitespace())
        };
        let first = start.bytes().next()?;
        let begins = self.0.bytes().enumerate().filter(|(_, byte)| *byte == first);
        let mut places = begins.filter_map(|(at, _)| self.0.split_at_checked(at));
        let (before, after) = places.find(|(before, after)| {
            let named = is_edge(before.bytes().next_back()) && after.starts_with(start);
            named && is_edge(after.as_bytes().get(start.len()).copied()) == whole
        })?;
        let begin = before.rfind(|c: char| c.is_ascii_whitespace()).map_or(0, |blank| blank + 1);
        let end = after.find(|c: char| c.is_ascii_whitespace()).unwrap_or(after.len());
        self.0.get(begin..before.len() + end).map(Group::parse)
    }
}

impl Group {
    fn parse(text: &'static str) -> Self {
        let (names, takes) = match text.as_bytes().last() {
            Some(b'=') => (text.trim_end_matches('='), Takes::Value),
            Some(b'?') => (text.trim_end_matches('?'), Takes::Attached),
            _ => (text, Takes::Nothing),
        };
        Self { names, takes }
    }

    fn all(self) -> impl Iterator<Item = &'static str> {
        self.names.split(',')
    }

    fn name(self) -> &'static str {
        self.all().next().unwrap_or_default()
    }
}

impl Options {
    fn long<'w>(&mut self, text: &str, word: &Word, spec: Spec, rest: &mut impl Iterator<Item = &'w Word>) {
        let name = text.split('=').next().unwrap_or_default();
        let attached = text.contains('=').then(|| word.after('='));
        let Some(group) = spec.long(name) else {
            self.unknown.push(format!("--{name}"));
            return;
        };
        let value = match (attached, group.takes) {
            (Some(value), _) => Some(value),
            (None, Takes::Value) => rest.next().cloned(),
            (None, _) => None,
        };
        self.given.push((group.name(), value));
    }

    fn short<'w>(&mut self, word: &Word, spec: Spec, rest: &mut impl Iterator<Item = &'w Word>) {
        let letters = word.text.prefix();
        for (at, letter) in letters.char_indices().skip(1) {
            let Some(group) = spec.short(letter) else {
                self.unknown.push(format!("-{letter}"));
                continue;
            };
            if group.takes == Takes::Nothing {
                self.given.push((group.name(), None));
                continue;
            }
            let attached = word.from(at + letter.len_utf8());
            let value = match group.takes {
                _ if !attached.text.is_empty() => Some(attached),
                Takes::Value => rest.next().cloned(),
                _ => None,
            };
            self.given.push((group.name(), value));
            return;
        }
        self.unsure |= word.splits;
    }
}

/// The specifications that commands were read with, for the table of what is known.
#[cfg(test)]
pub(crate) mod seen {
    use std::cell::RefCell;

    thread_local! {
        static SPECS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }

    pub(crate) fn note(spec: &'static str) {
        SPECS.with_borrow_mut(|specs| specs.push(spec));
    }

    /// Those since the last time.
    pub(crate) fn take() -> Vec<&'static str> {
        SPECS.with_borrow_mut(std::mem::take)
    }
}

/// What an option of this very name takes.
#[cfg(test)]
pub(crate) fn known(spec: &'static str, name: &str) -> Option<Takes> {
    Spec(spec).groups().find(|group| group.all().any(|known| known == name)).map(|group| group.takes)
}

#[cfg(test)]
mod tests {
    use tollgate_model::Span;

    use super::*;

    fn words(line: &str) -> Vec<Word> {
        line.split_ascii_whitespace().map(|word| Word::literal_at(word, Span::default())).collect()
    }

    #[test]
    fn options_as_getopt_reads_them() {
        let spec = "r,R,recursive f,force t,target-directory= i,interactive?";
        for (line, r, t, operands) in [
            ("-rf a b", true, "", "a b"),
            ("a -R -- -f", true, "", "a -f"),
            ("--recurs a", true, "", "a"),
            ("-t dir a", false, "dir", "a"),
            ("-tdir a", false, "dir", "a"),
            ("-rtdir a", true, "dir", "a"),
            ("--target=dir a", false, "dir", "a"),
            ("--target-directory dir a", false, "dir", "a"),
            ("-i a", false, "", "a"),
            ("-iwhen a", false, "", "a"),
            ("-", false, "", "-"),
        ] {
            let options = read(&words(line), spec, Order::Anywhere);
            let shown: Vec<String> = options.operands.iter().map(Word::shown).collect();
            let target = options.value("t").map(Word::shown).unwrap_or_default();
            assert_eq!(
                (options.has("r"), target.as_str(), shown.join(" ").as_str()),
                (r, t, operands),
                "{line}"
            );
        }
        let first = read(&words("-r cmd -f x"), spec, Order::First);
        assert!(first.has("r") && !first.has("f"));
        assert_eq!(first.operands.len(), 3);
        assert_eq!(read(&words("-z --zap"), spec, Order::Anywhere).unknown, ["-z", "--zap"]);
    }
}
