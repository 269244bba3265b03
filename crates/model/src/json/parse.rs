use super::Value;
use super::scan::plain_prefix;

/// The deepest nesting that is read.
pub const MAX_DEPTH: u32 = 128;

/// Why a text is not JSON for us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonError {
    /// Nothing but white space.
    Empty,
    /// The text ends inside a value.
    Truncated,
    /// Nested deeper than `MAX_DEPTH`.
    TooDeep,
    /// Something else stands here.
    Unexpected {
        /// The byte's position.
        at: usize,
    },
    /// A key stands twice in one object.
    DuplicateKey {
        /// Which.
        key: String,
    },
    /// More text after the value.
    Trailing {
        /// Where it begins.
        at: usize,
    },
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => out.write_str("it is empty"),
            Self::Truncated => out.write_str("it ends in the middle"),
            Self::TooDeep => write!(out, "it is nested deeper than {MAX_DEPTH} levels"),
            Self::Unexpected { at } => write!(out, "it is not JSON at byte {at}"),
            Self::DuplicateKey { key } => write!(out, "the key `{}` stands twice", key.escape_debug()),
            Self::Trailing { at } => write!(out, "there is more text after the JSON value, at byte {at}"),
        }
    }
}

/// Reads one JSON value and nothing else.
///
/// # Errors
/// When the text is anything but exactly one value with unique keys.
pub fn parse(bytes: &[u8]) -> Result<Value, JsonError> {
    let mut reader = Reader { bytes, at: 0 };
    reader.space();
    if reader.peek().is_none() {
        return Err(JsonError::Empty);
    }
    let value = reader.value(0)?;
    reader.space();
    if reader.peek().is_some() {
        return Err(JsonError::Trailing { at: reader.at });
    }
    Ok(value)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: u32) -> Result<Value, JsonError> {
        if depth > MAX_DEPTH {
            return Err(JsonError::TooDeep);
        }
        match self.peek().ok_or(JsonError::Truncated)? {
            b'{' => self.map(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Value::String),
            b't' => self.word(b"true", Value::Bool(true)),
            b'f' => self.word(b"false", Value::Bool(false)),
            b'n' => self.word(b"null", Value::Null),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(self.unexpected()),
        }
    }

    fn map(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.at += 1;
        let mut members: Vec<(String, Value)> = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::Map(members));
        }
        loop {
            self.space();
            if self.peek().ok_or(JsonError::Truncated)? != b'"' {
                return Err(self.unexpected());
            }
            let key = self.string()?;
            self.space();
            self.expect(b':')?;
            self.space();
            let value = self.value(depth + 1)?;
            members.push((key, value));
            self.space();
            if self.take(b'}') {
                return unique(members).map(Value::Map);
            }
            self.expect(b',')?;
        }
    }

    fn list(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.at += 1;
        let mut elements = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            self.space();
            elements.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Value::List(elements));
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let run = rest.get(..run_length(rest).ok_or(JsonError::Truncated)?).unwrap_or_default();
            push_bytes(run, &mut out);
            self.at += run.len();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), JsonError> {
        let letter = self.peek().ok_or(JsonError::Truncated)?;
        let character = match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                out.push(self.unicode()?);
                return Ok(());
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        out.push(character);
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, JsonError> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let here = self.at;
        if self.bytes.get(here..here + 2) != Some(b"\\u") {
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        self.at += 2;
        let second = self.hex4()?;
        if !(0xdc00..0xe000).contains(&second) {
            self.at = here;
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = char::from(self.peek().ok_or(JsonError::Truncated)?);
            code = code * 16 + digit.to_digit(16).ok_or_else(|| self.unexpected())?;
            self.at += 1;
        }
        Ok(code)
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        self.take(b'-');
        let whole = self.digits();
        let leading_zero = whole > 1 && self.bytes.get(self.at - whole) == Some(&b'0');
        if whole == 0 || leading_zero || (self.take(b'.') && self.digits() == 0) {
            return Err(self.unexpected());
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(self.unexpected());
            }
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        Ok(Value::Number(String::from_utf8_lossy(text).into_owned()))
    }

    fn digits(&mut self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        self.at += count;
        count
    }

    fn word(&mut self, word: &[u8], value: Value) -> Result<Value, JsonError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        if word.starts_with(rest) { Err(JsonError::Truncated) } else { Err(self.unexpected()) }
    }

    fn space(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r')).count();
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> JsonError {
        if self.at >= self.bytes.len() { JsonError::Truncated } else { JsonError::Unexpected { at: self.at } }
    }
}

fn unique(members: Vec<(String, Value)>) -> Result<Vec<(String, Value)>, JsonError> {
    let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair.first() == pair.last()) {
        Some(pair) => {
            Err(JsonError::DuplicateKey { key: pair.first().copied().unwrap_or_default().to_owned() })
        }
        None => Ok(members),
    }
}

/// How many bytes of a string stand for themselves; none when its end is missing.
fn run_length(bytes: &[u8]) -> Option<usize> {
    let mut length = 0;
    loop {
        length += plain_prefix(bytes.get(length..)?);
        match bytes.get(length)? {
            b'"' | b'\\' | 0..b' ' => return Some(length),
            _ => length += 1,
        }
    }
}

/// Appends bytes that should be UTF-8, each stray byte as a character of its own.
fn push_bytes(bytes: &[u8], out: &mut String) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return out.push_str(text);
    }
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(0xf700 + u32::from(byte))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Scanner, write};

    fn check(text: &str, expected: Result<&str, JsonError>) {
        let seen = parse(text.as_bytes()).map(|value| {
            let mut out = String::new();
            write(&value, &mut out);
            out
        });
        assert_eq!(seen, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn reads_what_json_is() {
        check(
            r#" {"a":[1,-2.5e+3,true,false,null,"x"],"b":{}} "#,
            Ok(r#"{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}"#),
        );
        check(r#""\u0041\n\t\"\\\/\ud83d\ude00""#, Ok("\"A\\n\\t\\\"\\\\/😀\""));
        check(r#""\ud800x""#, Ok("\"\u{fffd}x\""));
        check(r#""\ud800\u0041""#, Ok("\"\u{fffd}A\""));
        check(r#""\u0000\u2028""#, Ok(r#""\u0000\u2028""#));
    }

    #[test]
    fn refuses_what_readers_disagree_about() {
        check("", Err(JsonError::Empty));
        check("{\"a\":1", Err(JsonError::Truncated));
        check("tru", Err(JsonError::Truncated));
        check("{\"a\":1}x", Err(JsonError::Trailing { at: 7 }));
        check("{\"a\":1,\"b\":2,\"a\":3}", Err(JsonError::DuplicateKey { key: "a".into() }));
        check("\u{feff}{}", Err(JsonError::Unexpected { at: 0 }));
        check("{\"a\":01}", Err(JsonError::Unexpected { at: 7 }));
        check("{\"a\n\":1}", Err(JsonError::Unexpected { at: 3 }));
        check("{a:1}", Err(JsonError::Unexpected { at: 1 }));
        check("[1,]", Err(JsonError::Unexpected { at: 3 }));
        check(&"[".repeat(1_000_000), Err(JsonError::TooDeep));
    }

    #[test]
    fn keeps_stray_bytes_apart() {
        let value = parse(b"\"a\xff\xfeb\"").unwrap();
        assert_eq!(value.as_str(), Some("a\u{f7ff}\u{f7fe}b"));
    }

    #[test]
    fn scanner_sees_the_end_at_every_cut() {
        let text = br#" {"a":"}\"{","b":[{},[1]]} "#;
        let end = text.len() - 1;
        for cut in 0..end {
            let mut scanner = Scanner::default();
            let (head, tail) = text.split_at(cut);
            assert!(!scanner.feed(head), "{cut}");
            assert!(scanner.feed(tail), "{cut}");
        }
    }
}
