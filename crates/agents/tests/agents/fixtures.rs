//! The recorded payloads, and decisions to be said.

use std::path::Path;

use tollgate_agents::{ADAPTERS, Adapter, Payload};
use tollgate_model::json::{Value, object};
use tollgate_model::{Certainty, Decision, Event, Fault, Finding, Hit, Span, Verdict};

/// One payload.
pub struct Fixture {
    pub adapter: &'static dyn Adapter,
    /// Its file's name without version and extension.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Fixture {
    /// The event as the installed command names it.
    pub fn hint(&self) -> &str {
        self.name.split('-').next().unwrap().trim_end_matches(|c: char| c == '.' || c.is_ascii_digit())
    }

    pub fn event(&self) -> Event {
        read(self.adapter, &self.bytes, Some(self.hint()))
            .unwrap_or_else(|fault| panic!("{}: {fault:?}", self.name))
    }
}

pub fn read(adapter: &dyn Adapter, bytes: &[u8], hint: Option<&str>) -> Result<Event, Fault> {
    // Copilot's notifications name themselves in another case than the hook that they go to.
    adapter.read(&Payload { bytes, hint, env: &|_| None })
}

/// The adapters with recorded payloads, Claude Code aside, which has tests of its own.
pub fn recorded() -> impl Iterator<Item = &'static dyn Adapter> {
    ADAPTERS.iter().copied().filter(|adapter| {
        let name = adapter.agent().name();
        name != "claude-code" && folder(name).is_dir()
    })
}

pub fn all() -> Vec<Fixture> {
    recorded().flat_map(of).collect()
}

pub fn of(adapter: &'static dyn Adapter) -> Vec<Fixture> {
    let files = std::fs::read_dir(folder(adapter.agent().name())).unwrap();
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let fixture = |path: &std::path::PathBuf| {
        let file = path.file_name().unwrap().to_str().unwrap();
        let prefix = format!("{}-", adapter.profile().version);
        let name = file.strip_prefix(&prefix).unwrap().strip_suffix(".json").unwrap().to_owned();
        Fixture { adapter, name, bytes: std::fs::read(path).unwrap() }
    };
    paths.iter().map(fixture).collect()
}

fn folder(agent: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("payloads").join(agent)
}

/// Everything that can be said to any event: a name for it, and whether it must stop a call.
pub fn decisions() -> Vec<(&'static str, Decision)> {
    let one = |verdict: Verdict| {
        let mut decision = Decision { code: "k7f2".into(), ..Decision::default() };
        if verdict > Verdict::Allow {
            decision.add(finding(verdict, "deletes your home directory `~`"));
        }
        decision
    };
    let texts =
        Decision { context: vec!["CONTEXT".into()], notices: vec!["NOTICE".into()], ..one(Verdict::Allow) };
    let said =
        |verdict| Decision { context: texts.context.clone(), notices: texts.notices.clone(), ..one(verdict) };
    let mut long = said(Verdict::Deny);
    long.findings.clear();
    long.add(finding(Verdict::Deny, &"\u{1b}[31m long \u{202e}".repeat(5_000)));
    vec![
        ("allow", one(Verdict::Allow)),
        ("note", one(Verdict::Note)),
        ("ask", one(Verdict::Ask)),
        ("deny", one(Verdict::Deny)),
        ("halt", one(Verdict::Halt)),
        ("texts", texts.clone()),
        ("ask with texts", said(Verdict::Ask)),
        ("deny with texts", said(Verdict::Deny)),
        ("approve", Decision { approve: true, ..one(Verdict::Allow) }),
        ("rewrite", Decision { rewrite: Some(input()), ..one(Verdict::Allow) }),
        ("rewrite and ask", Decision { rewrite: Some(input()), ..one(Verdict::Ask) }),
        ("a rewrite that is no object", Decision { rewrite: Some(Value::Null), ..one(Verdict::Allow) }),
        ("a refusal without a reason", Decision { verdict: Verdict::Deny, ..Decision::default() }),
        ("a long reason", long),
        ("save", said(Verdict::Save)),
        ("ask, alone", Decision { alone: true, ..one(Verdict::Ask) }),
    ]
}

fn input() -> Value {
    object([("command", "true".into())])
}

fn finding(verdict: Verdict, what: &str) -> Finding {
    let hit = Hit {
        what: what.into(),
        instead: "name the folder".into(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    Finding { rule: "delete-home".into(), verdict, savable: false, hit }
}
