//! A small server of a fleet in this process, written on the protocol's types: it checks signatures, keeps the log as it
//! came, and fails in the ways it is told to.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests; each file uses its part"
)]

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use flate2::read::MultiGzDecoder;
use tollgate_fleet_protocol::{
    Assignment, Authorization, Batch, Bundle, Enrol, Enrolled, ErrorAnswer, ErrorBody, ErrorCode, Grant,
    Grants, Head, Hello, Installed, MachineKey, PublicKey, Refused, SignedBundle, Stage, Stored, Welcome,
};
use tollgate_store::Link;

/// Longer than anything here takes on a machine under load.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const TOKEN: &str = "one-time-token";

/// What the server does instead of answering.
#[derive(Clone, Copy, Debug)]
pub enum Trouble {
    /// 503 with so many seconds to wait.
    Busy(u64),
    /// Cuts the connection after it did what was asked.
    Cut,
    /// Says that the nonce was used.
    Replayed,
    /// A page of a proxy.
    Proxy,
}

#[derive(Default)]
pub struct Fleet {
    pub keys: HashMap<String, PublicKey>,
    pub hellos: Vec<Hello>,
    pub records: Vec<(u64, String, String)>,
    /// Where batches began that were taken, with their sizes.
    pub batches: Vec<(u64, usize)>,
    pub missing: Vec<(u64, u64, String)>,
    pub policies: Vec<Assignment>,
    pub bundles: HashMap<String, SignedBundle>,
    pub grants: Vec<Grant>,
    pub check: Vec<u64>,
    pub revoked: bool,
    /// Only the next requests for these paths fail.
    pub troubles: VecDeque<(&'static str, Trouble)>,
    /// How far the server's clock is ahead.
    pub ahead: i64,
    pub group: String,
    pub policy_keys: Vec<String>,
    /// Every request: method, target and the seconds since the server began.
    pub requests: Vec<(String, Duration)>,
    nonces: HashSet<String>,
}

pub struct Server {
    pub url: String,
    /// The certificate of the authority that vouches for the server, with TLS.
    pub ca: String,
    pub grant_key: MachineKey,
    fleet: Arc<(Mutex<Fleet>, Condvar)>,
}

struct Request {
    method: String,
    target: String,
    authorization: String,
    gzip: bool,
    body: Vec<u8>,
}

type Answer = Result<String, (u16, ErrorBody)>;

pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl Server {
    pub fn start() -> Self {
        Self::listen(None)
    }

    /// A server with TLS, whose certificate ends so many days from now.
    pub fn start_tls(days: i64) -> Self {
        Self::listen(Some(vouched_for(days)))
    }

    fn listen(tls: Option<(String, Arc<rustls::ServerConfig>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = if tls.is_some() {
            format!("https://localhost:{port}")
        } else {
            format!("http://127.0.0.1:{port}")
        };
        let (ca, config) = tls.map_or_else(|| (String::new(), None), |(ca, config)| (ca, Some(config)));
        let fleet = Fleet { group: "all".into(), ..Fleet::default() };
        let fleet = Arc::new((Mutex::new(fleet), Condvar::new()));
        let (shared, begun) = (fleet.clone(), Instant::now());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (shared, config) = (shared.clone(), config.clone());
                stream.set_read_timeout(Some(PATIENCE)).unwrap();
                std::thread::spawn(move || match config {
                    Some(config) => {
                        let connection = rustls::ServerConnection::new(config).unwrap();
                        serve(rustls::StreamOwned::new(connection, stream), &shared, begun);
                    }
                    None => serve(stream, &shared, begun),
                });
            }
        });
        Self { url, ca, grant_key: grant_key(), fleet }
    }

    pub fn fleet(&self) -> MutexGuard<'_, Fleet> {
        self.fleet.0.lock().unwrap()
    }

    /// Waits until the server knows what a test waits for.
    pub fn wait(&self, what: &str, mut done: impl FnMut(&Fleet) -> bool) {
        let end = Instant::now() + PATIENCE;
        let mut fleet = self.fleet();
        while !done(&fleet) {
            assert!(Instant::now() < end, "waited too long until {what}");
            fleet = self.fleet.1.wait_timeout(fleet, Duration::from_millis(200)).unwrap().0;
        }
    }

    /// Offers a bundle, for a purpose. Returns its digest.
    pub fn offer(&self, signed: &SignedBundle, version: u64, stage: Stage) -> String {
        let digest = signed.digest();
        let mut fleet = self.fleet();
        fleet.bundles.insert(digest.clone(), signed.clone());
        fleet.policies.retain(|assignment| assignment.stage != stage);
        fleet.policies.push(Assignment { bundle: Installed { version, digest: digest.clone() }, stage });
        digest
    }

    /// Approves a call of the only machine.
    pub fn approve(&self, digest: &str) {
        let mut fleet = self.fleet();
        let id = fleet.grants.len() as u64 + 1;
        let machine = fleet.keys.keys().next().unwrap().clone();
        let (digest, by) = (digest.to_owned(), "ann".to_owned());
        let grant = Grant { id, machine, digest, given: now(), expires: now() + 600, by, ..Grant::default() };
        fleet.grants.push(grant.sign(&self.grant_key));
        drop(fleet);
        self.fleet.1.notify_all();
    }
}

fn grant_key() -> MachineKey {
    MachineKey::from_seed(&[42; 32]).unwrap()
}

/// An authority, and what a server needs that it vouches for.
fn vouched_for(days: i64) -> (String, Arc<rustls::ServerConfig>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let authority_key = rcgen::KeyPair::generate().unwrap();
    let mut authority = rcgen::CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let root = authority.self_signed(&authority_key).unwrap();
    let issuer = rcgen::Issuer::new(authority, authority_key);
    let key = rcgen::KeyPair::generate().unwrap();
    let mut leaf = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let end = SystemTime::now() + Duration::from_secs(400 * 86_400);
    let end = end - Duration::from_secs(u64::try_from(400 - days).unwrap() * 86_400);
    leaf.not_after = end.into();
    let leaf = leaf.signed_by(&key, &issuer).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = rustls::ServerConfig::builder().with_no_client_auth();
    (root.pem(), Arc::new(config.with_single_cert(vec![leaf.der().clone()], key).unwrap()))
}

fn serve(mut stream: impl Read + Write, shared: &(Mutex<Fleet>, Condvar), begun: Instant) {
    let Some(request) = read(&mut stream) else { return };
    let path = request.target.split('?').next().unwrap().to_owned();
    let mut fleet = shared.0.lock().unwrap();
    fleet.requests.push((format!("{} {}", request.method, request.target), begun.elapsed()));
    let trouble = match fleet.troubles.front() {
        Some((at, trouble)) if path.starts_with(at) => Some(*trouble),
        _ => None,
    };
    if trouble.is_some() {
        fleet.troubles.pop_front();
    }
    let (status, extra, body) = match trouble {
        Some(Trouble::Busy(seconds)) => {
            let text = refuse(503, ErrorCode::Busy, "busy").unwrap_err();
            (503, format!("retry-after: {seconds}\r\n"), error(text.1))
        }
        Some(Trouble::Proxy) => (502, String::new(), "<html>".to_owned()),
        Some(Trouble::Replayed) => {
            let text = refuse(401, ErrorCode::Replayed, "again").unwrap_err();
            (401, String::new(), error(text.1))
        }
        trouble => {
            if path == "/v1/grants" {
                fleet = wait_for_grants(shared, fleet, &request.target);
            }
            let answer = respond(&mut fleet, &request, &path);
            if trouble.is_some() {
                shared.1.notify_all();
                return;
            }
            match answer {
                Ok(text) => (200, String::new(), text),
                Err((status, body)) => (status, String::new(), error(body)),
            }
        }
    };
    drop(fleet);
    shared.1.notify_all();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{extra}connection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}

fn wait_for_grants<'a>(
    shared: &'a (Mutex<Fleet>, Condvar),
    mut fleet: MutexGuard<'a, Fleet>,
    target: &str,
) -> MutexGuard<'a, Fleet> {
    let (after, wait) = grant_query(target);
    let end = Instant::now() + Duration::from_secs(wait);
    while fleet.grants.iter().all(|grant| grant.id <= after) && Instant::now() < end {
        fleet = shared.1.wait_timeout(fleet, Duration::from_millis(200)).unwrap().0;
    }
    fleet
}

fn grant_query(target: &str) -> (u64, u64) {
    let query: HashMap<&str, &str> =
        target.split_once('?').unwrap().1.split('&').filter_map(|pair| pair.split_once('=')).collect();
    (query["after"].parse().unwrap(), query["wait"].parse().unwrap())
}

fn error(error: ErrorBody) -> String {
    serde_json::to_string(&ErrorAnswer { error }).unwrap()
}

fn refuse(status: u16, code: ErrorCode, message: &str) -> Answer {
    Err((status, ErrorBody { code, message: message.into(), server_time: None, known: Vec::new() }))
}

fn read(stream: &mut impl Read) -> Option<Request> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut piece).ok()? {
            0 => return None,
            count => bytes.extend(&piece[..count]),
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        lines
            .filter(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
            .next()
    };
    let length: usize = header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        match stream.read(&mut piece).ok()? {
            0 => return None,
            count => body.extend(&piece[..count]),
        }
    }
    let mut words = head.split(' ').map(str::to_owned);
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let authorization = header("authorization").unwrap_or_default();
    Some(Request { method, target, authorization, gzip: header("content-encoding").is_some(), body })
}

fn respond(fleet: &mut Fleet, request: &Request, path: &str) -> Answer {
    let Some(signed) = Authorization::parse(&request.authorization) else {
        return refuse(401, ErrorCode::BadSignature, "not signed");
    };
    if path == "/v1/enrol" {
        return enrol(fleet, request, &signed);
    }
    let Some(key) = fleet.keys.get(&signed.machine).copied() else {
        return refuse(403, ErrorCode::UnknownMachine, "unknown");
    };
    if fleet.revoked {
        return refuse(403, ErrorCode::Revoked, "this machine's key was revoked");
    }
    admit(fleet, request, &signed, &key)?;
    let text = match path {
        "/v1/hello" => serde_json::to_string(&hello(fleet, request)),
        "/v1/records" => serde_json::to_string(&records(fleet, request)?),
        "/v1/grants" => {
            let after = grant_query(&request.target).0;
            let grants = fleet.grants.iter().filter(|grant| grant.id > after).cloned().collect();
            serde_json::to_string(&Grants { grants })
        }
        "/v1/leave" => {
            fleet.keys.clear();
            Ok("{}".to_owned())
        }
        path => match fleet.bundles.get(path.strip_prefix("/v1/bundles/").unwrap_or_default()) {
            Some(bundle) => serde_json::to_string(bundle),
            None => return refuse(404, ErrorCode::NotFound, "no such thing"),
        },
    };
    Ok(text.unwrap())
}

fn admit(
    fleet: &mut Fleet,
    request: &Request,
    signed: &Authorization,
    key: &PublicKey,
) -> Result<(), (u16, ErrorBody)> {
    let now = now().saturating_add_signed(fleet.ahead);
    match signed.check(key, (&request.method, &request.target), &request.body, now) {
        Ok(()) if fleet.nonces.insert(signed.nonce.clone()) => Ok(()),
        Ok(()) => refuse(401, ErrorCode::Replayed, "nonce").map(drop),
        Err(Refused::Signature) => refuse(401, ErrorCode::BadSignature, "signature").map(drop),
        Err(Refused::Skew) => {
            let message = "clock".to_owned();
            let body =
                ErrorBody { code: ErrorCode::ClockSkew, message, server_time: Some(now), known: Vec::new() };
            Err((401, body))
        }
    }
}

fn enrol(fleet: &mut Fleet, request: &Request, signed: &Authorization) -> Answer {
    let enrol: Enrol = serde_json::from_slice(&request.body).unwrap();
    admit(fleet, request, signed, &enrol.key)?;
    if enrol.token != TOKEN {
        return refuse(401, ErrorCode::BadToken, "the token is not known");
    }
    let machine = enrol.key.machine_id();
    fleet.keys.insert(machine.clone(), enrol.key);
    let (group, policy_keys) = (fleet.group.clone(), fleet.policy_keys.clone());
    let enrolled =
        Enrolled { fleet: "acme".into(), machine, group, policy_keys, grant_key: grant_key().public() };
    Ok(serde_json::to_string(&enrolled).unwrap())
}

fn hello(fleet: &mut Fleet, request: &Request) -> Welcome {
    fleet.hellos.push(serde_json::from_slice(&request.body).unwrap());
    Welcome {
        head: head(fleet),
        group: fleet.group.clone(),
        policies: fleet.policies.clone(),
        check: fleet.check.clone(),
        again_s: 1,
    }
}

fn head(fleet: &Fleet) -> Head {
    fleet.records.last().map_or_else(Head::default, |(seq, hash, _)| Head { seq: *seq, hash: hash.clone() })
}

fn records(fleet: &mut Fleet, request: &Request) -> Result<Stored, (u16, ErrorBody)> {
    assert!(request.gzip, "batches are compressed");
    let mut body = Vec::new();
    MultiGzDecoder::new(request.body.as_slice()).read_to_end(&mut body).unwrap();
    let batch = Batch::parse(&body).unwrap();
    let after = &batch.head.after;
    let stored =
        |head: &Head| fleet.records.iter().any(|(seq, hash, _)| *seq == head.seq && *hash == head.hash);
    let has = |head: &Head| *head == Head::default() || stored(head);
    if !has(after) && batch.head.missing.is_none() {
        let known = fleet.records.iter().rev().step_by(7).take(300);
        let known = known.map(|(seq, hash, _)| Head { seq: *seq, hash: hash.clone() }).collect();
        let message = "continues nothing".to_owned();
        return Err((409, ErrorBody { code: ErrorCode::OutOfOrder, message, server_time: None, known }));
    }
    if let Some(missing) = &batch.head.missing {
        fleet.missing.push((missing.from, missing.to, missing.why.clone()));
    }
    let (mut new, mut incidents) = (0, Vec::new());
    for line in &batch.lines {
        let link = Link::of(line.as_bytes()).unwrap();
        let hash = link.hash.to_string();
        let known = fleet.records.binary_search_by_key(&link.seq, |record| record.0);
        if known.is_ok_and(|at| fleet.records[at].1 == hash) {
            continue;
        }
        if fleet.records.last().is_some_and(|(seq, _, _)| *seq >= link.seq) {
            incidents.push("fork".to_owned());
            fleet.records.retain(|(seq, _, _)| *seq < link.seq);
        }
        fleet.records.push((link.seq, hash, (*line).to_owned()));
        new += 1;
    }
    fleet.batches.push((after.seq + 1, batch.lines.len()));
    if batch.head.head.as_ref().is_some_and(|end| end.seq < head(fleet).seq) {
        incidents.push("rollback".to_owned());
    }
    Ok(Stored { head: head(fleet), new, incidents })
}

/// A key that signs policies.
pub fn policy_key() -> minisign::KeyPair {
    minisign::KeyPair::generate_unencrypted_keypair().unwrap()
}

/// A bundle of the fleet with one policy file.
pub fn bundle(version: u64, policy: &str) -> Bundle {
    Bundle {
        format: 1,
        fleet: "acme".into(),
        groups: vec!["all".into()],
        version,
        min_previous: 0,
        created: now(),
        expires: now() + 3600,
        keys: Vec::new(),
        files: BTreeMap::from([("tollgate.yaml".into(), policy.into())]),
    }
}

pub fn sign(bundle: &Bundle, pair: &minisign::KeyPair) -> SignedBundle {
    let text = bundle.to_text();
    let signature = minisign::sign(None, &pair.sk, Cursor::new(&text), None, None).unwrap();
    SignedBundle { bundle: text, signature: signature.into_string() }
}
