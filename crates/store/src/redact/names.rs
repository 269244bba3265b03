//! Which names say that their value is a secret.

/// How much a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// A secret, unless the value shows otherwise.
    Strong,
    /// A secret if the value looks like one.
    Weak,
}

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Naming {
    pub(crate) claim: Claim,
    pub(crate) kind: &'static str,
}

/// The word parts that secret names are made of, and words before which a secret may stand. Each is looked for
/// in texts whatever its case.
pub(crate) const STEMS: [&str; 12] = [
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "signature",
    "sig",
    "cookie",
    "bearer",
    "identified",
];

/// What a name says about its value: `DB_PASSWORD`, `clientSecret`, `x-api-key`, `--token`.
pub(crate) fn naming(name: &[u8]) -> Option<Naming> {
    let mut words: [&[u8]; 12] = [&[]; 12];
    let mut count = 0;
    for (slot, word) in words.iter_mut().zip(Words { rest: name }) {
        *slot = word;
        count += 1;
    }
    let words = words.get(..count)?;
    if is(words.last()?, &TAILS) {
        return None;
    }
    let (place, naming) =
        (0..count).rev().find_map(|place| Some((place, word_naming(words.get(..=place)?)?)))?;
    let known_tail = words.get(place + 1..)?.iter().all(|word| is(word, &QUALIFYING_TAILS));
    Some(if known_tail { naming } else { Naming { claim: Claim::Weak, ..naming } })
}

/// What the last of these words says, given those before it.
fn word_naming(words: &[&[u8]]) -> Option<Naming> {
    let (word, before) = words.split_last()?;
    let before = before.last().copied().unwrap_or_default();
    let strong = |kind| Some(Naming { claim: Claim::Strong, kind });
    let weak = |kind| Some(Naming { claim: Claim::Weak, kind });
    if is(word, &["pwd", "pass", "storepass", "keypass", "dbpass", "userpwd"]) || ends(word, &PASSWORDS) {
        return strong("password");
    }
    if ends(word, &["secret"]) {
        return strong("secret");
    }
    if is(word, &["token"]) {
        return if is(before, &PARSER_WORDS) { weak("token") } else { strong("token") };
    }
    if is(word, &GLUED_TOKENS) {
        return strong("token");
    }
    if is(word, &GLUED_KEYS) || (is(word, &["key"]) && is(before, &KEY_OWNERS)) {
        let private = is(before, &["private"]) || is(word, &["privatekey"]);
        return strong(if private { "private-key" } else { "api-key" });
    }
    if is(word, &["authorization"]) {
        return strong("authorization");
    }
    if is(word, &["cookie"]) {
        return strong("cookie");
    }
    if is(word, &["credential", "credentials", "creds", "auth", "keys", "secrets", "tokens"]) {
        return weak("credential");
    }
    is(word, &["signature", "sig"]).then_some(Naming { claim: Claim::Weak, kind: "signature" })
}

fn is(word: &[u8], list: &[&str]) -> bool {
    let word = digits_off(word);
    list.iter().any(|other| other.as_bytes().eq_ignore_ascii_case(word))
}

fn ends(word: &[u8], list: &[&str]) -> bool {
    let word = digits_off(word);
    let tail = |other: &str| word.get(word.len().checked_sub(other.len())?..);
    list.iter().any(|other| tail(other).is_some_and(|tail| tail.eq_ignore_ascii_case(other.as_bytes())))
}

/// `password1` is a password too.
fn digits_off(word: &[u8]) -> &[u8] {
    let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    word.get(..word.len() - digits).unwrap_or_default()
}

/// The words of a name, by `_`, `-` and changes of case. Numbers alone are no words.
struct Words<'n> {
    rest: &'n [u8],
}

impl<'n> Iterator for Words<'n> {
    type Item = &'n [u8];

    fn next(&mut self) -> Option<&'n [u8]> {
        loop {
            let skip = self.rest.iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
            self.rest = self.rest.get(skip..).unwrap_or_default();
            let end = word_end(self.rest);
            let (word, rest) = self.rest.split_at_checked(end).filter(|(word, _)| !word.is_empty())?;
            self.rest = rest;
            if !word.iter().all(u8::is_ascii_digit) {
                return Some(word);
            }
        }
    }
}

/// One past the first word: `api|Key`, `API|Key`, `api|_key`.
fn word_end(text: &[u8]) -> usize {
    let boundary = |at: usize| {
        let (Some(before), Some(here)) = (text.get(at - 1), text.get(at)) else { return true };
        let next_lower = text.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        !here.is_ascii_alphanumeric()
            || (here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_lower))
    };
    (1..text.len()).find(|&at| boundary(at)).unwrap_or(text.len())
}

const PASSWORDS: [&str; 5] = ["password", "passwd", "passphrase", "passcode", "passwort"];
const GLUED_TOKENS: [&str; 12] = [
    "authtoken",
    "accesstoken",
    "apitoken",
    "refreshtoken",
    "bearertoken",
    "sessiontoken",
    "bottoken",
    "usertoken",
    "idtoken",
    "csrftoken",
    "oauthtoken",
    "xsrftoken",
];
const GLUED_KEYS: [&str; 10] = [
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "accountkey",
    "masterkey",
    "sharedkey",
    "signingkey",
    "encryptionkey",
];
/// Whose key is a secret. A public, primary, sort or cache key is none.
const KEY_OWNERS: [&str; 23] = [
    "api",
    "access",
    "secret",
    "private",
    "encryption",
    "encrypt",
    "decryption",
    "signing",
    "master",
    "account",
    "auth",
    "shared",
    "storage",
    "service",
    "subscription",
    "admin",
    "deploy",
    "hmac",
    "jwt",
    "ssh",
    "session",
    "cipher",
    "symmetric",
];
/// Before `token` these speak of parsing, paging and models.
const PARSER_WORDS: [&str; 24] = [
    "next",
    "page",
    "pad",
    "eos",
    "bos",
    "unk",
    "mask",
    "sep",
    "cls",
    "stop",
    "cancel",
    "cancellation",
    "sync",
    "continuation",
    "peek",
    "current",
    "parse",
    "start",
    "end",
    "prev",
    "previous",
    "last",
    "first",
    "special",
];
/// A name that ends so is about a secret, but is none: `password_file`, `token_count`.
const TAILS: [&str; 74] = [
    "file",
    "files",
    "filename",
    "path",
    "dir",
    "directory",
    "url",
    "uri",
    "endpoint",
    "host",
    "name",
    "names",
    "id",
    "ids",
    "type",
    "length",
    "len",
    "size",
    "count",
    "counts",
    "limit",
    "policy",
    "stdin",
    "field",
    "label",
    "placeholder",
    "expiry",
    "expires",
    "expiration",
    "expire",
    "ttl",
    "age",
    "format",
    "regex",
    "pattern",
    "column",
    "param",
    "header",
    "prompt",
    "hint",
    "reset",
    "strength",
    "min",
    "max",
    "required",
    "enabled",
    "valid",
    "validator",
    "index",
    "store",
    "manager",
    "provider",
    "service",
    "arn",
    "version",
    "ref",
    "usage",
    "budget",
    "cost",
    "rate",
    "bucket",
    "helper",
    "command",
    "cmd",
    "mode",
    "method",
    "algorithm",
    "alg",
    "scope",
    "scopes",
    "status",
    "error",
    "env",
    "rotation",
];
/// What may follow without changing what it is: `TOKEN_PROD`, `SECRET_KEY_BASE`.
const QUALIFYING_TAILS: [&str; 34] = [
    "prod",
    "production",
    "dev",
    "development",
    "staging",
    "stage",
    "test",
    "testing",
    "live",
    "base",
    "value",
    "string",
    "text",
    "plain",
    "plaintext",
    "raw",
    "hash",
    "data",
    "old",
    "new",
    "default",
    "main",
    "admin",
    "root",
    "user",
    "db",
    "key",
    "a",
    "b",
    "read",
    "write",
    "ro",
    "rw",
    "encoded",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: Option<Claim>, names: &[&str]) {
        for name in names {
            assert_eq!(naming(name.as_bytes()).map(|naming| naming.claim), expected, "{name}");
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn names_say_secret_or_not() {
        check(
            Some(Claim::Strong),
            &[
                "password",
                "PASSWORD",
                "DB_PASSWORD",
                "dbPassword",
                "PGPASSWORD",
                "MYSQL_PWD",
                "passwd",
                "pass",
                "password1",
                "PASSWORD_PROD",
                "passphrase",
                "secret",
                "client_secret",
                "clientSecret",
                "SECRET_KEY",
                "SECRET_KEY_BASE",
                "AWS_SECRET_ACCESS_KEY",
                "SecretAccessKey",
                "token",
                "GITHUB_TOKEN",
                "authToken",
                "_authToken",
                "x-api-key",
                "apiKey",
                "APIKey",
                "apikey",
                "API_KEY",
                "AccountKey",
                "private-key",
                "SharedAccessKey",
                "authorization",
                "Proxy-Authorization",
                "X-Vault-Token",
                "--token",
                "jwt_secret",
                "access_token",
                "refreshToken",
                "STRIPE_SECRET",
                "encryption_key",
                "Cookie",
                "TOKEN_2",
            ],
        );
        check(
            Some(Claim::Weak),
            &["auth", "_auth", "credentials", "eos_token", "next-token", "sig", "token_foo"],
        );
        check(
            None,
            &[
                "tokenizer",
                "author",
                "authority",
                "keyboard",
                "key",
                "public_key",
                "primary_key",
                "monkey",
                "compass",
                "bypass",
                "passenger",
                "secretary",
                "password_file",
                "password-stdin",
                "token_count",
                "token_type",
                "secret_name",
                "tokenUrl",
                "max_token_length",
                "PASSWORD_FILE",
                "hotkey",
                "passthrough",
                "authenticate",
                "credentialed",
                "signal",
                "design",
                "cookies",
                "",
            ],
        );
    }
}
