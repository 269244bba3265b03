//! Text that people and models read: nothing in it may steer a terminal, and none of it is too long.

/// The text with every character that a terminal or a reader would not show as itself written out.
/// Line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    // Nearly every text is plain, and is copied at once.
    let plain = text.bytes().take_while(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')).count();
    let (plain, rest) = text.split_at_checked(plain).unwrap_or(("", text));
    let mut out = String::with_capacity(text.len());
    out.push_str(plain);
    for character in rest.chars() {
        match character {
            '\n' | '\t' => out.push(character),
            '\u{f780}'..='\u{f7ff}' => out.push_str(&format!("\\x{:02x}", u32::from(character) & 0xff)),
            _ if is_hidden(character) => out.extend(character.escape_unicode()),
            _ => out.push(character),
        }
    }
    out
}

/// The beginning of the text, with a note of how much is missing, at most `limit` UTF-16 units long: that is
/// how the hosts, which are JavaScript, count.
pub(crate) fn cut(text: String, limit: usize) -> String {
    // No text has more units than bytes.
    if text.len() <= limit {
        return text;
    }
    let whole = text.encode_utf16().count();
    if whole <= limit {
        return text;
    }
    let room = limit.saturating_sub(NOTE_LENGTH);
    let mut kept = 0;
    let fits = |character: &char| {
        kept += character.len_utf16();
        kept <= room
    };
    let mut out: String = text.chars().take_while(fits).collect();
    let left = whole - out.encode_utf16().count();
    out.push_str(&format!("\n[cut by Tollgate: {left} more characters]"));
    out
}

/// Room for the note with the largest number in it.
const NOTE_LENGTH: usize = 60;

/// Control characters, and those that hide or turn around the text beside them. The joiners stay: words of some
/// languages need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_out_what_a_terminal_would_obey() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("plain, größer\n\ttext 😀", "plain, größer\n\ttext 😀");
        check("\u{1b}[2J\r\u{7}\u{9b}", r"\u{1b}[2J\u{d}\u{7}\u{9b}");
        check("a\u{202e}b\u{200b}c\u{feff}", r"a\u{202e}b\u{200b}c\u{feff}");
        check("a\u{f7ff}", r"a\xff");
    }

    #[test]
    fn cuts_by_the_hosts_measure() {
        let check = |text: &str, limit: usize| {
            let out = cut(text.to_owned(), limit);
            assert!(out.encode_utf16().count() <= limit, "{limit}");
            assert_eq!(out == text, text.encode_utf16().count() <= limit, "{limit}");
        };
        for limit in [60, 99, 100, 101, 150] {
            check(&"x".repeat(100), limit);
            check(&"😀".repeat(50), limit);
        }
        assert_eq!(
            cut("x".repeat(200), 70),
            format!("{}\n[cut by Tollgate: 190 more characters]", "x".repeat(10))
        );
    }
}
