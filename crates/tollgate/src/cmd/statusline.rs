//! `tollgate statusline`: what the gate did in this session, on the agent's status line.
//!
//! The host runs it after every message. So it opens no index: what it counted so far is in a note, with the place in
//! the log up to which that is, and only what is new is read.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tollgate_model::json::{self, Value};
use tollgate_store::{Follower, Log, Place, change_note, read_note};

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::report::shown;
use crate::usage::dollars_shown;
use crate::{notify, out, program, table};

/// Arguments of `tollgate statusline`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Run this command first and show its output
    #[arg(long, value_name = "COMMAND")]
    after: Option<String>,
}

/// The largest input that a host sends.
const LONGEST: u64 = 1 << 20;
/// How long the other command may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Where counts are kept, of how many sessions, and how large that may be.
const NOTE: &str = "statusline";
const SESSIONS: usize = 20;
const NOTE_SIZE: usize = 64 << 10;
/// Records before the first look that may be the session's own.
const FIRST: u64 = 2_000;
/// Characters of the last refusal.
const REFUSAL: usize = 60;

/// Prints one line, after those of the other command. Never fails: a host shows nothing then.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut input = Vec::new();
    let _ = std::io::stdin().take(LONGEST).read_to_end(&mut input);
    if let Some(command) = &args.after {
        first(command, &input);
    }
    let input = json::parse(&input).unwrap_or(Value::Null);
    let session = input.text("session_id").unwrap_or_default();
    let counts = Dirs::find().filter(|_| !session.is_empty()).map(|dirs| Counts::of(&dirs.state, session));
    out::line(&line(&counts.unwrap_or_default(), dollars(&input)));
    Ok(ExitCode::SUCCESS)
}

/// Runs the command that was there before ours.
fn first(command: &str, input: &[u8]) {
    let mut shell: Command = notify::shell(command);
    shell.stderr(Stdio::null());
    if let Ok(Some(ran)) = program::run(&mut shell, input, PATIENCE) {
        out::text(&ran.stdout);
        if !ran.stdout.is_empty() && !ran.stdout.ends_with('\n') {
            out::line("");
        }
    }
}

/// What the host says that the session cost.
fn dollars(input: &Value) -> Option<f64> {
    match input.get("cost")?.get("total_cost_usd")? {
        Value::Number(text) => text.parse().ok(),
        _ => None,
    }
}

fn line(counts: &Counts, dollars: Option<f64>) -> String {
    let state = match (counts.calls, counts.fault.as_str()) {
        (0, _) => "tollgate: no call yet".to_owned(),
        (_, "") => "tollgate: on".to_owned(),
        (_, fault) => format!("tollgate: FAULT {}", shown(fault)),
    };
    let mut parts = vec![state];
    let counted = [(counts.refused, "refused"), (counts.asked, "asked"), (counts.saved, "saved")];
    parts.extend(
        counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")),
    );
    if !counts.last.is_empty() {
        parts.push(format!("last: {}", table::cut(&shown(&counts.last), REFUSAL)));
    }
    parts.extend(dollars.map(dollars_shown));
    parts.join(" · ")
}

/// What is counted of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts {
    session: String,
    calls: u64,
    refused: u64,
    asked: u64,
    saved: u64,
    /// The last refusal.
    last: String,
    /// The gate's last event was one that it could not decide.
    fault: String,
    seq: u64,
    inode: u64,
    offset: u64,
}

impl Counts {
    /// Those of a session, with all that the log has by now.
    fn of(state: &std::path::Path, session: &str) -> Self {
        let mut all = kept(state);
        let known = all.iter().position(|one| one.session == session).map(|at| all.remove(at));
        let log = Log::at(state);
        let mut counts = known.unwrap_or_default();
        session.clone_into(&mut counts.session);
        let mut follower = counts.follower(&log);
        loop {
            let entries = follower.poll();
            if entries.is_empty() {
                break;
            }
            for entry in entries.iter().filter(|entry| entry.line.contains(session)) {
                entry.value().iter().for_each(|record| counts.add(record));
            }
        }
        counts.seq = follower.last();
        if let Some(place) = follower.place() {
            (counts.inode, counts.offset) = (place.inode, place.offset);
        }
        all.insert(0, counts.clone());
        all.truncate(SESSIONS);
        keep(state, &all);
        counts
    }

    fn follower(&self, log: &Log) -> Follower {
        if self.seq == 0 {
            let head = log.head().map_or(0, |head| head.seq);
            return log.follow(head.saturating_sub(FIRST));
        }
        log.follow(self.seq).resume_at(Place { inode: self.inode, offset: self.offset })
    }

    fn add(&mut self, record: &Value) {
        let text = |key: &str| record.text(key).unwrap_or_default();
        if text("session") != self.session {
            return;
        }
        text("fault").clone_into(&mut self.fault);
        if text("phase") != "pre-tool" {
            return;
        }
        self.calls += 1;
        self.saved += u64::from(record.get("undo").is_some());
        let verdict = record.text("expressed").unwrap_or_else(|| text("verdict"));
        self.asked += u64::from(verdict == "ask");
        if matches!(verdict, "deny" | "halt") {
            self.refused += 1;
            let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
            let rules: Vec<&str> = findings.iter().filter_map(|finding| finding.text("rule")).collect();
            self.last = format!("{} [{}]", tollgate_index::subject(record), rules.join(" "));
            self.last = self.last.chars().take(200).collect();
        }
    }
}

fn kept(state: &std::path::Path) -> Vec<Counts> {
    let note = read_note(state, NOTE, NOTE_SIZE).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&note).unwrap_or_default()
}

fn keep(state: &std::path::Path, all: &[Counts]) {
    if !state.is_dir() {
        return;
    }
    let bytes = serde_json::to_vec(all).unwrap_or_default();
    // What cannot be kept is counted again.
    let _ = change_note(state, NOTE, |_| (Some(bytes), ()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_whatever_was_refused() {
        let counts = Counts {
            calls: 9,
            refused: 2,
            saved: 1,
            last: "rm\n-rf \u{1b}[2J\u{202e}x".into(),
            ..Counts::default()
        };
        let text = line(&counts, Some(1.5));
        assert_eq!(text, "tollgate: on · 2 refused · 1 saved · last: rm -rf  [2J x · $1.50");
        assert_eq!(line(&Counts::default(), None), "tollgate: no call yet");
    }
}
