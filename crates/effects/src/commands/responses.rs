//! Response files: options of a compiler or a runtime that stand in a file, which `@file` names on the line.

use tollgate_shell::value::Value;

use super::Run;
use crate::catalogue;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// How deep they name each other, and how many words are read of them.
const DEPTH: u32 = 4;
const WORDS: usize = 4000;

/// The words of the command with those of its response files in their places, where these are known.
pub(super) fn expanded(run: &mut Run) -> Option<Vec<Word>> {
    if !run.args.iter().any(names_file) || !catalogue::is(run.program, Tag::ResponseFiles) {
        return None;
    }
    let mut words = vec![Word::literal_at(run.path, run.call.span)];
    let mut found = false;
    run.args.iter().for_each(|word| found |= expand(run, word, 0, &mut words));
    if words.len() > WORDS {
        run.analyst.opaque("its response files are too long to be analysed completely", run.call.span);
        words.truncate(WORDS);
    }
    found.then_some(words)
}

fn names_file(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.len() > 1 && text.starts_with('@'))
}

/// Puts a word down, or the words of the file that it names: true if there is one.
fn expand(run: &mut Run, word: &Word, depth: u32, words: &mut Vec<Word>) -> bool {
    if !names_file(word) || depth > DEPTH || words.len() > WORDS {
        words.push(word.clone());
        return false;
    }
    // What it does not understand of it, it shows.
    run.read(&word.from(1), false);
    let text = run.analyst.script(&word.from(1), run.shell);
    let Some(text) = text.as_ref().and_then(Value::as_literal) else {
        words.push(word.clone());
        return false;
    };
    for part in parts(text) {
        expand(run, &Word::literal_at(&part, word.span), depth + 1, words);
    }
    true
}

/// The words of a text, with quotes as these programs read them.
fn parts(text: &str) -> Vec<String> {
    let (mut parts, mut part, mut begun) = (Vec::new(), String::new(), false);
    let (mut rest, mut quote) = (text.chars(), None);
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => (quote, begun) = (Some(c), true),
            (_, '\\') => part.extend(rest.next()),
            (None, _) if c.is_whitespace() => {
                if begun || !part.is_empty() {
                    parts.push(std::mem::take(&mut part));
                }
                begun = false;
            }
            _ => part.push(c),
        }
    }
    if begun || !part.is_empty() {
        parts.push(part);
    }
    parts
}
