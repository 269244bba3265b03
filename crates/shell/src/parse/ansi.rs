//! The escapes of `$'…'`, as bash decodes them, and the quote removal of heredoc delimiters.

use crate::lexer::without_joins;

/// Decodes what stands between `$'` and `'`. bash ends the text at a NUL; zsh keeps it.
pub(super) fn decode(raw: &str, keep_nul: bool) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = escape(after, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    if !keep_nul && let Some(end) = bytes.iter().position(|&byte| byte == 0) {
        bytes.truncate(end);
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Decodes one escape from after its backslash and gives what follows it.
fn escape<'t>(text: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let mut chars = text.chars();
    let Some(letter) = chars.next() else {
        bytes.push(b'\\');
        return text;
    };
    let rest = chars.as_str();
    match letter {
        'x' => return hexadecimal(rest, bytes),
        'u' => return unicode(rest, 'u', 4, bytes),
        'U' => return unicode(rest, 'U', 8, bytes),
        'c' => return control(rest, bytes),
        '0'..='7' => return octal(text, bytes),
        _ => {}
    }
    match simple(letter) {
        Some(byte) => bytes.push(byte),
        None => {
            bytes.push(b'\\');
            push_char(letter, bytes);
        }
    }
    rest
}

fn simple(letter: char) -> Option<u8> {
    Some(match letter {
        'a' => 0x07,
        'b' => 0x08,
        'e' | 'E' => 0x1b,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '?' => b'?',
        _ => return None,
    })
}

/// Up to `most` digits of `radix`: their value, cut to 32 bits, and what follows.
fn number(text: &str, radix: u32, most: usize) -> Option<(u32, &str)> {
    let count = text.chars().take(most).take_while(|digit| digit.is_digit(radix)).count();
    let (digits, rest) = text.split_at_checked(count)?;
    let value = digits
        .chars()
        .filter_map(|digit| digit.to_digit(radix))
        .fold(0_u32, |value, digit| value.wrapping_mul(radix).wrapping_add(digit));
    (count > 0).then_some((value, rest))
}

fn octal<'t>(text: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let Some((value, rest)) = number(text, 8, 3) else { return text };
    bytes.push(low_byte(value));
    rest
}

fn hexadecimal<'t>(rest: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    if let Some(braced) = rest.strip_prefix('{') {
        let (value, after) = number(braced, 16, usize::MAX).unwrap_or((0, braced));
        bytes.push(low_byte(value));
        return after.strip_prefix('}').unwrap_or(after);
    }
    match number(rest, 16, 2) {
        Some((value, after)) => {
            bytes.push(low_byte(value));
            after
        }
        None => {
            bytes.extend_from_slice(b"\\x");
            rest
        }
    }
}

fn unicode<'t>(rest: &'t str, letter: char, most: usize, bytes: &mut Vec<u8>) -> &'t str {
    match number(rest, 16, most) {
        Some((value, after)) => {
            push_char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), bytes);
            after
        }
        None => {
            bytes.push(b'\\');
            push_char(letter, bytes);
            rest
        }
    }
}

/// `\cX`; `\c\\` is one escape.
fn control<'t>(rest: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let mut chars = rest.chars();
    let Some(letter) = chars.next() else {
        bytes.extend_from_slice(b"\\c");
        return rest;
    };
    if !letter.is_ascii() {
        push_char(letter, bytes);
        return chars.as_str();
    }
    let byte = low_byte(u32::from(letter));
    bytes.push(if byte == b'?' { 0x7f } else { byte.to_ascii_uppercase() & 0x1f });
    let after = chars.as_str();
    if letter == '\\' { after.strip_prefix('\\').unwrap_or(after) } else { after }
}

fn push_char(character: char, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn low_byte(value: u32) -> u8 {
    value.to_le_bytes()[0]
}

/// The delimiter a heredoc's word stands for, and whether any of it was quoted. Nothing is expanded in it.
pub(super) fn delimiter(word: &str) -> (String, bool) {
    if !word.contains(['\'', '"', '\\']) {
        return (word.to_owned(), false);
    }
    let joined = without_joins(word);
    let mut text = String::with_capacity(joined.len());
    let mut quoted = false;
    let mut double = false;
    let mut chars = joined.chars().peekable();
    while let Some(character) = chars.next() {
        match character {
            '\'' if !double => {
                quoted = true;
                text.extend(chars.by_ref().take_while(|&inner| inner != '\''));
            }
            '"' => {
                quoted = true;
                double = !double;
            }
            '$' if !double && matches!(chars.peek(), Some('\'' | '"')) => quoted = true,
            '\\' if !double || matches!(chars.peek(), Some('$' | '`' | '"' | '\\')) => {
                quoted = true;
                text.extend(chars.next());
            }
            _ => text.push(character),
        }
    }
    (text, quoted)
}
