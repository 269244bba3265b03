//! Sinks over HTTPS, trusted by the system's own certificates: the real binary, in a file system of its own in which
//! that file is ours.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use support::Scratch;

const SYSTEM: &str = "/etc/ssl/certs/ca-certificates.crt";

/// An authority with a server that it vouches for; paths and bodies of what the server is sent.
struct Server {
    authority: String,
    port: u16,
    received: Receiver<(String, Value)>,
}

impl Server {
    fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let root = authority.self_signed(&authority_key).unwrap();
        let issuer = rcgen::Issuer::new(authority, authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let leaf = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let leaf = leaf.signed_by(&key, &issuer).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let config = rustls::ServerConfig::builder().with_no_client_auth();
        let config = Arc::new(config.with_single_cert(vec![leaf.der().clone()], key).unwrap());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sent, received) = channel();
        std::thread::spawn(move || {
            for tcp in listener.incoming().flatten() {
                let (config, sent) = (config.clone(), sent.clone());
                std::thread::spawn(move || serve(tcp, config, &sent));
            }
        });
        Self { authority: root.pem(), port, received }
    }

    /// What it gets, until it has been sent to that path.
    fn body_at(&self, path: &str) -> Value {
        loop {
            let (at, body) = self.received.recv_timeout(Duration::from_secs(60)).unwrap();
            if at == path {
                return body;
            }
        }
    }
}

fn serve(tcp: TcpStream, config: Arc<rustls::ServerConfig>, sent: &Sender<(String, Value)>) {
    let connection = rustls::ServerConnection::new(config).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, tcp);
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    // A client that does not trust us goes away.
    while let Some(count) = stream.read(&mut piece).ok().filter(|count| *count > 0) {
        bytes.extend(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        if let Ok(body) = serde_json::from_str(body) {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
            let _ = sent.send((head.split(' ').nth(1).unwrap().to_owned(), body));
            return;
        }
    }
}

/// The hook, where the system's certificates are those of a file.
fn hook_trusting(scratch: &Scratch, certificates: &Path, command: &str) -> support::Answer {
    let own = scratch.command(Some("PreToolUse"));
    let mut inside = Command::new("unshare");
    inside.args([
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"",
    ]);
    inside.arg(certificates).arg(SYSTEM).arg(own.get_program()).args(own.get_args());
    scratch.clean(&mut inside);
    support::answer(&mut inside, &scratch.payload("Bash", json!({"command": command})))
}

fn sinks(scratch: &Scratch) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    let output = command.args(["stats", "--json"]).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["sinks"].as_array().unwrap().clone()
}

/// The accounts of the sinks, once they are as they should be.
fn once(scratch: &Scratch, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let sinks = sinks(scratch);
        if (!sinks.is_empty() && sinks.iter().all(&wanted)) || Instant::now() > end {
            return sinks;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn scratch(port: u16) -> Scratch {
    let scratch = Scratch::new();
    scratch.policy(&format!(
        "version: 1\nsinks:\n  - {{ uses: webhook, url: \"https://localhost:{port}/hook\" }}\n  - {{ uses: otlp, url: \"https://localhost:{port}\" }}\n"
    ));
    scratch
}

fn file(scratch: &Scratch, text: &str) -> PathBuf {
    let path = scratch.home().join("certificates.pem");
    std::fs::write(&path, text).unwrap();
    path
}

/// Some machines let nobody have a file system of their own; there the same is shown within `tollgate-sinks`.
fn has_namespaces() -> bool {
    let tried = Command::new("unshare").args(["--map-root-user", "--mount", "true"]).status();
    tried.is_ok_and(|status| status.success()) && Path::new(SYSTEM).exists()
}

#[test]
fn a_webhook_and_a_collector_are_reached_by_the_systems_certificates() {
    if !has_namespaces() {
        return;
    }
    let server = Server::new();
    let scratch = scratch(server.port);
    let certificates = file(&scratch, &server.authority);
    hook_trusting(&scratch, &certificates, "rm -rf ~/.ssh").denied();
    let hooked = server.body_at("/hook");
    assert_eq!(hooked["records"].as_array().or(hooked.as_array()).unwrap()[0]["verdict"], "deny", "{hooked}");
    let accounts = once(&scratch, |sink| sink["sent"].as_u64() > Some(0));
    assert!(accounts.iter().all(|sink| sink["failing"].is_null() && sink["dropped"] == 0), "{accounts:?}");
    assert!(accounts.len() >= 2, "{accounts:?}");
}

#[test]
fn one_that_the_system_does_not_vouch_for_gets_nothing_and_that_is_told() {
    if !has_namespaces() {
        return;
    }
    let (server, stranger) = (Server::new(), Server::new());
    let scratch = scratch(server.port);
    let certificates = file(&scratch, &stranger.authority);
    hook_trusting(&scratch, &certificates, "ls src");
    let accounts = once(&scratch, |sink| sink["failing"].is_string());
    for sink in &accounts {
        let why = sink["failing"].as_str().unwrap_or_default();
        assert!(why.contains("certificate") && sink["sent"] == 0, "{sink}");
    }
    assert!(accounts.len() >= 2 && server.received.try_recv().is_err(), "{accounts:?}");
    let record =
        tollgate_model::Record { call: String::new(), fields: vec![("agent".to_owned(), "x".into())] };
    let more = (0..10_050).map(|_| (record.clone(), SystemTime::now()));
    tollgate_store::Log::at(&scratch.state()).append_all(more).unwrap();
    hook_trusting(&scratch, &certificates, "ls src");
    let accounts = once(&scratch, |sink| sink["dropped"].as_u64() > Some(0));
    // The courier of the first call may see the log before the second call is in it.
    let is_beyond = |sink: &Value| matches!(sink["dropped"].as_u64(), Some(51 | 52));
    assert!(accounts.iter().all(is_beyond), "{accounts:?}");
    assert!(server.received.try_recv().is_err(), "nothing is said to a stranger");
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut doctor);
    let told = String::from_utf8(doctor.arg("doctor").output().unwrap().stdout).unwrap();
    assert!(told.contains("certificate") && told.contains("localhost"), "{told}");
}
