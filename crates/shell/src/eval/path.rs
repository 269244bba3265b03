//! Paths with holes, made absolute and tidy by their text alone.

use crate::value::{Piece, Text, Value};

/// Every path against every directory.
pub(super) fn resolve(cwd: &Value, path: &Value) -> Value {
    against(cwd, path, tidy)
}

/// The same, with the paths as they are spelled.
pub(super) fn absolute(cwd: &Value, path: &Value) -> Value {
    against(cwd, path, Text::clone)
}

fn against(cwd: &Value, path: &Value, shape: fn(&Text) -> Text) -> Value {
    let absolute = path.any.iter().flat_map(|text| {
        let base = if is_absolute(text) { std::slice::from_ref(text) } else { cwd.any.as_slice() };
        base.iter().map(
            move |directory| if is_absolute(text) { shape(text) } else { shape(&under(directory, text)) },
        )
    });
    Value::of(absolute, path.taint)
}

/// Starts with `/`, or with something unknown that may.
fn is_absolute(text: &Text) -> bool {
    match text.pieces.first() {
        Some(Piece::Text(first)) => first.starts_with('/'),
        Some(Piece::Hole(_)) => true,
        Some(Piece::Glob(_)) | None => false,
    }
}

fn under(directory: &Text, path: &Text) -> Text {
    let mut whole = directory.clone();
    whole.push_str("/");
    whole.append(path);
    whole
}

/// One component of a path, and whether it is more than known text.
struct Component {
    text: Text,
    plain: bool,
}

fn tidy(path: &Text) -> Text {
    if matches!(path.pieces.first(), Some(Piece::Hole(_))) {
        return path.clone();
    }
    if path.as_literal().is_some_and(is_tidy) {
        return path.clone();
    }
    let rooted = path.prefix().starts_with('/');
    let mut kept: Vec<Component> = Vec::new();
    for component in components(path) {
        match component.text.as_literal() {
            Some("" | ".") => {}
            Some("..") => match kept.last() {
                Some(last) if last.plain && last.text.as_literal() != Some("..") => drop(kept.pop()),
                None if rooted => {}
                _ => kept.push(component),
            },
            _ => kept.push(component),
        }
    }
    assemble(kept, rooted)
}

/// Most paths are as they should be, and cost one look.
fn is_tidy(path: &str) -> bool {
    path.strip_prefix('/').is_some_and(|rest| !rest.split('/').any(|name| matches!(name, "" | "." | "..")))
}

fn components(path: &Text) -> Vec<Component> {
    let mut all = Vec::new();
    let mut now = Component { text: Text::default(), plain: true };
    for piece in &path.pieces {
        let Piece::Text(text) = piece else {
            now.plain = false;
            now.text.push(piece.clone());
            continue;
        };
        for (index, part) in text.split('/').enumerate() {
            if index > 0 {
                all.push(std::mem::replace(&mut now, Component { text: Text::default(), plain: true }));
            }
            now.text.push_str(part);
        }
    }
    all.push(now);
    all
}

fn assemble(components: Vec<Component>, rooted: bool) -> Text {
    let mut path = Text::default();
    if rooted {
        path.push_str("/");
    }
    for (index, component) in components.iter().enumerate() {
        if index > 0 {
            path.push_str("/");
        }
        path.append(&component.text);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Hole, HoleSource};

    fn check(cwd: &str, path: &str, expected: &str) {
        assert_eq!(resolve(&Value::text(cwd), &Value::text(path)).to_string(), expected, "{path} in {cwd}");
    }

    #[test]
    fn known_paths() {
        check("/a/b", "c", "/a/b/c");
        check("/a/b", "../c/./d//e/", "/a/c/d/e");
        check("/a/b", "/x/../../y", "/y");
        check("/", "..", "/");
        check("/a", ".", "/a");
        check("/a", "", "/a");
    }

    #[test]
    fn a_hole_stops_dot_dot() {
        let mut path = Text::literal("a/");
        path.push(Piece::Hole(Hole::new(HoleSource::Variable("X".into()))));
        path.push_str("/b/../..");
        assert_eq!(resolve(&Value::text("/w"), &path.into()).to_string(), "/w/a/‹X›/..");
    }
}
