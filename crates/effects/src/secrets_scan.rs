//! Credentials in a text, by the shapes their issuers document. Small on purpose: it only has to say that a
//! text about to be sent holds one.

use crate::secret_names::is_secret_name;
use crate::url::is_this_machine;

/// A shape: how it begins, which characters go on, how many at least, and what it is.
struct Shape {
    start: &'static str,
    more: fn(char) -> bool,
    least: usize,
    name: &'static str,
}

const SHAPES: &[Shape] = &[
    Shape { start: "ghp_", more: word, least: 36, name: "a GitHub token" },
    Shape { start: "gho_", more: word, least: 36, name: "a GitHub token" },
    Shape { start: "ghu_", more: word, least: 36, name: "a GitHub token" },
    Shape { start: "ghs_", more: word, least: 36, name: "a GitHub token" },
    Shape { start: "ghr_", more: word, least: 36, name: "a GitHub token" },
    Shape { start: "github_pat_", more: word, least: 40, name: "a GitHub token" },
    Shape { start: "glpat-", more: dashed, least: 20, name: "a GitLab token" },
    Shape { start: "AKIA", more: upper, least: 16, name: "an AWS access key" },
    Shape { start: "ASIA", more: upper, least: 16, name: "an AWS access key" },
    Shape { start: "sk-ant-", more: dashed, least: 24, name: "an Anthropic key" },
    Shape { start: "sk-proj-", more: dashed, least: 24, name: "an OpenAI key" },
    Shape { start: "sk-svcacct-", more: dashed, least: 24, name: "an OpenAI key" },
    Shape { start: "sk_live_", more: word, least: 16, name: "a Stripe key" },
    Shape { start: "rk_live_", more: word, least: 16, name: "a Stripe key" },
    Shape { start: "whsec_", more: word, least: 24, name: "a Stripe key" },
    Shape { start: "xoxb-", more: dashed, least: 20, name: "a Slack token" },
    Shape { start: "xoxp-", more: dashed, least: 20, name: "a Slack token" },
    Shape { start: "xoxa-", more: dashed, least: 20, name: "a Slack token" },
    Shape { start: "xoxs-", more: dashed, least: 20, name: "a Slack token" },
    Shape { start: "xapp-", more: dashed, least: 20, name: "a Slack token" },
    Shape { start: "AIza", more: dashed, least: 35, name: "a Google key" },
    Shape { start: "ya29.", more: dashed, least: 30, name: "a Google token" },
    Shape { start: "npm_", more: word, least: 36, name: "an npm token" },
    Shape { start: "pypi-", more: dashed, least: 50, name: "a PyPI token" },
    Shape { start: "hf_", more: word, least: 30, name: "a Hugging Face token" },
    Shape { start: "dop_v1_", more: word, least: 40, name: "a DigitalOcean token" },
    Shape { start: "SG.", more: dotted, least: 50, name: "a SendGrid key" },
    Shape { start: "shpat_", more: word, least: 32, name: "a Shopify token" },
    Shape { start: "lin_api_", more: word, least: 32, name: "a Linear key" },
    Shape { start: "ntn_", more: word, least: 40, name: "a Notion token" },
    Shape { start: "AGE-SECRET-KEY-1", more: upper, least: 40, name: "an age key" },
];

/// Does a pattern look for keys by how they begin? Behind that stands nothing, a class, a wildcard or a whole key: letters
/// alone make another word of it, as in `npm_lifecycle_event`.
pub(crate) fn asks_for_key(pattern: &str) -> bool {
    let ends = |shape: &Shape, rest: &str| {
        let more = rest.find(|c| !(shape.more)(c)).unwrap_or(rest.len());
        more == 0
            || more >= shape.least
            || rest.get(more..).is_some_and(|rest| rest.starts_with(['[', '(', '.', '\\', '*', '+', '{']))
    };
    SHAPES.iter().any(|shape| {
        pattern.match_indices(shape.start).any(|(at, start)| {
            let inside = pattern.get(..at).and_then(|before| before.chars().next_back()).is_some_and(word);
            !inside && pattern.get(at + start.len()..).is_some_and(|rest| ends(shape, rest))
        })
    })
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn upper(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn dashed(c: char) -> bool {
    word(c) || c == '-'
}

fn dotted(c: char) -> bool {
    dashed(c) || c == '.'
}

/// The kinds of credentials in a text.
pub(crate) fn credentials(text: &str) -> Vec<&'static str> {
    found(text, false)
}

/// The same in a request to somebody else's host: nobody sends a key there to show what keys look like.
pub(crate) fn sent_credentials(text: &str) -> Vec<&'static str> {
    found(text, true)
}

fn found(text: &str, examples: bool) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for shape in SHAPES {
        if !found.contains(&shape.name) && shape.is_in(text, examples) {
            found.push(shape.name);
        }
    }
    if has_assignment(text) {
        found.push("a value of a secret variable");
    }
    if has_private_key(text) {
        found.push("a private key");
    }
    if has_jwt(text) {
        found.push("a signed token");
    }
    found
}

/// The same in a text that somebody tells others: a name and a value that is no placeholder are enough, and so is an
/// address with a password.
pub(crate) fn told_credentials(text: &str) -> Vec<&'static str> {
    let mut found = credentials(text);
    if found.is_empty() && tells_value(text, 8) {
        found.push("a value of a secret variable");
    }
    if has_password_address(text) {
        found.push("an address with a password");
    }
    found
}

/// The same in what an address says: a name of an environment with its value, several of them, or how a key begins.
pub(crate) fn sent_value(text: &str) -> Option<&'static str> {
    let is_variable = |line: &str| {
        line.split_once('=').is_some_and(|(name, value)| {
            !value.is_empty()
                && name.len() >= 3
                && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                && is_secret_name(name)
        })
    };
    let lines = text.lines().filter(|line| {
        line.split_once('=')
            .is_some_and(|(name, _)| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'))
    });
    if lines.count() >= 2 && text.lines().any(is_variable) || tells_value(text, 7) {
        return Some("a value of a secret variable");
    }
    let key = text.split_once("PRIVATE KEY-----\n").is_some_and(|(head, body)| {
        head.contains("-----BEGIN ") && body.starts_with(|c: char| c.is_ascii_alphanumeric())
    });
    key.then_some("a private key")
}

/// A line of a file of variables that stands whole where nobody writes one: a secret's name, and a value that is no
/// word for another. Counting up is a value here: examples are not hidden.
pub(crate) fn is_secret_line(line: &str) -> bool {
    let Some((name, value)) = line.trim().split_once('=') else { return false };
    let plain = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let letters: Vec<char> = value.trim_matches(['"', '\'']).chars().collect();
    let upper = value.to_ascii_uppercase();
    name.len() >= 3
        && plain
        && is_secret_name(name)
        && letters.len() >= 8
        && varied(&letters)
        && letters.iter().any(char::is_ascii_digit)
        && !MADE_UP.iter().any(|word| !word.starts_with('1') && upper.contains(word))
}

impl Shape {
    fn is_in(&self, text: &str, examples: bool) -> bool {
        text.match_indices(self.start).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let rest = text.get(at + self.start.len()..).unwrap_or_default();
            let body: Vec<char> = rest.chars().take_while(|c| (self.more)(*c)).take(self.least).collect();
            // The documented examples say so within the key; what is hung on to one changes nothing.
            let key: String = body.iter().collect();
            !before.is_some_and(word)
                && body.len() >= self.least
                && varied(&body)
                && (examples || !key.to_ascii_uppercase().contains("EXAMPLE"))
        })
    }
}

/// A placeholder repeats itself: `ghp_xxxxxxxx`.
fn varied(body: &[char]) -> bool {
    let mut kinds = body.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() >= 6
}

/// `AWS_SECRET_ACCESS_KEY=…` with a value that nobody makes up.
fn has_assignment(text: &str) -> bool {
    assigned(text).any(|(name, value)| is_random(&value) && is_secret_name(&name.to_ascii_uppercase()))
}

/// Names with what is given to them.
fn assigned(text: &str) -> impl Iterator<Item = (&str, Vec<char>)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(['=', ':']).map(move |(at, _)| {
        let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '"', '\'']);
        let name = before.rsplit(|c| !is_name(c)).next().unwrap_or_default();
        let value = text.get(at + 1..).unwrap_or_default().trim_start_matches([' ', '"', '\'']);
        let ends = |c: &char| c.is_ascii_alphanumeric() || "+/=_-.!@#%^&*~".contains(*c);
        (name, value.chars().take_while(ends).take(200).collect())
    })
}

/// `DB_PASSWORD=…` with a value that is not there to be replaced.
fn tells_value(text: &str, least: usize) -> bool {
    assigned(text).any(|(name, value)| {
        let has = |test: fn(&char) -> bool| value.iter().any(test);
        is_secret_name(name)
            && value.len() >= least
            && has(char::is_ascii_digit)
            && has(char::is_ascii_alphabetic)
            && varied(&value)
            && !is_made_up(&value.iter().collect::<String>())
    })
}

/// `postgres://app:…@db.example.com/prod`.
fn has_password_address(text: &str) -> bool {
    text.match_indices("://").any(|(at, _)| {
        let rest = text.get(at + 3..).unwrap_or_default();
        let rest = rest.split(|c: char| c.is_whitespace() || "\"'`<>".contains(c)).next().unwrap_or_default();
        let Some((login, host)) = rest.split('/').next().unwrap_or_default().rsplit_once('@') else {
            return false;
        };
        let Some((_, password)) = login.split_once(':') else { return false };
        let host = host.split(':').next().unwrap_or_default();
        let letters: Vec<char> = password.chars().collect();
        letters.len() >= 8
            && letters.iter().any(char::is_ascii_digit)
            && letters.iter().any(char::is_ascii_alphabetic)
            && varied(&letters)
            && !password.contains(['$', '{', '*'])
            && !is_made_up(password)
            && !is_this_machine(host)
            && !host.contains("example")
    })
}

/// Words of values that stand for others.
const MADE_UP: &[&str] = &[
    "EXAMPLE",
    "YOUR",
    "XXXX",
    "CHANGEME",
    "PLACEHOLDER",
    "DUMMY",
    "FAKE",
    "TEST",
    "SAMPLE",
    "1234567",
    "REDACTED",
    "REPLACE",
    "SECRETHERE",
    "PASSWORD",
    "....",
];

fn is_made_up(value: &str) -> bool {
    let words = value.to_ascii_uppercase();
    MADE_UP.iter().any(|word| words.contains(word))
}

/// Long, with letters of both cases and digits all over it: `your-key-goes-here` and `changeme123` are not. A word
/// that stands for others says nothing in the midst of one that is random without it.
fn is_random(value: &[char]) -> bool {
    let text: String = value.iter().collect();
    let upper = text.to_ascii_uppercase();
    let word = MADE_UP.iter().find(|word| upper.contains(*word));
    let Some(word) = word else { return is_scattered(value) };
    let at = upper.find(word).unwrap_or_default();
    let before: Vec<char> = text.get(..at).unwrap_or_default().chars().collect();
    before.len() >= 24 && is_scattered(&before)
}

fn is_scattered(value: &[char]) -> bool {
    let count = |test: fn(&char) -> bool| value.iter().filter(|c| test(c)).count();
    let mut kinds = value.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    value.len() >= 20
        && kinds.len() >= 14
        && count(char::is_ascii_digit) >= if value.len() < 28 { 2 } else { 1 }
        && count(char::is_ascii_lowercase) >= 4
        && count(char::is_ascii_uppercase) >= 4
}

fn has_private_key(text: &str) -> bool {
    text.match_indices("-----BEGIN ").any(|(at, _)| {
        let head: String = text.get(at..).unwrap_or_default().chars().take(64).collect();
        let body = text.get(at..).unwrap_or_default().lines().nth(1).unwrap_or_default();
        head.contains("PRIVATE KEY") && (body.trim().len() >= 32 || body.contains(':'))
    })
}

/// Three parts in base64, the first two JSON objects.
fn has_jwt(text: &str) -> bool {
    text.split(|c: char| !dotted(c)).filter(|token| token.starts_with("eyJ")).any(|token| {
        let parts: Vec<&str> = token.split('.').collect();
        matches!(parts.as_slice(), [head, body, sign] if head.len() > 16 && body.starts_with("eyJ") && sign.len() >= 20)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_known_by_shape() {
        let long = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7n";
        for (text, expected) in [
            (format!("token ghp_{long}"), vec!["a GitHub token"]),
            (format!("see sk-ant-api03-{long}."), vec!["an Anthropic key"]),
            ("AKIAIOSFODNN7QX4PLEA".to_owned(), vec!["an AWS access key"]),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{long}"), vec!["a signed token"]),
            (format!("-----BEGIN RSA PRIVATE KEY-----\n{long}"), vec!["a private key"]),
            ("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_owned(), vec![]),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), vec![]),
            (format!("DB_PASSWORD=\"{long}\""), vec!["a value of a secret variable"]),
            ("DB_PASSWORD=changeme GITHUB_TOKEN=your-token-goes-right-here-1A".to_owned(), vec![]),
            (format!("IMAGE_ID={long}"), vec![]),
            ("tokens begin with ghp_ or sk-ant-".to_owned(), vec![]),
            (format!("notghp_{long}"), vec![]),
            ("-----BEGIN RSA PRIVATE KEY----- is the first line".to_owned(), vec![]),
        ] {
            assert_eq!(credentials(&text), expected, "{text}");
        }
        assert_eq!(sent_credentials("AKIAIOSFODNN7EXAMPLE"), vec!["an AWS access key"]);
    }
}
