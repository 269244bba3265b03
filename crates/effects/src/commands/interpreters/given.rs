//! Options as interpreters read them: letters in clusters, and everything after the program belongs to it.

use crate::word::Word;

/// What an interpreter was given.
#[derive(Debug, Default)]
pub(super) struct Given {
    options: Vec<(String, Option<Word>)>,
    /// The program and its arguments, or only those.
    pub rest: Vec<Word>,
}

/// What a letter takes: nothing, a value attached or in the next word, what is attached, or attached digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Attached,
    Digits,
}

impl Given {
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }

    pub fn values<'g>(&'g self, name: &'g str) -> impl Iterator<Item = &'g Word> {
        self.options.iter().filter(move |(given, _)| given == name).filter_map(|(_, value)| value.as_ref())
    }

    pub fn value(&self, names: &[&str]) -> Option<&Word> {
        self.options
            .iter()
            .filter(|(given, _)| names.contains(&given.as_str()))
            .find_map(|(_, value)| value.as_ref())
    }
}

/// Reads options up to the first word that is none, or through the first of `last`, after which everything
/// belongs to the program. In `spec`, `e=` takes a value, `i?` what is attached, `l#` attached digits; a long
/// name only has to be there when it takes a value.
pub(super) fn read(words: &[Word], spec: &str, last: &[&str]) -> Given {
    let mut given = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.prefix().to_owned();
        if text == "--" {
            break;
        }
        if text.len() < 2 || !text.starts_with('-') {
            given.rest.push(word.clone());
            break;
        }
        let before = given.options.len();
        if let Some(long) = text.strip_prefix("--") {
            given.long(long, word, spec, &mut rest);
        } else {
            given.short(word, spec, &mut rest);
        }
        if given.options.iter().skip(before).any(|(name, _)| last.contains(&name.as_str())) {
            break;
        }
    }
    given.rest.extend(rest.cloned());
    given
}

impl Given {
    fn long<'w>(&mut self, text: &str, word: &Word, spec: &str, rest: &mut impl Iterator<Item = &'w Word>) {
        let (name, value) = match text.split_once('=') {
            Some((name, _)) => (name, Some(word.after('='))),
            None if takes(spec, text) == Takes::Value => (text, rest.next().cloned()),
            None => (text, None),
        };
        self.options.push((name.to_owned(), value));
    }

    fn short<'w>(&mut self, word: &Word, spec: &str, rest: &mut impl Iterator<Item = &'w Word>) {
        let letters = word.text.prefix().to_owned();
        let mut at = 1;
        while let Some(letter) = letters.get(at..).and_then(|text| text.chars().next()) {
            let name = letter.to_string();
            at += letter.len_utf8();
            let attached = word.from(at);
            match takes(spec, &name) {
                Takes::Nothing => self.options.push((name, None)),
                Takes::Digits => {
                    let digits = letters.get(at..).unwrap_or_default();
                    at += digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                    self.options.push((name, None));
                }
                Takes::Attached => return self.options.push((name, Some(attached))),
                Takes::Value if attached.text.is_empty() => {
                    return self.options.push((name, rest.next().cloned()));
                }
                Takes::Value => return self.options.push((name, Some(attached))),
            }
        }
    }
}

fn takes(spec: &str, name: &str) -> Takes {
    let found = spec.split_ascii_whitespace().find(|entry| entry.trim_end_matches(['=', '?', '#']) == name);
    match found.and_then(|entry| entry.chars().last()) {
        Some('=') => Takes::Value,
        Some('?') => Takes::Attached,
        Some('#') => Takes::Digits,
        _ => Takes::Nothing,
    }
}
