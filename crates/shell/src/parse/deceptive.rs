//! Characters that make a text look like another: unseen ones, blanks that separate nothing, letters of
//! another script, and those that turn the direction of writing.

use super::Parser;
use crate::ast::{Part, ProblemKind, Word};

impl Parser<'_> {
    /// Records the first character of unquoted text, read from `start` on, that is not what it looks like.
    pub(super) fn note_deceptive(&mut self, text: &str, start: usize) {
        if text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return;
        }
        if let Some((at, c)) = first_deceptive(text) {
            self.deceptive(start + at, c);
        }
    }

    /// Records control characters in a comment, where anything else may stand.
    pub(super) fn note_comment(&mut self, comment: &str, start: usize) {
        let line = comment.strip_suffix('\r').unwrap_or(comment);
        if let Some((at, c)) = line.char_indices().find(|(_, c)| c.is_control() && *c != '\t') {
            let kind = if c == '\r' { ProblemKind::StrangeByte } else { ProblemKind::Deceptive(c) };
            self.problem(kind, start + at, start + at + c.len_utf8());
        }
    }

    /// Records a command word that looks like one of other letters.
    pub(super) fn note_lookalike(&mut self, word: &Word, start: usize) {
        let texts = word.parts.iter().filter_map(|part| match part {
            Part::Text { text, .. } if !text.is_ascii() => Some(text.as_str()),
            _ => None,
        });
        let strange = |text: &str| first_lookalike(text).or_else(|| text.chars().find(|c| is_dash(*c)));
        if let Some(c) = texts.filter_map(strange).next() {
            self.problem(ProblemKind::Deceptive(c), start, self.at.pos);
        }
    }

    /// Records what turns the direction of writing, wherever it stands but in data that nothing expands.
    pub(super) fn note_direction(&mut self) {
        let text = self.at.text;
        if text.is_ascii() {
            return;
        }
        let data = std::mem::take(&mut self.ledger.data);
        let in_data = |at: usize| data.iter().any(|(start, end)| (*start..*end).contains(&at));
        let turns = |(at, c): &(usize, char)| is_override(*c) && !in_data(*at);
        if let Some((at, c)) = text.char_indices().find(turns) {
            self.deceptive(at, c);
        }
    }

    fn deceptive(&mut self, at: usize, c: char) {
        self.problem(ProblemKind::Deceptive(c), at, at + c.len_utf8());
    }
}

fn first_deceptive(text: &str) -> Option<(usize, char)> {
    let mut before: Option<char> = None;
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let after = rest.peek().map(|(_, c)| *c);
        // Emoji and some scripts join or vary their characters, and ideographs have a blank of their own.
        let joined = joins(c) && before.is_some_and(|c| !c.is_ascii());
        let spaced = c == '\u{3000}' && before.is_some_and(is_wide) && after.is_some_and(is_wide);
        let carriage = c == '\r' || c == '\0';
        if !joined && !spaced && !carriage && (c.is_control() || is_unseen(c) || is_blank(c)) {
            return Some((at, c));
        }
        before = Some(c);
    }
    None
}

/// Takes no place on the screen.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Looks like a blank, but shells take it for a letter.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii() || matches!(c, '\u{2800}' | '\u{1680}')
}

/// Turns the direction of writing for what follows.
fn is_override(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Joins or varies the character before.
fn joins(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}

/// Looks like the dash of an option.
fn is_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}')
}

/// A letter of another script in a word of Latin ones, or in one that only looks Latin.
#[must_use]
pub fn first_lookalike(text: &str) -> Option<char> {
    let foreign = |c: &char| is_confusable_script(*c);
    let first = text.chars().find(foreign)?;
    let latin = text.chars().any(|c| c.is_ascii_alphabetic());
    let disguised = text.chars().filter(foreign).all(looks_latin);
    (latin || disguised).then_some(first)
}

/// Scripts whose letters look like Latin ones, and the styled Latin letters.
fn is_confusable_script(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{52f}' | '\u{531}'..='\u{587}' | '\u{13a0}'..='\u{13ff}'
        | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}' | '\u{2c80}'..='\u{2cff}'
        | '\u{2d00}'..='\u{2d2f}' | '\u{a640}'..='\u{a69f}' | '\u{ab70}'..='\u{abbf}')
        || is_styled(c)
}

/// Latin letters of another width or face.
fn is_styled(c: char) -> bool {
    matches!(c, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{2100}'..='\u{214f}'
        | '\u{2160}'..='\u{217f}' | '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}')
}

/// Can be taken for a Latin letter.
fn looks_latin(c: char) -> bool {
    const LATIN: &str = "аеорсухѕіјԁһԛԝѡѵӏкмтвнАВЕЅЗКМНОРСТУХІЈҮԌԚԜ\
                         ανορτυχικωγΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ\
                         օսոահցզԼՍՕ";
    is_styled(c) || LATIN.contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_characters() {
        for text in [
            "a\u{a0}b",
            "a\u{200b}b",
            "rm\u{200d}",
            "\u{feff}rm",
            "a\u{202e}b",
            "a\u{1b}b",
            "a\u{3000}b",
            "a\u{2003}",
            "\u{2800}",
        ] {
            assert!(first_deceptive(text).is_some(), "{text:?}");
        }
        for text in ["abc", "é", "日本　語", "👩\u{200d}💻", "⚠\u{fe0f}", "می\u{200c}خواهم", "a\r", "−"]
        {
            assert_eq!(first_deceptive(text), None, "{text:?}");
        }
    }

    #[test]
    fn lookalikes() {
        for text in ["сat", "rм", "ѕһ", "ｒｍ", "𝐫𝐦", "сору", "lѕ"] {
            assert!(first_lookalike(text).is_some(), "{text:?}");
        }
        for text in ["café", "привет", "сборка", "测试run", "δοκιμή", "naïve", "straße"]
        {
            assert_eq!(first_lookalike(text), None, "{text:?}");
        }
    }
}
