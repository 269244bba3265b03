//! The items of a list: what `xargs` and its like make of what comes in.

use tollgate_shell::value::{Piece, Text, Value};

use crate::commands::{Run, limits};
use crate::options::Options;
use crate::word::Word;

/// How a list is cut into items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Cut {
    /// At blanks. Quotes and backslashes keep them, and are taken off.
    Words,
    /// At the ends of lines, with quotes and backslashes taken off as well.
    Lines,
    /// At the ends of lines and at zeros; every other letter is one of the name.
    #[default]
    Plain,
    /// At this letter, in the same way.
    At(char),
}

impl Cut {
    /// As `xargs` is told; `None` where that is not known.
    pub(super) fn of_xargs(options: &Options, marked: bool) -> Option<Self> {
        if let Some(letter) = options.value("d") {
            return delimiter(letter.literal()?).map(Self::At);
        }
        Some(match (options.has("0"), marked) {
            (true, _) => Self::Plain,
            (false, true) => Self::Lines,
            (false, false) => Self::Words,
        })
    }

    fn takes_quotes(self) -> bool {
        matches!(self, Self::Words | Self::Lines)
    }

    fn ends_at(self, letter: char) -> bool {
        match self {
            Self::Words => letter.is_ascii_whitespace(),
            Self::Lines => letter == '\n',
            Self::Plain => matches!(letter, '\n' | '\0'),
            Self::At(own) => letter == own,
        }
    }

    /// The items of a text, piece by piece: what is not known of it stays in its item.
    fn parts(self, text: &Text) -> Vec<Text> {
        let mut cutter = Cutter { cut: self, ..Cutter::default() };
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) => known.chars().for_each(|letter| cutter.letter(letter)),
                unknown => cutter.unknown(unknown),
            }
        }
        cutter.end();
        cutter.parts
    }
}

/// The letter that `-d` names, or the escape that stands for it.
fn delimiter(text: &str) -> Option<char> {
    let mut letters = text.chars();
    match (letters.next()?, letters.as_str()) {
        (letter, "") => Some(letter),
        ('\\', "n") => Some('\n'),
        ('\\', "t") => Some('\t'),
        ('\\', "r") => Some('\r'),
        ('\\', "\\") => Some('\\'),
        ('\\', code) => {
            let (digits, radix) = code.strip_prefix('x').map_or((code, 8), |digits| (digits, 16));
            u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
        }
        _ => None,
    }
}

#[derive(Default)]
struct Cutter {
    cut: Cut,
    parts: Vec<Text>,
    /// What is there of the item that is read, and its last known letters.
    open: Text,
    known: String,
    quote: Option<char>,
    escaped: bool,
}

impl Cutter {
    fn letter(&mut self, letter: char) {
        let quotes = self.cut.takes_quotes();
        match (self.quote, letter) {
            (Some(open), _) if letter == open => self.quote = None,
            // A quote that its line does not close is an error, and nothing goes on.
            (Some(_), '\n') => {
                self.quote = None;
                self.end();
            }
            (Some(_), _) => self.known.push(letter),
            (None, _) if std::mem::take(&mut self.escaped) => self.known.push(letter),
            (None, '\\') if quotes => self.escaped = true,
            (None, '"' | '\'') if quotes => self.quote = Some(letter),
            (None, _) if self.cut.ends_at(letter) => self.end(),
            (None, ' ' | '\t') if quotes && self.known.is_empty() && self.open.is_empty() => {}
            (None, _) => self.known.push(letter),
        }
    }

    fn unknown(&mut self, piece: &Piece) {
        self.open.push_str(&std::mem::take(&mut self.known));
        self.open.push(piece.clone());
    }

    fn end(&mut self) {
        self.open.push_str(&std::mem::take(&mut self.known));
        let item = std::mem::take(&mut self.open);
        if !item.is_empty() {
            self.parts.push(item);
        }
    }
}

/// The words that standard input makes, `most` of them by their names.
pub(super) fn items(input: &Value, cut: Cut, most: usize, run: &Run) -> Vec<Word> {
    let input = &input.part();
    let word = |text: Text| Word {
        splits: text.as_literal().is_none() && text.prefix().is_empty(),
        text,
        span: run.call.span,
        taint: input.taint,
    };
    let lists = input.any.iter().map(|text| cut.parts(text).into_iter().map(word).collect::<Vec<_>>());
    lists.flat_map(|words| limits::first_words(words, most)).collect()
}

#[cfg(test)]
mod tests {
    use tollgate_shell::value::{Hole, HoleSource};

    use super::*;

    fn parts(cut: Cut, text: &str) -> Vec<String> {
        // A star stands for something unknown.
        let mut whole = Text::default();
        for (at, part) in text.split('*').enumerate() {
            if at > 0 {
                whole.push(Piece::Hole(Hole::new(HoleSource::Output)));
            }
            whole.push_str(part);
        }
        cut.parts(&whole).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn quotes_are_taken_off_around_what_is_not_known() {
        assert_eq!(parts(Cut::Words, "'/h/*'\n\"/a b\" c\\ d"), ["/h/‹?›", "/a b", "c d"]);
        assert_eq!(parts(Cut::Words, "a * b"), ["a", "‹?›", "b"]);
        assert_eq!(parts(Cut::Lines, "  'a b' c\n\n\"*\"\n"), ["a b c", "‹?›"]);
        assert_eq!(parts(Cut::Plain, "'a b'\nc\0*\n"), ["'a b'", "c", "‹?›"]);
        assert_eq!(parts(Cut::At(','), "a,/h/*,'b'"), ["a", "/h/‹?›", "'b'"]);
    }

    #[test]
    fn a_delimiter_is_a_letter_or_its_escape() {
        for (text, letter) in
            [(",", Some(',')), ("\\n", Some('\n')), ("\\x2c", Some(',')), ("\\054", Some(',')), ("ab", None)]
        {
            assert_eq!(delimiter(text), letter, "{text}");
        }
    }
}
