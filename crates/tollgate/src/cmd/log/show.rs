//! `tollgate log show SEQ`: one event, with everything that is known of it.

use std::path::Path;

use anyhow::bail;
use tollgate_index::subject;
use tollgate_model::json::{self, Value};
use tollgate_store::{Entry, Log, NO_RESULT};

use crate::exit::ExitCode;
use crate::paint::Paint;
use crate::report::{escaped, heading};
use crate::{out, paint, table};

/// Arguments of `tollgate log show`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The event's number, as `tollgate log` shows it
    seq: u64,
    /// Print its records as logged
    #[arg(long)]
    json: bool,
}

/// Shows an event, and for a call what became of it.
pub fn run(args: &Args, state: &Path) -> anyhow::Result<ExitCode> {
    let log = Log::at(state);
    let found = log.records_from(args.seq).next().filter(|entry| entry.seq == args.seq);
    let Some(entry) = found else {
        let last = log.head().map_or(0, |head| head.seq);
        bail!("the log has no event {}; its last is {last}. To list events, run: tollgate log", args.seq);
    };
    let Some(record) = entry.value() else {
        bail!("event {} cannot be read. To check the log, run: tollgate audit", args.seq);
    };
    let later = later(&log, &entry, &record);
    if args.json {
        std::iter::once(&entry).chain(&later).for_each(|entry| out::line(&entry.line));
        return Ok(ExitCode::SUCCESS);
    }
    print(&record, &later);
    Ok(ExitCode::SUCCESS)
}

/// The records of the same call that come after it.
fn later(log: &Log, entry: &Entry, record: &Value) -> Vec<Entry> {
    let same =
        |other: &Value| ["id", "agent", "session"].iter().all(|key| other.text(key) == record.text(key));
    let ends = |phase: &str| {
        matches!(phase, "permission" | "post-tool" | "post-tool-fail" | "permission-denied")
            || phase == NO_RESULT
    };
    let Some(id) = record.text("id").filter(|_| record.text("phase") == Some("pre-tool")) else {
        return Vec::new();
    };
    let mut needle = String::from("\"id\":");
    json::write(&id.into(), &mut needle);
    let after = log.records_from(entry.seq + 1).filter(|other| other.line.contains(&needle));
    after
        .filter(|other| {
            other.value().is_some_and(|value| same(&value) && ends(value.text("phase").unwrap_or_default()))
        })
        .collect()
}

fn print(record: &Value, later: &[Entry]) {
    let text = |key: &str| record.text(key).unwrap_or_default();
    let verdict = record.text("expressed").unwrap_or_else(|| text("verdict"));
    let painted = super::line::verdict_named(verdict)
        .map_or_else(|| verdict.to_owned(), |known| Paint::for_stdout().verdict(known, verdict));
    heading(&format!("Event {}", super::line::number_of(record, "seq")));
    out::line(&format!("  {}", wrapped(&subject(record), 2)));
    out::line("");
    let tool = super::line::tool(record);
    let who = [text("agent"), text("agent_version")].join(" ");
    let subagent = record.get("subagent").and_then(|one| one.text("type")).unwrap_or_default();
    let project = if text("project").is_empty() { text("cwd") } else { text("project") };
    for (name, value) in [
        ("verdict", painted),
        ("time", text("ts").to_owned()),
        ("tool", tool),
        ("event", escaped(text("event"))),
        ("agent", escaped(who.trim())),
        ("subagent", escaped(subagent)),
        ("session", escaped(text("session"))),
        ("project", escaped(project)),
        ("folder", if project == text("cwd") { String::new() } else { escaped(text("cwd")) }),
        ("mode", escaped(text("mode"))),
        ("host", escaped(text("host"))),
        ("user", escaped(text("user"))),
        ("fault", escaped(text("fault"))),
        ("undo", record.get("undo").and_then(|undo| undo.text("id")).map(escaped).unwrap_or_default()),
    ] {
        if !value.is_empty() {
            out::line(&format!("  {name:<9} {value}"));
        }
    }
    list("Effects", record, "effects", |one| format!("{} {}", part(one, "kind"), part(one, "of")));
    list("Reasons", record, "findings", |one| {
        format!("{}: {} [{}]", part(one, "verdict"), part(one, "what"), part(one, "rule"))
    });
    list("Only observed", record, "would", |one| {
        format!("{}: [{}]", part(one, "verdict"), part(one, "rule"))
    });
    print_input(record);
    print_result(record, later);
    if !text("code").is_empty() && matches!(verdict, "ask" | "deny") {
        out::line(&format!("\nTo allow it once, run: tollgate approve {}", escaped(text("code"))));
    }
    if record.get("input").is_some() {
        out::line(&format!(
            "To judge it again, run: tollgate explain {}",
            super::line::number_of(record, "seq")
        ));
    }
}

fn part(one: &Value, key: &str) -> String {
    escaped(one.text(key).unwrap_or_default())
}

fn list(title: &str, record: &Value, key: &str, line: impl Fn(&Value) -> String) {
    let all = record.get(key).and_then(Value::as_list).unwrap_or_default();
    if !all.is_empty() {
        out::line("");
        heading(title);
        all.iter().for_each(|one| out::line(&format!("  {}", wrapped(&line(one), 2))));
    }
}

/// What the call was given besides what the first line shows.
fn print_input(record: &Value) {
    let Some(members) = record.get("input").and_then(Value::as_map) else { return };
    let shown = subject(record);
    let rest = members.iter().filter(|(_, value)| value.as_str() != Some(&shown));
    let lines: Vec<String> = rest
        .map(|(name, value)| {
            let mut text = String::new();
            json::write(value, &mut text);
            let text = value.as_str().map_or(text, str::to_owned);
            format!("{}: {}", escaped(name), crate::refused::cut(&escaped(&text), 600))
        })
        .collect();
    if !lines.is_empty() {
        out::line("");
        heading("Input");
        lines.iter().for_each(|line| out::line(&format!("  {}", wrapped(line, 2))));
    }
}

fn print_result(record: &Value, later: &[Entry]) {
    if record.text("phase") != Some("pre-tool") {
        return;
    }
    out::line("");
    heading("Result");
    let told: Vec<String> = later.iter().filter_map(Entry::value).map(|one| result(&one)).collect();
    match told.as_slice() {
        [] if matches!(
            record.text("expressed").or_else(|| record.text("verdict")),
            Some("deny" | "halt")
        ) =>
        {
            out::line("  did not run: refused");
        }
        [] => out::line("  not known yet"),
        told => told.iter().for_each(|line| out::line(&format!("  {}", wrapped(line, 2)))),
    }
}

fn result(one: &Value) -> String {
    let text = |key: &str| escaped(one.text(key).unwrap_or_default());
    let took = match super::line::number_of(one, "took_ms") {
        0 => String::new(),
        ms => format!(" in {}", crate::when::duration(ms.saturating_mul(1000))),
    };
    let size = super::line::number_of(one, "result_bytes");
    match one.text("phase").unwrap_or_default() {
        "post-tool" => format!("ran{took}; {} of output", table::bytes(size)),
        "post-tool-fail" => format!("failed{took}: {}", text("error")),
        "permission" => format!("the agent asked the person ({})", text("verdict")),
        "permission-denied" => format!("declined: {}", text("why")),
        _ => "no result when its turn ended".to_owned(),
    }
}

/// In lines that fit, set in by so much.
fn wrapped(text: &str, indent: usize) -> String {
    let lines = paint::wrap(&escaped(text), table::width().saturating_sub(indent));
    lines.join(&format!("\n{}", " ".repeat(indent)))
}
