//! Writes a made-up history in the real record format, unless it is there, takes it in, and says how long that and
//! the figures took.
//!
//! `cargo run --release -p tollgate-index --example history -- DIR EVENTS`

#![allow(clippy::print_stdout, reason = "a measurement")]

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tollgate_index::{By, Index, Scope};
use tollgate_model::json::{Value, object};
use tollgate_model::{
    Actor, Agent, Attended, Certainty, Decision, Event, Finding, Hit, Kind, Record, Span, Times, ToolCall,
    ToolUse, Trace, Verdict,
};
use tollgate_store::Log;

const TOOLS: [&str; 8] = ["Bash", "Read", "Edit", "Write", "Grep", "Glob", "WebFetch", "Agent"];
const AGENTS: [Agent; 3] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli];
const RULES: [&str; 6] =
    ["git-force-push", "home-delete", "secret-file-read", "curl-pipe-shell", "opaque", "system-write"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(state), Some(count)) =
        (args.next().map(PathBuf::from), args.next().and_then(|n| n.parse().ok()))
    else {
        return Err("usage: history DIR EVENTS".into());
    };
    let log = Log::at(&state);
    if log.head().is_none() {
        let start = Instant::now();
        let written = log.append_all(History::new(count))?;
        told("written", written, start.elapsed());
    }
    let mut index = Index::open(&state)?;
    let start = Instant::now();
    let taken = index.catch_up(|_| {})?;
    told("taken in", taken, start.elapsed());
    let start = Instant::now();
    let figures = index.figures(Scope::default());
    let totals = figures.totals()?;
    for by in [By::Day, By::Agent, By::Tool, By::Actor] {
        figures.calls(by)?;
    }
    let (rules, gate) = (figures.rules()?.len(), figures.latency("")?);
    for tool in TOOLS {
        figures.latency(tool)?;
    }
    figures.sessions(100)?;
    let (calls, p95) = (totals.calls.calls, gate.percentile(0.95).unwrap_or_default());
    println!("all figures of {calls} calls and {rules} rules in {:?}; gate p95 {p95} µs", start.elapsed());
    let status = std::fs::read_to_string("/proc/self/status")?;
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
    Ok(())
}

fn told(what: &str, count: u64, took: Duration) {
    let rate = count as f64 / took.as_secs_f64();
    println!("{count} records {what} in {:.1} s: {rate:.0}/s", took.as_secs_f64());
}

/// Sessions of forty calls, spread over ninety days.
struct History {
    left: u64,
    at: u64,
    random: u64,
}

impl History {
    fn new(count: u64) -> Self {
        Self { left: count, at: 0, random: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Xorshift: the same history each time.
    fn random(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }

    fn event(&mut self) -> (Event, Verdict) {
        // Per session: a prompt, forty calls with their results, a stop.
        let (session, step) = (self.at / 82, self.at % 82);
        let number = step.saturating_sub(1) / 2;
        let tool = TOOLS.get(((number + session) % 8) as usize).copied().unwrap_or_default();
        let verdict = match (number * 7919 + session * 104_729) % 100 {
            0 => Verdict::Deny,
            1 | 2 => Verdict::Ask,
            3..=5 => Verdict::Note,
            _ => Verdict::Allow,
        };
        let id = format!("toolu_{session:08x}{number:04x}");
        let path = format!("/home/user/project/src/module_{}.rs", self.random(500));
        let input = object([
            ("command", format!("cargo test -p crate_{} -- --nocapture", self.random(40)).into()),
            ("file_path", path.into()),
            ("description", "a step on the way".into()),
        ]);
        let call = ToolUse { id, name: tool.to_owned(), call: ToolCall::Other, input };
        let (name, kind) = match step {
            0 => ("UserPromptSubmit", Kind::Prompt { text: "please make the tests pass".to_owned() }),
            81 => ("Stop", Kind::Stop { again: None, message: String::new() }),
            step if step % 2 == 1 => ("PreToolUse", Kind::PreTool(call)),
            // A refused call has no result, and one in twenty fails.
            _ if verdict == Verdict::Deny => (
                "Notification",
                Kind::Notification { topic: "refused".into(), message: "a call was refused".into() },
            ),
            _ if (number + session).is_multiple_of(20) => {
                ("PostToolUseFailure", Kind::PostToolFail { tool: call, error: "exit code 1".into() })
            }
            _ => ("PostToolUse", Kind::PostTool { tool: call, response: Value::String("x".repeat(64)) }),
        };
        let sub = step > 60 && session.is_multiple_of(4);
        let actor = Actor::Subagent { id: format!("a{session}"), kind: "Explore".into() };
        let event = Event {
            agent: AGENTS.get((session % 3) as usize).copied().unwrap_or(Agent::Generic),
            name: name.to_owned(),
            session: format!("{session:08x}-0000-4000-8000-000000000000"),
            actor: if sub && step < 81 { actor } else { Actor::Main },
            cwd: "/home/user/project".into(),
            project: None,
            transcript: Some(format!("/home/user/.claude/projects/-home-user-project/{session:08x}.jsonl")),
            permission_mode: "default".into(),
            attended: Attended::Yes,
            trace: Trace {
                prompt: format!("{session:032x}"),
                took_ms: Some(5 + self.random(900)),
                version: String::new(),
            },
            kind,
        };
        (event, verdict)
    }
}

impl Iterator for History {
    type Item = (Record, SystemTime);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let (event, verdict) = self.event();
        let mut decision = Decision::default();
        let pending = event.pending().is_some();
        if pending && verdict > Verdict::Allow {
            let rule = RULES.get(self.random(6) as usize).copied().unwrap_or_default();
            let what = "would do something that cannot be undone".to_owned();
            let hit =
                Hit { what, instead: String::new(), span: Span::default(), certainty: Certainty::Certain };
            decision.add(Finding { rule: rule.to_owned(), verdict, hit });
        }
        let times = Times { read: 40, policy: 120 + self.random(80), judge: 200 + self.random(900) };
        let record =
            Record::of(&event, &[], &decision, decision.verdict, times).made_by("0.1.0", "0011223344556677");
        // Ninety days, however many events.
        let micros = 1_790_000_000_000_000 + self.at * 777_600;
        self.at += 1;
        Some((record, UNIX_EPOCH + Duration::from_micros(micros)))
    }
}
