//! Writes a made-up history in the real record format, takes it in, and says how long that and the figures took.
//!
//! `cargo run --release -p tollgate-index --example history -- DIR EVENTS [FILE…]`: the commands of the calls come
//! from files of JSON lines with `command` or `call`; without one, they are made up, too. `cargo xtask bench --index` runs it.

#![allow(clippy::print_stdout, reason = "a measurement")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tollgate_index::{By, Index, Scope};
use tollgate_model::json::{self, Value, object};
use tollgate_model::{
    Actor, Agent, Attended, Certainty, Decision, Event, Finding, Hit, Kind, Record, Span, Times, ToolCall,
    ToolUse, Trace, Verdict,
};
use tollgate_store::{Keep, Log};

const TOOLS: [&str; 8] = ["Bash", "Read", "Edit", "Write", "Grep", "Glob", "WebFetch", "Agent"];
const AGENTS: [Agent; 3] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli];
const RULES: [&str; 6] = [
    "git-force-push",
    "root-delete",
    "secret-file-read",
    "downloaded-code",
    "not-understood",
    "system-write",
];
/// Records that are written, taken in and pruned together, so that ten million need no ten gigabytes.
const PORTION: usize = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(state), Some(count)) =
        (args.next().map(PathBuf::from), args.next().and_then(|n| n.parse().ok()))
    else {
        return Err("usage: history DIR EVENTS [FILE…]".into());
    };
    let commands = args.map(|file| commands(Path::new(&file))).collect::<Result<Vec<_>, _>>()?.concat();
    std::fs::create_dir_all(&state)?;
    let mut index = Index::open(&state)?;
    fill(&Log::at(&state), &mut index, History::new(count, commands))?;
    ask(&index)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default());
    Ok(())
}

fn commands(file: &Path) -> std::io::Result<Vec<String>> {
    let text = std::fs::read_to_string(file)?;
    let lines = text.lines().filter_map(|line| json::parse(line.as_bytes()).ok());
    let command = |line: &json::Value| line.text("command").or_else(|| line.text("call")).map(str::to_owned);
    Ok(lines.filter_map(|line| command(&line)).collect())
}

/// Writes a history and takes it in, portion by portion; the last one stays in the log. A history of nothing takes in
/// what is there.
fn fill(log: &Log, index: &mut Index, mut history: History) -> Result<(), Box<dyn std::error::Error>> {
    let (mut writing, mut taking) = (Spent::default(), Spent::default());
    loop {
        if history.left > 0 {
            writing.add(|| Ok(log.append_all(history.by_ref().take(PORTION))?))?;
        }
        taking.add(|| Ok(index.catch_up(|_| {})?))?;
        if history.left == 0 {
            break;
        }
        log.prune(Keep { bytes: Some(0), ..Keep::default() }, SystemTime::now())?;
    }
    println!("written   {writing}");
    println!("taken in  {taking}");
    Ok(())
}

/// Everything that `stats` and `report` ask.
fn ask(index: &Index) -> Result<(), Box<dyn std::error::Error>> {
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
    Ok(())
}

/// Records, with the time that went by and the time that processors spent on them.
#[derive(Default)]
struct Spent {
    records: u64,
    wall: Duration,
    processor: Duration,
}

impl Spent {
    fn add(
        &mut self,
        work: impl FnOnce() -> Result<u64, Box<dyn std::error::Error>>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (start, processor) = (Instant::now(), processor());
        self.records += work()?;
        self.wall += start.elapsed();
        self.processor += self::processor().saturating_sub(processor);
        Ok(())
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rate = |time: Duration| self.records as f64 / time.as_secs_f64().max(1e-9);
        write!(
            out,
            "{} records in {:.1} s: {:.0}/s; {:.1} s of processors: {:.0}/s each",
            self.records,
            self.wall.as_secs_f64(),
            rate(self.wall),
            self.processor.as_secs_f64(),
            rate(self.processor)
        )
    }
}

/// What all threads of this process have spent so far; Linux counts in hundredths of a second.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: u64 = after.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// However many events there are.
const NINETY_DAYS: u64 = 90 * 86_400_000_000;

/// Sessions of forty calls, spread over ninety days.
struct History {
    left: u64,
    /// Microseconds from one event to the next.
    step: u64,
    at: u64,
    random: u64,
    commands: Vec<String>,
}

impl History {
    fn new(count: u64, commands: Vec<String>) -> Self {
        Self { left: count, step: NINETY_DAYS / count.max(1), at: 0, random: 0x9e37_79b9_7f4a_7c15, commands }
    }

    /// What a call is given: a command for a shell, a file for any other tool.
    fn input(&mut self, tool: &str) -> Value {
        let about = ("description", "a step on the way".into());
        if matches!(tool, "Bash" | "run_shell_command") {
            return object([("command", self.command().into()), about]);
        }
        let path = format!("/home/user/project/src/module_{}.rs", self.random(500));
        object([("file_path", path.into()), about])
    }

    /// One of the commands, else a made-up one.
    fn command(&mut self) -> String {
        let (number, count) = (self.random(1 << 40), self.commands.len().max(1) as u64);
        match self.commands.get((number % count) as usize) {
            Some(command) => command.clone(),
            None => format!("cargo test -p crate_{} -- --nocapture", number % 40),
        }
    }

    /// Xorshift: the same history each time.
    fn random(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }

    /// Tools in turn; where commands are given, the agent's shell, so that each is judged.
    fn tool(&self, agent: Agent, number: u64) -> &'static str {
        match agent {
            _ if self.commands.is_empty() => TOOLS.get((number % 8) as usize).copied().unwrap_or_default(),
            Agent::GeminiCli => "run_shell_command",
            _ => "Bash",
        }
    }

    fn event(&mut self) -> (Event, Verdict) {
        // Per session: a prompt, forty calls with their results, a stop.
        let (session, step) = (self.at / 82, self.at % 82);
        let number = step.saturating_sub(1) / 2;
        let agent = AGENTS.get((session % 3) as usize).copied().unwrap_or(Agent::Generic);
        let tool = self.tool(agent, number + session);
        let verdict = match (number * 7919 + session * 104_729) % 100 {
            0 => Verdict::Deny,
            1 | 2 => Verdict::Ask,
            3..=5 => Verdict::Note,
            _ => Verdict::Allow,
        };
        let id = format!("toolu_{session:08x}{number:04x}");
        let input = self.input(tool);
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
            agent,
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
            decision.add(Finding { rule: rule.to_owned(), verdict, savable: false, hit });
        }
        let times = Times { read: 40, policy: 120 + self.random(80), judge: 200 + self.random(900) };
        let record =
            Record::of(&event, &[], &decision, decision.verdict, times).made_by("0.1.0", "0011223344556677");
        let micros = 1_786_000_000_000_000 + self.at * self.step;
        self.at += 1;
        Some((record, UNIX_EPOCH + Duration::from_micros(micros)))
    }
}
