//! Expressions by which `rename` gives files other names: may several of them get the same?

/// May an expression of Perl give several files the same name? It leaves out what tells them apart, whatever that is.
pub(super) fn joins_names(script: &str) -> bool {
    let mut rest = script.trim_start();
    while let Some(edit) = Edit::read(rest) {
        if edit.joins() {
            return true;
        }
        rest = edit.rest.trim_start_matches([';', ' ', '\n', '\t']);
    }
    renames_all(&rest.replace(' ', ""))
}

/// Does an expression give every file the same name?
pub(super) fn renames_all(script: &str) -> bool {
    ["s/.*/", "s/^.*/", "s/.+/", "s/^.+/", "$_="].iter().any(|start| script.trim_start().starts_with(start))
}

/// `s/pattern/by/flags` or `tr/pattern/by/flags`, with whatever signs between.
struct Edit<'s> {
    letters: bool,
    pattern: &'s str,
    by: &'s str,
    flags: &'s str,
    rest: &'s str,
}

impl<'s> Edit<'s> {
    fn read(text: &'s str) -> Option<Self> {
        let (letters, behind) = ["tr", "y", "s"].iter().find_map(|verb| {
            let behind = text.strip_prefix(verb)?.trim_start();
            behind.starts_with(|c: char| c.is_ascii_punctuation()).then_some((*verb != "s", behind))
        })?;
        let (pattern, behind) = delimited(behind)?;
        // A bracket closes the one part, and the other has its own.
        let (by, behind) = match behind.paired {
            true => delimited(behind.text.trim_start()).map(|(by, behind)| (by, behind.text))?,
            false => until(behind.text, behind.close)?,
        };
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (flags, rest) = behind.split_at_checked(end)?;
        Some(Self { letters, pattern, by, flags, rest })
    }

    fn joins(&self) -> bool {
        if self.letters {
            let (from, to) = (count(self.pattern), count(self.by));
            return self.flags.contains(['d', 's', 'c']) || to > 0 && to < from;
        }
        is_open(&without_kept(self.pattern, self.by))
    }
}

/// What follows a part, and what ended it.
struct Behind<'s> {
    text: &'s str,
    close: char,
    paired: bool,
}

fn delimited(text: &str) -> Option<(&str, Behind<'_>)> {
    let open = text.chars().next()?;
    let pair = [('{', '}'), ('(', ')'), ('[', ']'), ('<', '>')].into_iter().find(|(sign, _)| *sign == open);
    let close = pair.map_or(open, |(_, close)| close);
    let (part, text) = until(text.get(open.len_utf8()..)?, close)?;
    Some((part, Behind { text, close, paired: pair.is_some() }))
}

/// The text before a sign that no backslash stands before, and what follows it.
fn until(text: &str, close: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let at = text.find(|c: char| {
        let ends = c == close && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some((text.get(..at)?, text.get(at + close.len_utf8()..)?))
}

/// How many letters a list of them names: `0-9` are ten.
fn count(list: &str) -> u32 {
    let letters: Vec<char> = list.chars().filter(|c| *c != '\\').collect();
    let mut total = 0_u32;
    let mut rest = letters.as_slice();
    loop {
        (total, rest) = match rest {
            [first, '-', last, rest @ ..] if first <= last => {
                (total.saturating_add(u32::from(*last) - u32::from(*first) + 1), rest)
            }
            [_, rest @ ..] => (total.saturating_add(1), rest),
            [] => return total,
        };
    }
}

/// Does a pattern stand for several texts?
fn is_open(pattern: &str) -> bool {
    let bare = pattern.replace("\\.", "").replace("\\[", "");
    bare.contains(['.', '[']) || ["\\d", "\\w", "\\S"].iter().any(|class| bare.contains(class))
}

/// A pattern without the groups that the new name has in it: what they stand for is not left out.
fn without_kept(pattern: &str, by: &str) -> String {
    let kept = |number: usize| {
        [format!("${number}"), format!("\\{number}"), format!("${{{number}}}")]
            .iter()
            .any(|name| by.contains(name.as_str()))
    };
    let other = |(at, _): (usize, &str)| {
        by.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| !c.is_ascii_digit() && c != '{'))
    };
    // All that was found, or a variable that counts.
    if by.match_indices('$').any(other) {
        return String::new();
    }
    let (mut left, mut open, mut groups) = (String::new(), Vec::new(), 0_usize);
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        let drops = |open: &[bool]| open.contains(&true);
        match letter {
            '\\' => {
                let next = letters.next();
                if !drops(&open) {
                    left.push('\\');
                    left.extend(next);
                }
            }
            '(' => {
                let counts = letters.peek() != Some(&'?');
                groups += usize::from(counts);
                open.push(counts && kept(groups));
            }
            ')' => drop(open.pop()),
            _ if !drops(&open) => left.push(letter),
            _ => {}
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_together_when_what_tells_them_apart_is_left_out() {
        for (script, joined) in [
            ("s/.*/x/", true),
            ("s/run\\d/run/", true),
            ("s/(run)\\d/$1/", true),
            ("s{(run)\\d+}{$1}", true),
            ("s/a/b/; s/\\d+//", true),
            ("tr/0-9//d", true),
            ("y/0-9/x/", true),
            ("tr/a-z//cd", true),
            ("s/\\.csv$/.txt/", false),
            ("s/(\\d+)_(\\w+)/$2_$1/", false),
            ("s/run(\\d)/test$1/", false),
            ("s/\\d+/sprintf('%03d', $&)/e", false),
            ("y/A-Z/a-z/", false),
            ("tr/ /_/", false),
            ("s/ /_/g", false),
        ] {
            assert_eq!(joins_names(script), joined, "{script}");
        }
    }
}
