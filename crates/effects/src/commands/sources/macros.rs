//! What C's preprocessor does to a source: names stand for texts, and texts that stand side by side are one.

/// The most names that are followed, and the longest text for one.
const NAMES: usize = 64;
const LENGTH: usize = 512;

/// The most that a source may grow.
const GROWTH: usize = 64 * 1024;

/// A source of C with its names replaced; any other as it is.
pub(super) fn expanded(text: &str) -> String {
    if !text.lines().any(|line| directive(line).is_some()) {
        return text.to_owned();
    }
    let mut names: Vec<(&str, String)> = Vec::new();
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        match directive(line) {
            Some(("define", rest)) => {
                let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                let (name, value) = rest.split_at(end);
                // What takes arguments is a function, and is not followed.
                if names.len() < NAMES && value.len() < LENGTH && !value.starts_with('(') && !name.is_empty()
                {
                    let value = replaced(value.trim(), &names);
                    names.push((name, value));
                }
            }
            Some(_) => {}
            None => code.push_str(line),
        }
        code.push('\n');
    }
    joined(&if names.is_empty() { code } else { replaced(&code, &names) })
}

fn directive(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let (word, rest) = rest.split_once(|c: char| !c.is_ascii_alphabetic()).unwrap_or((rest, ""));
    matches!(word, "include" | "define" | "undef" | "ifdef" | "ifndef" | "endif" | "pragma")
        .then_some((word, rest.trim_start()))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The code with its names replaced; those in texts stay.
fn replaced(code: &str, names: &[(&str, String)]) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => quoted(rest, c),
            _ if is_name(c) => rest.find(|c: char| !is_name(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        let known = names.iter().rev().find(|(name, _)| *name == word);
        match known.filter(|_| out.len() < code.len() + GROWTH) {
            Some((_, value)) => out.push_str(value),
            None => out.push_str(word),
        }
        rest = after;
    }
    out
}

/// How long the text in quotes is that stands here.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Texts side by side are one text.
fn joined(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    let mut closed = false;
    while let Some(c) = rest.chars().next() {
        let length = if matches!(c, '"' | '\'') { quoted(rest, c) } else { c.len_utf8() };
        let (part, after) = rest.split_at(length);
        if c == '"' && closed {
            out.truncate(out.trim_end().len().saturating_sub(1));
            out.push_str(part.get(1..).unwrap_or_default());
        } else {
            out.push_str(part);
        }
        closed = c == '"' || closed && c.is_whitespace();
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_texts() {
        let text = "#define HOME \"/h\"\n#define CMD \"rm \" HOME\nint main() { system(CMD \"/x\"); }";
        assert_eq!(expanded(text).trim(), "int main() { system(\"rm /h/x\"); }");
        let other = "fn main() { run(\"a\", \"b\") }";
        assert_eq!(expanded(other), other);
    }
}
