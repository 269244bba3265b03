//! One POST, with TLS where the address says so.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use crate::{Address, Trouble};

/// Posts JSON to an address, with a path after it.
pub(crate) fn post(to: &Address, path: &str, body: &str, end: Instant) -> Result<(), Trouble> {
    post_where(&SYSTEM, to, path, body, end)
}

/// The same, on a system that keeps its certificates in one of these files.
fn post_where(system: &[&str], to: &Address, path: &str, body: &str, end: Instant) -> Result<(), Trouble> {
    let told = |why: String| format!("{}: {why}", to.shown());
    let url =
        if path.is_empty() { to.url.clone() } else { format!("{}/{path}", to.url.trim_end_matches('/')) };
    let mut request = agent(system, to, end)
        .map_err(|why| Trouble::later(told(why)))?
        .post(&url)
        .header("Content-Type", "application/json");
    for (name, value) in &to.headers {
        let value =
            filled(value, &|name| std::env::var(name).ok()).map_err(|why| Trouble::later(told(why)))?;
        request = request.header(name, value);
    }
    let answer = request.send(body).map_err(|error| Trouble::later(told(plain(&error))))?;
    match answer.status().as_u16() {
        200..300 => Ok(()),
        // What a server cannot take now it may take later; what it does not want it will never want.
        status @ (408 | 425 | 429 | 500..) => Err(Trouble::later(told(format!("answered {status}")))),
        status => Err(Trouble::lost(told(format!("answered {status}")))),
    }
}

impl Address {
    /// Scheme and host, without what may be a key.
    pub(crate) fn shown(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default();
        let same = format!("{scheme}://{host}");
        if same == self.url.trim_end_matches('/') {
            return same;
        }
        // Two addresses on one host are two sinks.
        let tag: String = blake3::hash(self.url.as_bytes()).to_hex().chars().take(4).collect();
        format!("{same}/…{tag}")
    }
}

fn agent(system: &[&str], to: &Address, end: Instant) -> Result<ureq::Agent, String> {
    let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let roots = roots(to.ca.as_deref(), system)?;
    let builder = ureq::Agent::config_builder()
        .timeout_global(Some(left))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("tollgate/", env!("CARGO_PKG_VERSION")))
        .tls_config(TlsConfig::builder().root_certs(roots).build());
    // A proxy sees what is sent without TLS, so it is used only with it.
    let builder = if to.url.starts_with("https://") { builder } else { builder.proxy(None) };
    Ok(builder.build().into())
}

/// Where systems keep the certificates that they trust, in one file.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Whom to trust: a file with certificates, else the system, else Mozilla's list as built in.
///
/// # Errors
/// When the file that was named holds no certificate.
pub fn trusted_roots(named: Option<&Path>) -> Result<RootCerts, String> {
    roots(named, &SYSTEM)
}

/// Whom to trust: the file that the policy names, else the system, else Mozilla's list as built in. The environment
/// has no say, as an agent can set it.
fn roots(named: Option<&Path>, system: &[&str]) -> Result<RootCerts, String> {
    if let Some(file) = named {
        return Ok(RootCerts::Specific(Arc::new(certificates(file)?)));
    }
    let found = system.iter().find_map(|file| certificates(Path::new(file)).ok());
    Ok(found.map_or(RootCerts::WebPki, |found| RootCerts::Specific(Arc::new(found))))
}

fn certificates(file: &Path) -> Result<Vec<ureq::tls::Certificate<'static>>, String> {
    let told = |why: String| format!("`{}`: {why}", file.display());
    let bytes = std::fs::read(file).map_err(|error| told(error.to_string()))?;
    let found: Vec<_> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() { Err(told("holds no certificate".to_owned())) } else { Ok(found) }
}

/// A header's value with the variables of the environment in it.
fn filled(value: &str, env: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&env(name).ok_or_else(|| format!("the variable `{name}` is not set"))?);
        rest = after;
    }
    out.push_str(rest);
    if out.contains(['\r', '\n']) { Err("a line end in a header".to_owned()) } else { Ok(out) }
}

/// What went wrong, without the address, which may hold a key.
fn plain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::BadUri(_) => "no address that can be understood".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_without_their_keys() {
        let shown = |url: &str| Address { url: url.to_owned(), ..Address::default() }.shown();
        assert_eq!(shown("https://a.example/"), "https://a.example");
        for url in ["https://me:pass@a.example:4318/x", "https://a.example:4318/hook/T0KEN?key=pass"] {
            let shown = shown(url);
            assert!(shown.starts_with("https://a.example:4318/…"), "{shown}");
            assert!(!shown.contains("pass") && !shown.contains("T0KEN"), "{shown}");
        }
        assert_ne!(shown("https://a.example/1"), shown("https://a.example/2"));
    }

    #[test]
    fn the_system_is_trusted_unless_the_policy_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let pem =
            |count: usize| "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n".repeat(count);
        let (none, one, two) = (file("none", "rubbish"), file("one", &pem(1)), file("two", &pem(2)));
        let count = |named: Option<&str>, system: &[&str]| match roots(named.map(Path::new), system) {
            Ok(RootCerts::Specific(found)) => Some(found.len()),
            Ok(_) => None,
            Err(_) => Some(0),
        };
        assert_eq!(count(None, &["/nowhere", &none, &one, &two]), Some(1));
        assert_eq!(count(Some(&two), &[&one]), Some(2));
        assert_eq!(count(Some(&none), &[&one]), Some(0), "a file that was named is never passed over");
        assert_eq!(count(None, &["/nowhere", &none]), None);
    }

    /// An authority, and a server that it vouches for, which takes so many connections.
    fn vouched_for(connections: usize) -> (String, u16, std::thread::JoinHandle<Vec<String>>) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root = authority.self_signed(&authority_key).unwrap();
        let issuer = rcgen::Issuer::new(authority, authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let server = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let server = server.signed_by(&key, &issuer).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = rustls::ServerConfig::builder().with_no_client_auth();
        let config = Arc::new(config.with_single_cert(vec![server.der().clone()], key).unwrap());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = std::thread::spawn(move || {
            (0..connections).map(|_| heard(listener.accept().unwrap().0, &config)).collect()
        });
        (root.pem(), port, served)
    }

    /// What a client says that trusts the server; nothing from one that does not.
    fn heard(tcp: std::net::TcpStream, config: &Arc<rustls::ServerConfig>) -> String {
        use std::io::{Read, Write};
        let connection = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, tcp);
        let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
        while !bytes.ends_with(b"{}") {
            match stream.read(&mut piece) {
                Ok(count) if count > 0 => bytes.extend(&piece[..count]),
                _ => return String::new(),
            }
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_server_is_reached_by_the_systems_certificates_and_by_no_others() {
        let (ours, port, served) = vouched_for(4);
        let (other, ..) = vouched_for(0);
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (ours, other, both) =
            (file("ours", &ours), file("other", &other), file("both", &format!("{other}{ours}")));
        let to = |ca: Option<&str>| Address {
            url: format!("https://localhost:{port}"),
            ca: ca.map(Into::into),
            ..Address::default()
        };
        let end = || Instant::now() + Duration::from_secs(10);
        let post = |system: &str, ca| post_where(&["/nowhere", system], &to(ca), "v1/traces", "{}", end());
        assert_eq!(post(&ours, None), Ok(()));
        assert_eq!(post(&both, None), Ok(()));
        let stranger = post(&other, None).unwrap_err();
        assert!(stranger.again && stranger.why.contains("certificate"), "{stranger:?}");
        assert!(post(&ours, Some(&other)).is_err(), "the policy's file counts, and no other");
        let heard = served.join().unwrap();
        assert!(heard[0].starts_with("POST /v1/traces HTTP/1.1\r\n"), "{}", heard[0]);
        assert!(!heard[1].is_empty() && heard[2].is_empty() && heard[3].is_empty(), "{heard:?}");
    }

    #[test]
    fn headers_take_variables() {
        let env = |name: &str| (name == "KEY").then(|| "k\u{e9}y".to_owned());
        assert_eq!(filled("Bearer ${KEY}!", &env), Ok("Bearer k\u{e9}y!".to_owned()));
        assert_eq!(filled("a ${b", &env), Ok("a ${b".to_owned()));
        assert!(filled("${MISSING}", &env).unwrap_err().contains("MISSING"));
        assert!(filled("a\r\nb: c", &env).is_err());
    }
}
