use super::Value;
use super::scan::plain_prefix;

/// Appends the value to `out` on one line, as ASCII-safe JSON: control characters, U+2028 and U+2029 are
/// escaped, so that one record is one line for every reader.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(text) => out.push_str(text),
        Value::String(text) => write_string(text, out),
        Value::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(element, out);
            }
            out.push(']');
        }
        Value::Map(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    while let Some((plain, tail)) = rest.split_at_checked(plain_prefix(rest.as_bytes())) {
        out.push_str(plain);
        let mut characters = tail.chars();
        match characters.next() {
            Some(character) if needs_escape(character) => escape(character, out),
            Some(character) => out.push(character),
            None => break,
        }
        rest = characters.as_str();
    }
    out.push('"');
}

fn needs_escape(character: char) -> bool {
    character < ' ' || matches!(character, '"' | '\\' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
}

fn escape(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        other => {
            let code = u32::from(other);
            out.push_str("\\u");
            for shift in [12, 8, 4, 0] {
                out.push(char::from_digit((code >> shift) & 0xf, 16).unwrap_or('0'));
            }
        }
    }
}
