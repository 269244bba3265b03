//! Commands that are given secrets to keep, by their own interfaces: `fly secrets set X=…`, `htpasswd -b file user …`.
//! What they are called in such a command says nothing about them. A catalogue.

use super::assign::{here_string, piped};
use super::scan::Found;
use super::value::is_placeholder;

/// Where a command takes its secrets.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// `NAME=X`, any number of them.
    Pairs,
    /// `--option=name=X`
    PairsOf(&'static str),
    /// The value of one of these options.
    Options(&'static [&'static str]),
    /// This word behind the verb, not counting options.
    Operand(usize),
    /// The last word, if a letter is among the flags.
    Last(u8),
    /// From standard input: `echo X | command`, `command <<< X`.
    Stdin,
}

/// The words by which a command is known, and where its secrets stand.
const STORES: &[(&str, Form)] = &[
    ("htpasswd", Form::Last(b'b')),
    ("config:set", Form::Pairs),
    ("config:add", Form::Pairs),
    ("env:set", Form::Operand(1)),
    ("user-secrets set", Form::Operand(1)),
    ("secrets set", Form::Pairs),
    ("secrets deploy", Form::Pairs),
    ("secret set", Form::Options(&["--body", "-b", "--value"])),
    ("secret create", Form::Options(&["--value", "--secret-value"])),
    ("from-literal", Form::PairsOf("--from-literal")),
    ("SecureString", Form::Options(&["--value"])),
    ("kv put", Form::Pairs),
    ("kv patch", Form::Pairs),
    ("encrypt_string", Form::Operand(0)),
    ("wpa_passphrase", Form::Operand(1)),
    ("mc alias set", Form::Operand(3)),
    ("mcli alias set", Form::Operand(3)),
    ("chpasswd", Form::Stdin),
];

/// What three letters of each make the scanner look.
pub(crate) const STARTS: [&str; 9] = ["htp", "g:s", "g:a", "v:s", "m-l", "kv ", "_st", "ali", "chp"];

/// And the stems of names among them, at which it looks anyway.
const STEMS: [&str; 3] = ["sec", "Sec", "pas"];

/// Takes down the secrets of the command that `at` stands in, if it is one that keeps them.
pub(crate) fn kept(text: &[u8], at: usize, found: &mut Vec<Found>) {
    let Some(here) = text.get(at..at + 3) else { return };
    if !STARTS.iter().chain(&STEMS).any(|start| start.as_bytes() == here) {
        return;
    }
    let Some((end, form)) = STORES.iter().find_map(|(words, form)| Some((behind(text, at, words)?, *form)))
    else {
        return;
    };
    match form {
        Form::Stdin => found.extend(here_string(text, end).or_else(|| piped(text, at))),
        Form::Pairs => found.extend(words(text, end).filter_map(|word| pair(text, word))),
        Form::Last(letter) => {
            let flagged = words(text, end).any(|word| is_flagged(word.of(text), letter));
            found.extend(words(text, end).last().filter(|_| flagged).and_then(|word| secret(text, word)));
        }
        Form::Operand(place) => {
            let mut operands = words(text, end).filter(|word| !word.of(text).starts_with(b"-"));
            found.extend(operands.nth(place).and_then(|word| secret(text, word)));
        }
        Form::Options(names) => {
            let given = names.iter().flat_map(|name| values(text, command_start(text, at), name));
            found.extend(given.filter_map(|word| secret(text, word)));
        }
        Form::PairsOf(name) => {
            found.extend(values(text, command_start(text, at), name).filter_map(|word| pair(text, word)));
        }
    }
}

/// Where a command's words end that may be read from `at`, which is at their start or in their middle.
fn behind(text: &[u8], at: usize, words: &str) -> Option<usize> {
    let words = words.as_bytes();
    let here = text.get(at..at + 3)?;
    let offset = words.windows(3).position(|window| window == here)?;
    let start = at.checked_sub(offset)?;
    let end = start + words.len();
    let free = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let before = start.checked_sub(1).and_then(|place| text.get(place));
    (text.get(start..end) == Some(words) && free(text.get(end)) && free(before)).then_some(end)
}

/// A word of a command, without the quotes around it.
#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    quote: Option<u8>,
}

impl Piece {
    fn of<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    fn from(self, text: &[u8], start: usize) -> Self {
        let quote = text.get(start).copied().filter(|byte| b"\"'".contains(byte));
        match quote.filter(|_| self.quote.is_none()) {
            Some(quote) => {
                let end = text.get(..self.end).and_then(|text| text.strip_suffix(&[quote]));
                Self {
                    start: start + 1,
                    end: end.map_or(self.end, <[u8]>::len).max(start + 1),
                    quote: Some(quote),
                }
            }
            None => Self { start, ..self },
        }
    }
}

/// The words up to the end of the command.
fn words(text: &[u8], from: usize) -> impl Iterator<Item = Piece> {
    let mut at = from;
    std::iter::from_fn(move || {
        while text.get(at).is_some_and(|byte| b" \t".contains(byte)) || text.get(at..)?.starts_with(b"\\\n") {
            at += 1 + usize::from(text.get(at) == Some(&b'\\'));
        }
        let start = at;
        let mut quote = None;
        while let Some(&byte) = text.get(at) {
            match quote {
                Some(open) if byte == open => quote = None,
                None if b"\"'".contains(&byte) => quote = Some(byte),
                None if b" \t\n;|&)<>".contains(&byte) => break,
                _ => {}
            }
            at += 1;
        }
        let whole = Piece { start, end: at, quote: None };
        (at > start).then(|| whole.from(text, start))
    })
    .take(MOST)
}

/// No more words of a command are read.
const MOST: usize = 64;
/// A command's start is not looked for further back.
const REACH: usize = 512;

fn command_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(REACH);
    let before = text.get(from..at).unwrap_or_default();
    from + before.iter().rposition(|byte| b"\n;|&".contains(byte)).map_or(0, |place| place + 1)
}

/// The values of an option: the next word, or what stands behind `=`.
fn values(text: &[u8], from: usize, name: &str) -> impl Iterator<Item = Piece> {
    let mut next = false;
    words(text, from).filter_map(move |word| {
        let is_value = std::mem::replace(&mut next, word.of(text) == name.as_bytes());
        let attached = word.of(text).strip_prefix(name.as_bytes()).filter(|rest| rest.starts_with(b"="));
        match attached {
            Some(_) => Some(word.from(text, word.start + name.len() + 1)),
            None => is_value.then_some(word),
        }
    })
}

/// What stands behind the name in `NAME=X`.
fn pair(text: &[u8], word: Piece) -> Option<Found> {
    let bytes = word.of(text);
    let sign = bytes.iter().position(|&byte| byte == b'=').filter(|_| !bytes.starts_with(b"-"))?;
    secret(text, word.from(text, word.start + sign + 1))
}

fn secret(text: &[u8], word: Piece) -> Option<Found> {
    let bytes = word.of(text);
    // A file that holds the value is named by `@`.
    let named = bytes.starts_with(b"@") || bytes.starts_with(b"-");
    (!bytes.is_empty() && !named && !is_placeholder(bytes, word.quote)).then_some(Found {
        start: word.start,
        end: word.end,
        kind: "secret",
    })
}

fn is_flagged(word: &[u8], letter: u8) -> bool {
    word.starts_with(b"-") && !word.starts_with(b"--") && word.contains(&letter)
}
