//! Records payloads from the real client anew, so that what the gate reads stays what the client sends.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::capture::{Answer, Answers, Captured};
use crate::claude::Claude;
use crate::driver::Driver;
use crate::mock::{Conversation, Facts, Script, Turn};
use crate::run::{Run, Session};
use crate::scratch::Scratch;

/// Events that Claude Code calls hooks for in a run without a terminal. A hook for one of the worktree events
/// would replace what git does, so those are left alone.
const EVENTS: [&str; 20] = [
    "CwdChanged",
    "InstructionsLoaded",
    "MessageDisplay",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "TaskCreated",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

const TOOLS: &str = "Agent,Bash,Edit,Glob,Grep,NotebookEdit,Read,Skill,TaskCreate,WebFetch,Write";

/// One payload, free of the machine it was recorded on.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The client's version.
    pub version: String,
    /// `Event[-Tool]`.
    pub event: String,
    /// The payload.
    pub payload: Value,
}

/// Drives Claude Code through its events, with `program` and `arguments` as its recording hook.
pub fn claude(program: &Path, arguments: &[&str]) -> Result<Vec<Recording>> {
    let run = Run::new(&Claude)?;
    run.answers(&Answers::default())?;
    let hook = |event: &&str| {
        let mut hook = run.capture_hook(event, &program.display().to_string());
        hook.args.splice(0..0, arguments.iter().map(|argument| (*argument).to_owned()));
        hook
    };
    run.register(&EVENTS.iter().map(hook).collect::<Vec<_>>())?;
    prepare(run.scratch())?;
    for session in sessions(run.scratch()) {
        let outcome = run.go(session)?;
        ensure!(outcome.finished.code == Some(0), "a session failed: {outcome}");
    }
    distinct(Claude.client()?.version, run.captured()?, run.scratch())
}

/// Drives another client through a call that works, one that fails, its file tools and a subagent, with `recorder` in the
/// place of the gate that `tollgate` registers.
pub fn other(driver: &'static dyn Driver, tollgate: &Path, recorder: &str) -> Result<Vec<Recording>> {
    let run = Run::new(driver)?;
    run.recorded_by(tollgate, recorder)?;
    // Our own plug-in takes silence for a refusal; every other client takes this for none of its words.
    let plugin = matches!(driver.client()?.agent, "opencode" | "kilo");
    let allow = Answer { stdout: r#"{"decision":"allow"}"#.to_owned(), ..Answer::default() };
    run.answers(&Answers::default().on("*", if plugin { allow } else { Answer::default() }))?;
    let helper = [driver.shell("echo help"), driver.subagent_ends()];
    let is_helper = |facts: &Facts| facts.any.contains("HELPER-MARK") && !facts.any.contains("PROMPT-MARK");
    let helper = Conversation::new("helper", is_helper, helper).repeat_last();
    let calls = [driver.shell("echo hello"), driver.shell("echo no >&2; exit 3")];
    let file = run.scratch().project().join("a.txt").display().to_string();
    let done = || [Turn::say("done")];
    let alone = Script::new(calls.into_iter().chain(driver.file_tools(&file)).chain(done()));
    let helped = Script::new(driver.spawn("HELPER-MARK go").into_iter().chain(done())).beside(helper);
    let helped = Session { arguments: driver.subagent_arguments(), ..Session::from(helped) };
    for session in [Session::from(alone), helped] {
        // Nobody waits for a recording, and on a busy machine some clients take minutes to start.
        let outcome = run.go(Session { timeout: Duration::from_secs(900), ..session })?;
        ensure!(outcome.finished.code == Some(0), "a session failed: {outcome}");
    }
    distinct(driver.client()?.version, run.captured()?, run.scratch())
}

/// Writes recordings of a kind not stored yet, and tells the changes against the last stored version. What is
/// stored is never written over: tests are about it.
pub fn store(folder: &Path, recordings: &[Recording]) -> Result<String> {
    fs::create_dir_all(folder)?;
    let report = report(folder, recordings)?;
    let before = stored(folder)?;
    for recording in recordings {
        let (nearest, changes) = compare(&before, recording);
        if !changes.is_empty() || nearest.is_none_or(|stored| stored.version != recording.version) {
            fs::write(free_name(folder, recording), format!("{:#}\n", recording.payload))?;
        }
    }
    Ok(report)
}

/// What changed against the last stored version.
pub fn report(folder: &Path, recordings: &[Recording]) -> Result<String> {
    let mut report = String::new();
    let before = stored(folder)?;
    for recording in recordings {
        let (_, changes) = compare(&before, recording);
        let changes = if changes.is_empty() { "same keys".to_owned() } else { changes.join(", ") };
        writeln!(report, "{}-{}: {changes}", recording.version, recording.event)?;
    }
    let missing = before.iter().filter(|stored| !recordings.iter().any(|r| r.event == stored.event));
    for event in missing.map(|stored| &stored.event).collect::<BTreeSet<_>>() {
        writeln!(report, "{event}: stored, not seen this time")?;
    }
    Ok(report)
}

/// The stored payload most like this one, of the last version that has the event, and what is different.
fn compare<'a>(stored: &'a [Recording], now: &Recording) -> (Option<&'a Recording>, Vec<String>) {
    let same = || stored.iter().filter(|recording| recording.event == now.event);
    let Some(last) = same().map(|recording| version_key(&recording.version)).max() else {
        return (None, vec!["new".to_owned()]);
    };
    let candidates = same().filter(|recording| version_key(&recording.version) == last);
    let compared = candidates.map(|recording| (Some(recording), changes(&recording.payload, &now.payload)));
    compared.min_by_key(|(_, changes)| changes.len()).unwrap_or_default()
}

fn prepare(scratch: &Scratch) -> Result<()> {
    scratch.write_project("CLAUDE.md", "Be brief.\n")?;
    scratch.write_project("a.txt", "one\ntwo\n")?;
    scratch.write_project(".claude/commands/hello.md", "Say hello to $ARGUMENTS.\n")?;
    let cell = json!({"cell_type": "code", "id": "c1", "source": "1", "metadata": {}, "outputs": [], "execution_count": null});
    let book = json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    scratch.write_project("n.ipynb", &book.to_string())?;
    Ok(())
}

fn sessions(scratch: &Scratch) -> Vec<Session> {
    let with = |session: Session, arguments: &[&str]| Session {
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        ..session
    };
    let touch = Turn::call("Bash", json!({"command": "touch asked.txt", "description": "make a file"}));
    let all = with(every_tool(scratch).into(), &["--tools", TOOLS]);
    let done = || Session::from([Turn::say("done")]);
    vec![
        all,
        with(done(), &["--continue"]),
        Session { unattended: false, ..Session::from([touch, Turn::say("done")]) },
        Session { prompt: "/hello world".to_owned(), ..done() },
        with(Session { prompt: "/compact".to_owned(), ..done() }, &["--continue"]),
    ]
}

fn every_tool(scratch: &Scratch) -> Script {
    let file = |name: &str| scratch.project().join(name).display().to_string();
    let bash = |command: &str| Turn::call("Bash", json!({"command": command, "description": "run"}));
    let helper = json!({"description": "help", "prompt": "HELPER-MARK go", "subagent_type": "general-purpose",
                        "run_in_background": false});
    let notebook = json!({"notebook_path": file("n.ipynb"), "cell_id": "c1", "new_source": "2"});
    Script::new([
        bash("echo hello"),
        bash("echo no >&2; exit 3"),
        Turn::call("Write", json!({"file_path": file("b.txt"), "content": "three\n"})),
        Turn::call("Read", json!({"file_path": file("a.txt")})),
        Turn::call("Read", json!({"file_path": file("none.txt")})),
        Turn::call("Edit", json!({"file_path": file("a.txt"), "old_string": "one", "new_string": "1"})),
        Turn::call("Grep", json!({"pattern": "two", "path": file("a.txt")})),
        Turn::call("Glob", json!({"pattern": "*.txt"})),
        Turn::call("Read", json!({"file_path": file("n.ipynb")})),
        Turn::call("NotebookEdit", notebook),
        Turn::call("TaskCreate", json!({"subject": "a task", "description": "to do"})),
        Turn::call("Agent", helper),
        bash("mkdir -p sub && cd sub"),
        Turn::say("done"),
    ])
    .beside(Conversation::new(
        "helper",
        |f| f.first.contains("HELPER-MARK"),
        [bash("echo help"), Turn::say("helped")],
    ))
}

fn distinct(version: &str, captured: Vec<Captured>, scratch: &Scratch) -> Result<Vec<Recording>> {
    let mut recordings: Vec<Recording> = Vec::new();
    let mut shapes: BTreeSet<(String, BTreeSet<String>)> = BTreeSet::new();
    for call in captured {
        let (event, payload) = (event_name(&call), sanitise(&call.payload, scratch)?);
        if shapes.insert((event.clone(), shape(&payload))) {
            recordings.push(Recording { version: version.to_owned(), event, payload });
        }
    }
    recordings.sort_by(|a, b| a.event.cmp(&b.event));
    Ok(recordings)
}

/// What makes a payload a kind of its own: its fields and those of the tool's input. What a tool answers is
/// as manifold as the tools.
fn shape(payload: &Value) -> BTreeSet<String> {
    let inputs = ["tool_input", "toolArgs", "toolInput"].iter().filter_map(|key| payload.get(key));
    let input: BTreeSet<String> = inputs.flat_map(keys).collect();
    let fields = payload.as_object().into_iter().flat_map(|fields| fields.keys().cloned());
    fields.chain(input).collect()
}

/// The event with its tool, or else with what tells its kinds apart.
fn event_name(call: &Captured) -> String {
    let kinds = ["source", "reason", "trigger", "notification_type"];
    let kind = || kinds.iter().find_map(|key| call.payload.get(key)?.as_str());
    let part = if call.tool.is_empty() { kind().unwrap_or_default() } else { &call.tool };
    let plain: String =
        part.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if plain.is_empty() { call.event.clone() } else { format!("{}-{plain}", call.event) }
}

fn sanitise(payload: &Value, scratch: &Scratch) -> Result<Value> {
    let encoded = |path: &Path| -> String {
        path.display().to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
    };
    let plain = |path: &Path| path.display().to_string();
    let text = payload
        .to_string()
        .replace(&plain(&scratch.project()), "/home/user/project")
        .replace(&encoded(&scratch.project()), "-home-user-project")
        .replace(&plain(&scratch.home()), "/home/user")
        .replace(&plain(&scratch.temp()), "/tmp");
    ensure!(!text.contains(&plain(scratch.root())), "a path of this machine is left in `{text}`");
    Ok(serde_json::from_str(&text)?)
}

/// Every key with the way to it; items of an array count as one.
fn keys(value: &Value) -> BTreeSet<String> {
    fn walk(value: &Value, way: &str, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, item)| {
                let way = format!("{way}.{key}");
                walk(item, &way, into);
                into.insert(way);
            }),
            Value::Array(items) => items.iter().for_each(|item| walk(item, &format!("{way}[]"), into)),
            _ => {}
        }
    }
    let mut into = BTreeSet::new();
    walk(value, "", &mut into);
    into
}

fn changes(before: &Value, now: &Value) -> Vec<String> {
    let (before, now) = (keys(before), keys(now));
    let gone = before.difference(&now).map(|key| format!("- {key}"));
    gone.chain(now.difference(&before).map(|key| format!("+ {key}"))).collect()
}

/// Everything stored: `VERSION-Event[-Tool][.N].json`, where N tells apart payloads with other keys.
fn stored(folder: &Path) -> Result<Vec<Recording>> {
    let mut recordings = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some((version, event)) = name.strip_suffix(".json").and_then(|stem| stem.split_once('-')) {
            let numbered = event.rsplit_once('.').filter(|(_, n)| n.chars().all(|c| c.is_ascii_digit()));
            let event = numbered.map_or(event, |(event, _)| event).to_owned();
            let payload = read(&path)?;
            // Notes about the environment may lie beside a client's payloads.
            if event != "env" {
                recordings.push(Recording { version: version.to_owned(), event, payload });
            }
        }
    }
    Ok(recordings)
}

fn free_name(folder: &Path, recording: &Recording) -> PathBuf {
    let name = format!("{}-{}", recording.version, recording.event);
    let first = folder.join(format!("{name}.json"));
    let more = (2u32..).map(|n| folder.join(format!("{name}.{n}.json")));
    [first.clone()].into_iter().chain(more).find(|path| !path.exists()).unwrap_or(first)
}

fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path)?;
    serde_json::from_str(&text).with_context(|| format!("`{}` is not JSON", path.display()))
}

/// 2.1.9 comes before 2.1.10.
fn version_key(version: &str) -> Vec<u64> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_event(mut payload: Value) -> Value {
        payload["hook_event_name"] = json!("Stop");
        payload
    }

    fn store_one(folder: &Path, version: &str, payload: Value) -> Result<String> {
        let (version, event) = (version.to_owned(), "Stop".to_owned());
        let payload = with_event(payload);
        let report = store(folder, &[Recording { version, event, payload }])?;
        Ok(report.trim_end().to_owned())
    }

    #[test]
    fn a_changed_key_is_told_and_nothing_stored_is_lost() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let check = |version: &str, payload: Value, report: &str, files: usize| -> Result<()> {
            assert_eq!(store_one(folder.path(), version, payload)?, format!("{version}-Stop: {report}"));
            assert_eq!(fs::read_dir(folder.path())?.count(), files, "{version}: {report}");
            Ok(())
        };
        check("1.9.0", json!({"a": 1, "b": [{"c": 1}]}), "new", 1)?;
        check("1.9.0", json!({"a": 2, "b": [{"c": 3}, {"c": 4}]}), "same keys", 1)?;
        check("1.9.0", json!({"a": 2}), "- .b, - .b[].c", 2)?;
        check("1.9.0", json!({"a": 5}), "same keys", 2)?;
        check("1.10.0", json!({"a": 1, "b": [{"d": 1}]}), "- .b[].c, + .b[].d", 3)?;
        // Compared with 1.10.0, which sorts before 1.9.0 as text but is the later one.
        check("1.11.0", json!({"a": 1, "b": [{"d": 5}]}), "same keys", 4)?;
        assert_eq!(
            read(&folder.path().join("1.9.0-Stop.json"))?,
            with_event(json!({"a": 1, "b": [{"c": 1}]}))
        );
        assert_eq!(read(&folder.path().join("1.9.0-Stop.2.json"))?, with_event(json!({"a": 2})));
        Ok(())
    }

    #[test]
    fn an_event_that_no_longer_comes_is_told() -> Result<()> {
        let folder = tempfile::tempdir()?;
        store_one(folder.path(), "1.0.0", json!({}))?;
        assert_eq!(store(folder.path(), &[])?, "Stop: stored, not seen this time\n");
        Ok(())
    }
}
