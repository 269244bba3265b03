//! Texts that are known in part, as the session remembers them: a list of what a walk finds, a file with a secret in it.

use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use crate::secret_names::is_secret_name;
use crate::taint;

/// The most that is written down of one.
const LONGEST: usize = 1 << 10;
/// The most ways in which it may come out.
const WAYS: usize = 4;

const BETWEEN_TEXTS: char = '\u{1e}';
const BETWEEN_PIECES: char = '\u{1f}';
const SECRET: &str = "s";
const PLAIN: &str = "p";

/// Writes down what is known of a text; `None` when that is everything, or nothing that a later call would be judged by.
pub(crate) fn written(value: &Value) -> Option<String> {
    let pieces = || value.any.iter().flat_map(|text| &text.pieces);
    let secret = taint::has(value.taint, taint::SECRET) || pieces().any(is_secret);
    let other = taint::has(value.taint, taint::NET) || taint::has(value.taint, taint::DECODED);
    let names_places = value.any.iter().any(|text| text.prefix().starts_with(['/', '.', '~']));
    if value.is_known() || other || value.any.len() > WAYS || !(secret || names_places) {
        return None;
    }
    let mut shape = if secret { SECRET } else { PLAIN }.to_owned();
    for text in &value.any {
        shape.push(BETWEEN_TEXTS);
        for piece in &text.pieces {
            shape.push(BETWEEN_PIECES);
            let (tag, known) = piece_parts(piece);
            if known.contains([BETWEEN_TEXTS, BETWEEN_PIECES]) {
                return None;
            }
            shape.push(tag);
            shape.push_str(known);
        }
    }
    (shape.len() <= LONGEST).then_some(shape)
}

/// Reads what `written` wrote.
pub(crate) fn read(shape: &str) -> Option<Value> {
    let (mark, texts) = shape.split_once(BETWEEN_TEXTS)?;
    let marks = if mark == SECRET { taint::SECRET } else { tollgate_shell::value::Taint::NONE };
    let texts = texts.split(BETWEEN_TEXTS).map(|text| {
        let mut whole = Text::default();
        text.split(BETWEEN_PIECES).filter_map(piece).for_each(|piece| whole.push(piece));
        whole
    });
    Some(Value::of(texts, marks.union(taint::FILE)))
}

fn is_secret(piece: &Piece) -> bool {
    matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if is_secret_name(name))
}

fn piece_parts(piece: &Piece) -> (char, &str) {
    match piece {
        Piece::Text(text) => ('t', text),
        Piece::Glob(glob) => ('g', glob),
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => ('v', name),
        Piece::Hole(Hole { nonempty: true, .. }) => ('H', ""),
        Piece::Hole(_) => ('h', ""),
    }
}

fn piece(text: &str) -> Option<Piece> {
    let mut chars = text.chars();
    let tag = chars.next()?;
    let known = chars.as_str();
    Some(match tag {
        't' => Piece::text(known),
        'g' => Piece::Glob(known.into()),
        'v' => Piece::Hole(Hole::new(HoleSource::Variable(known.into()))),
        'H' => Piece::Hole(Hole::nonempty(HoleSource::Output)),
        'h' => Piece::Hole(Hole::new(HoleSource::Output)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollgate_shell::value::Taint;

    #[test]
    fn what_is_known_in_part_is_read_back() {
        let mut found = Text::literal("/home/user/");
        found.push(Piece::Hole(Hole::nonempty(HoleSource::Output)));
        let mut token = Text::literal("T=");
        token.push(Piece::Hole(Hole::new(HoleSource::Variable("GITHUB_TOKEN".into()))));
        for (text, marks) in [(found, Taint::NONE), (token, taint::SECRET)] {
            let value = Value::of([text], marks);
            let shape = written(&value).expect("it is worth remembering");
            let back = read(&shape).expect("it is read back");
            assert_eq!((back.any, back.taint), (value.any, marks.union(taint::FILE)));
        }
    }

    #[test]
    fn what_tells_nothing_is_not_written_down() {
        let hole = Value::unknown(HoleSource::Output);
        for value in [Value::text("/known"), hole.clone(), Value::text("built ").concat(&hole)] {
            assert_eq!(written(&value), None);
        }
        assert_eq!(read(""), None);
    }
}
