//! zsh's glob qualifiers, some of which run code for each file: `*(e:'code':)`, `*(+function)`.

use super::{Host, Note, Shell};
use crate::ast::{Part, Word};
use crate::value::{HoleSource, Value};

/// Stands for a part of the word that is not plain text.
const UNKNOWN: char = char::REPLACEMENT_CHARACTER;

impl Shell {
    /// Runs the code in the qualifiers at the end of a word, if there are any.
    pub(super) fn run_qualifiers(&mut self, word: &Word, host: &mut dyn Host) {
        let Some(Part::Text { text, quoted: false }) = word.parts.last() else { return };
        if !text.ends_with(')') {
            return;
        }
        let flat: String = word.parts.iter().map(shown).collect();
        for code in group(&flat).and_then(codes).unwrap_or_default() {
            if code.contains(UNKNOWN) {
                let text = Value::unknown(HoleSource::Input);
                host.note(Note::DynamicCode { text, span: self.at(word.span) });
                continue;
            }
            self.run_aside(&Value::text(&code), word.span, host);
        }
    }
}

fn shown(part: &Part) -> &str {
    match part {
        Part::Text { text, .. } => text,
        _ => "\u{fffd}",
    }
}

/// What stands in the parentheses at the end.
fn group(flat: &str) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, c) in flat.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let inside = flat.get(at + 1..)?.strip_suffix(')')?;
            return Some(inside.strip_prefix("#q").unwrap_or(inside));
        }
    }
    None
}

/// The code that qualifiers run; `None` when they are none, as in `(a|b)`.
fn codes(qualifiers: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = qualifiers;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..)?;
        // Sorting may be by code too.
        if matches!(first, 'o' | 'O') {
            let by = rest.chars().next()?;
            rest = rest.get(by.len_utf8()..)?;
            match by {
                'e' => rest = delimited(rest, &mut found)?,
                '+' => rest = named(rest, &mut found),
                'n' | 'L' | 'l' | 'a' | 'm' | 'c' | 'd' | 'N' => {}
                _ => return None,
            }
            continue;
        }
        rest = match first {
            'e' => delimited(rest, &mut found)?,
            '+' => named(rest, &mut found),
            'P' | 'u' | 'g' if !rest.starts_with(|c: char| c.is_ascii_digit()) => {
                delimited(rest, &mut Vec::new())?
            }
            'f' => rest.trim_start_matches(|c: char| "=+-?01234567".contains(c)),
            'a' | 'm' | 'c' | 'l' | 'L' | 'd' | 'Y' | 'u' | 'g' => {
                let unit = rest.trim_start_matches(|c: char| "Mwhmskpd".contains(c));
                unit.trim_start_matches(|c: char| "+-0123456789".contains(c))
            }
            '[' => rest.split_once(']')?.1,
            // Modifiers run nothing.
            ':' => "",
            c if "/F.@=p*%rwxAIERWXsStUG^-MTNDn,".contains(c) => rest,
            _ => return None,
        };
    }
    Some(found)
}

/// Text between a delimiter and its partner; what follows.
fn delimited<'a>(rest: &'a str, found: &mut Vec<String>) -> Option<&'a str> {
    let open = rest.chars().next()?;
    let close = match open {
        '[' => ']',
        '{' => '}',
        '<' => '>',
        '(' => ')',
        c if c.is_alphanumeric() || c == '|' => return None,
        same => same,
    };
    let (code, after) = rest.get(open.len_utf8()..)?.split_once(close)?;
    found.push(code.to_owned());
    Some(after)
}

/// The name of a command; what follows.
fn named<'a>(rest: &'a str, found: &mut Vec<String>) -> &'a str {
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
    found.push(name.to_owned());
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_qualifiers() {
        for (word, expected) in [
            ("*(e:rm x:)", Some(vec!["rm x"])),
            ("*(.e[rm x]N)", Some(vec!["rm x"])),
            ("*(oe{rm x})", Some(vec!["rm x"])),
            ("**/*(#qe:a:,+b)", Some(vec!["a", "b"])),
            ("*(+f)", Some(vec!["f"])),
            ("*(o+f)", Some(vec!["f"])),
            ("*(.om[1,3])", Some(vec![])),
            ("*(/N^F)", Some(vec![])),
            ("*(mh-2Lk+5f=644:t)", Some(vec![])),
            ("x(a|b)", None),
            ("x(the|end)", None),
            ("x(e|f|g)", None),
        ] {
            let found = group(word).and_then(codes);
            let expected = expected.map(|codes| codes.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(found, expected, "{word}");
        }
    }
}
