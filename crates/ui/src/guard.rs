//! Who may ask: the token, the host that the browser believes to talk to, and the page that a request comes from.

use std::net::SocketAddr;

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue, Method, header};

use crate::refusal::{Code, Refusal};

/// Bytes of a token.
const LENGTH: usize = 32;

/// What a reader must know. Lives in memory and in the fragment of a URL, never in a file or on a command line.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one from the system's randomness.
    ///
    /// # Errors
    /// When there is none.
    pub fn new() -> std::io::Result<Self> {
        use std::io::Read;
        let mut bytes = [0; LENGTH];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The token as the URL's fragment has it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Compared by their hashes, so that the time it takes tells nothing.
    pub(crate) fn is(&self, given: &str) -> bool {
        blake3::hash(given.as_bytes()) == blake3::hash(self.0.as_bytes())
    }
}

/// Checks requests for one address.
pub(crate) struct Guard {
    token: Token,
    hosts: [String; 2],
    origins: [String; 2],
}

impl Guard {
    pub(crate) fn new(token: Token, address: SocketAddr) -> Self {
        let hosts = [format!("127.0.0.1:{}", address.port()), format!("localhost:{}", address.port())];
        let origins = hosts.clone().map(|host| format!("http://{host}"));
        Self { token, hosts, origins }
    }

    /// The name in `Host` must be ours: a page whose own name was made to lead here has another.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut given = headers.get_all(HOST).iter();
        let host = given.next().and_then(|host| host.to_str().ok()).unwrap_or_default();
        if given.next().is_none() && self.hosts.iter().any(|name| name == host) {
            return Ok(());
        }
        Err(Refusal::new(Code::WrongHost, "this server answers as 127.0.0.1 and localhost only"))
    }

    /// A request that changes something comes from our own page; any other request not from somebody else's.
    pub(crate) fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let refused = || Refusal::new(Code::WrongOrigin, "the request comes from another page");
        let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("?"));
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        match site {
            None | Some("same-origin") => {}
            Some("none") if !changes => {}
            Some(_) => return Err(refused()),
        }
        match text(ORIGIN) {
            None if changes => Err(refused()),
            None => Ok(()),
            Some(origin) if self.origins.iter().any(|own| own == origin) => Ok(()),
            Some(_) => Err(refused()),
        }
    }

    pub(crate) fn check_token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer "));
        if given.is_some_and(|given| self.token.is(given)) {
            return Ok(());
        }
        Err(Refusal::new(Code::NoToken, "the token is missing or not this server's")
            .hint("Open the URL that `tollgate ui` printed"))
    }
}

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Tells the browser to trust nothing but this page.
pub(crate) fn protect(headers: &mut HeaderMap) {
    let fixed = [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new(Token("secret".into()), SocketAddr::from(([127, 0, 0, 1], 8080)))
    }

    fn headers(given: &[(&'static str, &str)]) -> HeaderMap {
        given.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_our_own_names_are_answered() {
        for (host, fits) in [
            ("127.0.0.1:8080", true),
            ("localhost:8080", true),
            ("localhost", false),
            ("127.0.0.1", false),
            ("127.0.0.1:8081", false),
            ("evil.test:8080", false),
            ("localhost.evil.test:8080", false),
            ("[::1]:8080", false),
            ("", false),
        ] {
            assert_eq!(guard().check_host(&headers(&[("host", host)])).is_ok(), fits, "{host}");
        }
        let mut two = headers(&[("host", "localhost:8080")]);
        two.append("host", "evil.test".parse().unwrap());
        assert!(guard().check_host(&two).is_err());
    }

    #[test]
    fn only_our_own_page_changes_things() {
        let own = ("origin", "http://127.0.0.1:8080");
        for (method, given, fits) in [
            (Method::POST, &[own][..], true),
            (Method::POST, &[own, ("sec-fetch-site", "same-origin")], true),
            (Method::POST, &[], false),
            (Method::POST, &[("origin", "null")], false),
            (Method::POST, &[("origin", "https://127.0.0.1:8080")], false),
            (Method::POST, &[("origin", "http://127.0.0.1:9")], false),
            (Method::POST, &[own, ("sec-fetch-site", "same-site")], false),
            (Method::POST, &[own, ("sec-fetch-site", "none")], false),
            (Method::GET, &[], true),
            (Method::GET, &[("sec-fetch-site", "none")], true),
            (Method::GET, &[("sec-fetch-site", "cross-site")], false),
            (Method::GET, &[("origin", "http://evil.test")], false),
        ] {
            assert_eq!(guard().check_origin(&method, &headers(given)).is_ok(), fits, "{method} {given:?}");
        }
    }

    #[test]
    fn the_token_is_whole_and_in_its_place() {
        for (value, fits) in [
            ("Bearer secret", true),
            ("Bearer secre", false),
            ("secret", false),
            ("Basic secret", false),
            ("", false),
        ] {
            assert_eq!(guard().check_token(&headers(&[("authorization", value)])).is_ok(), fits, "{value}");
        }
        assert_ne!(Token::new().unwrap().text(), Token::new().unwrap().text());
        assert_eq!(Token::new().unwrap().text().len(), 64);
    }
}
