//! Escapes and quoting as `echo -e`, `printf` and `${x@Q}` do them.

/// Which escapes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escapes {
    /// `echo -e`: octal needs a leading zero, `\c` ends the output.
    Echo,
    /// The format of `printf`.
    Format,
    /// `%b`
    Argument,
    /// `$'…'`
    AnsiC,
}

/// The text with its escapes decoded, and whether `\c` ended it.
pub(super) fn unescaped(text: &str, escapes: Escapes) -> (String, bool) {
    if !text.contains('\\') {
        return (text.to_owned(), false);
    }
    let mut decoder = Decoder { rest: text.chars().peekable(), out: Vec::new(), escapes };
    let stopped = decoder.run();
    (String::from_utf8_lossy(&decoder.out).into_owned(), stopped)
}

struct Decoder<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    out: Vec<u8>,
    escapes: Escapes,
}

impl Decoder<'_> {
    fn run(&mut self) -> bool {
        while let Some(c) = self.rest.next() {
            if c != '\\' {
                self.push(c);
                continue;
            }
            let Some(letter) = self.rest.next() else {
                self.push('\\');
                break;
            };
            if letter == 'c' && matches!(self.escapes, Escapes::Echo | Escapes::Argument) {
                return true;
            }
            self.escape(letter);
        }
        false
    }

    fn escape(&mut self, letter: char) {
        let quotes = matches!(self.escapes, Escapes::Format | Escapes::AnsiC);
        match letter {
            'a' => self.out.push(7),
            'b' => self.out.push(8),
            'e' | 'E' => self.out.push(27),
            'f' => self.out.push(12),
            'n' => self.out.push(b'\n'),
            'r' => self.out.push(b'\r'),
            't' => self.out.push(b'\t'),
            'v' => self.out.push(11),
            '\\' => self.out.push(b'\\'),
            '"' | '\'' | '?' if quotes => self.push(letter),
            'x' => self.number("\\x", 16, 2),
            'u' => self.unicode('u', 4),
            'U' => self.unicode('U', 8),
            '0' if self.escapes == Escapes::Echo || self.escapes == Escapes::Argument => {
                let value = self.digits(8, 3).unwrap_or(0);
                self.out.push(low_byte(value));
            }
            '0'..='7' if self.escapes != Escapes::Echo => {
                let first = letter.to_digit(8).unwrap_or_default();
                let more = self.digits_from(first, 8, 2);
                self.out.push(low_byte(more));
            }
            'c' if self.escapes == Escapes::AnsiC => {
                if let Some(control) = self.rest.next() {
                    self.out.push(low_byte(u32::from(control)) & 0x1f);
                }
            }
            other => {
                self.push('\\');
                self.push(other);
            }
        }
    }

    fn number(&mut self, literal: &str, radix: u32, count: u32) {
        match self.digits(radix, count) {
            Some(value) => self.out.push(low_byte(value)),
            None => self.out.extend(literal.bytes()),
        }
    }

    fn unicode(&mut self, letter: char, count: u32) {
        match self.digits(16, count) {
            Some(value) => self.push(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)),
            None => {
                self.push('\\');
                self.push(letter);
            }
        }
    }

    fn digits(&mut self, radix: u32, count: u32) -> Option<u32> {
        let first = self.rest.next_if(|c| c.is_digit(radix))?.to_digit(radix)?;
        Some(self.digits_from(first, radix, count - 1))
    }

    fn digits_from(&mut self, first: u32, radix: u32, count: u32) -> u32 {
        let mut value = first;
        for _ in 0..count {
            let Some(digit) = self.rest.next_if(|c| c.is_digit(radix)).and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
        }
        value
    }

    fn push(&mut self, c: char) {
        self.out.extend(c.encode_utf8(&mut [0; 4]).bytes());
    }
}

fn low_byte(value: u32) -> u8 {
    u8::try_from(value & 0xff).unwrap_or_default()
}

/// In single quotes, as `${x@Q}` prints it.
pub(super) fn quoted(text: &str) -> String {
    if text.chars().any(char::is_control) {
        return ansi_c(text);
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// With backslashes, as `printf %q` prints it.
pub(super) fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "''".to_owned();
    }
    if text.chars().any(char::is_control) {
        return ansi_c(text);
    }
    let mut result = String::new();
    for (index, c) in text.chars().enumerate() {
        let special = match c {
            '~' | '#' => index == 0,
            c => " !\"$&'()*,;<>?[\\]^`{|}".contains(c),
        };
        if special {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

fn ansi_c(text: &str) -> String {
    let mut result = String::from("$'");
    for c in text.chars() {
        match c {
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            '\r' => result.push_str("\\r"),
            '\'' | '\\' => result.extend(['\\', c]),
            c if c.is_control() => result.push_str(&format!("\\{:03o}", u32::from(c))),
            c => result.push(c),
        }
    }
    result.push('\'');
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        let check = |text: &str, escapes, expected: &str| {
            assert_eq!(unescaped(text, escapes).0, expected, "{text} as {escapes:?}");
        };
        check(r"a\tb\n", Escapes::Echo, "a\tb\n");
        check(r"\0101\101", Escapes::Echo, r"A\101");
        check(r"\101\x42", Escapes::Format, "AB");
        check(r"\0101\101", Escapes::Argument, "AA");
        check(r"a\cb", Escapes::Echo, "a");
        check(r"\u00e9\xc3\xa9", Escapes::Format, "éé");
        check(r"\q\", Escapes::Format, r"\q\");
    }

    #[test]
    fn quoting() {
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(escaped("a b$"), r"a\ b\$");
        assert_eq!(escaped("a\nb"), r"$'a\nb'");
    }
}
