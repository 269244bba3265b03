//! What Tcl makes of texts: `format` and `string`. What is not understood is unknown.

use tollgate_shell::value::{HoleSource, Taint, Value};

use super::super::value::Val;

/// The longest text that is made by repeating another.
const REPEATED: usize = 4096;

/// `format text values…`
pub(super) fn format(words: &[Val]) -> Val {
    let Some((text, values)) = words.split_first() else { return Val::unknown() };
    let taint = taint_of(words);
    let Some(text) = text.literal() else { return Val::Unknown(taint) };
    let mut values = values.iter();
    let mut made = Value::empty();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        made = made.concat(&Value::text(before));
        let mut kinds = after.chars();
        let (part, used) = match kinds.next() {
            Some('%') => (Value::text("%"), 1),
            Some('s' | 'd' | 'i' | 'u') => (values.next().map_or_else(Value::empty, Val::as_text), 1),
            Some('c') => (letter(values.next()), 1),
            // A width or another form: something is there.
            _ => {
                values.next();
                let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
                (Value::something(HoleSource::Input), end)
            }
        };
        made = made.concat(&part);
        rest = after.get(used..).unwrap_or_default();
    }
    Val::Text(made.concat(&Value::text(rest)).with_taint(taint))
}

/// The letter that a number stands for.
fn letter(value: Option<&Val>) -> Value {
    let code = value.and_then(Val::literal).and_then(|code| code.parse::<u32>().ok());
    match code.and_then(char::from_u32) {
        Some(letter) => Value::text(letter.encode_utf8(&mut [0; 4])),
        None => Value::something(HoleSource::Input),
    }
}

fn taint_of(words: &[Val]) -> Taint {
    words.iter().fold(Taint::NONE, |all, word| all.union(word.taint()))
}

/// `string map {from to …} text`, `string tolower text`, `string cat a b`, `string range text first last`.
pub(super) fn string(words: &[Val]) -> Val {
    let unknown = || Val::Unknown(taint_of(words));
    let known: Option<Vec<String>> = words.iter().map(Val::literal).collect();
    let Some(known) = known else { return joined(words).unwrap_or_else(unknown) };
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let made = match known.as_slice() {
        ["tolower", text] => Some(text.to_lowercase()),
        ["toupper", text] => Some(text.to_uppercase()),
        ["trim", text, chars @ ..] if chars.len() < 2 => Some(trimmed(text, chars, true, true)),
        ["trimleft", text, chars @ ..] if chars.len() < 2 => Some(trimmed(text, chars, true, false)),
        ["trimright", text, chars @ ..] if chars.len() < 2 => Some(trimmed(text, chars, false, true)),
        ["reverse", text] => Some(text.chars().rev().collect()),
        ["cat", texts @ ..] => Some(texts.concat()),
        ["map", pairs, text] => {
            let pairs: Vec<&str> = pairs.split_whitespace().collect();
            Some(mapped(text, &pairs))
        }
        ["index", text, at] => part(text, at, at).map(|(_, part, _)| part),
        ["range", text, first, last] => part(text, first, last).map(|(_, part, _)| part),
        ["replace", text, first, last, new @ ..] if new.len() < 2 => {
            part(text, first, last).map(|(before, _, after)| format!("{before}{}{after}", new.concat()))
        }
        ["repeat", text, times] => {
            let times = times.parse::<usize>().ok().filter(|times| text.len() * times <= REPEATED);
            times.map(|times| text.repeat(times))
        }
        _ => None,
    };
    made.map_or_else(unknown, |made| Val::Text(Value::text(&made).with_taint(taint_of(words))))
}

/// `join list separator`
pub(super) fn join(words: &[Val]) -> Val {
    let between = words.get(1).map_or_else(|| Some(" ".to_owned()), Val::literal);
    match (words.first().and_then(Val::literal), between) {
        (Some(list), Some(between)) if !list.contains(['{', '"', '\\']) => {
            let joined = list.split_whitespace().collect::<Vec<_>>().join(&between);
            Val::Text(Value::text(&joined).with_taint(taint_of(words)))
        }
        _ => Val::Unknown(taint_of(words)),
    }
}

/// Texts after one another, whatever is known of them.
fn joined(words: &[Val]) -> Option<Val> {
    let (verb, texts) = words.split_first()?;
    let all = texts.iter().fold(Value::empty(), |all, text| all.concat(&text.as_text()));
    (verb.literal()? == "cat").then_some(Val::Text(all))
}

/// Without the characters at its ends, which are blanks where none are named.
fn trimmed(text: &str, chars: &[&str], left: bool, right: bool) -> String {
    let goes = |c: char| match chars.first() {
        Some(chars) => chars.contains(c),
        None => c.is_whitespace(),
    };
    let text = if left { text.trim_start_matches(goes) } else { text };
    if right { text.trim_end_matches(goes) } else { text }.to_owned()
}

/// What stands before, at and behind places, which are counted from the start or from the end.
fn part(text: &str, first: &str, last: &str) -> Option<(String, String, String)> {
    let letters: Vec<char> = text.chars().collect();
    let size = i64::try_from(letters.len()).ok()?;
    let place = |said: &str| match said.strip_prefix("end") {
        Some("") => Some(size - 1),
        Some(more) => more.parse::<i64>().ok().map(|more| size - 1 + more),
        None => said.parse::<i64>().ok(),
    };
    let first = place(first)?.clamp(0, size);
    let behind = (place(last)? + 1).clamp(first, size);
    let (first, behind) = (usize::try_from(first).ok()?, usize::try_from(behind).ok()?);
    let of = |range: std::ops::Range<usize>| letters.get(range).map(|part| part.iter().collect::<String>());
    Some((of(0..first)?, of(first..behind)?, of(behind..letters.len())?))
}

/// At each place the first of the pairs that fits is taken.
fn mapped(text: &str, pairs: &[&str]) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let fits = pairs.chunks_exact(2).find_map(|pair| match pair {
            [from, to] => rest.strip_prefix(from).map(|after| (*to, after)),
            _ => None,
        });
        match fits {
            Some((to, after)) => {
                made.push_str(to.trim_matches(['{', '}', '"']));
                rest = after;
            }
            None => {
                made.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    made
}
