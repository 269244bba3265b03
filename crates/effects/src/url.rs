//! Web addresses: split as clients split them, hosts brought to one spelling, encoded data found in them.

mod encoded;

use core::net::{Ipv4Addr, Ipv6Addr};

use tollgate_model::{Carried, hosts};

use crate::encodings;
use crate::secrets_scan::{is_secret_line, sent_credentials, sent_value};

pub(crate) use encoded::{label_holds_data, looks_encoded};

/// How deep an address within an address is looked into.
const NESTED: u8 = 4;

/// An address in its parts. Holes of the word it came from stand in it as single characters (see `Laid`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Url {
    /// In lower case; empty when none was written.
    pub scheme: String,
    /// What stands before `@`.
    pub user: String,
    /// In its one spelling.
    pub host: String,
    /// As it was written: case tells where data is encoded in it.
    pub written: String,
    /// With its slash, and not decoded.
    pub path: String,
    /// Without its question mark, and not decoded.
    pub query: String,
    /// Clients read it differently, or it holds what no address may hold.
    pub strange: bool,
}

impl Url {
    /// Splits an address. Never fails: what is missing is empty.
    pub fn parse(text: &str) -> Self {
        let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
        let text = text.strip_prefix("view-source:").unwrap_or(text);
        let mut strange = text.contains(|c: char| c.is_control());
        let (scheme, rest) = split_scheme(text);
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        strange |= rest.starts_with('\\') && !scheme.is_empty();
        let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let written = without_port(place);
        let host = normal_host(written);
        strange |= host.contains(|c: char| c.is_control());
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let owned = str::to_owned;
        let (user, written) = (owned(user), owned(written));
        Self { scheme, user, host, written, path: owned(path), query: owned(query), strange }
    }

    /// What the address carries to whoever answers it, one by one. `text` is the whole of it.
    pub fn carries(&self, text: &str) -> Vec<Carried> {
        self.carries_within(text, NESTED)
    }

    fn carries_within(&self, text: &str, depth: u8) -> Vec<Carried> {
        let caught = hosts::is_catcher(&self.host) && !self.query.is_empty();
        let data = looks_encoded(self)
            .or_else(|| caught.then(|| self.query.chars().take(24).collect()))
            .map(Carried::Encoded);
        let in_name = label_holds_data(&self.written).then(|| Carried::Output.in_host_name());
        let mut kinds = sent_credentials(text);
        if !is_this_machine(&self.host) {
            let told = self.told().filter(|kind| !kinds.contains(kind));
            kinds.extend(told);
        }
        let credentials = kinds.into_iter().map(|kind| Carried::Credential(kind.to_owned()));
        let mut all: Vec<Carried> = data.into_iter().chain(in_name).chain(credentials).collect();
        // Whoever passes a visitor on passes on what the next address carries.
        if all.is_empty() && depth > 0 {
            let inner = self
                .query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .map(|(_, value)| decoded(value));
            let inner = inner.filter(|value| value.starts_with("http://") || value.starts_with("https://"));
            all.extend(
                inner
                    .take(4)
                    .filter(|value| *value != text)
                    .flat_map(|value| Self::parse(&value).carries_within(&value, depth - 1)),
            );
        }
        all
    }

    /// A credential that the query tells, once it is decoded.
    fn told(&self) -> Option<&'static str> {
        if !self.query.contains(['%', '=']) {
            return None;
        }
        let plain = self.query.replace('+', " ");
        // The value of a parameter may be the whole line of a file of variables.
        let values =
            plain.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| decoded(value));
        let line = values.take(16).any(|value| is_secret_line(&value));
        sent_value(&decoded(&plain)).or_else(|| line.then_some("a value of a secret variable"))
    }

    /// The file that a `file:` address names.
    pub fn file(&self) -> Option<String> {
        (self.scheme == "file").then(|| decoded(&self.path))
    }
}

/// The text that a `data:` address holds.
pub(crate) fn data(address: &str) -> Option<String> {
    let (kind, payload) = address.strip_prefix("data:")?.split_once(',')?;
    let payload = decoded(payload);
    if !kind.ends_with(";base64") {
        return Some(payload);
    }
    String::from_utf8(encodings::from_base64(&payload)?).ok()
}

/// What keeps secrets, or decides over a machine, and answers whoever reaches its port: the port, how the path
/// begins, and what answers.
const KEEPERS: &[(&str, &[&str], &str)] = &[
    ("2375", &["/"], "the container engine"),
    ("2376", &["/"], "the container engine"),
    ("10250", &["/pods", "/runningpods", "/run/", "/exec/", "/containerLogs"], "the kubelet"),
    ("10255", &["/pods"], "the kubelet"),
    ("2379", &["/v2/keys", "/v3/kv", "/v3beta/kv"], "etcd"),
    ("8500", &["/v1/kv", "/v1/acl"], "Consul"),
    ("8200", &["/v1/"], "Vault"),
    ("4194", &["/"], "cAdvisor"),
];

/// Vault's paths that say nothing but how it is.
const OPEN_PATHS: &[&str] =
    &["/v1/sys/health", "/v1/sys/seal-status", "/v1/sys/leader", "/_ping", "/version"];

/// The keeper of secrets that an address on this machine asks.
pub(crate) fn keeper(text: &str) -> Option<&'static str> {
    let url = Url::parse(text);
    if !is_this_machine(&url.host) {
        return None;
    }
    let (_, authority) = text.split_once("://")?;
    let place = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let (_, port) = place.rsplit_once(':')?;
    let path = if url.path.is_empty() { "/" } else { &url.path };
    let fits = |(keeps, paths, _): &&(&str, &[&str], &str)| {
        *keeps == port && paths.iter().any(|start| path.starts_with(start)) && !OPEN_PATHS.contains(&path)
    };
    KEEPERS.iter().find(fits).map(|(_, _, name)| *name)
}

/// The host of an address, or of `host:port`, in its one spelling.
pub(crate) fn host(text: &str) -> String {
    Url::parse(text).host
}

/// The port that an address, or `host:port`, names.
pub(crate) fn port(text: &str) -> Option<u16> {
    let (_, rest) = split_scheme(text);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let behind = place.strip_prefix(without_port(place))?;
    behind.strip_prefix(':')?.parse().ok()
}

/// One spelling for a host: lower case, decoded, numbers as dotted IPv4, mapped IPv6 as IPv4.
pub(crate) fn normal_host(raw: &str) -> String {
    let plain: String = decoded(raw).chars().map(folded).collect::<String>().to_lowercase();
    let plain = plain.trim_end_matches('.');
    let bracketed = plain.strip_prefix('[').map(|rest| rest.trim_end_matches(']'));
    if bracketed.is_some() || plain.matches(':').count() > 1 {
        let address = bracketed.unwrap_or(plain).split('%').next().unwrap_or_default();
        return match address.parse::<Ipv6Addr>() {
            Ok(address) => embedded_v4(address).map_or_else(|| address.to_string(), |v4| v4.to_string()),
            Err(_) => plain.to_owned(),
        };
    }
    if let Some(v4) = loose_v4(plain) {
        return v4.to_string();
    }
    spelled_v4(plain).map_or_else(|| plain.to_owned(), |v4| v4.to_string())
}

/// Does it mean this machine?
pub(crate) fn is_this_machine(host: &str) -> bool {
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "::1"
        || host.parse::<Ipv4Addr>().is_ok_and(|v4| v4.is_loopback() || v4.is_unspecified())
}

/// Is it this machine, or one of a network at home, as far as its name tells?
pub(crate) fn is_near(host: &str) -> bool {
    let private = |v4: Ipv4Addr| v4.is_private() || v4.is_link_local();
    is_this_machine(host)
        || host.parse::<Ipv4Addr>().is_ok_and(private)
        || !host.contains('.')
        || host.contains('*')
        || [".local", ".internal", ".lan"].iter().any(|end| host.ends_with(end))
}

/// `%41` is `A`.
pub(crate) fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let pair =
            rest.clone().take(2).map(|digit| char::from(digit).to_digit(16)).collect::<Option<Vec<u32>>>();
        match pair.as_deref() {
            Some([high, low]) if byte == b'%' => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                rest.by_ref().take(2).for_each(drop);
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn split_scheme(text: &str) -> (String, &str) {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    if let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| is_name(scheme)) {
        return (scheme.to_ascii_lowercase(), rest);
    }
    // `file:/etc/passwd` has no authority, and some clients forgive a missing slash.
    match text.split_once(':') {
        Some((scheme, rest)) if is_name(scheme) && rest.starts_with('/') => {
            let scheme = scheme.to_ascii_lowercase();
            let rest = if scheme == "file" { rest } else { rest.trim_start_matches('/') };
            (scheme, rest)
        }
        _ => (String::new(), text.trim_start_matches('/')),
    }
}

fn without_port(place: &str) -> &str {
    if place.starts_with('[') {
        return place.find(']').and_then(|at| place.get(..=at)).unwrap_or(place);
    }
    match place.rsplit_once(':') {
        Some((host, _)) if !host.contains(':') => host,
        _ => place,
    }
}

/// Characters that host names fold into plain ones: wide forms, and digits in circles.
fn folded(character: char) -> char {
    let code = u32::from(character);
    let plain = match code {
        0x3002 | 0xFF61 => Some(u32::from('.')),
        0xFF01..=0xFF5E => Some(code - 0xFEE0),
        0x2460..=0x2468 => Some(code - 0x2460 + 0x31),
        0x24EA => Some(0x30),
        0x2080..=0x2089 => Some(code - 0x2080 + 0x30),
        0x2070 | 0x2074..=0x2079 => Some(code - 0x2070 + 0x30),
        0x00B9 => Some(0x31),
        0x00B2 | 0x00B3 => Some(code - 0x00B0 + 0x30),
        0x1D7CE..=0x1D7FF => Some((code - 0x1D7CE) % 10 + 0x30),
        0x24D0..=0x24E9 => Some(code - 0x24D0 + 0x61),
        _ => None,
    };
    plain.and_then(char::from_u32).unwrap_or(character)
}

/// IPv4 as `inet_aton` reads it: one to four numbers, decimal, octal or hexadecimal.
fn loose_v4(text: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = text.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return None;
    }
    let room = 8 * (4 - u32::try_from(first.len()).ok()?);
    if *last >= 1_u64 << room {
        return None;
    }
    let high = first.iter().enumerate().fold(0_u64, |sum, (index, part)| sum | part << (24 - 8 * index));
    u32::try_from(high | last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, base) = match lower.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None if lower.len() > 1 && lower.starts_with('0') => (lower.trim_start_matches('0'), 8),
        None => (lower.as_str(), 10),
    };
    if digits.is_empty() {
        return (base != 10).then_some(0);
    }
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, base).ok() }
}

/// IPv4 inside IPv6: mapped, compatible, 6to4, NAT64.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] if high != 0 => v4(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => v4(high, low),
        [0x2002, high, low, ..] => v4(high, low),
        _ => None,
    }
}

/// Names of services that spell the address out: `169.254.169.254.nip.io`, `a9fea9fe.nip.io`.
fn spelled_v4(host: &str) -> Option<Ipv4Addr> {
    let name = [".nip.io", ".sslip.io", ".xip.io"].iter().find_map(|service| host.strip_suffix(service))?;
    let dashed: Vec<&str> = name.rsplit('.').next()?.split('-').collect();
    if let Some(quad) = dashed.len().checked_sub(4).and_then(|from| dashed.get(from..))
        && let Ok(v4) = quad.join(".").parse()
    {
        return Some(v4);
    }
    let dotted: Vec<&str> = name.split('.').collect();
    if let Some(quad) = dotted.len().checked_sub(4).and_then(|from| dotted.get(from..))
        && let Ok(v4) = quad.join(".").parse()
    {
        return Some(v4);
    }
    let hex = dashed.last().filter(|hex| hex.len() == 8)?;
    u32::from_str_radix(hex, 16).ok().map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_one_spelling() {
        let cases = [
            ("http://169.254.169.254/latest", "169.254.169.254"),
            ("http://2852039166/", "169.254.169.254"),
            ("http://0xa9fea9fe", "169.254.169.254"),
            ("http://0xa9.0xfe.0xa9.0xfe/", "169.254.169.254"),
            ("http://0251.0376.0251.0376/", "169.254.169.254"),
            ("http://169.254.43518/", "169.254.169.254"),
            ("http://169.16689662/", "169.254.169.254"),
            ("http://[::ffff:169.254.169.254]/", "169.254.169.254"),
            ("http://[::ffff:a9fe:a9fe]:80/", "169.254.169.254"),
            ("http://[0:0:0:0:0:ffff:a9fe:a9fe]/", "169.254.169.254"),
            ("http://[64:ff9b::a9fe:a9fe]/", "169.254.169.254"),
            ("http://[fd00:ec2::254]/latest", "fd00:ec2::254"),
            ("http://[FD00:0EC2:0::254%25eth0]/latest", "fd00:ec2::254"),
            ("http://good.test@169.254.169.254:80/x@y", "169.254.169.254"),
            ("http://%31%36%39.254.169.254/", "169.254.169.254"),
            ("http://①⑥⑨。２５４.169.254/", "169.254.169.254"),
            ("http://169.254.169.254./", "169.254.169.254"),
            ("http://169.254.169.254.nip.io/", "169.254.169.254"),
            ("http://x-169-254-169-254.sslip.io/", "169.254.169.254"),
            ("http://Metadata.Google.Internal./", "metadata.google.internal"),
            ("localhost:8080/x", "localhost"),
            ("http://127.1:9/x", "127.0.0.1"),
            ("http://0/", "0.0.0.0"),
            ("user:pw@example.test:99", "example.test"),
            ("//example.test/x", "example.test"),
            ("http:/example.test/x", "example.test"),
            ("HTTPS://EXAMPLE.test?q=a@b", "example.test"),
            ("http://[::1]:3000/", "::1"),
            ("http://1.2.3.4.5/", "1.2.3.4.5"),
            ("http://256.1.1.1/", "256.1.1.1"),
            ("http://099.1/", "099.1"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn files_and_strange_addresses() {
        assert_eq!(Url::parse("file:///etc/pass%77d").file().as_deref(), Some("/etc/passwd"));
        assert_eq!(Url::parse("FILE://localhost/etc/passwd").file().as_deref(), Some("/etc/passwd"));
        assert_eq!(Url::parse("file:/etc/passwd").file().as_deref(), Some("/etc/passwd"));
        assert_eq!(Url::parse("http://x.test/file:///etc").file(), None);
        assert!(Url::parse("http://evil.test\0.good.test/").strange);
        assert!(Url::parse("http://evil.test%00.good.test/").strange);
        assert!(Url::parse("http://evil.test\\@good.test/").strange);
        assert!(!Url::parse("https://user@good.test:443/a?b=c#d\\e").strange);
    }
}
