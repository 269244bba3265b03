//! Text on a terminal: colour, width, line breaks, and nothing that the terminal would obey.

use std::io::IsTerminal;

use tollgate_model::Verdict;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Pages are this wide, wherever they go.
pub const COLUMNS: usize = 80;

/// Colour, or none.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Colour only on a terminal, and only where it is wanted.
    pub fn for_stdout() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self { on: wanted && std::io::stdout().is_terminal() }
    }

    /// No colour.
    #[cfg(test)]
    pub fn none() -> Self {
        Self { on: false }
    }

    /// For what matters less.
    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    /// For headings.
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// For code.
    pub fn code(self, text: &str) -> String {
        self.with("36", text)
    }

    /// In the colour of a verdict.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        let code = match verdict {
            Verdict::Allow => "32",
            Verdict::Note | Verdict::Save => "36",
            Verdict::Ask => "33",
            Verdict::Deny | Verdict::Halt => "1;31",
        };
        self.with(code, text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.on && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// A character as it is shown: what would move the cursor, hide or turn text around is spelt out.
pub fn visible(c: char) -> String {
    let hidden = c.is_control()
        || c.width() == Some(0)
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    match c {
        '\t' => "    ".to_owned(),
        c if hidden => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

/// A text on one line, safe to show.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { " ".to_owned() } else { visible(c) }).collect()
}

/// A text in lines of at most `most` columns, broken between words where that is possible.
pub fn wrap(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let mut rest = word;
        let room = |line: &String| most.saturating_sub(width(line));
        if let Some(line) = lines.last_mut().filter(|line| !line.is_empty() && width(rest) < room(line)) {
            line.push(' ');
            line.push_str(rest);
            continue;
        }
        if lines.last().is_some_and(|line| !line.is_empty()) {
            lines.push(String::new());
        }
        while width(rest) > most {
            let (head, tail) = cut(rest, most);
            if let Some(line) = lines.last_mut() {
                line.push_str(head);
            }
            lines.push(String::new());
            rest = tail;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(rest);
        }
    }
    lines
}

/// The start of a text that fits, and the rest. At least one character goes.
fn cut(text: &str, most: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        taken += c.width().unwrap_or(0);
        if taken > most && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::{plain, visible, width, wrap};

    #[test]
    fn lines_break_between_words() {
        for (text, most, lines) in [
            ("", 5, vec![""]),
            ("one", 5, vec!["one"]),
            ("one two three", 7, vec!["one two", "three"]),
            ("abcdefghij k", 4, vec!["abcd", "efgh", "ij k"]),
            ("日本語 日", 5, vec!["日本", "語 日"]),
        ] {
            assert_eq!(wrap(text, most), lines, "{text}");
            assert!(wrap(text, most).iter().all(|line| width(line) <= most), "{text}");
        }
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(plain("a\x1b[31m\r\nb\u{202e}c\u{200b}"), "a\\u{1b}[31m\\u{d} b\\u{202e}c\\u{200b}");
        assert_eq!(visible('\t'), "    ");
    }
}
