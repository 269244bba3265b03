//! Path patterns: `*`, `?` and `[a-z]` stay within a name, `**` crosses directories, `{a,b}` is either.
//! Matching takes time in proportion to pattern × path, whatever the pattern.

/// More than anybody writes; keeps matching cheap.
const LONGEST: usize = 512;
const MOST_ALTERNATIVES: usize = 64;

/// Checks a pattern and writes its `{a,b}` out.
///
/// # Errors
/// When it can never match, with why.
pub fn expand(pattern: &str) -> Result<Vec<String>, &'static str> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    check(pattern)?;
    let mut waiting = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = waiting.pop() {
        match first_braces(&next)? {
            None => done.push(next),
            Some(alternatives) => waiting.extend(alternatives),
        }
        if waiting.len() + done.len() > MOST_ALTERNATIVES {
            return Err("too many alternatives in `{…}`");
        }
    }
    for one in &done {
        check(one)?;
        tokens(one)?;
    }
    done.sort_unstable();
    done.dedup();
    Ok(done)
}

/// Does a pattern without `{…}` match the whole of a path?
#[must_use]
pub fn matches(pattern: &str, path: &str) -> bool {
    let Ok(tokens) = tokens(pattern) else { return false };
    let mut now = vec![false; tokens.len() + 1];
    enter(&mut now, &tokens, 0);
    for letter in path.chars() {
        let mut next = vec![false; tokens.len() + 1];
        for (index, token) in tokens.iter().enumerate().filter(|(index, _)| now.get(*index) == Some(&true)) {
            step(token, letter, index, &tokens, &mut next);
        }
        now = next;
    }
    now.last() == Some(&true)
}

#[derive(Debug, PartialEq)]
enum Token {
    Letter(char),
    /// `?`
    One,
    /// `*`
    Any,
    /// `**/`: no directory, or any number of them.
    Directories,
    /// `**` at the end: everything below.
    Rest,
    /// `[…]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

fn check(pattern: &str) -> Result<(), &'static str> {
    let parts = || pattern.split('/');
    match () {
        () if pattern.is_empty() => Err("an empty pattern"),
        () if pattern.len() > LONGEST => Err("a pattern longer than 512 bytes"),
        () if pattern.starts_with('~') => Err("`~` is not expanded; write the whole path"),
        () if pattern.ends_with('/') => Err("a pattern that ends in `/`; add `**` for everything below"),
        () if parts().any(|part| part == ".." || part == ".") => {
            Err("`.` and `..` never match; write the path without")
        }
        () if parts().skip(1).any(str::is_empty) => Err("an empty name between two `/`"),
        () => Ok(()),
    }
}

/// The pattern once for each alternative of its first `{…}`, or none when it has no braces.
fn first_braces(pattern: &str) -> Result<Option<Vec<String>>, &'static str> {
    let Some(open) = position(pattern, |letter, _| letter == '{' || letter == '}')? else { return Ok(None) };
    let (before, rest) = pattern.split_at(open);
    let Some(inside) = rest.strip_prefix('{') else { return Err("a `}` without its `{`") };
    let Some(close) = position(inside, |letter, depth| letter == '}' && depth == 0)? else {
        return Err("a `{` without its `}`");
    };
    let (mut body, after) = inside.split_at(close);
    let after = after.strip_prefix('}').unwrap_or(after);
    let mut all = Vec::new();
    while let Some(comma) = position(body, |letter, depth| letter == ',' && depth == 0)? {
        let (one, others) = body.split_at(comma);
        all.push(format!("{before}{one}{after}"));
        body = others.strip_prefix(',').unwrap_or(others);
    }
    all.push(format!("{before}{body}{after}"));
    Ok(Some(all))
}

/// Where the first letter stands that `wanted` takes, given the depth of braces around it. Escaped letters and
/// those in `[…]` are passed over.
fn position(text: &str, wanted: impl Fn(char, usize) -> bool) -> Result<Option<usize>, &'static str> {
    let mut depth = 0usize;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == '[' {
            class(&mut letters.by_ref().map(|(_, letter)| letter))?;
        } else if wanted(letter, depth) {
            return Ok(Some(at));
        } else if letter == '{' {
            depth += 1;
        } else if letter == '}' {
            depth = depth.saturating_sub(1);
        }
    }
    Ok(None)
}

fn tokens(pattern: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = Vec::new();
    let names: Vec<&str> = pattern.split('/').collect();
    for (index, name) in names.iter().enumerate() {
        let last = index + 1 == names.len();
        if *name == "**" {
            tokens.push(if last { Token::Rest } else { Token::Directories });
            continue;
        }
        name_tokens(name, &mut tokens)?;
        if !last {
            tokens.push(Token::Letter('/'));
        }
    }
    Ok(tokens)
}

fn name_tokens(name: &str, tokens: &mut Vec<Token>) -> Result<(), &'static str> {
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        let token = match letter {
            '*' => Token::Any,
            '?' => Token::One,
            '[' => class(&mut letters)?,
            '\\' => Token::Letter(letters.next().ok_or("a `\\` at the end of a name")?),
            letter => Token::Letter(letter),
        };
        if token != Token::Any || tokens.last() != Some(&Token::Any) {
            tokens.push(token);
        }
    }
    Ok(())
}

/// Reads a class after its `[`.
fn class(letters: &mut impl Iterator<Item = char>) -> Result<Token, &'static str> {
    const OPEN: &str = "a `[` without its `]`";
    let mut ranges = Vec::new();
    let mut next = letters.next().ok_or(OPEN)?;
    let negated = matches!(next, '!' | '^');
    if negated {
        next = letters.next().ok_or(OPEN)?;
    }
    loop {
        let low = if next == '\\' { letters.next().ok_or(OPEN)? } else { next };
        let mut after = letters.next().ok_or(OPEN)?;
        let mut high = low;
        if after == '-' {
            after = letters.next().ok_or(OPEN)?;
            if after == ']' {
                ranges.push(('-', '-'));
            } else {
                high = if after == '\\' { letters.next().ok_or(OPEN)? } else { after };
                after = letters.next().ok_or(OPEN)?;
            }
        }
        if high < low {
            return Err("a range that runs backwards in `[…]`");
        }
        ranges.push((low, high));
        if after == ']' {
            return Ok(Token::Class { negated, ranges });
        }
        next = after;
    }
}

/// Marks a place in the pattern as reached, and those reached from it without a letter.
fn enter(states: &mut [bool], tokens: &[Token], index: usize) {
    let mut index = index;
    while let Some(state) = states.get_mut(index) {
        *state = true;
        match tokens.get(index) {
            Some(Token::Any | Token::Directories) => index += 1,
            _ => return,
        }
    }
}

/// Takes one letter of the path at one place in the pattern.
fn step(token: &Token, letter: char, index: usize, tokens: &[Token], next: &mut [bool]) {
    let stay = |next: &mut [bool]| {
        if let Some(state) = next.get_mut(index) {
            *state = true;
        }
    };
    match token {
        Token::Letter(wanted) if *wanted == letter => enter(next, tokens, index + 1),
        Token::One if letter != '/' => enter(next, tokens, index + 1),
        Token::Any if letter != '/' => enter(next, tokens, index),
        Token::Class { negated, ranges } if letter != '/' && in_ranges(ranges, letter) != *negated => {
            enter(next, tokens, index + 1);
        }
        Token::Directories => {
            stay(next);
            if letter == '/' {
                enter(next, tokens, index + 1);
            }
        }
        Token::Rest => {
            stay(next);
            enter(next, tokens, index + 1);
        }
        _ => {}
    }
}

fn in_ranges(ranges: &[(char, char)], letter: char) -> bool {
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::{expand, matches};
    use proptest::prelude::*;

    fn hits(pattern: &str, path: &str) -> bool {
        expand(pattern).unwrap().iter().any(|one| matches(one, path))
    }

    #[test]
    fn patterns() {
        for (pattern, yes, no) in [
            ("a.txt", "a.txt", "b/a.txt"),
            ("*.pem", "x.pem", "d/x.pem"),
            ("**/*.pem", "x.pem", "x.pem/y"),
            ("**/*.pem", "a/b/c/x.pem", "a/b/c/x.pe"),
            ("tests/**", "tests/a/b", "tests"),
            ("tests/**", "tests/a", "testsa/a"),
            ("**", "a/b", ""),
            ("a/**/b", "a/b", "ab"),
            ("a/**/b", "a/x/y/b", "a/xb"),
            ("a/**/b/**/c", "a/b/b/c", "a/c/b"),
            ("a**b", "axxb", "ax/xb"),
            ("?.rs", "é.rs", "/.rs"),
            ("[a-c]x", "bx", "dx"),
            ("[!a-c]x", "dx", "bx"),
            ("[^b]x", "ax", "/x"),
            ("[]]x", "]x", "[x"),
            ("[a-]x", "-x", "bx"),
            ("[\\]]x", "]x", "\\x"),
            ("{a,b}/c", "b/c", "c/c"),
            ("{a,{b,c}d}e", "cde", "ce"),
            ("x{,.bak}", "x", "x.ba"),
            ("\\*", "*", "a"),
            ("\\{a,b\\}", "{a,b}", "a"),
            ("[{]a", "{a", "a"),
            ("./a", "a", "./a"),
        ] {
            assert!(hits(pattern, yes), "{pattern} must match {yes}");
            assert!(!hits(pattern, no), "{pattern} must not match {no}");
        }
    }

    #[test]
    fn wrong_patterns() {
        let many = "{a,b}".repeat(7);
        let long = "x".repeat(513);
        for pattern in [
            "", "~/x", "a/", "../x", "a/./b", "a//b", "[a", "[", "[]", "{a", "a}", "{a,[}", "a\\", "[b-a]",
            "[^/]x", &many, &long,
        ] {
            assert!(expand(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn hard_patterns_are_quick() {
        let started = std::time::Instant::now();
        assert!(!hits(&format!("{}b", "*a".repeat(250)), &"a".repeat(4096)));
        assert!(!hits(&format!("{}b", "**/a/".repeat(100)), &"a/".repeat(2048)));
        assert!(started.elapsed().as_secs() < 5);
    }

    /// The plainest matcher there is: tries everything. Knows letters, `*`, `?` and whole-name `**`.
    fn reference(pattern: &[char], path: &[char]) -> bool {
        if let ['*', '*', '/', rest @ ..] = pattern {
            let mut starts = (0..path.len()).filter(|at| path[*at] == '/');
            return reference(rest, path) || starts.any(|at| reference(rest, &path[at + 1..]));
        }
        if pattern == ['*', '*'] {
            return !path.is_empty();
        }
        in_name(pattern, path)
    }

    fn in_name(pattern: &[char], path: &[char]) -> bool {
        match (pattern, path) {
            ([], []) => true,
            (['*', rest @ ..], _) => {
                in_name(rest, path) || matches!(path, [c, after @ ..] if *c != '/' && in_name(pattern, after))
            }
            (['/', rest @ ..], ['/', after @ ..]) => reference(rest, after),
            (['?', rest @ ..], [c, after @ ..]) => *c != '/' && in_name(rest, after),
            ([want, rest @ ..], [c, after @ ..]) => want == c && in_name(rest, after),
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn agrees_with_the_reference(
            names in prop::collection::vec("\\*\\*|[ab?]{1,3}|[ab*]{1,3}", 1..5),
            path in "[ab/]{0,9}",
        ) {
            let names: Vec<String> =
                names.into_iter().map(|n| if n == "**" { n } else { n.replace("**", "*").replace("**", "*") }).collect();
            let pattern = names.join("/");
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let expected = reference(&letters(&pattern), &letters(&path));
            prop_assert_eq!(matches(&pattern, &path), expected, "{} {}", pattern, path);
        }

        #[test]
        fn never_panics(pattern in "[ab*?{}\\[\\]!,/.~\\\\-]{0,24}|.{0,24}", path in ".{0,24}") {
            if let Ok(all) = expand(&pattern) {
                for one in all {
                    let _ = matches(&one, &path);
                }
            }
        }
    }
}
