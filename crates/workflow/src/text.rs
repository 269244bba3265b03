//! What agents write: normalised, searched for patterns, and the frontmatter of their files.

use tollgate_policy::yaml::{self, Node, Value};

use crate::template::{Piece, pieces};

/// A text as patterns see it: small letters, plain dashes and quotes, no emphasis, single spaces.
pub fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => out.push('-'),
            '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {}
            '`'
            | '*'
            | '"'
            | '\''
            | '\u{2018}'..='\u{201f}'
            | '\u{ab}'
            | '\u{bb}'
            | '\u{2032}'
            | '\u{2033}' => {}
            _ if letter.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
            }
            // The wide forms of Latin letters, digits and signs.
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter);
                out.extend(narrow.to_lowercase());
            }
            _ => out.extend(letter.to_lowercase()),
        }
    }
    out
}

/// Is a text, in whatever case and with whatever dashes and quotes, in another?
pub fn contains(whole: &str, part: &str) -> bool {
    normal(whole).contains(normal(part).trim())
}

/// How far a `*` reaches, in characters.
const REACH: usize = 300;

/// Finds a pattern in a text: letters as they stand, `*` for anything within a few lines, `{name}` for one word,
/// which is given back. `{name:*_####}` is a word of that shape: `#` is a digit, `*` anything.
pub fn find(pattern: &str, text: &str) -> Option<Vec<(String, String)>> {
    let text = normal(text);
    let mut parts = Vec::new();
    for piece in pieces(pattern) {
        match piece {
            Piece::Name(name, shape) => parts.push(Part::Word(name, shape.to_lowercase())),
            Piece::Text(plain) => {
                for (index, literal) in plain.split('*').enumerate() {
                    if index > 0 {
                        parts.push(Part::Any);
                    }
                    let literal = normal(literal);
                    if !literal.is_empty() {
                        parts.push(Part::Text(literal));
                    }
                }
            }
        }
    }
    starts(&parts, &text).find_map(|start| at(&parts, text.get(start..)?))
}

enum Part<'a> {
    Text(String),
    Word(&'a str, String),
    Any,
}

/// Where a match may begin.
fn starts<'t>(parts: &[Part], text: &'t str) -> Box<dyn Iterator<Item = usize> + 't> {
    match parts.first() {
        Some(Part::Text(first)) => {
            let first = first.clone();
            Box::new(std::iter::successors(text.find(&first), {
                let first = first.clone();
                move |last| {
                    let next = last + text.get(*last..)?.chars().next()?.len_utf8();
                    Some(next + text.get(next..)?.find(&first)?)
                }
            }))
        }
        _ => Box::new(text.char_indices().map(|(at, _)| at)),
    }
}

fn at(parts: &[Part], text: &str) -> Option<Vec<(String, String)>> {
    let Some((part, rest)) = parts.split_first() else { return Some(Vec::new()) };
    match part {
        Part::Text(literal) => at(rest, text.strip_prefix(literal.as_str())?),
        Part::Word(name, shape) => {
            let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
            let (word, after) = text.split_at(end);
            // A full stop behind a word ends the sentence, unless the pattern wants it.
            let bare = word.trim_end_matches(['.', ':']);
            let fits = !word.is_empty() && (shape.is_empty() || has_shape(bare, shape));
            let mut found = at(rest, after).filter(|_| fits)?;
            found.push(((*name).to_owned(), word.to_owned()));
            Some(found)
        }
        Part::Any => {
            // The first place where the next text stands is enough: whatever follows has the most room there.
            let near =
                text.char_indices().nth(REACH).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
            match rest.first() {
                Some(Part::Text(next)) => at(rest, text.get(near.find(next.as_str())?..)?),
                _ => at(rest, text),
            }
        }
    }
}

fn has_shape(word: &str, shape: &str) -> bool {
    let mut letters = shape.chars();
    match letters.next() {
        None => word.is_empty(),
        Some('*') => word
            .char_indices()
            .map(|(at, _)| at)
            .chain([word.len()])
            .any(|at| word.get(at..).is_some_and(|rest| has_shape(rest, letters.as_str()))),
        Some(wanted) => {
            let mut rest = word.chars();
            let next = rest.next();
            next.is_some_and(|c| c == wanted || wanted == '#' && c.is_ascii_digit())
                && has_shape(rest.as_str(), letters.as_str())
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':' | '.')
}

/// The values of a key in a file's frontmatter, the YAML between two lines of `---` at its top: one text, or the items of
/// a list, whether written as a YAML list or with commas. None of them when there is no such key.
pub fn frontmatter(text: &str, key: &str) -> Vec<String> {
    let Some(block) = frontmatter_block(text) else { return Vec::new() };
    let document = yaml::read(&block);
    let entries = match document.root.as_ref().map(|root| &root.value) {
        Some(Value::Map(entries)) => entries.as_slice(),
        _ => &[],
    };
    let is_key = |node: &Node| matches!(&node.value, Value::Scalar { text, .. } if text == key);
    let mut values = Vec::new();
    entries.iter().filter(|(name, _)| is_key(name)).for_each(|(_, value)| collect(value, &mut values));
    // Agents write `title: Plan: login`, which is no YAML. The lines around it still say what they say.
    if values.is_empty() && !document.problems.is_empty() {
        let pairs = block.lines().filter_map(|line| line.split_once(':'));
        let own = pairs.filter(|(name, _)| *name == key);
        values.extend(own.map(|(_, value)| value.trim().trim_matches(['"', '\'']).to_owned()));
    }
    values
}

fn frontmatter_block(text: &str) -> Option<String> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let mut block = String::new();
    for line in lines {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(block);
        }
        block.push_str(line);
        block.push('\n');
    }
    None
}

fn collect(node: &Node, values: &mut Vec<String>) {
    match &node.value {
        Value::Scalar { text, plain } => {
            values.push(text.trim().to_owned());
            if *plain && text.contains(',') {
                values.extend(text.split(',').map(|part| part.trim().to_owned()));
            }
        }
        Value::List(items) => items.iter().for_each(|item| collect(item, values)),
        Value::Map(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_what_agents_write() {
        for (pattern, text, expected) in [
            ("use the {next} subagent to", "Use the research-agent subagent to look", Some("research-agent")),
            (
                "use the {next} subagent to",
                "Now use the **research‑agent** subagent to",
                Some("research-agent"),
            ),
            (
                "use the {next} subagent to",
                "USE THE “unit—testing—agent”\n subagent to",
                Some("unit-testing-agent"),
            ),
            ("use the {next} subagent to", "use the  subagent to", None),
            ("use the {next} subagent to", "use the x subagents to", None),
            ("{percent}% complete", "It is 60% complete.", Some("60")),
            ("token: {t:*_####}", "Token: A_b_2026.", Some("a_b_2026.")),
            ("token: {t:*_####}", "token: a_b_202", None),
            ("token: {t:*_####}", "token: a_b_20267", None),
            ("use the {next} agent", "use the ｕｎｉｔ agent", Some("unit")),
            ("orchestration status*completed", "ORCHESTRATION STATUS:\n\n all COMPLETED", Some("")),
            ("phase*has been completed", "Phase 2 has been completed", Some("")),
            ("phase*has been completed", "phase", None),
        ] {
            let found = find(pattern, text);
            let value = found.map(|pairs| pairs.first().map(|(_, value)| value.clone()).unwrap_or_default());
            assert_eq!(value.as_deref(), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn hard_texts_are_quick() {
        let started = std::time::Instant::now();
        assert!(find("a*a*a*b", &"a".repeat(3000)).is_none());
        assert!(started.elapsed().as_secs() < 20);
    }

    #[test]
    fn frontmatter_is_at_the_top() {
        let text = "---\ntitle: x\nconsulted_by: \"consulting-expert\"\nmap:\n  nested: y\n---\nbody\n";
        assert_eq!(frontmatter(text, "consulted_by"), ["consulting-expert"]);
        assert_eq!(frontmatter(text, "nested"), [""; 0]);
        for text in
            ["", "consulted_by: x", "\n---\na: b\n---\n", "---\nconsulted_by: x\n", "# t\n---\na: b\n---"]
        {
            assert_eq!(frontmatter(text, "consulted_by"), [""; 0], "{text:?}");
            assert_eq!(frontmatter(text, "a"), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_value_of_the_frontmatter_may_be_a_list() {
        for value in [
            "b",
            " b  # a comment",
            "'b'",
            "[a, b]",
            "[\"a\", 'b']",
            "\n  - a\n  - b",
            "\n- b",
            "\n  - \"b\"\n  - a",
            "a, b",
            "b\r",
            "[[a], [b]]",
        ] {
            let text = format!("---\ntitle: x\nby: {value}\nend: y\n---\nbody\n");
            assert!(frontmatter(&text, "by").contains(&"b".to_owned()), "{text}");
        }
        let broken = "---\ntitle: Plan: login\nby: b\n---\n";
        assert_eq!(frontmatter(broken, "by"), ["b"]);
        for value in ["", "a", "[a, bb]", "\n  b: true", "{ b: true }", "a b", "\"a, b\"", "b-c"] {
            let text = format!("---\nby: {value}\nend: b\n---\nby: b\n");
            assert!(!frontmatter(&text, "by").contains(&"b".to_owned()), "{text}");
        }
    }
}
