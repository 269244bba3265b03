//! Command-line options, read as `getopt_long` reads them.

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
        self.given.iter().any(|(given, _)| *given == name)
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
    let groups: Vec<Group> = spec.split_ascii_whitespace().map(Group::parse).collect();
    let mut options = Options::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.prefix();
        if text == "--" && word.literal().is_some() {
            options.operands.extend(rest.cloned());
            break;
        }
        if let Some(long) = text.strip_prefix("--").filter(|_| text.len() > 2) {
            options.long(long, word, &groups, &mut rest);
        } else if text.len() > 1 && text.starts_with('-') {
            options.short(word, &groups, &mut rest);
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

struct Group {
    names: Vec<&'static str>,
    takes: Takes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Attached,
}

impl Group {
    fn parse(text: &'static str) -> Self {
        let (names, takes) = match text.strip_suffix('=') {
            Some(names) => (names, Takes::Value),
            None => match text.strip_suffix('?') {
                Some(names) => (names, Takes::Attached),
                None => (text, Takes::Nothing),
            },
        };
        Self { names: names.split(',').collect(), takes }
    }

    fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    fn has_short(&self, letter: char) -> bool {
        self.names.iter().any(|name| name.chars().eq([letter]))
    }
}

impl Options {
    fn long<'w>(
        &mut self,
        text: &str,
        word: &Word,
        groups: &[Group],
        rest: &mut impl Iterator<Item = &'w Word>,
    ) {
        let name = text.split('=').next().unwrap_or_default();
        let attached = text.contains('=').then(|| word.after('='));
        let Some(group) = find_long(name, groups) else {
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

    fn short<'w>(&mut self, word: &Word, groups: &[Group], rest: &mut impl Iterator<Item = &'w Word>) {
        let letters = word.text.prefix();
        for (at, letter) in letters.char_indices().skip(1) {
            let Some(group) = groups.iter().find(|group| group.has_short(letter)) else {
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

fn find_long<'g>(name: &str, groups: &'g [Group]) -> Option<&'g Group> {
    let long =
        |group: &Group, test: &dyn Fn(&str) -> bool| group.names.iter().any(|n| n.len() > 1 && test(n));
    if let Some(exact) = groups.iter().find(|group| long(group, &|n| n == name)) {
        return Some(exact);
    }
    groups.iter().find(|group| long(group, &|n| n.starts_with(name)))
}
