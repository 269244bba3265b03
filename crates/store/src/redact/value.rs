//! Where a value ends, and whether it is one: not a variable, a placeholder, a path, a type or a piece of code.

use super::names::naming;
use super::tokens::is_word;

/// How far a closing quote is looked for.
const MAX_VALUE: usize = 4 << 10;
/// How much of a bare value is read to judge it.
const PLAUSIBLE: usize = 256;

/// A value in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The quote around it.
    pub(crate) quote: Option<u8>,
}

impl Value {
    /// Its bytes.
    pub(crate) fn of<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Where it ends, however long it is.
    pub(crate) fn whole(&self, text: &[u8]) -> usize {
        let cut = self.quote.is_none() && self.end - self.start >= PLAUSIBLE;
        if cut { bare_up_to(text, self.start, text.len()).end } else { self.end }
    }
}

/// The value that begins at `at`, quoted or bare; `None` when there is none.
pub(crate) fn value_at(text: &[u8], at: usize) -> Option<Value> {
    let value = quoted_at(text, at).unwrap_or_else(|| bare_at(text, at));
    (value.end > value.start).then_some(value)
}

/// The quoted value that begins at `at`, be the quotes escaped or behind a string prefix: `"…"`, `\"…\"`, `b'…'`.
pub(crate) fn quoted_at(text: &[u8], at: usize) -> Option<Value> {
    let prefix = match (text.get(at), text.get(at + 1)) {
        (Some(b'b' | b'f' | b'r' | b'u' | b'$' | b'@'), Some(b'"' | b'\'')) => 1,
        _ => 0,
    };
    let escapes = text.get(at + prefix..)?.iter().take_while(|&&byte| byte == b'\\').count();
    let open = at + prefix + escapes;
    let quote = *text.get(open).filter(|byte| b"\"'`".contains(byte))?;
    let triple = escapes == 0 && text.get(open..open + 3) == Some(&[quote; 3]);
    let start = open + if triple { 3 } else { 1 };
    let end = closing(text, start, quote, escapes).unwrap_or_else(|| line_end(text, start));
    Some(Value { start, end, quote: Some(quote) })
}

/// Where the quote closes that was opened behind that many backslashes: just before its own.
fn closing(text: &[u8], start: usize, quote: u8, escapes: usize) -> Option<usize> {
    let within = text.get(start..text.len().min(start + MAX_VALUE))?;
    let mut run = 0;
    for (offset, &byte) in within.iter().enumerate() {
        if byte == quote {
            let closes = if escapes == 0 { run % 2 == 0 || quote == b'\'' } else { run <= escapes };
            if closes {
                return Some(start + offset - if escapes == 0 { 0 } else { run });
            }
        }
        run = if byte == b'\\' { run + 1 } else { 0 };
    }
    None
}

/// The rest of the line.
pub(crate) fn line_end(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..text.len().min(start + MAX_VALUE)).unwrap_or_default();
    start + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len())
}

/// The start of the bare value that begins at `at`, as a shell, a query string or an environment file would read
/// it: enough to judge it by. `Value::whole` gives the rest.
pub(crate) fn bare_at(text: &[u8], at: usize) -> Value {
    bare_up_to(text, at, text.len().min(at + PLAUSIBLE))
}

fn bare_up_to(text: &[u8], at: usize, limit: usize) -> Value {
    let end = (at..limit).find(|&here| ends_bare(text, at, here)).unwrap_or(limit);
    Value { start: at, end, quote: None }
}

fn ends_bare(text: &[u8], start: usize, here: usize) -> bool {
    let Some(&byte) = text.get(here) else { return true };
    let next = text.get(here + 1).copied();
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'&' | b'<' | b'>' | b'`' => true,
        // A quote in the middle of a shell word goes on with the word.
        b'"' | b'\'' => here == start || !next.is_some_and(is_word),
        b'\\' => matches!(next, None | Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\' | b'\n')),
        b',' | b')' | b'}' | b']' => {
            next.is_none_or(|next| next.is_ascii_whitespace() || b"\"'`\\,;)}]".contains(&next))
                || names_next(text, here + 1)
        }
        _ => false,
    }
}

/// `name=` or `name:` stands here: another member of a list.
fn names_next(text: &[u8], at: usize) -> bool {
    let rest = text.get(at..text.len().min(at + 48)).unwrap_or_default();
    let name = rest.iter().take_while(|&&byte| is_word(byte) || byte == b'-').count();
    name > 0 && rest.get(name).is_some_and(|byte| b"=:".contains(byte))
}

/// It is obviously no secret, quoted or not.
pub(crate) fn is_placeholder(value: &[u8], quote: Option<u8>) -> bool {
    is_reference(value, quote)
        || is_mask(value)
        || is_path(value)
        || is_listed(value, &EMPTY_WORDS)
        || PLACEHOLDER_STARTS.iter().any(|start| starts(value, start))
        || value.windows(3).take(12).any(|window| window == b"://")
}

/// It is another program text's way to say where the value comes from. Only bare values can be.
pub(crate) fn is_code(name: &[u8], value: &[u8]) -> bool {
    is_listed(value, &CODE_WORDS) || is_call(value) || is_dotted(value) || is_variable(name, value)
}

/// Long, and mixed as only a generator mixes.
pub(crate) fn is_random(value: &[u8]) -> bool {
    let longest = value.split(|&byte| byte == b'/').map(<[u8]>::len).max().unwrap_or(0);
    let plain = value.iter().all(|&byte| is_word(byte) || b"-+/=.:~%".contains(&byte));
    if !plain || longest < 14 || value.len() < 16 || is_digest(value) {
        return false;
    }
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let letters = usize::from(has(u8::is_ascii_uppercase)) + usize::from(has(u8::is_ascii_lowercase));
    let dashes = value.iter().filter(|byte| b"-_.:".contains(byte)).count();
    has(u8::is_ascii_digit)
        && (letters == 2 || (letters == 1 && value.len() >= 24))
        && dashes <= value.len() / 8
}

/// A commit, a checksum or a UUID, which are everywhere and say nothing.
fn is_digest(value: &[u8]) -> bool {
    let hex = value.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    hex && (matches!(value.len(), 40 | 64) || (value.len() == 36 && value.get(8) == Some(&b'-')))
}

/// `$X`, `${X}`, `$(x)`, `%X%`, `{{ x }}`, `<x>`, `[x]`, and what we put in ourselves.
fn is_reference(value: &[u8], quote: Option<u8>) -> bool {
    let Some((&first, rest)) = value.split_first() else { return true };
    let last = value.last().copied();
    match first {
        b'$' => {
            let named = rest.iter().all(|&byte| is_word(byte) || byte == b':');
            let capital =
                rest.first().is_some_and(|byte| byte.is_ascii_uppercase() || b"_{(@#".contains(byte));
            capital || (named && quote != Some(b'\''))
        }
        b'%' => last == Some(b'%') && value.len() > 2,
        b'{' => last == Some(b'}') || rest.first() == Some(&b'{'),
        b'#' => rest.first() == Some(&b'{'),
        b'<' => true,
        b'[' => last == Some(b']'),
        _ => value.starts_with("‹secret:".as_bytes()) && value.ends_with("›".as_bytes()),
    }
}

fn is_mask(value: &[u8]) -> bool {
    let bullet = |byte: &u8| b"xX*.-_#?".contains(byte) || !byte.is_ascii();
    value.iter().all(bullet) && !value.iter().any(u8::is_ascii_digit)
}

fn is_path(value: &[u8]) -> bool {
    let marked = [b"./".as_slice(), b"../", b"~/", b"file:", b"@/", b"@./", b"@~/"];
    let rooted = value.strip_prefix(b"/").is_some_and(|rest| rest.contains(&b'/')) && !is_random(value);
    let drive = matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let segment = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_lowercase() || b"_-.".contains(byte));
    let relative = value.contains(&b'/') && value.split(|&byte| byte == b'/').all(segment);
    let named = value.contains(&b'/') && FILE_ENDS.iter().any(|end| value.ends_with(end.as_bytes()));
    rooted || relative || drive || named || marked.iter().any(|start| value.starts_with(start))
}

/// `getToken()`, `secrets.token_hex(`, `os.environ[`, `Option<…`.
fn is_call(value: &[u8]) -> bool {
    let name = value.iter().take_while(|&&byte| is_word(byte) || b".:&*!".contains(&byte)).count();
    let starts = value.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"_&*!".contains(byte));
    let open = value.get(name).is_some_and(|byte| b"([{".contains(byte));
    starts && name > 1 && open && value.iter().take(name).filter(|byte| byte.is_ascii_digit()).count() < 3
}

/// `self.token`, `process.env.TOKEN`, `config::SECRET`.
fn is_dotted(value: &[u8]) -> bool {
    let Some(dot) = value.iter().position(|byte| b".:".contains(byte)) else { return false };
    let (root, rest) = value.split_at_checked(dot).unwrap_or_default();
    let plain = value.iter().all(|&byte| is_word(byte) || b".:?!".contains(&byte));
    let leaf = rest.rsplit(|byte| b".:".contains(byte)).next().unwrap_or_default();
    let path = super::shapes::find(value, b"::").is_some();
    plain && !root.is_empty() && (path || is_listed(root, &CODE_ROOTS) || naming(leaf).is_some())
}

/// The name again, or several words of which one says secret: `password=new_password`.
fn is_variable(name: &[u8], value: &[u8]) -> bool {
    let plain = value.iter().all(|&byte| is_word(byte));
    let leaf = name.rsplit(|byte| b"-.".contains(byte)).next().unwrap_or_default();
    let compound = value.contains(&b'_')
        || value
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    plain
        && digits < 2
        && (value.eq_ignore_ascii_case(name)
            || value.eq_ignore_ascii_case(leaf)
            || (compound && naming(value).is_some()))
}

fn is_listed(value: &[u8], list: &[&str]) -> bool {
    list.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value))
}

fn starts(value: &[u8], start: &str) -> bool {
    value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

const EMPTY_WORDS: [&str; 40] = [
    "true",
    "false",
    "null",
    "none",
    "nil",
    "undefined",
    "yes",
    "no",
    "on",
    "off",
    "empty",
    "changeme",
    "example",
    "placeholder",
    "redacted",
    "hidden",
    "masked",
    "password",
    "passwd",
    "pass",
    "token",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "key",
    "todo",
    "tbd",
    "dummy",
    "test",
    "testing",
    "optional",
    "required",
    "default",
    "basic",
    "bearer",
    "oauth",
    "oauth2",
    "include",
    "inherit",
];
const PLACEHOLDER_STARTS: [&str; 19] = [
    "your_", "your-", "your ", "my_api", "change_", "change-", "replace_", "replace-", "insert_", "insert-",
    "enter_", "enter ", "op://", "vault:", "arn:", "env:", "ssm:", "id=", "type=",
];
const CODE_WORDS: [&str; 35] = [
    "string", "str", "&str", "number", "boolean", "bool", "any", "int", "bytes", "object", "unknown", "void",
    "await", "new", "function", "async", "lambda", "if", "not", "self", "this", "enabled", "disabled",
    "char", "text", "varchar", "nonetype", "&'a", "impl", "dyn", "type", "typeof", "return", "const",
    "input",
];
const CODE_ROOTS: [&str; 34] = [
    "self", "this", "args", "os", "process", "config", "cfg", "settings", "env", "req", "request", "ctx",
    "context", "options", "opts", "params", "data", "event", "secrets", "vault", "var", "local", "module",
    "user", "input", "props", "state", "import", "std", "conf", "body", "result", "response", "res",
];
const FILE_ENDS: [&str; 10] =
    [".pem", ".key", ".txt", ".json", ".yaml", ".yml", ".env", ".crt", ".p12", ".pub"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_their_language_ends_them() {
        let check = |text: &str, expected: &str| {
            let value = value_at(text.as_bytes(), 0).map(|value| value.of(text.as_bytes()).to_vec());
            assert_eq!(String::from_utf8(value.unwrap_or_default()).unwrap(), expected, "{text}");
        };
        check("abc def", "abc");
        check("abc&x=1", "abc");
        check("a,b)c rest", "a,b)c");
        check("abc, x", "abc");
        check("abc,user=x", "abc");
        check("abc;rm -rf /", "abc");
        check("abc\"", "abc");
        check("abc\"def\"", "abc\"def");
        check("\"a b\\\"c\" d", "a b\\\"c");
        check("'a b' c", "a b");
        check(r#"\"a b\",\"c\""#, "a b");
        check(r#"\\\"a\\\""#, "a");
        check("\"\"\"a b\"\"\"", "a b");
        check("'never closed\nx", "never closed");
        check("$'a' b", "a");
        check("", "");
        check("\"\"", "");
    }

    #[test]
    fn random_is_what_generators_make() {
        let check = |value: &str, expected| assert_eq!(is_random(value.as_bytes()), expected, "{value}");
        check("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", true);
        check("dGhpc2lzYXRlc3Q1Njc4", true);
        check("c0ffee00c0ffee00c0ffee00c0ffee00", true);
        check("3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d3f2a9c0d", false);
        check("123e4567-e89b-12d3-a456-426614174000", false);
        check("my-secret-abc123-xyz", false);
        check("production", false);
        check("/Users/anna/Projects2/Token", false);
    }
}
