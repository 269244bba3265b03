//! The recorded payloads and the words that the tests share.

use std::path::{Path, PathBuf};

use tollgate_agents::claude_code::ClaudeCode;
use tollgate_agents::{Adapter, Payload};
use tollgate_model::json::Value;
use tollgate_model::{
    Attended, Certainty, Decision, Event, Fault, Finding, Hit, Kind, OnFault, Reply, Span, Verdict,
};

/// One recorded payload.
pub struct Fixture {
    /// Its name without version and extension.
    pub name: String,
    /// As the client sent it.
    pub bytes: Vec<u8>,
    env: Vec<(String, String)>,
}

impl Fixture {
    /// The event it is read as.
    pub fn event(&self) -> Event {
        let env = |name: &str| self.env.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        ClaudeCode.read(&Payload { bytes: &self.bytes, hint: None, env: &env }).unwrap()
    }
}

/// Every payload, recorded ones first.
pub fn all() -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("payloads/claude-code");
    let recorded: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("2.1.325-env.json")).unwrap()).unwrap();
    let mut paths = json_files(&folder);
    paths.retain(|path| !path.ends_with("2.1.325-env.json"));
    paths.extend(json_files(&folder.join("unrecorded")));
    paths.iter().map(|path| fixture(path, &recorded)).collect()
}

fn fixture(path: &Path, recorded: &serde_json::Value) -> Fixture {
    let file = path.file_name().unwrap().to_str().unwrap();
    let name = file.strip_prefix("2.1.325-").unwrap().strip_suffix(".json").unwrap().to_owned();
    let env = recorded.get(file).and_then(serde_json::Value::as_object).into_iter().flatten();
    let env = env.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect();
    Fixture { name, bytes: std::fs::read(path).unwrap(), env }
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    paths
}

/// Reads a payload without an environment.
pub fn read(text: &str, hint: Option<&str>) -> Result<Event, Fault> {
    ClaudeCode.read(&Payload { bytes: text.as_bytes(), hint, env: &|_| None })
}

/// The answer to a fault, with the environment's word about a person.
pub fn fault(bytes: &[u8], hint: Option<&str>, attended: &str, fault: &Fault, on_fault: OnFault) -> Reply {
    let env = |name: &str| (name == "CLAUDE_CODE_SESSION_ATTENDED").then(|| attended.to_owned());
    ClaudeCode.fault(&Payload { bytes, hint, env: &env }, None, fault, on_fault)
}

/// A decision with one finding of this verdict.
pub fn decision(verdict: Verdict) -> Decision {
    let mut decision = Decision { code: "k7f2".into(), ..Decision::default() };
    if verdict > Verdict::Allow {
        decision.add(finding(verdict, "deletes your home directory `~`"));
    }
    decision
}

/// A finding that saw this.
pub fn finding(verdict: Verdict, what: &str) -> Finding {
    let hit = Hit {
        what: what.into(),
        instead: "name the folder".into(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    Finding { rule: "delete-home".into(), verdict, savable: false, hit }
}

/// The same event with or without a person.
pub fn with(event: &Event, attended: Attended) -> Event {
    Event { attended, ..event.clone() }
}

/// What a configuration change is about; empty for other events.
pub fn source(event: &Event) -> &str {
    match &event.kind {
        Kind::ConfigChange { source, .. } => source,
        _ => "",
    }
}

/// The value as JSON.
pub fn json(value: &Value) -> String {
    let mut out = String::new();
    tollgate_model::json::write(value, &mut out);
    out
}
