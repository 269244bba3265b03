//! One function per target. Each takes any bytes, and panics when a promise is broken.
//!
//! One of the promises is time. It is held in builds with optimisation and without debug assertions:
//! `cargo +nightly fuzz run -O -s none commands`.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use tollgate_agents::{ADAPTERS, Payload};
use tollgate_model::json::{self, Value as Json};
use tollgate_model::{Agent, Dialect as Tongue, Event, Kind, Span, StillWorld, ToolCall, ToolUse};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;
use tollgate_shell::ast::{Dialect, Script};
use tollgate_shell::eval::{Call, Host, Note, Open, Outcome, Shell, Status};
use tollgate_shell::value::Value;
use tollgate_shell::{Limits, parse as read};

const DIALECTS: [Dialect; 3] = [Dialect::Bash, Dialect::Posix, Dialect::Zsh];

/// Calls that an evaluation may report; each costs at least one of its steps.
const CALLS: usize = 200_000;

/// A text of this many bytes is judged in `LONGEST`.
const JUDGED_IN_TIME: usize = 64 << 10;
/// Of the thread's own time on the processor: how busy the machine is makes no difference.
const LONGEST: Duration = Duration::from_millis(50);
/// A slow judgement counts when it is slow every time.
const ATTEMPTS: usize = 3;

/// The parser takes any text, stays in its limits, and its spans lie in the text.
pub fn parse(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for dialect in DIALECTS {
        in_time(text.len(), || drop(read(&text, dialect)));
        check_spans(&text, &read(&text, dialect));
        let tight = Limits { text: text.len() / 2, nodes: 50, depth: 4 };
        check_spans(&text, &tight.parse(&text, dialect));
    }
}

/// The evaluator ends after a bounded number of calls, and comes out the same each time.
pub fn evaluate(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for dialect in DIALECTS {
        let (first, second) = (calls(&text, dialect), calls(&text, dialect));
        assert!(first.len() <= CALLS, "{} calls", first.len());
        assert!(first == second, "two runs differ");
    }
}

/// Any path can be read, written and removed in the judge's mind.
pub fn paths(data: &[u8]) {
    let path = String::from_utf8_lossy(data).into_owned();
    judged(ToolCall::Read { paths: vec![path.clone()] });
    judged(ToolCall::Write { path: path.clone(), content: "x".into() });
    judged(ToolCall::Delete { path });
}

/// Any address can be fetched.
pub fn urls(data: &[u8]) {
    let url = String::from_utf8_lossy(data).into_owned();
    judged(shell(&format!("curl -d @notes.txt {}", quoted(&url))));
    judged(ToolCall::Fetch { url });
}

/// Any text can be given to a database.
pub fn sql(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for client in ["psql -c", "mysql -e", "sqlite3 app.db"] {
        judged(shell(&format!("{client} {}", quoted(&text))));
    }
}

/// Any command is judged, and any code that one is given.
pub fn commands(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    judged(shell(&text));
    for interpreter in
        ["python3 -c", "node -e", "ruby -e", "perl -e", "php -r", "awk", "sed", "pwsh -c", "tclsh -c"]
    {
        judged(shell(&format!("{interpreter} {}", quoted(&text))));
    }
}

/// Any text can be written into a file of any kind.
pub fn written(data: &[u8]) {
    let content = String::from_utf8_lossy(data).into_owned();
    for name in WRITTEN {
        judged(ToolCall::Write { path: format!("/home/user/project/{name}"), content: content.clone() });
    }
}

/// One file of each kind that is read as code or settings.
const WRITTEN: &[&str] = &[
    "run.sh",
    "Makefile",
    "Dockerfile",
    "package.json",
    ".github/workflows/ci.yml",
    "compose.yaml",
    "a.py",
    "a.js",
    "a.ts",
    "a.rb",
    "a.php",
    "a.pl",
    "a.ps1",
    "a.sql",
    "a.go",
    "a.rs",
    "a.md",
];

/// Any bytes can be sent to the hook: an event, which is judged and answered, or a fault.
pub fn payload(data: &[u8]) {
    let env = |_: &str| None;
    for adapter in ADAPTERS {
        let given = Payload { bytes: data, hint: None, env: &env };
        if let Ok(event) = adapter.read(&given) {
            in_time(data.len(), || {
                let judgement = judge(&event, &world(), &Policy::builtin());
                drop(adapter.reply(&event, &judgement.decision));
            });
        }
    }
    drop(json::parse(data));
}

fn check_spans(text: &str, script: &Script) {
    let inside = |span: Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        start <= end && text.is_char_boundary(start) && text.is_char_boundary(end)
    };
    let items = script.items.iter().map(|item| item.span);
    for span in items.chain(script.problems.iter().map(|problem| problem.span)) {
        assert!(inside(span), "{span:?} in {} bytes", text.len());
    }
}

fn calls(text: &str, dialect: Dialect) -> Vec<String> {
    let mut listener = Listener::default();
    Shell::new(dialect, Some("/home/user/project")).run(text, &mut listener);
    listener.told
}

/// A host that knows nothing and writes down what it is told.
#[derive(Default)]
struct Listener {
    told: Vec<String>,
}

impl Host for Listener {
    fn command(&mut self, call: &Call, _: &mut Shell) -> Outcome {
        let words = call.argv.iter().map(|field| field.value.to_string());
        self.told.push(words.collect::<Vec<_>>().join(" ").chars().take(200).collect());
        Outcome::silent(Status::Either)
    }

    fn open(&mut self, open: &Open, _: &mut Shell) -> Option<Value> {
        self.told.push(open.path.value.to_string().chars().take(200).collect());
        None
    }

    fn note(&mut self, _: Note) {}

    fn is_dir(&self, _: &str) -> Option<bool> {
        None
    }

    fn environment(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/user".to_owned())
    }

    fn home_of(&self, _: &str) -> Option<String> {
        None
    }
}

fn judged(call: ToolCall) {
    let size = text_of(&call).len();
    let kind = Kind::PreTool(ToolUse { id: "1".into(), name: "Tool".into(), call, input: Json::Null });
    let event = Event::of(Agent::ClaudeCode, "PreToolUse", "/home/user/project", kind);
    in_time(size, || drop(judge(&event, &world(), &Policy::builtin())));
}

/// Does the work, and panics when it takes longer than a call of this many bytes may.
fn in_time(size: usize, work: impl Fn()) {
    if cfg!(debug_assertions) || size > JUDGED_IN_TIME {
        return work();
    }
    let mut shortest = Duration::MAX;
    for _ in 0..ATTEMPTS {
        let start = now();
        work();
        shortest = shortest.min(now().saturating_sub(start));
        if shortest <= LONGEST {
            return;
        }
    }
    assert!(shortest <= LONGEST, "{} ms for {size} bytes", shortest.as_millis());
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn text_of(call: &ToolCall) -> &str {
    match call {
        ToolCall::Shell { command, .. } => command,
        ToolCall::Write { content, .. } => content,
        ToolCall::Fetch { url } => url,
        _ => "",
    }
}

fn shell(command: &str) -> ToolCall {
    ToolCall::Shell { command: command.to_owned(), dialect: Tongue::Posix, cwd: None, sandbox_off: false }
}

/// One word that stands for itself.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn world() -> StillWorld {
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        ..StillWorld::default()
    }
}
