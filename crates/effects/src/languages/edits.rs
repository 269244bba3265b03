//! What a plain sed script makes of known text: substitutions, deletions, prints. Anything it does not know for
//! certain (groups, branches, hold space) leaves the result unknown.

/// The longest text that is edited, and the most steps that matching takes.
const LONGEST: usize = 64 * 1024;
const STEPS: usize = 1 << 20;

/// The text after the scripts, one after the other on every line.
pub(crate) fn edited(scripts: &[String], text: &str, extended: bool, quiet: bool) -> Option<String> {
    let mut commands = Vec::new();
    for script in scripts {
        read(script, extended, &mut commands)?;
    }
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut steps = STEPS;
    let mut out = String::new();
    if text.len() > LONGEST {
        return None;
    }
    for (at, line) in lines.iter().enumerate() {
        let mut line = (*line).to_owned();
        let last = at + 1 == lines.len();
        let mut kept = true;
        for (address, edit) in &commands {
            if !address.fits(at + 1, last) {
                continue;
            }
            match edit {
                Edit::Delete => {
                    kept = false;
                    break;
                }
                Edit::Print => out.push_str(&format!("{line}\n")),
                Edit::Letters(from, to) => {
                    let other = |c: char| from.iter().position(|known| *known == c).and_then(|at| to.get(at));
                    line = line.chars().map(|c| other(c).copied().unwrap_or(c)).collect();
                }
                Edit::Substitute(pattern, new, all) => {
                    line = pattern.replace(&line, new, *all, &mut steps)?
                }
            }
        }
        if kept && !quiet {
            out.push_str(&format!("{line}\n"));
        }
    }
    Some(out)
}

/// The lines that a command is for.
enum Address {
    All,
    Line(usize),
    Last,
}

impl Address {
    fn fits(&self, number: usize, last: bool) -> bool {
        match self {
            Self::All => true,
            Self::Line(wanted) => *wanted == number,
            Self::Last => last,
        }
    }
}

enum Edit {
    Delete,
    Print,
    Letters(Vec<char>, Vec<char>),
    Substitute(Pattern, String, bool),
}

/// A pattern without groups: single characters, each so many times.
struct Pattern {
    start: bool,
    end: bool,
    items: Vec<Item>,
}

struct Item {
    set: Set,
    least: usize,
    most: usize,
}

enum Set {
    One(char),
    Any,
    Of(Vec<(char, char)>, bool),
}

fn read(script: &str, extended: bool, commands: &mut Vec<(Address, Edit)>) -> Option<()> {
    let mut rest = script.trim_start_matches([' ', '\t', '\n', ';']);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (address, after) = if digits > 0 {
            (Address::Line(rest.get(..digits)?.parse().ok()?), rest.get(digits..)?)
        } else if let Some(after) = rest.strip_prefix('$') {
            (Address::Last, after)
        } else {
            (Address::All, rest)
        };
        let letter = after.chars().next()?;
        let after = after.get(1..)?;
        let (edit, after) = match letter {
            'd' => (Edit::Delete, after),
            'p' => (Edit::Print, after),
            's' | 'y' => slashed(letter, after, extended)?,
            _ => return None,
        };
        commands.push((address, edit));
        let next = after.trim_start_matches([' ', '\t']);
        if !next.is_empty() && !next.starts_with([';', '\n']) {
            return None;
        }
        rest = next.trim_start_matches([' ', '\t', '\n', ';']);
    }
    Some(())
}

/// `/old/new/flags`, with any mark for the slash.
fn slashed(letter: char, text: &str, extended: bool) -> Option<(Edit, &str)> {
    let mark = text.chars().next().filter(|mark| !mark.is_alphanumeric() && !matches!(mark, '\\' | '\n'))?;
    let (old, rest) = upto(text.get(mark.len_utf8()..)?, mark)?;
    let (new, rest) = upto(rest, mark)?;
    if letter == 'y' {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        return (old.len() == new.len()).then_some((Edit::Letters(old, new), rest));
    }
    let after = rest.trim_start_matches('g');
    Some((Edit::Substitute(Pattern::read(&old, extended)?, new, after.len() < rest.len()), after))
}

/// The text before the mark; an escaped mark is a part of it.
fn upto(text: &str, mark: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        if c == mark {
            return Some((found, text.get(at + c.len_utf8()..)?));
        }
        if c == '\\' {
            let (_, next) = characters.next()?;
            if next != mark {
                found.push('\\');
            }
            found.push(next);
        } else {
            found.push(c);
        }
    }
    None
}

impl Pattern {
    fn read(text: &str, extended: bool) -> Option<Self> {
        let mut pattern = Self { start: false, end: false, items: Vec::new() };
        let mut characters = text.chars().peekable();
        pattern.start = characters.next_if_eq(&'^').is_some();
        while let Some(c) = characters.next() {
            let set = match c {
                '$' if characters.peek().is_none() => {
                    pattern.end = true;
                    break;
                }
                '.' => Set::Any,
                '[' => class(&mut characters)?,
                '\\' => match characters.next()? {
                    'n' => Set::One('\n'),
                    't' => Set::One('\t'),
                    other
                        if other.is_alphanumeric() || matches!(other, '(' | ')' | '{' | '|' | '<' | '>') =>
                    {
                        return None;
                    }
                    other => Set::One(other),
                },
                '(' | ')' | '|' | '{' | '+' | '?' if extended => return None,
                '*' if pattern.items.is_empty() => Set::One('*'),
                other => Set::One(other),
            };
            let (least, most) = match characters.peek() {
                Some('*') => (0, usize::MAX),
                Some('+') if extended => (1, usize::MAX),
                Some('?') if extended => (0, 1),
                _ => (1, 1),
            };
            if (least, most) != (1, 1) {
                characters.next();
            }
            pattern.items.push(Item { set, least, most });
        }
        Some(pattern)
    }

    fn replace(&self, line: &str, new: &str, all: bool, steps: &mut usize) -> Option<String> {
        let line: Vec<char> = line.chars().collect();
        let mut out = String::new();
        let mut at = 0;
        let mut done = false;
        while at <= line.len() {
            let found =
                if done && !all || self.start && at > 0 { None } else { self.ends(&line, at, 0, steps)? };
            if let Some(end) = found.filter(|end| *end > at || !done) {
                let old: String = line.get(at..end)?.iter().collect();
                out.push_str(&filled(new, &old)?);
                done = true;
                if end > at {
                    at = end;
                    continue;
                }
                if all {
                    return None;
                }
            }
            out.extend(line.get(at));
            at += 1;
        }
        Some(out)
    }

    /// Where a match that starts here ends. `None` when it takes too long to tell.
    #[expect(clippy::option_option, reason = "no match is an answer, no answer is none")]
    fn ends(&self, line: &[char], at: usize, item: usize, steps: &mut usize) -> Option<Option<usize>> {
        *steps = steps.checked_sub(1)?;
        let Some(Item { set, least, most }) = self.items.get(item) else {
            return Some((!self.end || at == line.len()).then_some(at));
        };
        let run =
            line.get(at..).unwrap_or_default().iter().take(*most).take_while(|c| set.holds(**c)).count();
        let mut taken = run;
        loop {
            if taken < *least {
                return Some(None);
            }
            if let Some(end) = self.ends(line, at + taken, item + 1, steps)? {
                return Some(Some(end));
            }
            match taken.checked_sub(1) {
                Some(less) => taken = less,
                None => return Some(None),
            }
        }
    }
}

impl Set {
    fn holds(&self, c: char) -> bool {
        match self {
            Self::One(own) => *own == c,
            Self::Any => c != '\n',
            Self::Of(ranges, inverted) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *inverted
            }
        }
    }
}

/// `[a-z]`, `[^ ]`; named classes are not known.
fn class(characters: &mut std::iter::Peekable<std::str::Chars>) -> Option<Set> {
    let inverted = characters.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        let from = characters.next()?;
        match from {
            ']' if !ranges.is_empty() => return Some(Set::Of(ranges, inverted)),
            '[' => return None,
            _ => {}
        }
        if characters.peek() == Some(&'-') {
            characters.next();
            match characters.next()? {
                ']' => {
                    ranges.extend([(from, from), ('-', '-')]);
                    return Some(Set::Of(ranges, inverted));
                }
                to => ranges.push((from, to)),
            }
        } else {
            ranges.push((from, from));
        }
    }
}

/// The replacement, with `&` for what was found.
fn filled(new: &str, old: &str) -> Option<String> {
    let mut out = String::new();
    let mut characters = new.chars();
    while let Some(c) = characters.next() {
        match c {
            '&' => out.push_str(old),
            '\\' => match characters.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other if other.is_alphanumeric() => return None,
                other => out.push(other),
            },
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scripts_are_followed() {
        for (script, text, expected) in [
            ("s/^@@//", "@@ls\n", Some("ls\n")),
            ("s/a/b/g; s,x,/,", "aax\n", Some("bb/\n")),
            ("s/[0-9]*$//", "rm12\n", Some("rm\n")),
            ("s/l.*s/&&/", "a ls b\n", Some("a lsls b\n")),
            ("y/abc/xyz/", "cab\n", Some("zxy\n")),
            ("1d;$p", "a\nb\n", Some("b\nb\n")),
            ("s/x*/-/", "ab\n", Some("-ab\n")),
            ("s/x*/-/g", "ab\n", None),
            ("s/\\(a\\)/\\1/", "a\n", None),
            ("/a/d", "a\n", None),
        ] {
            assert_eq!(edited(&[script.to_owned()], text, false, false).as_deref(), expected, "{script}");
        }
    }
}
