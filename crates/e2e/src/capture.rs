//! The hook that records how it was called and answers as told: its records and its answers.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use std::{env, thread};

use anyhow::{Context, Result, bail};
use rustix::process::{Signal, getpid, kill_process};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of the hook, as recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Captured {
    /// The event, from the payload or else from the label the hook was registered with.
    pub event: String,
    /// The tool, where the event is about one.
    pub tool: String,
    /// The whole payload; a string where it was no JSON.
    pub payload: Value,
    /// Where the hook ran.
    pub cwd: String,
    /// What the host told it by environment; secrets are blanked.
    pub env: BTreeMap<String, String>,
    /// The key of the answer it gave.
    pub answered: Option<String>,
}

/// What the hook does after recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// Waits so long first.
    pub sleep_ms: u64,
    /// Then kills itself, before a word is out.
    pub kill: bool,
    /// Printed as it is.
    pub stdout: String,
    /// Printed as it is.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

/// Answers by `Event:Tool`, `Event` or `*`, most specific first.
///
/// Several answers for a key are given one after another, and the last one again and again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Answers(BTreeMap<String, Vec<Answer>>);

impl Captured {
    /// A record of this process, called with this payload.
    pub fn of(label: &str, stdin: &[u8]) -> Captured {
        let text = String::from_utf8_lossy(stdin);
        let payload: Value = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_ref()));
        let field = |names: [&str; 2]| names.iter().find_map(|n| payload.get(n)?.as_str()).map(str::to_owned);
        Captured {
            event: field(["hook_event_name", "hookEventName"]).unwrap_or_else(|| label.to_owned()),
            tool: field(["tool_name", "toolName"]).or_else(|| plugin_tool(&payload)).unwrap_or_default(),
            cwd: env::current_dir().unwrap_or_default().display().to_string(),
            env: env::vars().filter(|(name, _)| is_told_by_host(name)).map(blank_secret).collect(),
            answered: None,
            payload,
        }
    }
}

impl Answer {
    /// Prints a JSON object and exits 0.
    pub fn json(value: &Value) -> Answer {
        Answer { stdout: value.to_string(), ..Answer::default() }
    }
}

impl Answers {
    /// Adds an answer for a key.
    pub fn on(mut self, key: &str, answer: Answer) -> Answers {
        self.0.entry(key.to_owned()).or_default().push(answer);
        self
    }

    fn key(&self, captured: &Captured) -> Option<(&String, &Vec<Answer>)> {
        let tool = format!("{}:{}", captured.event, captured.tool);
        [tool.as_str(), captured.event.as_str(), "*"].into_iter().find_map(|key| self.0.get_key_value(key))
    }
}

/// The hook itself: `RECORDS ANSWERS [LABEL]`, payload on stdin.
pub fn hook(args: &[String]) -> Result<ExitCode> {
    let [records, answers, label @ ..] = args else {
        bail!("usage: capture-hook RECORDS ANSWERS [LABEL]");
    };
    let mut stdin = Vec::new();
    io::stdin().read_to_end(&mut stdin)?;
    let captured = Captured::of(label.first().map_or("", String::as_str), &stdin);
    let answers = fs::read_to_string(answers).with_context(|| format!("cannot read `{answers}`"))?;
    let answer = append(Path::new(records), &serde_json::from_str(&answers)?, captured)?;
    thread::sleep(Duration::from_millis(answer.sleep_ms));
    if answer.kill {
        kill_process(getpid(), Signal::KILL)?;
    }
    io::stdout().write_all(answer.stdout.as_bytes())?;
    io::stderr().write_all(answer.stderr.as_bytes())?;
    Ok(ExitCode::from(answer.exit))
}

/// Appends a call to the file of records and finds its answer. The file is locked meanwhile, so that hooks
/// that run side by side do not give the same answer of a list twice.
fn append(file: &Path, answers: &Answers, mut captured: Captured) -> Result<Answer> {
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(file)?;
    file.lock()?;
    let mut answer = Answer::default();
    if let Some((key, list)) = answers.key(&captured) {
        let earlier = parse(BufReader::new(&file))?;
        let earlier = earlier.iter().filter(|c| c.answered.as_ref() == Some(key)).count();
        answer = list.get(earlier).or(list.last()).cloned().unwrap_or_default();
        captured.answered = Some(key.clone());
    }
    file.write_all(format!("{}\n", serde_json::to_string(&captured)?).as_bytes())?;
    Ok(answer)
}

/// All calls recorded in a file; none when there is no file.
pub fn read(file: &Path) -> Result<Vec<Captured>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    parse(BufReader::new(fs::File::open(file)?))
}

fn parse(lines: impl BufRead) -> Result<Vec<Captured>> {
    lines
        .lines()
        .map(|line| serde_json::from_str(&line?).context("a line of the records is broken"))
        .collect()
}

/// Our own plug-ins hand over what they were given as it is.
fn plugin_tool(payload: &Value) -> Option<String> {
    Some(payload.pointer("/input/tool")?.as_str()?.to_owned())
}

fn is_told_by_host(name: &str) -> bool {
    let prefixes = ["CLAUDE", "CODEX_", "GEMINI_", "QWEN_", "COPILOT_", "OPENCODE", "CURSOR_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
        || matches!(name, "PWD" | "HOME" | "TERM" | "SHELL")
}

fn blank_secret((name, value): (String, String)) -> (String, String) {
    let secret = ["KEY", "TOKEN", "SECRET", "AUTH"].iter().any(|word| name.contains(word));
    (name, if secret { "<blanked>".to_owned() } else { value })
}
