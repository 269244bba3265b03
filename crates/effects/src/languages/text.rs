//! Texts, and parts of texts: decoding, formats, slices.

use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use super::pure::{Pure, apply, parent};
use super::value::{Args, Val, is_listing};
use crate::secret_names::is_secret_name;

/// Changes every text that is known; the others stay unknown.
pub(super) fn each_text(value: &Val, change: impl Fn(&str) -> String) -> Val {
    match value {
        Val::Text(texts) if texts.is_known() => {
            let changed = texts.literals().map(|text| Text::literal(&change(text))).collect::<Vec<_>>();
            Val::Text(Value::of(changed, texts.taint))
        }
        Val::Text(texts) => Val::Text(Value::something(HoleSource::Input).with_taint(texts.taint)),
        other => other.clone(),
    }
}

/// The text without the blanks that all its lines begin with; lines of blanks alone do not count.
pub(super) fn dedented(text: &str) -> String {
    let blank = |line: &str| line.trim().is_empty();
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text.lines().filter(|line| !blank(line)).map(depth).min().unwrap_or_default();
    let lines = text.split('\n').map(|line| line.get(least..).unwrap_or_default());
    lines.collect::<Vec<&str>>().join("\n")
}

/// The ending of a name, with its dot. One that begins with its only dot has none.
pub(super) fn suffix(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rfind('.').filter(|at| *at > 0).and_then(|at| name.get(at..)).unwrap_or_default().to_owned()
}

/// A path without its ending, and the ending.
pub(super) fn ends(path: &Val) -> Val {
    let root = each_text(path, |path| path.strip_suffix(&suffix(path)).unwrap_or(path).to_owned());
    Val::list(vec![root, each_text(path, suffix)])
}

/// The same for a change that leaves the names of files as they are.
pub(super) fn each_line(value: &Val, change: impl Fn(&str) -> String) -> Val {
    match value {
        Val::Text(texts) if is_listing(texts) => Val::Text(texts.map(Text::trim_newlines)),
        other => each_text(other, change),
    }
}

/// The same for a change that goes by the last name of a path: of names below a folder, only those are left.
pub(super) fn each_name(value: &Val, change: impl Fn(&str) -> String) -> Val {
    match value {
        Val::Text(texts) if is_listing(texts) => Val::Text(texts.map(last_name)),
        other => each_text(other, change),
    }
}

/// What stands behind the last `/` that is known.
fn last_name(text: &Text) -> Text {
    let mut pieces = Vec::new();
    for piece in text.pieces.iter().rev() {
        match piece {
            Piece::Text(known) if let Some((_, name)) = known.rsplit_once('/') => {
                pieces.push(Piece::Text(name.into()));
                break;
            }
            other => pieces.push(other.clone()),
        }
    }
    let mut name = Text::default();
    pieces.into_iter().rev().for_each(|piece| name.push(piece));
    name
}

/// A text without what it begins with, as far as that is known.
pub(super) fn without_start(value: &Val, start: &str) -> Val {
    match value {
        Val::Text(texts)
            if is_listing(texts) && texts.any.iter().all(|text| text.prefix().len() >= start.len()) =>
        {
            Val::Text(texts.map(|text| match text.prefix().strip_prefix(start) {
                Some(rest) => {
                    let mut left = Text::literal(rest);
                    text.pieces.iter().skip(1).for_each(|piece| left.push(piece.clone()));
                    left
                }
                None => text.clone(),
            }))
        }
        other => each_text(other, |text| text.strip_prefix(start).unwrap_or(text).to_owned()),
    }
}

/// A path seen from a folder; one that is seen from where the program runs is the path itself.
pub(super) fn relative(args: &Args) -> Val {
    let path = args.at(0, &[]);
    match args.get(1).or_else(|| args.option("start")).map(Val::literal) {
        None => path,
        Some(Some(start)) => {
            let start = format!("{}/", start.trim_end_matches('/'));
            let below = matches!(&path, Val::Text(text) if text.any.iter().all(|text| text.prefix().starts_with(&start)));
            if below { without_start(&path, &start) } else { vague(&path, args.taint()) }
        }
        Some(None) => vague(&path, args.taint()),
    }
}

/// Numbers, one by one or in a list, to text.
pub(super) fn characters(args: &Args) -> Option<String> {
    let flat = args.list.iter().flat_map(|value| match value {
        Val::List(list) => list.items.clone(),
        other => vec![other.clone()],
    });
    flat.map(|value| match value {
        Val::Int(code) => u32::try_from(code).ok().and_then(char::from_u32),
        _ => None,
    })
    .collect()
}

/// Bytes as text: UTF-8, or UTF-16 where every other byte is zero.
pub(super) fn text_of(bytes: Vec<u8>) -> Option<String> {
    let wide = bytes.len() > 1
        && bytes.len().is_multiple_of(2)
        && bytes.iter().skip(1).step_by(2).all(|byte| *byte == 0);
    if !wide {
        return String::from_utf8(bytes).ok();
    }
    Some(bytes.iter().step_by(2).map(|byte| char::from(*byte)).collect())
}

pub(super) fn rot13(c: char) -> char {
    let turn = |c: char, first: u8| char::from((u8::try_from(c).unwrap_or(first) - first + 13) % 26 + first);
    match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        other => other,
    }
}

/// One letter for another, by their places in two lists with ranges in them: `a-y`. What has no counterpart becomes the
/// last of the second list, as `tr` has it; an empty one changes nothing.
pub(super) fn letters(text: &str, from: &str, to: &str) -> String {
    let (from, to) = (ranges(from), ranges(to));
    let other = |c: char| {
        let at = from.iter().position(|known| *known == c)?;
        to.get(at).or(to.last()).copied()
    };
    text.chars().map(|c| other(c).unwrap_or(c)).collect()
}

/// The characters of `a-cx`.
fn ranges(list: &str) -> Vec<char> {
    let mut all = Vec::new();
    let mut rest = list.chars().peekable();
    while let Some(c) = rest.next() {
        if rest.peek() == Some(&'-')
            && let Some(last) = rest.clone().nth(1)
            && all.len() < 1024
        {
            rest.nth(1);
            all.extend((c..=last).take(256));
        } else {
            all.push(c);
        }
    }
    all
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

/// `"{} and {name}".format(…)`
pub(super) fn braces(text: &str, args: &Args) -> Value {
    let mut whole = Value::empty();
    let mut rest = text;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        whole = whole.concat(&Value::text(before));
        if let Some(literal) = after.strip_prefix('{') {
            whole = whole.concat(&Value::text("{"));
            rest = literal;
            continue;
        }
        let (field, after) = after.split_once('}').unwrap_or((after, ""));
        let name = field.split([':', '!']).next().unwrap_or_default();
        let value = if name.is_empty() {
            next += 1;
            args.get(next - 1)
        } else {
            name.parse::<usize>().ok().and_then(|at| args.get(at)).or_else(|| args.option(name))
        };
        whole = whole.concat(&value.map_or_else(|| Value::unknown(HoleSource::Input), Val::as_text));
        rest = after;
    }
    whole.concat(&Value::text(&rest.replace("}}", "}")))
}

/// `%s` and its like.
pub(super) fn printf(format: &str, values: &[Val]) -> Value {
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
        let named = after.starts_with('(');
        let at = after
            .find(|c: char| c.is_ascii_alphabetic() && !named || named && c == ')')
            .unwrap_or(after.len());
        let verb = after
            .get(at..)
            .and_then(|tail| if named { tail.get(1..2) } else { tail.get(..1) })
            .unwrap_or_default();
        let value = if named { None } else { values.next() };
        whole = whole.concat(&match value {
            Some(Val::Int(code)) if verb == "c" => {
                characters(&Args::of(vec![Val::Int(*code)])).map_or_else(Value::empty, |c| Value::text(&c))
            }
            // As a program would write it: `'text'`.
            Some(Val::Text(text)) if verb == "r" => {
                let quote =
                    Value::text(if text.literals().any(|text| text.contains('\'')) { "\"" } else { "'" });
                quote.concat(text).concat(&quote)
            }
            Some(value) => value.as_text(),
            None => Value::unknown(HoleSource::Input),
        });
        rest = after.get(at + verb.len() + usize::from(named)..).unwrap_or_default();
    }
    whole.concat(&Value::text(rest))
}

/// A text as a shell splits it into words, without expansions.
pub(super) fn shell_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(c),
            (_, '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `text[a:b]`, `text[::-1]`; a bound that is not given is unknown.
pub(super) fn slice(value: &Val, bounds: &[Val]) -> Val {
    let marks = value.taint();
    if let Some(secret) = secret_in(value).filter(|_| !is_hint(bounds)) {
        return secret;
    }
    if let [from, to, Val::Int(step)] = bounds
        && *step != 1
    {
        return stepped(value, [from, to], *step);
    }
    let bound = |at: usize, none: i64| match bounds.get(at) {
        Some(Val::Int(bound)) => Some(*bound),
        Some(Val::Unknown(taint)) if taint.is_empty() => Some(none),
        None => Some(none),
        _ => None,
    };
    let (Some(from), Some(to)) = (bound(0, 0), bound(1, i64::MAX)) else { return Val::Unknown(marks) };
    let place = |bound: i64, length: usize| {
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        usize::try_from(if bound < 0 { (bound + length).max(0) } else { bound.min(length) })
            .unwrap_or_default()
    };
    match value {
        Val::Text(text) => match text.as_literal() {
            Some(known) => {
                let characters: Vec<char> = known.chars().collect();
                let range = place(from, characters.len())..place(to, characters.len());
                let part: String = characters.get(range).unwrap_or_default().iter().collect();
                Val::Text(Value::text(&part).with_taint(marks))
            }
            None => Val::Text(Value::unknown(HoleSource::Input).with_taint(marks)),
        },
        Val::List(list) if !list.open => {
            let range = place(from, list.items.len())..place(to, list.items.len());
            Val::list(list.items.get(range).unwrap_or_default().to_vec())
        }
        Val::List(list) => Val::many(list.items.clone()),
        _ => Val::Unknown(marks),
    }
}

/// `text[a:b:step]`: every so many of them, backwards when the step is below nothing.
fn stepped(value: &Val, bounds: [&Val; 2], step: i64) -> Val {
    let all = match value {
        Val::Text(text) => match text.as_literal() {
            Some(known) => known.chars().take(4096).map(|c| Val::text(c.encode_utf8(&mut [0; 4]))).collect(),
            None => return Val::Text(Value::unknown(HoleSource::Input).with_taint(value.taint())),
        },
        Val::List(list) if list.open => return Val::many(list.items.clone()),
        Val::List(list) => list.items.clone(),
        _ => return Val::Unknown(value.taint()),
    };
    let length = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let (first, last) = if step < 0 { (length - 1, -1) } else { (0, length) };
    let place = |bound: &Val, none: i64| match bound {
        Val::Int(at) if *at < 0 => (at + length).max(-1),
        Val::Int(at) => (*at).min(if step < 0 { length - 1 } else { length }),
        _ => none,
    };
    let [from, to] = bounds;
    let (mut at, end) = (place(from, first), place(to, last));
    let mut taken = Vec::new();
    while step != 0 && if step < 0 { at > end } else { at < end } {
        taken.extend(usize::try_from(at).ok().and_then(|at| all.get(at)).cloned());
        at += step;
    }
    match value {
        Val::Text(_) => apply(Pure::JoinWith, &Args::of(vec![Val::text(""), Val::list(taken)])),
        _ => Val::list(taken),
    }
}

/// The secret variables in a text or a list: whatever is made of it holds a part of them.
pub(super) fn secret_in(value: &Val) -> Option<Val> {
    let mut found = Text::default();
    let mut marks = value.taint();
    collect(value, &mut found, &mut marks, &mut LOOKED.clone());
    (!found.pieces.is_empty()).then(|| Val::Text(Value::of([found], marks)))
}

/// The most values that are looked at in one.
const LOOKED: usize = 64;

fn collect(value: &Val, found: &mut Text, marks: &mut Taint, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    match value {
        Val::Text(text) => {
            let pieces = text.any.iter().take(4).flat_map(|text| &text.pieces);
            let is_secret = |piece: &&Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if is_secret_name(name));
            pieces.filter(is_secret).take(4).for_each(|piece| found.push(piece.clone()));
            *marks = marks.union(text.taint);
        }
        Val::List(list) => list.items.iter().take(16).for_each(|item| collect(item, found, marks, left)),
        Val::Table(table) => {
            table.entries.iter().take(16).for_each(|(_, item)| collect(item, found, marks, left))
        }
        _ => {}
    }
}

/// `token[:4]`, `token[-4:]`: enough to tell which one it is, and no more.
fn is_hint(bounds: &[Val]) -> bool {
    const LETTERS: i64 = 4;
    let open = |bound: &Val| matches!(bound, Val::Unknown(marks) if marks.is_empty());
    match bounds {
        [from, Val::Int(to)] if open(from) => (0..=LETTERS).contains(to),
        [Val::Int(from), Val::Int(to)] => (0..=LETTERS).contains(&to.saturating_sub(*from)),
        [Val::Int(from), to] if open(to) => (-LETTERS..0).contains(from),
        [Val::Int(from)] => (-LETTERS..0).contains(from),
        _ => false,
    }
}

/// An address against the one that it is relative to; that of a file is its path.
pub(super) fn address(own: &Value, base: Option<&Value>) -> Value {
    let joined = match (own.as_literal(), base.and_then(Value::as_literal)) {
        (Some(own), Some(base)) if !own.contains("://") => {
            let folder = base.rsplit_once('/').map_or(base, |(folder, _)| folder);
            Value::text(&format!("{folder}/{own}"))
        }
        _ => own.clone(),
    };
    match joined.as_literal().and_then(|text| text.strip_prefix("file://")) {
        Some(path) => Value::text(path).with_taint(joined.taint),
        None => joined,
    }
}

/// All folders above a path, the nearest first.
pub(super) fn parents(path: &Value) -> Val {
    let above = std::iter::successors(Some(parent(path)), |folder| Some(parent(folder)));
    Val::list(above.take(8).map(Val::Text).collect())
}

pub(super) fn integer(args: &Args) -> Val {
    let radix = match args.get(1) {
        Some(Val::Int(radix @ 2..=36)) => u32::try_from(*radix).unwrap_or(10),
        _ => 10,
    };
    let text = args.literal(0).unwrap_or_default();
    let digits = text.trim().trim_start_matches("0x");
    i64::from_str_radix(digits, radix).map_or_else(|_| Val::Unknown(args.taint()), Val::Int)
}

/// Does a pickle name something that runs? The module stands in its own line, or behind its length.
pub(super) fn is_calling_pickle(text: &str) -> bool {
    let modules = [
        "os",
        "posix",
        "nt",
        "subprocess",
        "builtins",
        "__builtin__",
        "sys",
        "pty",
        "shutil",
        "runpy",
        "importlib",
        "commands",
    ];
    modules.iter().any(|module| {
        let length = char::from(u8::try_from(module.len()).unwrap_or_default());
        text.contains(&format!("c{module}\n")) || text.contains(&format!("\u{8c}{length}{module}"))
    })
}

/// What is not known of a value any more, but that it is one.
pub(super) fn vague(value: &Val, marks: Taint) -> Val {
    match value {
        Val::Text(_) => Val::Text(Value::something(HoleSource::Input).with_taint(marks)),
        _ => Val::Unknown(marks),
    }
}

/// A list that many times over, as long as that is not long.
pub(super) fn repeated(items: &[Val], times: i64) -> Val {
    let length = usize::try_from(times).ok().map(|times| items.len().saturating_mul(times));
    match length.filter(|length| *length <= 64) {
        Some(length) => Val::list(items.iter().cloned().cycle().take(length).collect()),
        None => Val::many(items.to_vec()),
    }
}
