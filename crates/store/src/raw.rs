//! The members of a JSON object as they are written, without building what nobody looks at: most of a record is input
//! and effects, which figures never need.

use memchr::memchr2;

/// Name and value of each member, in order; `None` when the text is no object in the form that the log writes.
#[must_use]
pub fn members(text: &[u8]) -> Option<Vec<(&str, &[u8])>> {
    let mut found = Vec::with_capacity(24);
    let mut rest = text.strip_prefix(b"{")?;
    if rest == b"}" {
        return Some(found);
    }
    loop {
        let (name, after) = rest.split_at_checked(string(rest)?)?;
        let name = name.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        if name.contains(&b'\\') {
            return None;
        }
        let after = after.strip_prefix(b":")?;
        let (value, after) = after.split_at_checked(value(after)?)?;
        found.push((std::str::from_utf8(name).ok()?, value));
        match after.split_first()? {
            (b',', more) => rest = more,
            (b'}', []) => return Some(found),
            _ => return None,
        }
    }
}

/// The text of a string that has no escapes in it.
#[must_use]
pub fn plain(value: &[u8]) -> Option<&str> {
    let inner = value.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') { None } else { std::str::from_utf8(inner).ok() }
}

/// How long the value is that begins here.
fn value(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' => string(text),
        b'{' | b'[' => nested(text),
        _ => {
            let end = text.iter().position(|byte| matches!(byte, b',' | b'}' | b']'))?;
            (end > 0).then_some(end)
        }
    }
}

/// How long the string is that begins here, with its quotes.
fn string(text: &[u8]) -> Option<usize> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        match text.get(at)? {
            b'"' => return Some(at + 1),
            _ => at += 2,
        }
    }
}

/// How long the list or object is that begins here. Brackets are counted, not matched: a text that has them wrong is
/// no record.
fn nested(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        at += text.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?;
        match text.get(at)? {
            b'"' => at += string(text.get(at..)?)?,
            b'{' | b'[' => (at, depth) = (at + 1, depth + 1),
            _ => (at, depth) = (at + 1, depth.checked_sub(1)?),
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_whatever_they_hold() {
        let text = r#"{"a":1,"b":"x\"},{","c":{"d":["}",{"e":"\\"}]},"f":null,"g":[]}"#;
        let found = members(text.as_bytes()).unwrap();
        let shown: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (*name, std::str::from_utf8(value).unwrap())).collect();
        let expected = [
            ("a", "1"),
            ("b", r#""x\"},{""#),
            ("c", r#"{"d":["}",{"e":"\\"}]}"#),
            ("f", "null"),
            ("g", "[]"),
        ];
        assert_eq!(shown, expected);
        assert_eq!(members(b"{}"), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_object_of_ours_is_nothing() {
        for text in [
            "",
            "{",
            "[]",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1"#,
            r#"{"a":1}x"#,
            r#"{"a\"b":1}"#,
            r#"{"a":"x}"#,
        ] {
            assert_eq!(members(text.as_bytes()), None, "{text}");
        }
        assert_eq!((plain(br#""ab""#), plain(br#""a\nb""#), plain(b"1")), (Some("ab"), None, None));
    }
}
