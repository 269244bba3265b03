//! Parts of the name of a file, for the marks that `parallel` and `fd` know.

use tollgate_shell::value::{Hole, HoleSource, Text};

use crate::word::Word;

/// Without what stands behind the last point of the name.
pub(super) fn stem(file: &Word) -> Word {
    let suffix = file.text.suffix();
    let end = suffix.rfind('.').filter(|at| !suffix.get(*at..).unwrap_or_default().contains('/'));
    file.without_end(end.map_or(0, |at| suffix.len() - at))
}

/// What stands behind the last `/`.
pub(super) fn name(file: &Word) -> Word {
    let suffix = file.text.suffix();
    match suffix.rsplit_once('/') {
        Some((_, name)) => Word { text: Text::literal(name), ..file.clone() },
        None if file.literal().is_some() => file.clone(),
        None => Word { text: Text::hole(Hole::new(HoleSource::Output)), ..file.clone() },
    }
}

/// What stands before the last `/`.
pub(super) fn folder(file: &Word) -> Word {
    let suffix = file.text.suffix();
    match suffix.rfind('/') {
        Some(at) => file.without_end(suffix.len() - at),
        None if file.literal().is_some() => Word::literal_at(".", file.span),
        // The file lies somewhere below what is known.
        None => file.clone(),
    }
}
