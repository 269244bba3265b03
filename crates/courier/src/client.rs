//! Signed requests over HTTPS.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollgate_fleet_protocol::{
    Authorization, ErrorAnswer, ErrorBody, ErrorCode, Head, MAX_BUNDLE, MAX_SKEW, MachineKey,
};
use ureq::http::{HeaderMap, Uri};
use ureq::tls::TlsConfig;

use crate::clock::now;

/// How long a request may take, unless it waits for something on purpose.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most bytes of an answer: a bundle in JSON, whose text is written with escapes.
const MOST: u64 = 3 * MAX_BUNDLE as u64;

/// Why a request got no answer that can be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The server was not reached.
    #[error("the server cannot be reached: {0}")]
    Offline(String),
    /// It said no.
    #[error("the server refused: {}", .0.message)]
    Refused(Box<Refusal>),
    /// What came back is no answer of a `tollgate-server`.
    #[error("the answer cannot be understood: {0}")]
    Unreadable(String),
}

/// A server's no.
#[derive(Clone, Debug)]
pub struct Refusal {
    code: ErrorCode,
    message: String,
    retry_after_s: Option<u64>,
    known: Vec<Head>,
    server_time: Option<u64>,
}

impl Failure {
    /// What kind of no it is; `None` when the server did not say one.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        if let Self::Refused(refusal) = self { Some(refusal.code) } else { None }
    }

    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        if let Self::Refused(refusal) = self { refusal.retry_after_s } else { None }
    }

    /// The places that a server has of a machine's log, which it says when a batch continues none of them.
    pub(crate) fn known(&self) -> &[Head] {
        if let Self::Refused(refusal) = self { &refusal.known } else { &[] }
    }

    #[cfg(test)]
    pub(crate) fn refused(code: ErrorCode, retry_after_s: Option<u64>) -> Self {
        let (message, known, server_time) = (String::new(), Vec::new(), None);
        Self::Refused(Box::new(Refusal { code, message, retry_after_s, known, server_time }))
    }
}

/// Whoever sends requests. Copies share what is known of the server's clock.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    server: String,
    agent: ureq::Agent,
    key: Arc<MachineKey>,
    /// How far the server's clock is ahead of ours, in seconds.
    skew: Arc<AtomicI64>,
}

/// A request that is not signed yet.
struct Request<'a> {
    method: &'static str,
    /// Path and query.
    target: &'a str,
    body: &'a [u8],
    gzip: bool,
    patience: Duration,
}

/// Checks a server's address: HTTPS, or HTTP to this machine; nothing after the port.
///
/// # Errors
/// When it is none.
pub fn check_server(address: &str) -> Result<String, String> {
    let uri: Uri = address.parse().map_err(|error| format!("`{address}` is no address: {error}"))?;
    let host = uri.host().unwrap_or_default();
    let local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if local => {}
        Some("http") => return Err(format!("`{address}` is not encrypted; use https://")),
        _ => return Err(format!("`{address}` is no address of a server; write https://HOST:PORT")),
    }
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    if host.is_empty() || authority.contains('@') || !matches!(uri.path(), "" | "/") || uri.query().is_some()
    {
        return Err(format!("`{address}` must end after host and port: https://HOST:PORT"));
    }
    Ok(format!("{}://{authority}", uri.scheme_str().unwrap_or("https")))
}

impl Client {
    /// For a server that was checked, with the certificates to trust, and the clock as it was found before.
    pub(crate) fn new(server: &str, ca: Option<&Path>, key: MachineKey, skew: i64) -> Result<Self, Failure> {
        let roots = tollgate_sinks::trusted_roots(ca).map_err(Failure::Offline)?;
        let builder = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("tollgate/", env!("CARGO_PKG_VERSION")))
            .tls_config(TlsConfig::builder().root_certs(roots).build());
        // A proxy sees what is sent without TLS, so it is used only with it.
        let builder = if server.starts_with("https://") { builder } else { builder.proxy(None) };
        let (server, agent) = (server.to_owned(), builder.build().into());
        Ok(Self { server, agent, key: Arc::new(key), skew: Arc::new(AtomicI64::new(skew)) })
    }

    /// How far the server's clock is ahead, in seconds, as far as it had to be known.
    pub(crate) fn skew(&self) -> i64 {
        self.skew.load(Ordering::Relaxed)
    }

    pub(crate) fn get<T: DeserializeOwned>(&self, target: &str) -> Result<T, Failure> {
        self.ask(&Request { method: "GET", target, body: b"", gzip: false, patience: PATIENCE })
    }

    /// The same, for an answer that the server holds back for so long.
    pub(crate) fn wait<T: DeserializeOwned>(&self, target: &str, wait: Duration) -> Result<T, Failure> {
        let patience = PATIENCE + wait;
        self.ask(&Request { method: "GET", target, body: b"", gzip: false, patience })
    }

    pub(crate) fn post<T: DeserializeOwned>(
        &self,
        target: &str,
        body: &impl Serialize,
    ) -> Result<T, Failure> {
        let body = serde_json::to_vec(body).map_err(|error| Failure::Unreadable(error.to_string()))?;
        self.ask(&Request { method: "POST", target, body: &body, gzip: false, patience: PATIENCE })
    }

    /// Posts bytes that gzip made.
    pub(crate) fn post_gzip<T: DeserializeOwned>(&self, target: &str, body: &[u8]) -> Result<T, Failure> {
        self.ask(&Request { method: "POST", target, body, gzip: true, patience: PATIENCE })
    }

    /// Asks, and once more where only the clock or the nonce was wrong.
    fn ask<T: DeserializeOwned>(&self, request: &Request) -> Result<T, Failure> {
        let bytes = match self.send(request) {
            Err(Failure::Refused(refusal)) if self.heals(&refusal) => self.send(request)?,
            outcome => outcome?,
        };
        serde_json::from_slice(&bytes).map_err(|error| Failure::Unreadable(plain(&error.to_string())))
    }

    /// Would the same request be taken when it is signed again?
    fn heals(&self, refusal: &Refusal) -> bool {
        match (refusal.code, refusal.server_time) {
            (ErrorCode::Replayed, _) => true,
            (ErrorCode::ClockSkew, Some(time)) => {
                let skew = i64::try_from(i128::from(time) - i128::from(now())).unwrap_or_default();
                self.skew.store(skew, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }

    fn send(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        let mut nonce = [0; 16];
        let filled = SystemRandom::new().fill(&mut nonce);
        filled.map_err(|_| Failure::Offline("this system has no randomness".to_owned()))?;
        let time = now().saturating_add_signed(self.skew());
        let what = (request.method, request.target);
        let signed = Authorization::sign(&self.key, what, request.body, time, nonce).to_string();
        let url = format!("{}{}", self.server, request.target);
        let offline = |error: ureq::Error| Failure::Offline(error.to_string());
        let mut answer = if request.method == "GET" {
            let get = self.agent.get(&url).header("authorization", &signed);
            get.config().timeout_global(Some(request.patience)).build().call().map_err(offline)?
        } else {
            let post = self.agent.post(&url).header("authorization", &signed);
            let post =
                post.header("content-type", if request.gzip { "text/plain" } else { "application/json" });
            let post = if request.gzip { post.header("content-encoding", "gzip") } else { post };
            let post = post.config().timeout_global(Some(request.patience)).build();
            post.send(request.body).map_err(offline)?
        };
        let (status, retry) = (answer.status().as_u16(), retry_after(answer.headers()));
        let bytes = answer.body_mut().with_config().limit(MOST).read_to_vec().map_err(offline)?;
        if (200..300).contains(&status) { Ok(bytes) } else { Err(refusal(status, retry, &bytes)) }
    }
}

/// A text of others on one line, and not too long.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(300).collect()
}

fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get("retry-after")?.to_str().ok()?.trim().parse().ok()
}

/// What an error says. A proxy in between says it in its own way.
fn refusal(status: u16, retry_after_s: Option<u64>, bytes: &[u8]) -> Failure {
    match serde_json::from_slice::<ErrorAnswer>(bytes) {
        Ok(ErrorAnswer { error: ErrorBody { code, message, server_time, known } }) => {
            let message = plain(&message);
            Failure::Refused(Box::new(Refusal { code, message, retry_after_s, known, server_time }))
        }
        Err(_) if matches!(status, 429 | 503) => {
            let (code, message) = (ErrorCode::Busy, format!("status {status}"));
            let (known, server_time) = (Vec::new(), None);
            Failure::Refused(Box::new(Refusal { code, message, retry_after_s, known, server_time }))
        }
        Err(_) => Failure::Unreadable(format!("status {status}")),
    }
}

/// Is a clock so far off that requests had to be signed with the server's?
pub(crate) fn is_wrong_clock(skew: i64) -> bool {
    skew.unsigned_abs() > MAX_SKEW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_protect_what_is_sent_are_taken() {
        for (given, kept) in [
            ("https://fleet.example", "https://fleet.example"),
            ("https://fleet.example:8443/", "https://fleet.example:8443"),
            ("http://127.0.0.1:80", "http://127.0.0.1:80"),
            ("http://[::1]:9", "http://[::1]:9"),
            ("http://localhost:9", "http://localhost:9"),
        ] {
            assert_eq!(check_server(given).as_deref(), Ok(kept), "{given}");
        }
        for given in [
            "http://fleet.example",
            "http://127.0.0.1.example",
            "http://localhost@evil.example",
            "https://me@fleet.example",
            "https://fleet.example/x",
            "https://fleet.example/?x",
            "ftp://fleet.example",
            "fleet.example",
            "",
        ] {
            assert!(check_server(given).is_err(), "{given}");
        }
    }

    #[test]
    fn answers_of_others_are_understood_as_far_as_they_go() {
        assert_eq!(refusal(503, Some(3), b"<html>").retry_after_s(), Some(3));
        assert_eq!(refusal(503, None, b"").code(), Some(ErrorCode::Busy));
        assert!(matches!(refusal(502, None, b"<html>"), Failure::Unreadable(_)));
        let body =
            br#"{"error":{"code":"out_of_order","message":"a\u001bb","known":[{"seq":3,"hash":"x"}]}}"#;
        let failure = refusal(409, None, body);
        assert_eq!((failure.code(), failure.known().len()), (Some(ErrorCode::OutOfOrder), 1));
        assert_eq!(failure.to_string(), "the server refused: ab");
    }
}
