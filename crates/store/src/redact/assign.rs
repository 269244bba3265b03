//! Secrets that are known by the name they stand under: assignments, members, headers, flags, tags.

use super::names::{Claim, Naming, STEMS, naming};
use super::scan::{Found, Scanner, next_start};
use super::tokens::is_word;
use super::value::{Value, bare_at, is_code, is_placeholder, is_random, line_end, quoted_at, value_at};

/// The longest name that is one.
const MAX_NAME: usize = 64;

/// The value of the name in which the stem at `at` stands, if that is a secret.
pub(crate) fn named(scanner: &mut Scanner, at: usize) -> Option<Found> {
    let text = scanner.text;
    if at < scanner.named || !is_stem(text, at) {
        return None;
    }
    let name = Name::around(text, at)?;
    scanner.named = name.end;
    if text.get(..name.start)?.ends_with("‹".as_bytes()) {
        // One of our own stand-ins: its kind is no name.
        scanner.named =
            name.end + text.get(name.end..)?.iter().take(MAX_NAME).take_while(|b| b.is_ascii()).count();
        return None;
    }
    if name.is(text, "bearer") {
        return bearer(text, name.end);
    }
    if name.is(text, "identified") {
        return identified(text, name.end);
    }
    if STDIN_NAMES.iter().any(|stdin| name.is(text, stdin)) {
        return here_string(text, name.end).or_else(|| piped(text, name.start));
    }
    let naming = naming(name.of(text))?;
    let (sign, start) = sign(text, &name)?;
    match naming.kind {
        "authorization" => authorization(text, sign, start),
        "cookie" if name.is(text, "cookie") || name.is(text, "set-cookie") => cookie(text, sign, start),
        "cookie" => None,
        _ => {
            let value = read_value(text, sign, start)?;
            let secret = judge(text, &name, naming, sign, value);
            secret.then(|| Found { start: value.start, end: value.whole(text), kind: naming.kind })
        }
    }
}

/// `<<< X` behind a flag that reads a secret from standard input.
pub(crate) fn here_string(text: &[u8], end: usize) -> Option<Found> {
    let sign = end + spaces(text, end);
    text.get(sign..)?.strip_prefix(b"<<<")?;
    let value = value_at(text, sign + 3 + spaces(text, sign + 3))?;
    let secret = !is_placeholder(value.of(text), value.quote);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "password" })
}

/// The kind of secret that a whole value is, going by its name.
pub(crate) fn member(name: &str, value: &str) -> Option<&'static str> {
    let bare = name.trim_start_matches('-').as_bytes();
    next_start(bare, 0)?;
    let naming = naming(bare)?;
    if bare.len() < name.len() && is_switch(bare) {
        return None;
    }
    let credential = match naming.kind {
        "authorization" => value.split_once(' ').map_or(value, |(_, credential)| credential),
        _ => value,
    };
    let secret = !is_placeholder(credential.as_bytes(), Some(b'"'))
        && plausible(bare, naming, Sign::Assign, credential.as_bytes(), Some(b'"'));
    secret.then_some(naming.kind)
}

/// A name in a text.
struct Name {
    start: usize,
    end: usize,
    /// How many dashes stand before it.
    dashes: usize,
}

impl Name {
    fn around(text: &[u8], at: usize) -> Option<Self> {
        let part = |byte: &&u8| is_word(**byte) || **byte == b'-';
        let left = text.get(..at)?.iter().rev().take(MAX_NAME).take_while(part).count();
        let right = text.get(at..)?.iter().take(MAX_NAME).take_while(part).count();
        let mut start = at - left;
        // The letter of an escape such as `\n` is not part of the name.
        if left > 0 && start > 0 && text.get(start - 1) == Some(&b'\\') && b"ntr".contains(text.get(start)?) {
            start += 1;
        }
        let dashes = text.get(start..at)?.iter().take_while(|&&byte| byte == b'-').count();
        (left < MAX_NAME && right < MAX_NAME).then_some(Self {
            start: start + dashes,
            end: at + right,
            dashes,
        })
    }

    fn of<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    fn is(&self, text: &[u8], word: &str) -> bool {
        self.of(text).eq_ignore_ascii_case(word.as_bytes())
    }

    /// `TOKEN`, as environments name things: what is assigned to it is a literal.
    fn is_constant(&self, text: &[u8]) -> bool {
        !self.of(text).iter().any(u8::is_ascii_lowercase)
    }
}

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `=` without spaces.
    Tight,
    /// `=` with spaces, and the like.
    Assign,
    /// `:`, as in YAML, headers and prose.
    Colon,
    /// `==`, `=>`, `:=` and others behind which code stands more often than not.
    Compare,
    /// `, ` behind a quoted name.
    Comma,
    /// `<name>`
    Tag,
    /// Only space, behind a flag.
    Flag,
    /// Only space.
    Space,
}

/// The sign behind a name, and where its value begins.
fn sign(text: &[u8], name: &Name) -> Option<(Sign, usize)> {
    let quotes = closing_quote(text, name.end);
    let after = name.end + quotes + usize::from(quotes > 0 && text.get(name.end + quotes) == Some(&b']'));
    let at = after + spaces(text, after);
    let next = text.get(at + 1).copied();
    let value = |sign: Sign, length: usize| Some((sign, at + length + spaces(text, at + length)));
    match text.get(at)? {
        b'=' if matches!(next, Some(b'=' | b'~' | b'>')) => {
            value(Sign::Compare, 2 + usize::from(next == Some(b'=')))
        }
        b'=' if next.is_some_and(|next| next == b' ') && at == after => value(Sign::Colon, 1),
        b'=' if at == after && quotes == 0 => Some((Sign::Tight, at + 1)),
        b'=' => value(Sign::Assign, 1),
        b'!' if next == Some(b'=') => value(Sign::Compare, 2),
        b'?' if next == Some(b':') => value(Sign::Compare, 2),
        b'?' | b'+' if next == Some(b'=') => value(Sign::Assign, 2),
        b':' if next == Some(b':') => None,
        b':' if next == Some(b'=') => value(Sign::Compare, 2),
        b':' if next == Some(b'-') && text.get(..name.start)?.ends_with(b"${") => Some((Sign::Tight, at + 2)),
        b':' => value(Sign::Colon, 1),
        b'>' if name.start > 0 && text.get(name.start - 1) == Some(&b'<') => Some((Sign::Tag, at + 1)),
        b',' if quotes > 0 => paired(text, at).or_else(|| value(Sign::Comma, 1)),
        b'\n' => paired(text, at),
        _ if at > after && quotes == 0 && name.dashes > 0 => Some((Sign::Flag, at)),
        _ if at > after && quotes == 0 => Some((Sign::Space, at)),
        _ => None,
    }
}

/// `name: DB_PASSWORD`, then `value: …` on the next line or in the next member.
fn paired(text: &[u8], at: usize) -> Option<(Sign, usize)> {
    let window = text.get(at..text.len().min(at + MAX_NAME))?;
    let skip =
        window.iter().take_while(|byte| byte.is_ascii_whitespace() || b",\"'\\".contains(byte)).count();
    window.get(skip..)?.strip_prefix(b"value")?;
    let end = at + skip + b"value".len();
    let colon = end + closing_quote(text, end);
    let colon = colon + spaces(text, colon);
    (text.get(colon) == Some(&b':')).then(|| (Sign::Colon, colon + 1 + spaces(text, colon + 1)))
}

fn read_value(text: &[u8], sign: Sign, start: usize) -> Option<Value> {
    match sign {
        Sign::Tag => {
            let value = bare_at(text, start);
            (value.end > value.start).then_some(value)
        }
        Sign::Colon => block_line(text, start).or_else(|| value_at(text, start)),
        _ => value_at(text, start),
    }
}

/// A YAML block: the value is on the next line.
fn block_line(text: &[u8], at: usize) -> Option<Value> {
    let mark = text.get(at..)?.iter().take_while(|byte| b"|>-+".contains(byte)).count();
    if mark == 0
        || !text.get(at).is_some_and(|byte| b"|>".contains(byte))
        || text.get(at + mark) != Some(&b'\n')
    {
        return None;
    }
    let start = at + mark + 1 + spaces(text, at + mark + 1);
    Some(Value { start, end: line_end(text, start), quote: Some(b'|') })
}

fn judge(text: &[u8], name: &Name, naming: Naming, sign: Sign, value: Value) -> bool {
    let (bytes, bare) = (value.of(text), value.quote.is_none());
    if is_placeholder(bytes, value.quote) {
        return false;
    }
    let literal = sign == Sign::Tag || (sign == Sign::Tight && name.is_constant(text));
    if bare && !literal && (is_type(text, sign, value) || is_code(name.of(text), bytes)) {
        return false;
    }
    if name.is(text, "pwd") && !is_secret_pwd(sign, bytes) {
        return false;
    }
    // In a shell this is a command, elsewhere mostly a template.
    if value.quote == Some(b'`') && !is_random(bytes) {
        return false;
    }
    let sure = match sign {
        Sign::Flag => (!bare || !bytes.starts_with(b"-")) && !is_switch(name.of(text)),
        Sign::Space => is_random(bytes) || stands_behind_command(text, name, value),
        Sign::Colon if bare && (more_words(text, value.end) || name.is(text, "pass")) => {
            bytes.len() >= 16 || (bytes.iter().any(u8::is_ascii_digit) && bytes.len() >= 6)
        }
        Sign::Compare => !bare || is_random(bytes),
        Sign::Comma => {
            !bare && (is_random(bytes) || (bytes.iter().any(u8::is_ascii_digit) && bytes.len() >= 8))
        }
        _ => true,
    };
    sure && plausible(name.of(text), naming, sign, bytes, value.quote)
}

/// `name: Type<…>`, `name: Type = …`.
fn is_type(text: &[u8], sign: Sign, value: Value) -> bool {
    let after = text.get(value.end..).unwrap_or_default();
    match sign {
        Sign::Colon => after.starts_with(b"<") || after.starts_with(b" = "),
        Sign::Assign => after.starts_with(b"<"),
        _ => false,
    }
}

/// `pwd` is a command first; a password only in connection strings and members.
fn is_secret_pwd(sign: Sign, value: &[u8]) -> bool {
    matches!(sign, Sign::Tight | Sign::Assign | Sign::Colon) && !value.contains(&b' ')
}

/// Long enough for what the name says it is.
fn plausible(name: &[u8], naming: Naming, sign: Sign, value: &[u8], quote: Option<u8>) -> bool {
    if naming.claim == Claim::Weak {
        return is_random(value) || (is_basic(name) && value.len() >= 12 && value.ends_with(b"="));
    }
    let digits = value.iter().all(u8::is_ascii_digit);
    match naming.kind {
        "password" if digits => value.len() >= 4,
        "password" => value.len() >= 3 || quote.is_some() || sign == Sign::Flag,
        _ if digits => value.len() >= 12,
        _ => value.len() >= 6,
    }
}

/// `_auth` of a package manager: a user and a password in Base64.
fn is_basic(name: &[u8]) -> bool {
    name.ends_with(b"auth")
}

/// `PASSWORD 'x'` in SQL, `login x password y` in a netrc, `set TOKEN x` in a shell or a tool.
fn stands_behind_command(text: &[u8], name: &Name, value: Value) -> bool {
    let glued = text.get(..name.start).unwrap_or_default();
    let glued = glued.iter().rev().take(MAX_NAME).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let (before, start) = word_before(text, name.start - glued);
    let (second, _) = word_before(text, start);
    let password = name.is(text, "password");
    (password && (value.quote == Some(b'\'') || matches!(second, b"login" | b"account")))
        || matches!(before, b"set" | b"setx" | b"setenv" | b"-x" | b"-gx" | b"-Ux" | b"--export" | b"config")
}

/// The word that ends before `at`, and where it begins.
fn word_before(text: &[u8], at: usize) -> (&[u8], usize) {
    let before = text.get(..at).unwrap_or_default();
    let gap = before.iter().rev().take(8).take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = at - gap;
    let head = before.get(..end).unwrap_or_default();
    let length = head.iter().rev().take(MAX_NAME).take_while(|byte| !byte.is_ascii_whitespace()).count();
    (head.get(end - length..).unwrap_or_default(), end - length)
}

/// Prose goes on behind the value; a member of a file does not.
fn more_words(text: &[u8], end: usize) -> bool {
    let gap = spaces(text, end);
    gap > 0 && text.get(end + gap).is_some_and(|&byte| is_word(byte) || b"(-".contains(&byte))
}

/// A flag that is about a secret and takes none: `--no-password`, `--ask-pass`.
fn is_switch(name: &[u8]) -> bool {
    let first = name.split(|byte| b"-_".contains(byte)).next().unwrap_or_default();
    let has_more = first.len() < name.len();
    has_more && SWITCHES.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(first))
}

/// The credential behind `Authorization:`, with its scheme left in place.
fn authorization(text: &[u8], sign: Sign, start: usize) -> Option<Found> {
    if matches!(sign, Sign::Space | Sign::Comma) {
        return None;
    }
    let whole = quoted_at(text, start).unwrap_or_else(|| header_value(text, start));
    let bytes = whole.of(text);
    let scheme = bytes.iter().take_while(|&&byte| is_word(byte) || byte == b'-').count();
    let known = SCHEMES
        .iter()
        .any(|other| other.as_bytes().eq_ignore_ascii_case(bytes.get(..scheme).unwrap_or(bytes)));
    let gap = spaces(text, whole.start + scheme);
    let credential = match (known, gap > 0) {
        (true, true) => Value { start: whole.start + scheme + gap, ..whole },
        (true, false) => return None,
        // Without a scheme it is a sentence or a bare token.
        (false, true) => return None,
        (false, false) => whole,
    };
    let bytes = credential.of(text);
    let secret = bytes.len() >= 6 && !is_placeholder(bytes, whole.quote) && !is_code(b"authorization", bytes);
    secret.then_some(Found { start: credential.start, end: credential.end, kind: "authorization" })
}

/// A header's value: to the end of the line or of the quote it stands in.
fn header_value(text: &[u8], start: usize) -> Value {
    let end = line_end(text, start);
    let line = text.get(start..end).unwrap_or_default();
    let quote = line.iter().position(|byte| b"\"'`\r\\".contains(byte));
    Value { start, end: quote.map_or(end, |offset| start + offset), quote: None }
}

fn cookie(text: &[u8], sign: Sign, start: usize) -> Option<Found> {
    if !matches!(sign, Sign::Colon) {
        return None;
    }
    let value = quoted_at(text, start).unwrap_or_else(|| header_value(text, start));
    let bytes = value.of(text);
    let equals = bytes.iter().position(|&byte| byte == b'=')?;
    let content = bytes.get(equals + 1..)?;
    let secret = content.len() >= 6 && !is_placeholder(content, value.quote);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "cookie" })
}

/// `Bearer X`, wherever it stands.
fn bearer(text: &[u8], end: usize) -> Option<Found> {
    let gap = spaces(text, end);
    let value = bare_at(text, end + gap);
    let bytes = value.of(text);
    let digit = bytes.iter().any(u8::is_ascii_digit);
    let secret =
        gap > 0 && ((digit && bytes.len() >= 8) || bytes.len() >= 20) && !is_placeholder(bytes, None);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "authorization" })
}

/// `IDENTIFIED BY 'x'`, `IDENTIFIED WITH plugin BY 'x'`.
fn identified(text: &[u8], end: usize) -> Option<Found> {
    let window = text.get(end..text.len().min(end + MAX_NAME))?;
    let by = window.windows(4).position(|word| word.eq_ignore_ascii_case(b" by "))?;
    let start = end + by + 4;
    let value = quoted_at(text, start + spaces(text, start))?;
    let secret = value.end > value.start && !is_placeholder(value.of(text), value.quote);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "password" })
}

/// What `echo` or `printf` gives to a program that reads a password: `echo X | docker login --password-stdin`.
pub(crate) fn piped(text: &[u8], at: usize) -> Option<Found> {
    let from = at.saturating_sub(512);
    let window = text.get(from..at)?;
    let pipe = window.iter().rposition(|&byte| byte == b'|')?;
    let before = window.get(..pipe)?;
    let begin = before.iter().rposition(|byte| b";|&\n(".contains(byte)).map_or(0, |place| place + 1);
    let command = before.get(begin..)?;
    let (verb, length) = [b"echo ".as_slice(), b"printf "]
        .iter()
        .find_map(|verb| Some((super::shapes::find(command, verb)?, verb.len())))?;
    let mut start = from + begin + verb + length;
    while let Some(word) = text.get(start..).filter(|word| word.starts_with(b"-") || word.starts_with(b"'%s"))
    {
        start += word.iter().position(|&byte| byte == b' ')? + 1;
    }
    let value = value_at(text, start)?;
    let secret = value.end <= from + pipe && !is_placeholder(value.of(text), value.quote);
    secret.then(|| Found { start: value.start, end: value.whole(text), kind: "password" })
}

fn is_stem(text: &[u8], at: usize) -> bool {
    let starts = |stem: &str| {
        text.get(at..at + stem.len()).is_some_and(|here| here.eq_ignore_ascii_case(stem.as_bytes()))
    };
    STEMS.iter().any(|stem| starts(stem))
}

/// A quote behind a name, with the backslashes before it.
fn closing_quote(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let escapes = rest.iter().take(3).take_while(|&&byte| byte == b'\\').count();
    if rest.get(escapes).is_some_and(|byte| b"\"'`".contains(byte)) { escapes + 1 } else { 0 }
}

fn spaces(text: &[u8], at: usize) -> usize {
    text.get(at..).unwrap_or_default().iter().take(64).take_while(|byte| b" \t".contains(byte)).count()
}

const STDIN_NAMES: [&str; 3] = ["password-stdin", "with-token", "chpasswd"];
const SWITCHES: [&str; 23] = [
    "no", "ask", "skip", "without", "disable", "prompt", "show", "print", "require", "use", "allow", "reset",
    "generate", "rotate", "revoke", "list", "get", "check", "verify", "validate", "has", "is", "with",
];
const SCHEMES: [&str; 15] = [
    "bearer",
    "basic",
    "token",
    "digest",
    "apikey",
    "api-key",
    "negotiate",
    "ntlm",
    "aws4-hmac-sha256",
    "key",
    "oauth",
    "hawk",
    "splunk",
    "bot",
    "sharedkey",
];
