//! A machine as the server sees it: the protocol without an agent behind it. For the demonstration, measurements, tests.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tollgate_fleet_protocol::{
    Agent, Authorization, Batch, BatchHead, Enrol, Enrolled, ErrorAnswer, ErrorCode, Grants, Head, Hello,
    MAX_RECORDS, MachineKey, Stored, System, Welcome,
};
use tollgate_model::Record;
use tollgate_store::{Link, Log};

use crate::app::{now, random};

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(40);

/// An answer: status and body.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The answer.
    ///
    /// # Errors
    /// When it is an error, or something else than expected.
    pub fn json<T: DeserializeOwned>(&self) -> anyhow::Result<T> {
        if self.status >= 400 {
            bail!("{}: {}", self.status, String::from_utf8_lossy(&self.body));
        }
        Ok(serde_json::from_slice(&self.body)?)
    }

    /// What kind of error it is, if it is one.
    #[must_use]
    pub fn error(&self) -> Option<ErrorCode> {
        serde_json::from_slice::<ErrorAnswer>(&self.body).ok().map(|answer| answer.error.code)
    }
}

/// A machine.
pub struct Simulated {
    /// Its key.
    pub key: MachineKey,
    /// What it says of itself.
    pub system: System,
    server: String,
    http: ureq::Agent,
    head: Head,
}

impl Simulated {
    /// A machine with a new key.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new(server: &str, host: &str) -> anyhow::Result<Self> {
        let seed = random::<32>().map_err(|refusal| anyhow::anyhow!("{}", refusal.message()))?;
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        let text = str::to_owned;
        let system = System {
            host: text(host),
            user: text("dev"),
            os: text("linux"),
            arch: text("x86_64"),
            gate: text(env!("CARGO_PKG_VERSION")),
            instance: text(host),
        };
        let (http, head) = (config.build().new_agent(), Head::default());
        Ok(Self { key: MachineKey::from_seed(&seed)?, system, server: text(server), http, head })
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> String {
        self.key.public().machine_id()
    }

    /// Signs and sends a request.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn request(&self, method: &str, target: &str, body: &[u8]) -> anyhow::Result<Reply> {
        let nonce = random::<16>().map_err(|refusal| anyhow::anyhow!("{}", refusal.message()))?;
        let signed = Authorization::sign(&self.key, (method, target), body, now(), nonce);
        self.send_signed(method, target, body, &signed.to_string())
    }

    /// Sends a request with a signature that was made before.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn send_signed(
        &self,
        method: &str,
        target: &str,
        body: &[u8],
        signature: &str,
    ) -> anyhow::Result<Reply> {
        let url = format!("{}{target}", self.server);
        let mut response = match method {
            "GET" => self.http.get(&url).header("authorization", signature).call()?,
            _ => self.http.post(&url).header("authorization", signature).send(body)?,
        };
        let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = header.and_then(|value| value.parse().ok());
        let status = response.status().as_u16();
        Ok(Reply { status, retry_after, body: response.body_mut().read_to_vec()? })
    }

    fn post<T: DeserializeOwned>(&self, target: &str, message: &impl Serialize) -> anyhow::Result<T> {
        self.request("POST", target, &serde_json::to_vec(message)?)?.json()
    }

    /// Joins.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn enrol(&self, token: &str) -> anyhow::Result<Enrolled> {
        let enrol = Enrol { token: token.to_owned(), key: self.key.public(), system: self.system.clone() };
        self.post("/v1/enrol", &enrol)
    }

    /// Greets, as a machine with one guarded agent that has nothing else to say.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn hello(&self, head: Option<Head>) -> anyhow::Result<Welcome> {
        let agent = Agent { name: "claude-code".into(), version: "2.0".into(), guarded: true };
        self.greet(&Hello { head, agents: vec![agent], ..Hello::default() })
    }

    /// Greets.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn greet(&self, hello: &Hello) -> anyhow::Result<Welcome> {
        self.post("/v1/hello", &Hello { system: self.system.clone(), ..hello.clone() })
    }

    /// Asks for approvals.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn grants(&self, after: u64, wait: u64) -> anyhow::Result<Grants> {
        self.request("GET", &format!("/v1/grants?after={after}&wait={wait}"), b"")?.json()
    }

    /// Sends lines of a log as one batch.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn send(&self, lines: &[String], head: Option<Head>) -> anyhow::Result<Reply> {
        self.request("POST", "/v1/records", &batch(lines, head)?)
    }

    /// Sends what is new in a log, as the courier does. Returns the last answer, if anything was sent.
    ///
    /// # Errors
    /// When the server refuses for good, or is busy for a minute.
    pub fn sync(&mut self, log: &Log) -> anyhow::Result<Option<Stored>> {
        let mut last = None;
        for _ in 0..10_000 {
            let entries = log.records_from(self.head.seq + 1).take(MAX_RECORDS);
            let lines: Vec<String> = entries.map(|entry| entry.line).collect();
            if lines.is_empty() {
                return Ok(last);
            }
            let head = log.head().map(|head| Head { seq: head.seq, hash: head.hash() });
            let reply = self.send(&lines, head)?;
            match reply.error() {
                Some(ErrorCode::Busy) => {
                    std::thread::sleep(Duration::from_secs(reply.retry_after.unwrap_or(1).min(5)));
                }
                Some(ErrorCode::OutOfOrder) => {
                    let answer: ErrorAnswer = serde_json::from_slice(&reply.body)?;
                    self.head = common(log, &answer.error.known);
                }
                _ => {
                    let stored: Stored = reply.json()?;
                    self.head = stored.head.clone();
                    last = Some(stored);
                }
            }
        }
        bail!("the server wants no end of requests")
    }
}

/// The largest place that a log has, too.
fn common(log: &Log, known: &[Head]) -> Head {
    let here = |head: &&Head| {
        let entry = log.records_from(head.seq).next().filter(|entry| entry.seq == head.seq);
        entry
            .and_then(|entry| Link::of(entry.line.as_bytes()))
            .is_some_and(|link| link.hash.to_string() == head.hash)
    };
    known.iter().filter(here).max_by_key(|head| head.seq).cloned().unwrap_or_default()
}

/// The body of a batch.
///
/// # Errors
/// When there is no line, or the first one is no record.
pub fn batch(lines: &[String], head: Option<Head>) -> anyhow::Result<Vec<u8>> {
    let first = lines.first().and_then(|line| Link::of(line.as_bytes())).context("no record")?;
    let after = Head { seq: first.seq - 1, hash: first.prev.to_string() };
    let lines = lines.iter().map(String::as_str).collect();
    let body = Batch { head: BatchHead { after, head, missing: None }, lines }.to_body();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&body)?;
    Ok(gzip.finish()?)
}

/// Writes records as a hook does. Every tenth call is refused.
///
/// # Errors
/// When they cannot be written.
pub fn write_log(state: &Path, from: u64, count: u64) -> anyhow::Result<Log> {
    let log = Log::at(state);
    let time = std::time::SystemTime::now();
    log.append_all((from..from + count).map(|number| (record(number), time)))?;
    Ok(log)
}

fn record(number: u64) -> Record {
    let refused = number % 10 == 9;
    let call = format!("cargo test --package example-{} -- --nocapture module::test_{number}", number % 17);
    let digest = blake3::hash(call.as_bytes()).to_hex().to_string();
    let fields = serde_json::json!({
        "agent": "claude-code", "session": format!("5f0c1d9a-0000-4000-8000-{:012}", number / 200), "event": "PreToolUse",
        "phase": "pre-tool", "cwd": "/home/dev/work/example", "mode": "default", "agent_version": "2.0.31",
        "transcript": "/home/dev/.claude/projects/example/transcript.jsonl", "tool": "Bash", "class": "shell",
        "input": { "command": call, "description": "Run the tests of one package" },
        "effects": [{ "kind": "exec", "of": "cargo" }, { "kind": "write", "of": "/home/dev/work/example/target" }],
        "verdict": if refused { "deny" } else { "allow" },
        "findings": if refused { serde_json::json!([{ "rule": "core/example", "verdict": "deny", "what": "an example" }]) }
            else { serde_json::json!([]) },
        "code": if refused { digest.chars().take(8).collect() } else { String::new() }, "digest": digest,
        "us": { "read": 40, "policy": 60, "judge": 310 }, "gate": env!("CARGO_PKG_VERSION"),
    });
    let members = fields.as_object().into_iter().flatten();
    let value = |value: &serde_json::Value| tollgate_model::json::parse(value.to_string().as_bytes()).ok();
    let fields = members.filter_map(|(key, one)| Some((key.clone(), value(one)?))).collect();
    Record { call: format!("toolu_{number:020}"), fields }
}
