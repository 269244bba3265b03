//! Functions that only make values out of values: decoding, joining, paths.

use tollgate_shell::value::{HoleSource, Piece, Text, Value};

use super::value::{Args, Val};
use crate::analyst::taint;
use crate::commands::codecs;

/// What a function makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pure {
    /// Its first argument.
    Same,
    Trim,
    Lower,
    Upper,
    Reverse,
    /// A number to a character, or numbers to text.
    Chars,
    /// A character to its number.
    Code,
    /// A list, with blanks between.
    JoinSpaced,
    /// Separator and list.
    JoinWith,
    /// List and separator.
    JoinBy,
    Replace,
    Split,
    Lines,
    /// `"{} {}".format(a, b)`
    Braces,
    /// `sprintf("%s", a)`
    Printf,
    Base64,
    Hex,
    Rot13,
    /// By the name of the encoding.
    Codec,
    Percent,
    /// Something that was packed or encoded in a way that is not undone here.
    Unpacked,
    /// Texts one after the other.
    Concat,
    /// Arguments as a list.
    List,
    /// To a number.
    Int,
    /// The list itself, or the text's characters.
    ToList,
    JoinPaths,
    ExpandUser,
    /// Path and base.
    Absolute,
    /// Paths one below the other, absolute.
    Resolve,
    Parent,
    Base,
    Stem,
    /// Strips one way of quoting: `shlex.split`.
    ShellWords,
    /// Quotes for a shell.
    ShellQuote,
    /// Two tables or lists in one.
    Merge,
    Keys,
    Values,
    Entries,
    Last,
    First,
    Range,
    Repeat,
    /// A part of a text or a list, by its bounds.
    Slice,
    /// A list by a template: `["6c73"].pack("H*")`.
    Pack,
    /// Text by a template: `"bHM=".unpack("m")`.
    Unpack,
    /// The first of what that yields.
    UnpackOne,
    /// All its arguments, with blanks between.
    JoinArgs,
    /// Separator, then the items.
    JoinRest,
    /// All its arguments, the other way round; one text by its characters.
    ReverseAll,
    /// Separator and text.
    SplitBy,
    /// What, by what, and in which text.
    ReplaceIn,
    /// Template and values.
    PackFirst,
    /// Template and text.
    UnpackFirst,
    /// Text, start and length.
    Substring,
    /// Bytes: numbers, or text in an encoding.
    Buffer,
}

/// Makes a value.
pub(super) fn apply(what: Pure, args: &Args) -> Val {
    let marks = args.taint();
    let known = args.literal(0);
    let first = || args.get(0).cloned().unwrap_or_else(Val::unknown);
    let made = |text: Option<String>| match text {
        Some(text) => Val::Text(Value::text(&text).with_taint(marks)),
        None => Val::Unknown(marks),
    };
    match what {
        Pure::Same => first(),
        Pure::Trim => each_text(&first(), |text| text.trim().to_owned()),
        Pure::Lower => each_text(&first(), str::to_lowercase),
        Pure::Upper => each_text(&first(), str::to_uppercase),
        Pure::Reverse => match first() {
            Val::List(list) => Val::list(list.items.iter().rev().cloned().collect()),
            other => each_text(&other, |text| text.chars().rev().collect()),
        },
        Pure::Chars => made(characters(args)),
        Pure::Code => known
            .and_then(|text| text.chars().next())
            .map_or(Val::Unknown(marks), |c| Val::Int(i64::from(u32::from(c)))),
        Pure::JoinWith => join(&args.at(1, &[]), &args.text(0)),
        Pure::JoinSpaced => join(&first(), &Value::text(" ")),
        Pure::JoinBy => join(&first(), &args.get(1).map_or_else(Value::empty, Val::as_text)),
        Pure::Replace => match (known, args.literal(1), args.literal(2)) {
            (Some(text), Some(from), Some(to))
                if !from.is_empty() && text.len() * (to.len() + 1) < 1 << 20 =>
            {
                made(Some(text.replace(&from, &to)))
            }
            _ => vague(&first(), marks),
        },
        Pure::Split => split(args),
        Pure::Lines => match known {
            Some(text) => {
                Val::list(text.lines().map(|line| Val::Text(Value::text(line).with_taint(marks))).collect())
            }
            None => Val::many(vec![Val::Unknown(marks)]),
        },
        Pure::Braces => known
            .map_or(Val::Unknown(marks), |text| Val::Text(braces(&text, &args.skip(1)).with_taint(marks))),
        Pure::Printf => known.map_or(Val::Unknown(marks), |text| {
            let values: Vec<Val> = args.list.iter().skip(1).cloned().collect();
            Val::Text(printf(&text, &values).with_taint(marks))
        }),
        Pure::Base64 => decoded(known.as_deref().and_then(codecs::from_base64), args),
        Pure::Hex => decoded(known.as_deref().and_then(codecs::from_hex), args),
        Pure::Rot13 => made(known.map(|text| text.chars().map(rot13).collect())),
        Pure::Codec => match args.literal(1).unwrap_or_default().replace('_', "").as_str() {
            "rot13" | "rot-13" => apply(Pure::Rot13, args),
            "base64" => apply(Pure::Base64, args),
            "hex" | "hexcodec" => apply(Pure::Hex, args),
            "utf-8" | "utf8" | "ascii" | "" => first(),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::Percent => made(known.map(|text| unpercent(&text))),
        Pure::Unpacked => Val::Unknown(marks.union(taint::DECODED)),
        Pure::Concat => {
            Val::Text(args.list.iter().fold(Value::empty(), |all, value| all.concat(&value.as_text())))
        }
        Pure::List => Val::list(args.list.clone()),
        Pure::Int => integer(args),
        Pure::ToList => match first() {
            list @ Val::List(_) => list,
            Val::Text(text) => match text.as_literal() {
                Some(known) => Val::list(
                    known.chars().take(4096).map(|c| Val::text(c.encode_utf8(&mut [0; 4]))).collect(),
                ),
                None => Val::many(vec![Val::Text(text)]),
            },
            other => Val::many(vec![other.item()]),
        },
        Pure::JoinPaths => Val::Text(join_paths(&flat(args))),
        Pure::Parent => Val::Text(parent(&args.text(0))),
        Pure::Base => each_text(&first(), |path| base(path).to_owned()),
        Pure::Stem => each_text(&first(), |path| {
            base(path).rsplit_once('.').map_or(base(path), |(stem, _)| stem).to_owned()
        }),
        Pure::ShellWords => match known {
            Some(text) => Val::list(shell_words(&text).iter().map(|word| Val::text(word)).collect()),
            None => Val::many(vec![Val::Unknown(marks)]),
        },
        Pure::ShellQuote => match known {
            Some(text) => Val::text(&format!("'{}'", text.replace('\'', "'\\''"))),
            None => Val::Text(Value::text("'").concat(&args.text(0)).concat(&Value::text("'"))),
        },
        Pure::Merge => merge(args),
        Pure::Keys => match first() {
            Val::Table(table) => Val::list(table.entries.iter().map(|(key, _)| Val::text(key)).collect()),
            other => Val::many(vec![Val::Unknown(other.taint())]),
        },
        Pure::Values => Val::list(first().items()),
        Pure::Entries => match first() {
            Val::Table(table) => Val::list(
                table
                    .entries
                    .iter()
                    .map(|(key, value)| Val::list(vec![Val::text(key), value.clone()]))
                    .collect(),
            ),
            Val::List(list) => Val::many(vec![Val::list(vec![Val::unknown(), Val::List(list).item()])]),
            other => Val::many(vec![Val::Unknown(other.taint())]),
        },
        Pure::Last => match first() {
            Val::List(list) if !list.open => list.items.last().cloned().unwrap_or_else(Val::unknown),
            other => other.item(),
        },
        Pure::First => match first() {
            Val::List(list) if !list.open => list.items.first().cloned().unwrap_or_else(Val::unknown),
            other => other.item(),
        },
        Pure::Range => Val::many(vec![Val::unknown()]),
        Pure::Pack => match args.literal(1).unwrap_or_default().chars().next() {
            Some('c' | 'C' | 'U' | 'W') => made(characters(&Args::of(vec![first()]))),
            Some('H') => apply(Pure::Hex, &Args::of(first().items())),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::Unpack => Val::list(vec![apply(Pure::UnpackOne, args)]),
        Pure::UnpackOne => match args.literal(1).unwrap_or_default().chars().next() {
            Some('m') => apply(Pure::Base64, &Args::of(vec![first()])),
            Some('a' | 'A') => first(),
            _ => Val::Unknown(marks.union(taint::DECODED)),
        },
        Pure::JoinArgs => join(&Val::list(args.list.clone()), &Value::text(" ")),
        Pure::JoinRest => join(&flat_list(args, 1), &args.text(0)),
        Pure::ReverseAll => match args.list.as_slice() {
            [only] => apply(Pure::Reverse, &Args::of(vec![only.clone()])),
            _ => apply(Pure::Reverse, &Args::of(vec![flat_list(args, 0)])),
        },
        Pure::ReplaceIn => {
            apply(Pure::Replace, &Args::of(vec![args.at(2, &[]), args.at(0, &[]), args.at(1, &[])]))
        }
        Pure::SplitBy => split(&Args::of(vec![args.at(1, &[]), args.at(0, &[])])),
        Pure::PackFirst => match args.literal(0).unwrap_or_default().chars().next() {
            Some('H') => apply(Pure::Hex, &args.skip(1)),
            _ => apply(Pure::Pack, &Args::of(vec![flat_list(args, 1), args.at(0, &[])])),
        },
        Pure::UnpackFirst => match args.literal(0).unwrap_or_default().chars().next() {
            // `unpack "u"` is another encoding.
            Some('u' | 'm') => Val::Unknown(marks.union(taint::DECODED)),
            _ => Val::Unknown(marks),
        },
        Pure::Substring => match (args.get(1), args.get(2)) {
            (Some(Val::Int(from)), Some(Val::Int(length))) if *from >= 0 && *length >= 0 => {
                slice(&first(), &[Val::Int(*from), Val::Int(from.saturating_add(*length))])
            }
            (Some(Val::Int(from)), None) => slice(&first(), &[Val::Int(*from)]),
            _ => Val::Unknown(marks),
        },
        Pure::Slice => slice(&first(), args.list.get(1..).unwrap_or_default()),
        Pure::Buffer => match (args.get(0), args.literal(1).as_deref()) {
            (Some(Val::List(_)), _) => made(characters(args)),
            (_, Some("base64" | "base64url")) => apply(Pure::Base64, args),
            (_, Some("hex")) => apply(Pure::Hex, args),
            _ => first(),
        },
        Pure::Repeat => match (known, args.literal(1).and_then(|times| times.parse::<usize>().ok())) {
            (Some(text), Some(times)) if text.len() * times <= 4096 => made(Some(text.repeat(times))),
            _ => Val::Unknown(marks),
        },
        Pure::ExpandUser | Pure::Absolute | Pure::Resolve => first(),
    }
}

/// Changes every text that is known; the others stay unknown.
fn each_text(value: &Val, change: impl Fn(&str) -> String) -> Val {
    match value {
        Val::Text(texts) if texts.is_known() => {
            let changed = texts.literals().map(|text| Text::literal(&change(text))).collect::<Vec<_>>();
            Val::Text(Value::of(changed, texts.taint))
        }
        Val::Text(texts) => Val::Text(Value::something(HoleSource::Input).with_taint(texts.taint)),
        other => other.clone(),
    }
}

fn vague(value: &Val, marks: tollgate_shell::value::Taint) -> Val {
    match value {
        Val::Text(_) => Val::Text(Value::something(HoleSource::Input).with_taint(marks)),
        _ => Val::Unknown(marks),
    }
}

/// Numbers, one by one or in a list, to text.
fn characters(args: &Args) -> Option<String> {
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

fn join(list: &Val, between: &Value) -> Val {
    let Val::List(items) = list else {
        return Val::Text(Value::something(HoleSource::Input).with_taint(list.taint()));
    };
    if items.open {
        return Val::Text(Value::something(HoleSource::Input).with_taint(list.taint()));
    }
    let texts = items.items.iter().map(Val::as_text);
    let known: Option<Vec<String>> = items.items.iter().map(Val::literal).collect();
    if let (Some(known), Some(between)) = (known, between.as_literal()) {
        return Val::Text(Value::text(&known.join(between)).with_taint(list.taint()));
    }
    Val::Text(
        texts
            .take(256)
            .reduce(|left, right| left.concat(between).concat(&right))
            .unwrap_or_else(Value::empty),
    )
}

/// The arguments after the first ones, lists in them taken apart.
fn flat_list(args: &Args, skip: usize) -> Val {
    let items = args.list.iter().skip(skip).flat_map(|value| match value {
        Val::List(list) => list.items.clone(),
        other => vec![other.clone()],
    });
    let open = args.list.iter().skip(skip).any(|value| matches!(value, Val::List(list) if list.open));
    if open { Val::many(items.collect()) } else { Val::list(items.collect()) }
}

fn split(args: &Args) -> Val {
    let marks = args.taint();
    let Some(text) = args.literal(0) else { return Val::many(vec![Val::Unknown(marks)]) };
    let parts: Vec<Val> = match args.get(1).map(Val::literal) {
        None => text.split_whitespace().map(Val::text).collect(),
        Some(Some(mark)) if mark.is_empty() => {
            text.chars().map(|c| Val::text(c.encode_utf8(&mut [0; 4]))).collect()
        }
        Some(Some(mark)) => text.split(mark.as_str()).map(Val::text).collect(),
        Some(None) => return Val::many(vec![Val::Unknown(marks)]),
    };
    Val::list(parts)
}

/// What was decoded, or the mark that something was.
fn decoded(bytes: Option<Vec<u8>>, args: &Args) -> Val {
    let marks = args.taint();
    match bytes.and_then(text_of) {
        Some(text) => Val::Text(Value::text(&text).with_taint(marks)),
        None => Val::Unknown(marks.union(taint::DECODED)),
    }
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

fn rot13(c: char) -> char {
    let turn = |c: char, first: u8| char::from((u8::try_from(c).unwrap_or(first) - first + 13) % 26 + first);
    match c {
        'a'..='z' => turn(c, b'a'),
        'A'..='Z' => turn(c, b'A'),
        other => other,
    }
}

fn unpercent(text: &str) -> String {
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

fn integer(args: &Args) -> Val {
    let radix = match args.get(1) {
        Some(Val::Int(radix @ 2..=36)) => u32::try_from(*radix).unwrap_or(10),
        _ => 10,
    };
    let text = args.literal(0).unwrap_or_default();
    let digits = text.trim().trim_start_matches("0x");
    i64::from_str_radix(digits, radix).map_or_else(|_| Val::Unknown(args.taint()), Val::Int)
}

fn flat(args: &Args) -> Vec<Value> {
    args.list
        .iter()
        .flat_map(|value| match value {
            Val::List(list) => list.items.clone(),
            other => vec![other.clone()],
        })
        .take(64)
        .map(|value| value.as_text())
        .collect()
}

/// Paths one below the other; an absolute one begins anew.
pub(super) fn join_paths(paths: &[Value]) -> Value {
    let mut whole = Value::empty();
    for path in paths {
        let absolute = path.any.iter().all(|text| text.prefix().starts_with('/'));
        let ends = whole.is_empty() || whole.any.iter().all(|text| text.suffix().ends_with('/'));
        whole = match (absolute, ends) {
            (true, _) => path.clone().with_taint(whole.taint),
            (false, true) => whole.concat(path),
            (false, false) => whole.concat(&Value::text("/")).concat(path),
        };
    }
    whole
}

/// `~` and `~/x` with the home directory.
pub(super) fn expand_user(path: &Value, home: &str) -> Value {
    path.map(|text| match text.prefix().strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let mut expanded = Text::literal(home);
            expanded.push_str(rest);
            text.pieces.iter().skip(1).for_each(|piece| expanded.push(piece.clone()));
            expanded
        }
        _ => text.clone(),
    })
}

/// The folder a path lies in.
pub(super) fn parent(path: &Value) -> Value {
    path.map(|text| {
        let mut pieces = text.pieces.clone();
        while let Some(last) = pieces.pop() {
            if let Piece::Text(known) = last {
                let trimmed =
                    if pieces.is_empty() && known.len() > 1 { known.trim_end_matches('/') } else { &known };
                if let Some((folder, _)) = trimmed.rsplit_once('/') {
                    let folder = if folder.is_empty() && pieces.is_empty() { "/" } else { folder };
                    let mut kept = Text { pieces };
                    kept.push_str(folder);
                    return kept;
                }
            }
        }
        Text::literal(".")
    })
}

fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// `"{} and {name}".format(…)`
fn braces(text: &str, args: &Args) -> Value {
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
            Some(value) => value.as_text(),
            None => Value::unknown(HoleSource::Input),
        });
        rest = after.get(at + verb.len() + usize::from(named)..).unwrap_or_default();
    }
    whole.concat(&Value::text(rest))
}

/// A text as a shell splits it into words, without expansions.
fn shell_words(text: &str) -> Vec<String> {
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

fn merge(args: &Args) -> Val {
    let tables = args.list.iter().filter_map(|value| match value {
        Val::Table(table) => Some(table.entries.clone()),
        _ => None,
    });
    let mut entries: Vec<_> = tables.flatten().collect();
    entries.extend(args.named.iter().cloned());
    let lists: Vec<Val> =
        args.list.iter().filter(|value| matches!(value, Val::List(_))).flat_map(Val::items).collect();
    if args.list.iter().any(|value| matches!(value, Val::Unknown(_) | Val::Object(_))) {
        return Val::Unknown(args.taint());
    }
    if lists.is_empty() { Val::table(entries) } else { Val::list(lists) }
}

/// `text[a:b]`, `text[::-1]`; a bound that is not given is unknown.
pub(super) fn slice(value: &Val, bounds: &[Val]) -> Val {
    let marks = value.taint();
    if let [_, _, Val::Int(-1)] = bounds {
        return apply(Pure::Reverse, &Args::of(vec![value.clone()]));
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
