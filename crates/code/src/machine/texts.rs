//! Texts and paths: what is made of them without asking anybody.

use base64::alphabet;
use base64::engine::Engine as _;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use tollgate_shell::value::{HoleSource, Piece, Taint, Text, Value};

use super::store::Store;
use super::value::Val;

/// Paths one below the other: an absolute one stands for itself.
pub(super) fn join_paths(paths: &[Value]) -> Value {
    let mut whole: Option<Value> = None;
    for path in paths {
        let absolute = path.any.iter().all(|text| text.prefix().starts_with('/'));
        whole = Some(match whole {
            None => path.clone(),
            Some(_) if absolute && !path.any.is_empty() => path.clone(),
            Some(base) if path.is_empty() => base,
            Some(base) if base.is_empty() => path.clone(),
            Some(base) => {
                let slashed = base.map(|text| {
                    let mut text = text.clone();
                    if !text.suffix().ends_with('/') {
                        text.push_str("/");
                    }
                    text
                });
                slashed.concat(path)
            }
        });
    }
    whole.unwrap_or_else(Value::empty)
}

/// The folder that a path is in.
pub(super) fn parent(path: &Value) -> Value {
    path.map(|text| {
        let mut pieces: Vec<Piece> = text.pieces.iter().cloned().collect();
        while let Some(last) = pieces.pop() {
            if let Piece::Text(known) = &last
                && let Some((folder, _)) = known.trim_end_matches('/').rsplit_once('/')
            {
                let mut made = Text::default();
                pieces.into_iter().for_each(|piece| made.push(piece));
                let root = folder.is_empty() && made.is_empty();
                made.push_str(if root { "/" } else { folder });
                return made;
            }
        }
        if text.has_holes() {
            Text::hole(tollgate_shell::value::Hole::new(HoleSource::Input))
        } else {
            Text::literal(".")
        }
    })
}

/// The last name of a path.
pub(super) fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// A name without how it ends.
pub(super) fn stem(name: &str) -> &str {
    match name.rfind('.') {
        Some(at) if at > 0 => name.get(..at).unwrap_or(name),
        _ => name,
    }
}

/// How a name ends.
pub(super) fn suffix(path: &str) -> String {
    let name = base(path);
    name.get(stem(name).len()..).unwrap_or_default().to_owned()
}

/// `~` at the beginning is the home directory.
pub(super) fn expand_user(path: &Value, home: &str) -> Value {
    path.map(|text| {
        let rest = text.prefix().strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(rest) = rest else { return text.clone() };
        let mut made = Text::literal(home);
        made.push_str(rest);
        text.pieces.iter().skip(1).for_each(|piece| made.push(piece.clone()));
        made
    })
}

/// The text with `*`, `?` and `[…]` as patterns.
pub(super) fn glob(text: &Text) -> Text {
    let mut out = Text::default();
    for piece in &text.pieces {
        let Piece::Text(known) = piece else {
            out.push(piece.clone());
            continue;
        };
        let mut rest: &str = known;
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            let length = match after.find(']') {
                Some(close) if after.starts_with('[') => close + 1,
                _ => after.len() - after.trim_start_matches(['*', '?']).len(),
            };
            let (pattern, after) = after.split_at_checked(length.max(1)).unwrap_or((after, ""));
            out.push(Piece::Glob(std::rc::Rc::from(if pattern.starts_with("**") { "*" } else { pattern })));
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

/// Every known text changed; one that is not known stays one.
pub(super) fn each(value: &Val, change: impl Fn(&str) -> String) -> Val {
    match value {
        Val::Text(text) => Val::Text(text.map(|text| match text.as_literal() {
            Some(known) => Text::literal(&change(known)),
            None if text.has_globs() => text.clone(),
            None if holds_variable(text) => text.clone(),
            None => Text::hole(tollgate_shell::value::Hole::nonempty(HoleSource::Input)),
        })),
        other => Val::Unknown(other.taint()),
    }
}

/// Is a variable of the environment in it?
pub(super) fn holds_variable(text: &Text) -> bool {
    let is_variable =
        |piece: &Piece| matches!(piece, Piece::Hole(hole) if matches!(hole.source, HoleSource::Variable(_)));
    text.pieces.iter().any(is_variable)
}

/// The last name of each text, as far as that is known.
pub(super) fn each_base(value: &Val) -> Val {
    let Val::Text(text) = value else { return Val::Unknown(value.taint()) };
    Val::Text(text.map(|text| {
        let mut name = Text::default();
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) => match known.rsplit_once('/') {
                    Some((_, last)) => {
                        name = Text::default();
                        name.push_str(last);
                    }
                    None => name.push_str(known),
                },
                other => name.push(other.clone()),
            }
        }
        name
    }))
}

/// The lines of a text.
pub(super) fn lines(store: &mut Store, value: &Val) -> Val {
    match value.literal() {
        Some(text) => {
            let taint = value.taint();
            let lines =
                text.lines().take(4096).map(|line| Val::Text(Value::text(line).with_taint(taint))).collect();
            store.list(lines)
        }
        None => {
            let line = match value {
                Val::Text(text) => Val::Text(text.map(Text::trim_newlines)),
                other => Val::Unknown(other.taint()),
            };
            store.many(vec![line])
        }
    }
}

/// The texts without what they begin with, as far as that is known.
pub(super) fn without_start(value: &Val, start: &str) -> Val {
    let Val::Text(text) = value else { return Val::Unknown(value.taint()) };
    Val::Text(text.map(|text| {
        let Some(rest) = text.prefix().strip_prefix(start) else { return text.clone() };
        let mut made = Text::literal(rest);
        text.pieces.iter().skip(usize::from(!start.is_empty())).for_each(|piece| made.push(piece.clone()));
        made
    }))
}

/// The names in a path, of which patterns are parts.
pub(super) fn split_path(path: &Text) -> Vec<Text> {
    let mut names = vec![Text::default()];
    for piece in &path.pieces {
        let Piece::Text(known) = piece else {
            names.last_mut().into_iter().for_each(|name| name.push(piece.clone()));
            continue;
        };
        for (at, part) in known.split('/').enumerate() {
            if at > 0 {
                names.push(Text::default());
            }
            names.last_mut().into_iter().for_each(|name| name.push_str(part));
        }
    }
    names
}

/// The words of a text that a pattern may pick: whichever it is, it is one of them, or something else.
pub(super) fn fragments(value: &Val, taint: Taint) -> Val {
    let Some(text) = value.literal().filter(|text| text.len() < 4096) else { return remains(value, taint) };
    let words = text.split(|letter: char| letter.is_whitespace() || "='\",:;|()<>[]{}".contains(letter));
    let paths: Vec<Text> = words.filter(|word| word.contains('/')).take(8).map(Text::literal).collect();
    let something = Value::something(HoleSource::Input).with_taint(taint);
    Val::Text(if paths.is_empty() { something } else { Value::of(paths, taint).union(&something) })
}

/// What is made of a text that is not known still holds the variables in it.
pub(super) fn remains(value: &Val, taint: Taint) -> Val {
    let Val::Text(text) = value else { return Val::some_text(taint) };
    let pieces = text.any.iter().take(4).flat_map(|text| &text.pieces);
    let variables = pieces
        .filter(|piece| matches!(piece, Piece::Hole(hole) if matches!(hole.source, HoleSource::Variable(_))));
    let mut found = Text::default();
    variables.take(4).for_each(|piece| found.push(piece.clone()));
    if found.pieces.is_empty() { Val::some_text(taint) } else { Val::Text(Value::of([found], taint)) }
}

/// `text[a:b]`, `list[a:b]`, `text[::-1]`.
pub(super) fn slice(store: &mut Store, value: &Val, bounds: &[Val]) -> Val {
    let taint = store.taint(value);
    let step = match bounds.get(2) {
        Some(Val::Int(step)) => *step,
        _ => 1,
    };
    let known = |at: usize| match bounds.get(at) {
        Some(Val::Int(bound)) => Some(Some(*bound)),
        Some(Val::Nothing) | None => Some(None),
        _ => None,
    };
    let items = store.items(value);
    let (Some(from), Some(to)) = (known(0), known(1)) else {
        return match items {
            Some(items) => store.many(items.items.clone()),
            None if matches!(value, Val::Text(_)) => remains(value, taint),
            None => Val::Unknown(taint),
        };
    };
    match (value, items) {
        (Val::Text(text), _) => match text.as_literal() {
            Some(known) => {
                let letters: Vec<char> = known.chars().collect();
                let part: String =
                    picked(letters.len(), from, to, step).filter_map(|at| letters.get(at)).collect();
                Val::Text(Value::text(&part).with_taint(taint))
            }
            None if is_hint(from, to) => Val::some_text(taint),
            None => remains(value, taint),
        },
        (_, Some(items)) if !items.open => {
            let part = picked(items.items.len(), from, to, step)
                .filter_map(|at| items.items.get(at).cloned())
                .collect();
            store.list(part)
        }
        (_, Some(items)) => store.many(items.items.clone()),
        _ => Val::Unknown(taint),
    }
}

/// `token[:4]`, `token[-4:]`: enough to tell which one it is, and no more.
fn is_hint(from: Option<i64>, to: Option<i64>) -> bool {
    const LETTERS: i64 = 4;
    match (from, to) {
        (None, Some(to)) => (0..=LETTERS).contains(&to),
        (Some(from), Some(to)) => (0..=LETTERS).contains(&to.saturating_sub(from)),
        (Some(from), None) => (-LETTERS..0).contains(&from),
        (None, None) => false,
    }
}

/// The places that bounds and a step pick, in order.
fn picked(length: usize, from: Option<i64>, to: Option<i64>, step: i64) -> Box<dyn Iterator<Item = usize>> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let place = |bound: i64, least: i64, most: i64| {
        (if bound < 0 { bound + length } else { bound }).clamp(least, most)
    };
    let step_by = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX).max(1);
    if step < 0 {
        let first = from.map_or(length - 1, |from| place(from, -1, length - 1));
        let last = to.map_or(-1, |to| place(to, -1, length - 1));
        return Box::new((last + 1..=first).rev().step_by(step_by).filter_map(|at| usize::try_from(at).ok()));
    }
    let first = from.map_or(0, |from| place(from, 0, length));
    let last = to.map_or(length, |to| place(to, 0, length));
    Box::new((first..last).step_by(step_by).filter_map(|at| usize::try_from(at).ok()))
}

/// `%s` and its like.
pub(super) fn printf(format: &str, values: &[Val], entry: impl Fn(&str) -> Option<Val>) -> Value {
    let mut whole = Value::empty();
    let mut values = values.iter();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        whole = whole.concat(&Value::text(before));
        if let Some(literal) = after.strip_prefix('%') {
            whole = whole.concat(&Value::text("%"));
            rest = literal;
            continue;
        }
        let (name, after) = match after.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((name, rest)) => (Some(name), rest),
            None => (None, after),
        };
        let at = after.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let verb = after.get(at..).and_then(|tail| tail.get(..1)).unwrap_or_default();
        let value = match name {
            Some(name) => entry(name),
            None => values.next().cloned(),
        };
        let shown = match value {
            Some(Val::Int(code)) if verb == "c" => {
                let letter = u32::try_from(code).ok().and_then(char::from_u32);
                letter.map_or_else(Value::empty, |letter| Value::text(letter.encode_utf8(&mut [0; 4])))
            }
            Some(Val::Text(text)) if verb == "r" => Value::text("'").concat(&text).concat(&Value::text("'")),
            Some(value) => value.as_text(),
            None => Value::unknown(HoleSource::Input),
        };
        whole = whole.concat(&shown);
        rest = after.get(at + verb.len()..).unwrap_or_default();
    }
    whole.concat(&Value::text(rest))
}

/// `"{} and {name}".format(…)`
pub(super) fn braces(text: &str, list: &[Val], named: impl Fn(&str) -> Option<Val>) -> Value {
    let mut whole = Value::empty();
    let mut rest = text;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        whole = whole.concat(&Value::text(&before.replace("}}", "}")));
        if let Some(literal) = after.strip_prefix('{') {
            whole = whole.concat(&Value::text("{"));
            rest = literal;
            continue;
        }
        let (field, after) = after.split_once('}').unwrap_or((after, ""));
        let name = field.split([':', '!']).next().unwrap_or_default();
        let value = if name.is_empty() {
            next += 1;
            list.get(next - 1).cloned()
        } else {
            name.parse::<usize>().ok().and_then(|at| list.get(at).cloned()).or_else(|| named(name))
        };
        whole =
            whole.concat(&value.map_or_else(|| Value::unknown(HoleSource::Input), |value| value.as_text()));
        rest = after;
    }
    whole.concat(&Value::text(&rest.replace("}}", "}")))
}

/// A text as a shell splits it into words, without expansions.
pub(super) fn shell_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

pub(super) fn unpercent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let pair = others.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = others.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What Base64 says, whatever its letters for the last two values.
pub(super) fn from_base64(text: &str) -> Option<String> {
    let letters = text.bytes().filter(|letter| !letter.is_ascii_whitespace() && *letter != b'=');
    let plain: Vec<u8> = letters
        .map(|letter| {
            if letter == b'-' {
                b'+'
            } else if letter == b'_' {
                b'/'
            } else {
                letter
            }
        })
        .collect();
    text_of(LENIENT.decode(plain).ok()?)
}

/// Nobody who decodes something looks at bits that are left over.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

pub(super) fn from_hex(text: &str) -> Option<String> {
    let digits: Vec<u8> =
        text.bytes().filter(|letter| !letter.is_ascii_whitespace() && *letter != b':').collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> =
        digits.chunks(2).map(|two| if two.len() == 2 { pair(two) } else { None }).collect();
    text_of(bytes?)
}

/// Bytes as text: UTF-8, or UTF-16 where every other byte is zero.
fn text_of(bytes: Vec<u8>) -> Option<String> {
    let wide = bytes.len() > 1
        && bytes.len().is_multiple_of(2)
        && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
    if !wide {
        return String::from_utf8(bytes).ok();
    }
    Some(bytes.iter().step_by(2).map(|byte| char::from(*byte)).collect())
}

pub(super) fn rot13(letter: char) -> char {
    let turn = |first: u8| {
        let at = u32::from(letter) - u32::from(first);
        char::from(first + u8::try_from((at + 13) % 26).unwrap_or_default())
    };
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

/// Without the blanks that all lines begin with.
pub(super) fn dedented(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text.lines().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or_default();
    let kept: Vec<&str> =
        text.split('\n').map(|line| line.get(least.min(blanks(line))..).unwrap_or(line)).collect();
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_together_as_a_system_does() {
        let join = |parts: &[&str]| {
            join_paths(&parts.iter().map(|part| Value::text(part)).collect::<Vec<_>>()).to_string()
        };
        assert_eq!(join(&["/a", "b"]), "/a/b");
        assert_eq!(join(&["/a/", "/b"]), "/b");
        assert_eq!(join(&["", "b"]), "b");
        assert_eq!(parent(&Value::text("/a/b")).to_string(), "/a");
        assert_eq!(parent(&Value::text("/a")).to_string(), "/");
        assert_eq!(
            (base("/a/b.tar.gz"), stem("b.tar.gz"), suffix("b.gz").as_str()),
            ("b.tar.gz", "b.tar", ".gz")
        );
    }

    #[test]
    fn parts_of_texts_are_cut_as_python_does() {
        let mut store = Store::default();
        let mut cut =
            |bounds: &[Val]| slice(&mut store, &Val::text("abcdef"), bounds).literal().unwrap_or_default();
        assert_eq!(cut(&[Val::Int(1), Val::Int(-1)]), "bcde");
        assert_eq!(cut(&[Val::Nothing, Val::Nothing, Val::Int(-1)]), "fedcba");
        assert_eq!(cut(&[Val::Nothing, Val::Nothing, Val::Int(2)]), "ace");
        assert_eq!(cut(&[Val::Int(9), Val::Nothing]), "");
    }

    #[test]
    fn what_is_encoded_is_read() {
        assert_eq!(from_base64("cm0gLXJm").as_deref(), Some("rm -rf"));
        assert_eq!(from_base64("!"), None);
        assert_eq!(from_hex("726d").as_deref(), Some("rm"));
        assert_eq!("ez".chars().map(rot13).collect::<String>(), "rm");
        assert_eq!(unpercent("%2Fetc%2"), "/etc%2");
        assert_eq!(dedented("  a\n    b\n\n"), "a\n  b\n\n");
        assert_eq!(shell_words("a 'b c' \"d\"e\\ f"), ["a", "b c", "de f"]);
    }
}
