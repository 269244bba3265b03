//! Lines of which only the beginning is known, as a walk finds names: what `sed` puts around them.

use tollgate_shell::value::{Text, Value};

/// The lines with what the scripts put before, behind or around each; `None` where they do anything else.
pub(super) fn lines(scripts: &[String], whole: &Value) -> Option<Value> {
    let begun = |text: &Text| !text.prefix().is_empty() && !text.trim_newlines().prefix().contains('\n');
    if whole.is_known() || !whole.any.iter().all(begun) {
        return None;
    }
    let mut made: Vec<Text> = whole.any.iter().map(Text::trim_newlines).collect();
    for edit in scripts.iter().flat_map(|script| script.split([';', '\n'])).map(str::trim) {
        if !edit.is_empty() {
            let edit = Edit::read(edit)?;
            made = made.iter().map(|line| edit.applied(line)).collect();
        }
    }
    made.iter_mut().for_each(|line| line.push_str("\n"));
    Some(Value::of(made, whole.taint))
}

/// Where the new text goes.
enum At {
    Start,
    End,
    Whole,
}

/// `s/^/before/`, `s/$/behind/` or `s/.*/"&"/`, with whatever sign between.
struct Edit<'s> {
    at: At,
    by: &'s str,
}

impl<'s> Edit<'s> {
    fn read(text: &'s str) -> Option<Self> {
        let rest = text.strip_prefix('s')?;
        let sign = rest.chars().next().filter(char::is_ascii_punctuation)?;
        let mut parts = rest.get(1..)?.split(sign);
        let (pattern, by) = (parts.next()?, parts.next()?);
        let plain = matches!(parts.next(), Some("" | "g")) && parts.next().is_none();
        // A sign with a backslash before it ends nothing.
        if !plain || pattern.ends_with('\\') || by.ends_with('\\') {
            return None;
        }
        let bare = pattern.replace("\\(", "(").replace("\\)", ")").replace(['(', ')'], "");
        let at = match bare.as_str() {
            "^" => At::Start,
            "$" => At::End,
            _ if matches!(bare.trim_start_matches('^').trim_end_matches('$'), ".*" | ".+" | ".\\+") => {
                At::Whole
            }
            _ => return None,
        };
        Some(Self { at, by })
    }

    fn applied(&self, line: &Text) -> Text {
        let mut made = Text::default();
        match self.at {
            At::Start => {
                self.put(&mut made, &Text::default());
                made.append(line);
            }
            At::End => {
                made.append(line);
                self.put(&mut made, &Text::default());
            }
            At::Whole => self.put(&mut made, line),
        }
        made
    }

    /// The new text, in which `&` and `\1` stand for what was found.
    fn put(&self, made: &mut Text, found: &Text) {
        let mut letters = self.by.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '\\') {
                ('&', _) => made.append(found),
                (_, false) => made.push_str(letter.encode_utf8(&mut [0; 4])),
                (_, true) => match letters.next() {
                    Some('1') => made.append(found),
                    Some('n') => made.push_str("\n"),
                    Some('t') => made.push_str("\t"),
                    Some(other) => made.push_str(other.encode_utf8(&mut [0; 4])),
                    None => {}
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tollgate_shell::value::{Hole, HoleSource, Piece};

    use super::*;

    #[test]
    fn what_is_put_around_a_line() {
        let mut line = Text::literal("/h/");
        line.push(Piece::Hole(Hole::new(HoleSource::Output)));
        let whole = Value::from(line);
        for (script, expected) in [
            ("s/.*/\"&\"/", Some("\"/h/‹?›\"\n")),
            ("s/^\\(.*\\)$/'\\1'/", Some("'/h/‹?›'\n")),
            ("s|^|rm |; s|$|;|", None),
            ("s|^|rm |; s|$|/x|", Some("rm /h/‹?›/x\n")),
            ("s/a/b/", None),
            ("s/.*/x/;d", None),
        ] {
            let made = lines(&[script.to_owned()], &whole).map(|made| made.to_string());
            assert_eq!(made.as_deref(), expected, "{script}");
        }
        assert!(lines(&["s/^/x/".to_owned()], &Value::unknown(HoleSource::Output)).is_none());
    }
}
