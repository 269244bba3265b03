//! What the operators of `${…}` do to one text. `None` when holes keep the result from being known.

use super::echo::{Escapes, quoted, unescaped};
use super::pattern::{Fuel, Pattern};
use super::state::List;
use crate::ast::ReplaceAnchor;
use crate::value::{Hole, Piece, Text, Value};

/// Text longer than this is not matched against patterns.
const LONG: usize = 1 << 16;

pub(super) fn trimmed(text: &Text, pattern: &Pattern, suffix: bool, longest: bool) -> Option<Text> {
    if let Some(known) = text.as_literal() {
        return trim_known(known, pattern, suffix, longest).map(|rest| Text::literal(&rest));
    }
    if let Some(part) = part_of_path(text, pattern, suffix, longest) {
        return Some(part);
    }
    // The shortest match may lie within the known end; the longest may reach into the hole.
    if longest {
        return None;
    }
    let edge = if suffix { text.suffix() } else { text.prefix() };
    let rest = trim_known(edge, pattern, suffix, false)?;
    if rest.len() == edge.len() {
        return None;
    }
    let mut pieces = text.pieces.clone();
    let end = if suffix { pieces.last_mut() } else { pieces.first_mut() }?;
    *end = Piece::text(&rest);
    let filled = |piece: &&Piece| !matches!(piece, Piece::Text(text) if text.is_empty());
    Some(Text { pieces: pieces.iter().filter(filled).cloned().collect() })
}

/// `${path##*/}` and `${path%/*}` where some names of the path are patterns: those hold no `/`.
fn part_of_path(text: &Text, pattern: &Pattern, suffix: bool, longest: bool) -> Option<Text> {
    let is_name = |piece: &Piece| match piece {
        Piece::Text(_) => true,
        Piece::Glob(glob) => !glob.contains('/') && !glob.contains("**"),
        Piece::Hole(_) => false,
    };
    let wanted = if suffix { pattern.is_name() && !longest } else { pattern.is_folder() && longest };
    let pieces = text.pieces.as_slice();
    if !wanted || !pieces.iter().all(is_name) {
        return None;
    }
    let at = pieces.iter().rposition(|piece| matches!(piece, Piece::Text(known) if known.contains('/')))?;
    let (before, rest) = pieces.split_at_checked(at)?;
    let (Piece::Text(known), behind) = rest.split_first()? else { return None };
    let (folder, name) = known.rsplit_once('/')?;
    let mut part = Text::default();
    if suffix {
        before.iter().for_each(|piece| part.push(piece.clone()));
        part.push_str(folder);
    } else {
        part.push_str(name);
        behind.iter().for_each(|piece| part.push(piece.clone()));
    }
    Some(part)
}

fn trim_known(known: &str, pattern: &Pattern, suffix: bool, longest: bool) -> Option<String> {
    if let Some(literal) = pattern.as_literal() {
        let rest = if suffix { known.strip_suffix(&*literal) } else { known.strip_prefix(&*literal) };
        return Some(rest.unwrap_or(known).to_owned());
    }
    if known.len() > LONG {
        return None;
    }
    let chars: Vec<char> = known.chars().collect();
    let mut fuel = Fuel::default();
    let hit = if suffix {
        pattern.suffix(&chars, longest, &mut fuel)
    } else {
        pattern.prefix(&chars, longest, &mut fuel)
    };
    Some(match hit? {
        None => known.to_owned(),
        Some(at) if suffix => chars.iter().take(at).collect(),
        Some(at) => chars.iter().skip(at).collect(),
    })
}

/// With `hits`, `&` in the replacement is what was found.
pub(super) fn replaced(
    text: &Text,
    pattern: &Pattern,
    anchor: ReplaceAnchor,
    with: &Text,
    hits: bool,
) -> Option<Text> {
    if let Some(known) = text.as_literal() {
        return replace_known(known, pattern, anchor, with, hits);
    }
    // One character at a time does not care where holes begin; the holes themselves may change.
    if anchor != ReplaceAnchor::All || !pattern.is_one_char() {
        return None;
    }
    let mut result = Text::default();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) => result.append(&replace_known(known, pattern, anchor, with, hits)?),
            Piece::Hole(hole) => result.push(Piece::Hole(Hole { nonempty: false, ..hole.clone() })),
            Piece::Glob(_) => return None,
        }
    }
    Some(result)
}

fn replace_known(
    known: &str,
    pattern: &Pattern,
    anchor: ReplaceAnchor,
    with: &Text,
    hits: bool,
) -> Option<Text> {
    let put = |found: &[char]| match with.as_literal().filter(|_| hits) {
        Some(with) => Text::literal(&with.replace('&', &found.iter().collect::<String>())),
        None => with.clone(),
    };
    if known.len() > LONG {
        return None;
    }
    let chars: Vec<char> = known.chars().collect();
    let mut fuel = Fuel::default();
    let mut result = Text::default();
    let mut plain = String::new();
    let mut at = 0;
    if anchor == ReplaceAnchor::End {
        let start = pattern.suffix(&chars, true, &mut fuel)?;
        result.push_str(&chars.iter().take(start.unwrap_or(chars.len())).collect::<String>());
        if let Some(start) = start {
            result.append(&put(chars.get(start..).unwrap_or_default()));
        }
        return Some(result);
    }
    while at < chars.len() || at == 0 && anchor == ReplaceAnchor::Start {
        let rest = chars.get(at..).unwrap_or_default();
        let hit = pattern.prefix(rest, true, &mut fuel)?;
        match hit.filter(|length| *length > 0 || anchor == ReplaceAnchor::Start) {
            Some(length) => {
                result.push_str(&plain);
                plain.clear();
                result.append(&put(rest.get(..length).unwrap_or_default()));
                at += length;
            }
            None => {
                plain.extend(chars.get(at));
                at += 1;
            }
        }
        let done = match anchor {
            ReplaceAnchor::All => false,
            ReplaceAnchor::First => hit.is_some_and(|length| length > 0),
            _ => true,
        };
        if done {
            break;
        }
    }
    plain.extend(chars.iter().skip(at));
    result.push_str(&plain);
    Some(result)
}

pub(super) fn sliced(text: &Text, offset: Option<i64>, length: Option<Option<i64>>) -> Option<Text> {
    let offset = offset?;
    let length = match length {
        Some(length) => Some(length?),
        None => None,
    };
    if let Some(known) = text.as_literal() {
        let chars: Vec<char> = known.chars().collect();
        let (start, end) = bounds(chars.len(), offset, length);
        let cut: String = chars.get(start..end).unwrap_or_default().iter().collect();
        return Some(Text::literal(&cut));
    }
    // Within the known start nothing depends on the holes.
    let head: Vec<char> = text.prefix().chars().collect();
    let (start, length) = (usize::try_from(offset).ok()?, length.map(usize::try_from).transpose().ok()?);
    let end = start.checked_add(length?)?;
    Some(Text::literal(&head.get(start..end)?.iter().collect::<String>()))
}

/// Start and end of `${x:offset:length}` in something of this size; empty when out of range.
fn bounds(size: usize, offset: i64, length: Option<i64>) -> (usize, usize) {
    let total = i64::try_from(size).unwrap_or(i64::MAX);
    let start = if offset < 0 { total.saturating_add(offset) } else { offset };
    let end = match length {
        None => total,
        Some(length @ ..0) => total.saturating_add(length),
        Some(length) => start.saturating_add(length).min(total),
    };
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(start), Ok(end)) if start <= end && end <= size => (start, end),
        _ => (0, 0),
    }
}

pub(super) fn slice_list(
    list: &List,
    offset: Option<i64>,
    length: Option<Option<i64>>,
    zero: Option<&Value>,
) -> List {
    let length = match length {
        Some(None) => None,
        Some(Some(length)) => Some(Some(length)),
        None => Some(None),
    };
    let (Some(offset), Some(length), None) = (offset, length, &list.others) else {
        return List::open(Vec::new(), list.values());
    };
    let items: Vec<&Value> = zero.into_iter().chain(&list.items).collect();
    // A pattern stands for any number of names.
    if items.iter().any(|item| item.any.iter().any(Text::has_globs)) {
        return List::open(Vec::new(), list.values());
    }
    let (start, end) = bounds(items.len(), offset, length);
    let items = items.get(start..end).unwrap_or_default();
    List::known(items.iter().copied().cloned().collect())
}

pub(super) fn recased(text: &Text, upper: bool, all: bool, pattern: Option<&Pattern>) -> Text {
    let mut first = true;
    let mut fuel = Fuel::default();
    let mut result = Text::default();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) => {
                let mut changed = String::new();
                for c in known.chars() {
                    let hit =
                        pattern.is_none_or(|pattern| pattern.matches_chars(&[c], &mut fuel) == Some(true));
                    match (hit && (all || first), upper) {
                        (true, true) => changed.extend(c.to_uppercase()),
                        (true, false) => changed.extend(c.to_lowercase()),
                        (false, _) => changed.push(c),
                    }
                    first = false;
                }
                result.push_str(&changed);
            }
            piece => {
                first = false;
                result.push(piece.clone());
            }
        }
    }
    result
}

pub(super) fn transformed(text: &Text, letter: char) -> Option<Text> {
    match letter {
        'U' => return Some(recased(text, true, true, None)),
        'L' => return Some(recased(text, false, true, None)),
        'u' => return Some(recased(text, true, false, None)),
        _ => {}
    }
    let known = text.as_literal()?;
    match letter {
        'Q' => Some(Text::literal(&quoted(known))),
        'E' => Some(Text::literal(&unescaped(known, Escapes::AnsiC).0)),
        _ => None,
    }
}
