//! Secrets that are known by their shape: key blocks, web tokens, passwords in addresses, bot tokens.

use super::scan::{Found, Scanner};
use super::tokens::{begins_word, is_word};
use super::value::{is_placeholder, is_random};

/// How far into a key block its first line of data may be, behind headers.
const PEM_HEADERS: usize = 400;

/// The longest first part of a web token.
const JWT_HEADER: usize = 2048;

/// A block `-----BEGIN … PRIVATE KEY-----`, also when its end is missing. A mention of the first line alone, as
/// in a search for keys, is none.
pub(crate) fn pem(scanner: &mut Scanner, at: usize) -> Option<Found> {
    let text = scanner.text;
    let rest = text.get(at..)?;
    let dashes = rest.iter().take(6).take_while(|&&byte| byte == b'-').count();
    let label = rest.get(dashes..)?;
    let label = label.strip_prefix(b" ").unwrap_or(label).strip_prefix(b"BEGIN ")?;
    let label = label.get(..find(label.get(..label.len().min(64))?, b"---")?)?;
    find(label, b"PRIVATE KEY")?;
    let body = at + dashes + 6 + label.len();
    let body = body + text.get(body..)?.iter().take_while(|&&byte| b"- ".contains(&byte)).count();
    let window = text.get(body..text.len().min(body + PEM_HEADERS))?;
    if longest_run(window) < 24 {
        return None;
    }
    let end = scanner.pem_end(body).unwrap_or_else(|| {
        let rest = text.get(body..).unwrap_or_default();
        body + rest.iter().position(|&byte| !is_pem(byte)).unwrap_or(rest.len())
    });
    Some(Found { start: at, end, kind: "private-key" })
}

/// Where the first key block ends whose end stands at or behind `from`.
pub(crate) fn pem_end(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let mark = rest.windows(7).position(|window| window.starts_with(b"--END ") || window == b"-- END ")?;
    let label = rest.get(mark + 4..)?;
    let close = find(label.get(..label.len().min(80))?, b"--").unwrap_or(0);
    let dashes = label.get(close..)?.iter().take_while(|&&byte| byte == b'-').count();
    Some(from + mark + 4 + close + dashes)
}

/// The private part of a PuTTY key.
pub(crate) fn putty(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix(b"Private-Lines:")?;
    if longest_run(rest.get(..rest.len().min(PEM_HEADERS))?) < 24 {
        return None;
    }
    let length = rest.iter().position(|&byte| !is_pem(byte)).unwrap_or(rest.len());
    let start = at + b"Private-Lines:".len();
    Some(Found { start, end: start + length, kind: "private-key" })
}

/// `eyJ….eyJ….…`: a signed or encrypted web token.
pub(crate) fn jwt(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let glued = at > 0 && text.get(at - 1) == Some(&b'_');
    if !rest.starts_with(b"eyJ") || !(glued || begins_word(text, at)) {
        return None;
    }
    let segment = |byte: &u8| is_word(*byte) || *byte == b'-';
    let head = rest.iter().take(JWT_HEADER).take_while(|byte| segment(byte)).count();
    let after = rest.get(head..)?.strip_prefix(b".")?;
    let payload = after.iter().take(8).take_while(|byte| segment(byte)).count();
    if head < 10 || payload < 8 {
        return None;
    }
    let length = rest.iter().take_while(|byte| segment(byte) || **byte == b'.').count();
    let dots = rest.get(..length)?.iter().rev().take_while(|&&byte| byte == b'.').count();
    Some(Found { start: at, end: at + length - dots, kind: "jwt" })
}

/// `scheme://user:password@host`, found at its colon. One that was taken for a path may have lost a slash.
pub(crate) fn url(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at..)?;
    let slashes = if rest.starts_with(b"://") { 2 } else { 1 };
    let scheme =
        || text.get(..at).map(|before| before.iter().rev().take_while(|byte| is_word(**byte)).count());
    if !rest.starts_with(b":/") || (slashes == 1 && scheme()? < 3) {
        return None;
    }
    let start = at + 1 + slashes;
    let window = if slashes == 2 { 512 } else { 128 };
    let rest = text.get(start..text.len().min(start + window))?;
    let word = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"\"'`<>\\".contains(byte));
    let word = rest.get(..word.unwrap_or(rest.len()))?;
    let authority = word.get(..word.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(word.len()))?;
    let at_sign = match authority.iter().rposition(|&byte| byte == b'@') {
        Some(at_sign) => at_sign,
        None if slashes == 2 && odd_port(authority) => word.iter().rposition(|&byte| byte == b'@')?,
        None => return None,
    };
    let user = word.get(..at_sign)?;
    if word.get(at_sign..)?.starts_with(b"@sha256:") || user.starts_with("‹".as_bytes()) {
        return None;
    }
    let found = |from: usize| Some(Found { start: start + from, end: start + at_sign, kind: "url-password" });
    match user.iter().position(|&byte| byte == b':') {
        Some(colon) => {
            let password = user.get(colon + 1..)?;
            (!password.is_empty() && !is_placeholder(password, None)).then(|| found(colon + 1))?
        }
        None => (slashes == 2 && is_random(user)).then(|| found(0))?,
    }
}

/// A colon with something behind it that is no port: a password with a slash in it.
fn odd_port(authority: &[u8]) -> bool {
    let Some(colon) = authority.iter().position(|&byte| byte == b':') else { return false };
    let port = authority.get(colon + 1..).unwrap_or_default();
    let first = port.first().copied().unwrap_or(b'$');
    !port.iter().all(u8::is_ascii_digit) && !b"${[<:".contains(&first)
}

/// `vault login X`, `cargo login X`: a word behind it that looks like nothing else. A server's name does not.
pub(crate) fn login(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at..)?.strip_prefix(b"login ")?;
    let length = rest.iter().take(200).take_while(|&&byte| is_word(byte) || b"-.".contains(&byte)).count();
    let start = at + b"login ".len();
    let secret = begins_word(text, at) && is_random(rest.get(..length)?);
    secret.then(|| Found { start, end: start + length, kind: "token" })
}

/// `123456789:AA…`: a Telegram bot, found at its colon.
pub(crate) fn telegram(text: &[u8], at: usize) -> Option<Found> {
    let rest = text.get(at + 1..)?;
    let length = rest.iter().take(40).take_while(|&&byte| is_word(byte) || byte == b'-').count();
    let digits = text.get(..at)?.iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let fits = rest.starts_with(b"AA") && (34..=36).contains(&length) && (8..=11).contains(&digits);
    fits.then(|| Found { start: at - digits, end: at + 1 + length, kind: "telegram-token" })
}

/// Three parts of which the first is a number in Base64: a Discord bot.
pub(crate) fn discord(text: &[u8], at: usize) -> Option<Found> {
    if !begins_word(text, at) {
        return None;
    }
    let part = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take(80).take_while(|&&byte| is_word(byte) || byte == b'-').count()
    };
    let dot = |at: usize| (text.get(at) == Some(&b'.')).then_some(at + 1);
    let first = part(at);
    let second = part(dot(first)?);
    let third = part(dot(second)?);
    let fits =
        (23..=30).contains(&(first - at)) && (6..=7).contains(&(second - first - 1)) && third - second > 27;
    fits.then_some(Found { start: at, end: third, kind: "discord-token" })
}

/// `X.atlasv1.Y`: a token of Terraform Cloud, found at its middle.
pub(crate) fn terraform(text: &[u8], at: usize) -> Option<Found> {
    const MIDDLE: &[u8] = b".atlasv1.";
    let rest = text.get(at..)?.strip_prefix(MIDDLE)?;
    let part = |byte: &&u8| is_word(**byte) || **byte == b'-';
    let before = text.get(..at)?.iter().rev().take(64).take_while(part).count();
    let behind = rest.iter().take_while(part).count();
    let fits = before >= 8 && behind >= 30;
    fits.then(|| Found { start: at - before, end: at + MIDDLE.len() + behind, kind: "terraform-token" })
}

/// Where `needle` stands in `text`.
pub(crate) fn find(text: &[u8], needle: &[u8]) -> Option<usize> {
    text.windows(needle.len()).position(|window| window == needle)
}

fn is_pem(byte: u8) -> bool {
    is_word(byte) || byte.is_ascii_whitespace() || b"+/=-\\:,.\"'".contains(&byte)
}

fn longest_run(text: &[u8]) -> usize {
    let plain = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"+/=".contains(byte);
    text.split(plain).map(<[u8]>::len).max().unwrap_or(0)
}
