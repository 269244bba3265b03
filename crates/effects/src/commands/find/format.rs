//! What `-printf` prints for a file, and lists of where to walk.

use tollgate_shell::value::{Hole, HoleSource, Piece, Text};

use super::expression::Action;
use super::files;
use crate::commands::Run;
use crate::word::Word;

/// Names that stand in a file: it complains of those that it does not find, and shows them.
pub(super) fn lists_of_names(run: &mut Run) {
    let lists = run.args.windows(2).filter_map(|pair| match pair {
        [option, list] if option.is("-files0-from") && !list.is("-") => Some(list.clone()),
        _ => None,
    });
    lists.collect::<Vec<_>>().iter().for_each(|list| drop(run.read(list, false)));
}

/// What an action prints of each file.
pub(super) fn printed_by(run: &Run, action: &Action, roots: &[Word]) -> Vec<Text> {
    let format = action.words.first().and_then(Word::literal).filter(|_| action.name == "-printf");
    let found = action.ways.iter().flat_map(|passed| files(run, roots, passed));
    found.map(|file| format.and_then(|format| printed(format, &file.text)).unwrap_or(file.text)).collect()
}

/// The text of one file. `None` where the format holds nothing of its own: then it is the file's name.
fn printed(format: &str, file: &Text) -> Option<Text> {
    let (mut text, mut own) = (Text::default(), false);
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '%' => match directive(&mut rest) {
                '%' => text.push_str("%"),
                'p' | 'P' => text.append(file),
                _ => text.push(Piece::Hole(Hole::nonempty(HoleSource::Output))),
            },
            '\\' => text.push_str(&escape(&mut rest)),
            c => {
                own |= !c.is_whitespace();
                text.push_str(c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    own.then_some(text)
}

/// The letter of a directive, behind its flags and its width.
fn directive(rest: &mut std::iter::Peekable<std::str::Chars>) -> char {
    while rest.next_if(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | ' ' | '#' | '.')).is_some() {}
    let letter = rest.next().unwrap_or('%');
    // The times take a second letter.
    if matches!(letter, 'A' | 'B' | 'C' | 'T') {
        rest.next();
    }
    letter
}

fn escape(rest: &mut std::iter::Peekable<std::str::Chars>) -> String {
    match rest.next() {
        Some('n') => "\n".to_owned(),
        Some('t') => "\t".to_owned(),
        Some('0') => "\0".to_owned(),
        Some('c') => {
            rest.by_ref().for_each(drop);
            String::new()
        }
        Some(other) => other.to_string(),
        None => String::new(),
    }
}
