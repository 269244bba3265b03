//! Functions that only make values out of values: decoding, joining, paths.

use tollgate_shell::value::{HoleSource, Piece, Text, Value};

use super::data::{beside_path, codes, json, merge, pair, partition, zip};
use super::lists;
use super::text::{
    address, braces, characters, dedented, each_line, each_name, each_text, ends, integer, letters, parents,
    printf, relative, shell_words, slice, suffix, vague, without_start,
};
use super::value::{Args, Val, is_listing};

/// What a function makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pure {
    /// Its first argument.
    Same,
    /// The same items in a list or table of its own.
    Copy,
    /// The same, and so for all that is in it.
    CopyWhole,
    /// The same, as a part and not a function.
    Itself,
    Trim,
    /// Without the blanks that all its lines begin with.
    Dedent,
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
    /// Text, letters, and what they become.
    Letters,
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
    /// All folders above, the nearest first.
    Parents,
    /// An address, and the one that it is relative to; that of a file is its path.
    Address,
    Base,
    /// How a name ends: `.x`.
    Suffix,
    /// A path without its ending, and that.
    Ends,
    Stem,
    /// Path, and the folder that it is seen from.
    Relative,
    /// Strips one way of quoting: `shlex.split`.
    ShellWords,
    /// Quotes for a shell.
    ShellQuote,
    /// Two tables or lists in one.
    Merge,
    Keys,
    Values,
    /// Pairs of names and values to a table.
    Table,
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
    /// The first items of all lists, then the second ones.
    Zip,
    /// One item of a list, or one of the arguments.
    Pick,
    /// Whatever a pattern picks from a text.
    Fragments,
    /// What JSON says.
    Json,
    /// A path with another last name, or another ending.
    WithName,
    WithSuffix,
    /// What stands before a mark, the mark, and what stands after it.
    Partition,
    /// Without what it begins with.
    Prefix,
}

/// Makes a value.
pub(super) fn apply(what: Pure, args: &Args) -> Val {
    let made = texts(what, args)
        .or_else(|| lists(what, args))
        .or_else(|| codes(what, args))
        .or_else(|| paths(what, args));
    made.unwrap_or_else(|| first(args))
}

pub(super) fn first(args: &Args) -> Val {
    args.get(0).cloned().unwrap_or_else(Val::unknown)
}

/// A text that was made of the arguments.
pub(super) fn made(text: Option<String>, args: &Args) -> Val {
    match text {
        Some(text) => Val::Text(Value::text(&text).with_taint(args.taint())),
        None => Val::Unknown(args.taint()),
    }
}

/// Functions of text.
fn texts(what: Pure, args: &Args) -> Option<Val> {
    let marks = args.taint();
    let known = args.literal(0);
    Some(match what {
        Pure::Trim => each_line(&first(args), |text| text.trim().to_owned()),
        Pure::Dedent => each_text(&first(args), dedented),
        Pure::Lower => each_text(&first(args), str::to_lowercase),
        Pure::Upper => each_text(&first(args), str::to_uppercase),
        Pure::Chars => made(characters(args), args),
        Pure::Code => known
            .and_then(|text| text.chars().next())
            .map_or(Val::Unknown(marks), |c| Val::Int(i64::from(u32::from(c)))),
        Pure::Replace => match (known, args.literal(1), args.literal(2)) {
            (Some(text), Some(from), Some(to))
                if !from.is_empty() && text.len() * (to.len() + 1) < 1 << 20 =>
            {
                made(Some(text.replace(&from, &to)), args)
            }
            _ => vague(&first(args), marks),
        },
        Pure::Letters => match (args.literal(1), args.literal(2)) {
            (Some(from), Some(to)) => each_text(&first(args), |text| letters(text, &from, &to)),
            _ => vague(&first(args), marks),
        },
        Pure::Braces => known
            .map_or(Val::Unknown(marks), |text| Val::Text(braces(&text, &args.skip(1)).with_taint(marks))),
        Pure::Printf => known.map_or(Val::Unknown(marks), |text| {
            let values: Vec<Val> = args.list.iter().skip(1).cloned().collect();
            Val::Text(printf(&text, &values).with_taint(marks))
        }),
        Pure::Concat if matches!(args.get(0), Some(Val::List(_))) => joined_lists(args),
        Pure::Concat => {
            Val::Text(args.list.iter().fold(Value::empty(), |all, value| all.concat(&value.as_text())))
        }
        Pure::Int => integer(args),
        Pure::ShellQuote => match known {
            Some(text) => Val::text(&format!("'{}'", text.replace('\'', "'\\''"))),
            None => Val::Text(Value::text("'").concat(&args.text(0)).concat(&Value::text("'"))),
        },
        Pure::ReplaceIn => {
            apply(Pure::Replace, &Args::of(vec![args.at(2, &[]), args.at(0, &[]), args.at(1, &[])]))
        }
        Pure::Substring => match (args.get(1), args.get(2)) {
            (Some(Val::Int(from)), Some(Val::Int(length))) if *from >= 0 && *length >= 0 => {
                slice(&first(args), &[Val::Int(*from), Val::Int(from.saturating_add(*length))])
            }
            (Some(Val::Int(from)), None) => slice(&first(args), &[Val::Int(*from)]),
            _ => Val::Unknown(marks),
        },
        Pure::Slice => slice(&first(args), args.list.get(1..).unwrap_or_default()),
        Pure::Repeat => match (known, args.literal(1).and_then(|times| times.parse::<usize>().ok())) {
            (Some(text), Some(times)) if text.len() * times <= 4096 => made(Some(text.repeat(times)), args),
            _ => Val::Unknown(marks),
        },
        _ => return parts(what, args),
    })
}

/// Lists, and single items among them, one after the other.
fn joined_lists(args: &Args) -> Val {
    let open = args.list.iter().any(|value| !matches!(value, Val::List(list) if !list.open));
    let items = args.list.iter().flat_map(Val::items_or_self).collect();
    if open { Val::many(items) } else { Val::list(items) }
}

/// Functions that take a text apart.
fn parts(what: Pure, args: &Args) -> Option<Val> {
    Some(match what {
        Pure::Partition => partition(args),
        Pure::Prefix => match args.literal(1) {
            Some(prefix) => without_start(&first(args), &prefix),
            None => vague(&first(args), args.taint()),
        },
        _ => return None,
    })
}

/// Functions of lists and tables.
fn lists(what: Pure, args: &Args) -> Option<Val> {
    let marks = args.taint();
    let known = args.literal(0);
    Some(match what {
        Pure::Reverse => match first(args) {
            Val::List(list) => Val::list(list.items.iter().rev().cloned().collect()),
            other => each_text(&other, |text| text.chars().rev().collect()),
        },
        // What is joined may stand in a list, or side by side.
        Pure::JoinWith if args.list.len() > 2 && matches!(args.get(1), Some(Val::Text(_))) => {
            join(&Val::list(args.skip(1).list), &args.text(0))
        }
        Pure::JoinWith => join(&args.at(1, &[]), &args.text(0)),
        Pure::JoinSpaced => join(&first(args), &Value::text(" ")),
        Pure::JoinBy => match first(args) {
            // `Pathname#join`
            Val::Text(_) => Val::Text(join_paths(&flat(args))),
            list => join(&list, &args.get(1).map_or_else(Value::empty, Val::as_text)),
        },
        Pure::Split => split(args),
        Pure::Lines => match known {
            Some(text) => {
                Val::list(text.lines().map(|line| Val::Text(Value::text(line).with_taint(marks))).collect())
            }
            None => Val::many(vec![line_of(&first(args))]),
        },
        Pure::List => Val::list(args.list.clone()),
        Pure::Copy => first(args).copied(),
        Pure::CopyWhole => first(args).copied_whole(),
        Pure::ToList => match first(args) {
            list @ Val::List(_) => list.copied(),
            Val::Text(text) => match text.as_literal() {
                Some(known) => Val::list(
                    known.chars().take(4096).map(|c| Val::text(c.encode_utf8(&mut [0; 4]))).collect(),
                ),
                None => Val::many(vec![Val::Text(text)]),
            },
            other => Val::many(vec![other.item()]),
        },
        Pure::ShellWords => match known {
            Some(text) => Val::list(shell_words(&text).iter().map(|word| Val::text(word)).collect()),
            None => Val::many(vec![Val::Unknown(marks)]),
        },
        _ => return tables(what, args),
    })
}

/// Functions of tables, and of a list's ends.
fn tables(what: Pure, args: &Args) -> Option<Val> {
    Some(match what {
        Pure::Merge => merge(args),
        Pure::Table if args.list.is_empty() => Val::table(args.named.clone()),
        Pure::Zip => zip(args),
        Pure::Pick => match args.list.as_slice() {
            [one] | [one, Val::Name(_)] => one.item(),
            several => several.iter().cloned().reduce(|all, item| all.union(&item)).unwrap_or_default(),
        },
        Pure::Fragments => {
            Val::many(vec![lists::fragments(&args.get(1).or(args.get(0)).cloned().unwrap_or_default())])
        }
        Pure::Json => json(args),
        Pure::Table => match first(args) {
            Val::List(list) => Val::table(list.items.iter().filter_map(pair).collect()),
            other => other,
        },
        Pure::Keys => match first(args) {
            Val::Table(table) => Val::list(table.entries.iter().map(|(key, _)| Val::text(key)).collect()),
            other => Val::many(vec![Val::Unknown(other.taint())]),
        },
        Pure::Values => Val::list(first(args).items()),
        Pure::Entries => match first(args) {
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
        Pure::Last => match first(args) {
            Val::List(list) if !list.open => list.items.last().cloned().unwrap_or_else(Val::unknown),
            other => other.item(),
        },
        Pure::First => match first(args) {
            Val::List(list) if !list.open => list.items.first().cloned().unwrap_or_else(Val::unknown),
            other => other.item(),
        },
        Pure::Range => Val::many(vec![Val::unknown()]),
        Pure::JoinArgs => join(&Val::list(args.list.clone()), &Value::text(" ")),
        Pure::JoinRest => join(&flat_list(args, 1), &args.text(0)),
        Pure::ReverseAll => match args.list.as_slice() {
            [only] => apply(Pure::Reverse, &Args::of(vec![only.clone()])),
            _ => apply(Pure::Reverse, &Args::of(vec![flat_list(args, 0)])),
        },
        Pure::SplitBy => split(&Args::of(vec![args.at(1, &[]), args.at(0, &[])])),
        _ => return None,
    })
}

/// Functions of paths.
fn paths(what: Pure, args: &Args) -> Option<Val> {
    Some(match what {
        Pure::JoinPaths => Val::Text(join_paths(&flat(args))),
        Pure::Parent => Val::Text(parent(&args.text(0))),
        Pure::Relative => relative(args),
        Pure::Parents => parents(&args.text(0)),
        Pure::Address => Val::Text(address(&args.text(0), args.get(1).map(Val::as_text).as_ref())),
        Pure::WithName => beside_path(args, |_| String::new()),
        Pure::WithSuffix => beside_path(args, |name| stem(name).to_owned()),
        Pure::Base => each_name(&first(args), |path| base(path).to_owned()),
        Pure::Suffix => each_text(&first(args), suffix),
        Pure::Ends => ends(&first(args)),
        Pure::Stem => each_name(&first(args), |path| stem(base(path)).to_owned()),
        _ => return None,
    })
}

fn join(list: &Val, between: &Value) -> Val {
    // A text is the list of its characters.
    if let (Val::Text(_), Some(text), Some(between)) = (list, list.literal(), between.as_literal()) {
        let known: Vec<String> = text.chars().take(4096).map(String::from).collect();
        return Val::Text(Value::text(&known.join(between)).with_taint(list.taint()));
    }
    // What a program printed stays what it is, in lines or in a row.
    if let Val::Text(_) = list {
        return list.clone();
    }
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
pub(super) fn flat_list(args: &Args, skip: usize) -> Val {
    let items = args.list.iter().skip(skip).flat_map(|value| match value {
        Val::List(list) => list.items.clone(),
        other => vec![other.clone()],
    });
    let open = args.list.iter().skip(skip).any(|value| matches!(value, Val::List(list) if list.open));
    if open { Val::many(items.collect()) } else { Val::list(items.collect()) }
}

fn split(args: &Args) -> Val {
    let marks = args.taint();
    let Some(text) = args.literal(0) else {
        // A listing is made of lines; what other marks part is no name of it any more.
        let lines = args.get(1).is_none_or(|mark| mark.literal().is_some_and(|mark| mark.trim().is_empty()));
        let part = if lines { line_of(&first(args)) } else { vague(&first(args), marks) };
        return Val::many(vec![part]);
    };
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

/// One of the lines of a text that is not known in full.
fn line_of(value: &Val) -> Val {
    match value {
        Val::Text(text) if is_listing(text) => Val::Text(text.map(Text::trim_newlines)),
        other => Val::Unknown(other.taint()),
    }
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

/// A name without its ending; what follows a dot at the very start is none.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn base(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}
