//! Data hidden in addresses: long values that decode to text, or that look like nothing a person would write.

use super::{Url, decoded};
use crate::encodings;
use crate::secrets_scan::{is_secret_line, sent_value};

/// How long a value must be before it is looked at.
const LONG: usize = 40;
/// The same where it tells a secret.
const SHORT: usize = 16;

/// The part of an address that looks like encoded data, if there is one.
pub(crate) fn looks_encoded(url: &Url) -> Option<String> {
    if is_well_known(&url.host) {
        return None;
    }
    let values = url.query.split(['&', ';']).map(|pair| pair.split_once('=').unwrap_or(("", pair)));
    // A signature is noise, and reads as no text.
    let in_query = values.map(|(name, value)| (is_signature(name), decoded(value)));
    let tells = |(signs, value): &(bool, String)| is_data(value) || !signs && is_noise(value);
    if let Some((_, value)) = in_query.into_iter().find(tells) {
        return Some(shortened(&value));
    }
    let mut segments = url.path.split(['/', '.']).map(decoded);
    segments.find(|segment| is_data(segment)).map(|segment| shortened(&segment))
}

/// A host name whose labels carry data: one of them, or all of them together, decode to text.
pub(crate) fn label_holds_data(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let own = labels.get(..labels.len().saturating_sub(2)).unwrap_or_default();
    let whole: String = own.concat();
    own.iter().any(|label| label.len() >= 24 && decodes_to_text(label))
        || (whole.len() >= 32 && decodes_to_text(&whole))
}

fn is_data(value: &str) -> bool {
    value.len() >= LONG && decodes_to_text(value) || value.len() >= SHORT && decodes_to_secret(value)
}

/// Does it read as a variable with a secret in it after decoding? Then it may be shorter.
fn decodes_to_secret(value: &str) -> bool {
    let hex =
        if value.bytes().all(|byte| byte.is_ascii_hexdigit()) { encodings::from_hex(value) } else { None };
    let texts = [hex, encodings::from_base64(value), encodings::from_base32(value)].into_iter().flatten();
    let mut texts = texts.filter_map(|bytes| String::from_utf8(bytes).ok());
    texts.any(|text| {
        is_text(text.as_bytes()) && (sent_value(&text).is_some() || text.lines().any(is_secret_line))
    })
}

/// Does it read as text after decoding? A hash, an identifier or a word does not.
fn decodes_to_text(value: &str) -> bool {
    let all = |set: fn(u8) -> bool| value.bytes().all(set);
    if all(|byte| byte.is_ascii_hexdigit()) {
        return encodings::from_hex(value).is_some_and(|bytes| is_text(&bytes));
    }
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    if !all(base64) {
        return false;
    }
    encodings::from_base64(value).is_some_and(|bytes| is_text(&bytes))
        || encodings::from_base32(value).is_some_and(|bytes| is_text(&bytes))
}

fn is_text(bytes: &[u8]) -> bool {
    let printable = |byte: &&u8| byte.is_ascii_graphic() || matches!(**byte, b' ' | b'\n' | b'\t' | b'\r');
    bytes.len() >= 12 && bytes.iter().filter(printable).count() * 20 >= bytes.len() * 19
}

/// Long, of the digits of base 64, in both cases and with digits, and spread over many characters.
fn is_noise(value: &str) -> bool {
    let digits = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
    let has = |set: fn(&u8) -> bool| value.as_bytes().iter().filter(|byte| set(byte)).count();
    value.len() >= LONG
        && value.bytes().all(digits)
        && has(u8::is_ascii_lowercase) >= 8
        && has(u8::is_ascii_uppercase) >= 8
        && has(u8::is_ascii_digit) >= 3
        && distinct(value) >= 20
}

fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| {
        if let Some(flag) = seen.get_mut(usize::from(byte)) {
            *flag = true;
        }
    });
    seen.iter().filter(|flag| **flag).count()
}

fn shortened(value: &str) -> String {
    let start: String = value.chars().take(24).collect();
    format!("{start}…")
}

/// Parameters that are noise by nature: signatures and keys of links that a service gave out.
fn is_signature(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let known = [
        "sig",
        "policy",
        "key-pair-id",
        "expires",
        "hmac",
        "jwt",
        "nonce",
        "state",
        "code",
        "code_challenge",
    ];
    name.starts_with("x-amz-")
        || name.starts_with("x-goog-")
        || name.ends_with("signature")
        || name.ends_with("token")
        || name.ends_with("cursor")
        || known.contains(&name.as_str())
}

/// Places whose addresses are long by nature, and which give nothing on to a stranger.
fn is_well_known(host: &str) -> bool {
    const HOSTS: &[&str] = &[
        "github.com",
        "githubusercontent.com",
        "githubassets.com",
        "gitlab.com",
        "bitbucket.org",
        "codeberg.org",
        "amazonaws.com",
        "cloudfront.net",
        "storage.googleapis.com",
        "googleapis.com",
        "google.com",
        "blob.core.windows.net",
        "microsoft.com",
        "visualstudio.com",
        "npmjs.org",
        "npmjs.com",
        "pypi.org",
        "pythonhosted.org",
        "crates.io",
        "rubygems.org",
        "maven.org",
        "docker.io",
        "docker.com",
        "ghcr.io",
        "quay.io",
        "huggingface.co",
        "fastly.net",
        "jsdelivr.net",
        "unpkg.com",
        "cloudflarestorage.com",
        "figma.com",
        "notion.so",
        "slack.com",
        "atlassian.net",
        "youtube.com",
        "wikipedia.org",
    ];
    let label =
        |known: &&&str| host == **known || host.strip_suffix(**known).is_some_and(|rest| rest.ends_with('.'));
    host.is_empty() || super::is_this_machine(host) || HOSTS.iter().any(|known| label(&known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_in_addresses_is_seen_and_names_are_not() {
        let hits = [
            "https://evil.test/?q=QVdTX1NFQ1JFVF9BQ0NFU1NfS0VZPWFiY2RlZmdoaWprbG1ub3A=",
            "https://evil.test/?q=4157535f5345435245545f4143434553535f4b45593d61626364",
            "https://evil.test/p/QVdTX1NFQ1JFVF9BQ0NFU1NfS0VZPWFiY2RlZmdoaWprbG1ub3A/x.png",
            "https://evil.test/x?data=Zk9xT2NjQWpZ8bVxkQ2Lr0cT5m7Yd1oH9iJ3nKpWs6vEu4",
        ];
        let passes = [
            "https://github.com/a/b/commit/0123456789abcdef0123456789abcdef01234567",
            "https://git.kernel.test/commit/?id=89e6054836a7a1e7500cd70a14b5579e752c9250",
            "https://x.test/?sha256=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "https://b.s3.amazonaws.com/x?X-Amz-Signature=Zk9xT2NjQWpZ8bVxkQ2Lr0cT5m7Yd1oH9iJ3nKpWs6",
            "https://x.test/a-very-long-title-of-an-article-about-something-nobody-needs-to-know",
            "https://x.test/?q=how+to+write+a+parser+in+rust+without+any+dependencies+at+all",
            "https://x.test/?redirect=https%3A%2F%2Fexample.test%2Fsome%2Flong%2Fpath%2Findex.html",
            "https://x.test/?fields=id,name,description,createdAt,updatedAt,ownerId,parentId",
            "https://x.test/?id=123e4567-e89b-12d3-a456-426614174000-123e4567-e89b",
        ];
        hits.iter().for_each(|text| assert!(looks_encoded(&Url::parse(text)).is_some(), "{text}"));
        passes.iter().for_each(|text| assert!(looks_encoded(&Url::parse(text)).is_none(), "{text}"));
    }

    #[test]
    fn labels_that_hold_data() {
        let hits = [
            "nbswy3dpeb3w64tmmqqhi2djomqgs4zamezxg.evil.test",
            "68656c6c6f20776f726c6420746869732069.evil.test",
            "aGVsbG8gd29ybGQg.dGhpcyBpcyBhIHNlY3JldA.x.evil.test",
        ];
        let passes = [
            "d111111abcdef8.cloudfront.net",
            "my-long-application-name-git-feature-branch-team.vercel.test",
            "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6-1234567890.us-east-1.elb.amazonaws.com",
            "very.deep.internal.company.subdomain.of.a.service.example.test",
            "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi.ipfs.dweb.link",
        ];
        hits.iter().for_each(|host| assert!(label_holds_data(host), "{host}"));
        passes.iter().for_each(|host| assert!(!label_holds_data(host), "{host}"));
    }
}
