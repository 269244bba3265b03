//! Texts and paths with `{names}` in them.

use std::borrow::Cow;

/// One piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text as it stands.
    Text(&'a str),
    /// A name, and what stands behind its first `:`.
    Name(&'a str, &'a str),
}

/// The pieces of a template. `{{` and `}}` are braces; a brace without its partner stands for itself.
pub fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let (piece, after) = brace(from);
        pieces.push(piece);
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

fn brace(from: &str) -> (Piece<'_>, &str) {
    let one = from.get(..1).unwrap_or_default();
    if let Some(after) = from.strip_prefix("{{").or_else(|| from.strip_prefix("}}")) {
        return (Piece::Text(one), after);
    }
    let inside = from.strip_prefix('{').and_then(|inside| inside.split_once('}'));
    match inside {
        Some((name, after)) if is_name(name) => {
            let (name, rest) = name.split_once(':').unwrap_or((name, ""));
            (Piece::Name(name, rest), after)
        }
        _ => (Piece::Text(one), from.get(1..).unwrap_or_default()),
    }
}

fn is_name(text: &str) -> bool {
    let name = text.split(':').next().unwrap_or_default();
    !name.is_empty()
        && !text.contains(['{', '\n'])
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

/// Fills a template. What is not known becomes what `unknown` makes of it; the names of those are given back.
pub fn fill(
    template: &str,
    value: impl Fn(&str, &str) -> Option<String>,
    unknown: impl Fn(&str) -> String,
) -> (String, Vec<&str>) {
    let mut text = String::new();
    let mut missing = Vec::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Name(name, rest) => match value(name, rest) {
                Some(known) => text.push_str(&known),
                None => {
                    missing.push(name);
                    text.push_str(&unknown(name));
                }
            },
        }
    }
    (text, missing)
}

/// A value as part of a path pattern: it can neither name another folder nor match more than itself.
pub fn in_path(value: &str) -> Cow<'_, str> {
    let plain =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':' | ' ' | '@' | '+');
    if !value.is_empty() && value != "." && value != ".." && value.chars().all(plain) {
        return Cow::Borrowed(value);
    }
    let safe: String = value.chars().map(|letter| if plain(letter) { letter } else { '_' }).collect();
    match safe.as_str() {
        "" => Cow::Borrowed("none"),
        "." | ".." => Cow::Owned(safe.replace('.', "_")),
        _ => Cow::Owned(safe),
    }
}

/// The date of a moment (seconds since 1970, UTC) in the letters of `strftime`.
pub fn date(now: u64, format: &str) -> String {
    let (days, clock) = (now / 86_400, now % 86_400);
    let (year, month, day) = civil(days);
    let mut text = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        match letters.next() {
            Some('Y') => text.push_str(&format!("{year:04}")),
            Some('y') => text.push_str(&format!("{:02}", year % 100)),
            Some('m') => text.push_str(&format!("{month:02}")),
            Some('d') => text.push_str(&format!("{day:02}")),
            Some('H') => text.push_str(&format!("{:02}", clock / 3600)),
            Some('M') => text.push_str(&format!("{:02}", clock / 60 % 60)),
            Some('S') => text.push_str(&format!("{:02}", clock % 60)),
            Some('F') => text.push_str(&format!("{year:04}-{month:02}-{day:02}")),
            Some('%') => text.push('%'),
            Some(other) => text.extend(['%', other]),
            None => text.push('%'),
        }
    }
    text
}

/// Year, month and day of a number of days since 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled() {
        let value = |name: &str, rest: &str| match name {
            "a" => Some("A".to_owned()),
            "date" => Some(format!("<{rest}>")),
            _ => None,
        };
        for (template, expected, missing) in [
            ("x{a}y", "xAy", ""),
            ("{date:%m%d%y}_*.md", "<%m%d%y>_*.md", ""),
            ("{b}{a}", "?A", "b"),
            ("{{a}} {", "{a} {", ""),
            ("} {a", "} {a", ""),
            ("{a,b}", "{a,b}", ""),
            ("{}", "{}", ""),
            ("é{a}ü", "éAü", ""),
        ] {
            let (text, unknown) = fill(template, value, |_| "?".into());
            assert_eq!((text.as_str(), unknown.join(" ").as_str()), (expected, missing), "{template}");
        }
    }

    #[test]
    fn f23_a_value_stays_one_name() {
        for (value, expected) in [
            ("2ebc1fa1-9668", "2ebc1fa1-9668"),
            ("../../x", ".._.._x"),
            ("..", "__"),
            ("", "none"),
            ("a*b?[c]{d}", "a_b__c__d_"),
            ("MS-1:User login", "MS-1:User login"),
        ] {
            assert_eq!(in_path(value), expected);
        }
    }

    #[test]
    fn dates() {
        assert_eq!(date(0, "%Y-%m-%d %H:%M:%S"), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400, "%F %y%%"), "2000-02-29 00%");
        assert_eq!(date(1_794_787_200 + 3_661, "%m%d%y %H%M%S"), "111626 010101");
        assert_eq!(date(u64::MAX / 4, "%q"), "%q");
    }
}
