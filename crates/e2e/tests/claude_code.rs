//! Tollgate in front of the real Claude Code, installed by its own installer.
//!
//! The commands are dangerous only to look at: `~` is a scratch home, and what they would delete was made for it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tollgate_e2e::claude::{self, SETTINGS};
use tollgate_e2e::{
    Answers, Claude, Conversation, Outcome, Run, Script, Session, ToolResult, Turn, tollgate_binary,
};

const CAPTURE: &str = env!("CARGO_BIN_EXE_capture-hook");

/// A home with something to lose, guarded by the gate.
fn guarded() -> Result<Run> {
    let run = Run::new(&Claude)?;
    victims(&run)?;
    run.installed_by(&tollgate_binary()?)?;
    Ok(run)
}

fn victims(run: &Run) -> Result<()> {
    run.scratch().write_home("precious/work.txt", "years of work\n")?;
    run.scratch().write_home(".ssh/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\nSECRET-MARK\n")?;
    Ok(())
}

fn precious(run: &Run) -> PathBuf {
    run.scratch().home().join("precious/work.txt")
}

fn bash(command: &str) -> Turn {
    Turn::call("Bash", json!({"command": command, "description": "run"}))
}

fn read(path: PathBuf) -> Turn {
    Turn::call("Read", json!({"file_path": path}))
}

/// Plays the calls one after another, and lets the model end its turn.
fn play(run: &Run, calls: impl IntoIterator<Item = Turn>) -> Result<Outcome> {
    let outcome = run.go(Script::new(calls.into_iter().chain([Turn::say("FINAL-MARK")])))?;
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "the session goes on to its end; {outcome}");
    assert_eq!(outcome.outside(), Vec::<&str>::new(), "the client stays on this machine");
    Ok(outcome)
}

/// What the gate has kept of the client's sessions, oldest first; the installer's own canaries left out.
fn log(run: &Run) -> Result<Vec<Value>> {
    let text = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    let records: Result<Vec<Value>> = text
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("no JSON: {line}")))
        .collect();
    let is_canary = |record: &Value| field(record, "/session").starts_with("tollgate-canary-");
    Ok(records?.into_iter().filter(|record| !is_canary(record)).collect())
}

fn field<'a>(record: &'a Value, way: &str) -> &'a str {
    record.pointer(way).and_then(Value::as_str).unwrap_or_default()
}

/// Every result is a refusal that names the rule which the log has for the call.
fn assert_refused(run: &Run, results: &[ToolResult], outcome: &Outcome) -> Result<()> {
    let log = log(run)?;
    for result in results {
        assert!(result.is_error, "{outcome}");
        let of_call =
            |record: &&Value| record.to_string().contains(&result.id) && field(record, "/verdict") == "deny";
        let record =
            log.iter().find(of_call).with_context(|| format!("no refusal of {} in the log", result.id))?;
        let rule = field(record, "/findings/0/rule");
        assert!(!rule.is_empty() && result.text.contains(rule), "the model is told `{rule}`; {outcome}");
    }
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_destructive_command_is_refused_and_the_model_is_told_why() -> Result<()> {
    let run = guarded()?;
    let commands = ["rm -rf ~/precious", "r\\m -rf \"$HOME\"/prec*", "bash -c 'rm -rf ~/precious'"];
    let outcome = play(&run, commands.map(bash))?;
    assert!(precious(&run).exists(), "{outcome}");
    let results = outcome.tool_results();
    assert_eq!(results.len(), commands.len(), "{outcome}");
    assert_refused(&run, &results, &outcome)
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_secret_does_not_reach_the_model() -> Result<()> {
    let run = guarded()?;
    let key = run.scratch().home().join(".ssh/id_rsa");
    let shell = ["cat ~/.ssh/id_rsa", "head -n 9 < ~/.ssh/id_rsa", "cd ~/.ssh && tail id_rsa"];
    let refused = [read(key)].into_iter().chain(shell.map(bash));
    let outcome = play(&run, refused.chain([read(run.scratch().project().join("README.md"))]))?;
    assert!(!outcome.model_contains("SECRET-MARK"), "{outcome}");
    let results = outcome.tool_results();
    let (last, refused) = results.split_last().context("no results")?;
    assert!(last.text.contains("# A project"), "an ordinary file can be read; {outcome}");
    assert_eq!(refused.len(), 1 + shell.len(), "{outcome}");
    assert_refused(&run, refused, &outcome)
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn ordinary_work_goes_through_in_silence() -> Result<()> {
    let run = guarded()?;
    let file = run.scratch().project().join("src/x.txt");
    let write = Turn::call("Write", json!({"file_path": file, "content": "written\n"}));
    let outcome = play(&run, [bash("git status"), bash("ls"), write])?;
    let results = outcome.tool_results();
    let [status, list, written] = results.as_slice() else {
        anyhow::bail!("three calls, three results: {outcome}");
    };
    assert!(status.text.contains("nothing to commit") && list.text.contains("README.md"), "{outcome}");
    assert!(!written.is_error && fs::read_to_string(&file)? == "written\n", "{outcome}");
    for word in ["tollgate", "Tollgate"] {
        assert!(!outcome.model_contains(word), "nothing is said about a call that is let through; {outcome}");
    }
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn a_subagent_is_held_to_the_same_rules() -> Result<()> {
    let run = guarded()?;
    let input = json!({"description": "clean", "prompt": "HELPER-MARK clean up", "run_in_background": false,
                       "subagent_type": "general-purpose"});
    let turns = [bash("rm -rf ~/precious"), Turn::say("HELPER-DONE")];
    let helper = Conversation::new("helper", |facts| facts.first.contains("HELPER-MARK"), turns);
    let outcome = run.go(Script::new([Turn::call("Agent", input), Turn::say("FINAL-MARK")]).beside(helper))?;
    assert!(precious(&run).exists(), "{outcome}");
    let results =
        outcome.conversation("helper").next_back().context("no subagent was started")?.tool_results();
    assert_eq!(results.len(), 1, "{results:?}");
    assert!(
        outcome.model_contains("HELPER-DONE") && outcome.finished.stdout.contains("FINAL-MARK"),
        "{outcome}"
    );
    assert_refused(&run, &results, &outcome)
}

/// How often each event came, by session and name.
type Tally = BTreeMap<(String, String), usize>;

fn tally(events: impl Iterator<Item = (String, String)>) -> Tally {
    events.fold(Tally::new(), |mut tally, event| {
        *tally.entry(event).or_default() += 1;
        tally
    })
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn every_event_is_recorded_once_under_its_session() -> Result<()> {
    let run = guarded()?;
    let settings = claude::settings(run.scratch())?;
    let events = settings.get("hooks").and_then(Value::as_object).context("no hooks were installed")?;
    // A second hook beside the gate's says independently what the host has fired.
    let beside: Vec<_> = events.keys().map(|event| run.capture_hook(event, CAPTURE)).collect();
    run.answers(&Answers::default())?;
    run.register(&beside)?;
    play(&run, [bash("ls"), bash("rm -rf ~/precious"), bash("exit 3")])?;
    play(&run, [bash("ls")])?;

    let payloads = run.captured()?.into_iter().map(|call| call.payload);
    let fired = tally(
        payloads.map(|p| (field(&p, "/session_id").to_owned(), field(&p, "/hook_event_name").to_owned())),
    );
    let starts = fired.keys().filter(|(_, event)| event == "SessionStart").count();
    assert_eq!(starts, 2, "two sessions, and each one's start passes the gate: {fired:?}");
    let log = log(&run)?;
    let kept = tally(log.iter().map(|r| (field(r, "/session").to_owned(), field(r, "/event").to_owned())));
    assert_eq!(kept, fired);
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn f33_a_gate_that_is_gone_or_broken_stops_the_call() -> Result<()> {
    let run = Run::new(&Claude)?;
    let gate = run.scratch().root().join("bin/tollgate");
    fs::create_dir_all(run.scratch().root().join("bin"))?;
    fs::copy(tollgate_binary()?, &gate)?;
    run.installed_by(&gate)?;
    let check = |name: &str, expected: bool| -> Result<()> {
        // A gate that fails closed on the prompt too ends the session before the model is asked.
        let outcome = run.go([bash(&format!("touch ran-{name}")), Turn::say("FINAL-MARK")])?;
        assert!(!outcome.finished.timed_out, "{name}: {outcome}");
        assert_eq!(
            run.scratch().project().join(format!("ran-{name}")).exists(),
            expected,
            "{name}: {outcome}"
        );
        Ok(())
    };
    let replace = |script: &str| -> Result<()> {
        fs::remove_file(&gate)?;
        fs::write(&gate, script)?;
        Ok(fs::set_permissions(&gate, fs::Permissions::from_mode(0o755))?)
    };
    check("whole", true)?;
    replace("#!/bin/sh\nkill -9 $$\n")?;
    check("killed", false)?;
    replace("#!/bin/sh\necho '{\"hookSpecificOutput\": oops}'\n")?;
    check("garbled", false)?;
    fs::remove_file(&gate)?;
    check("gone", false)
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn the_installer_writes_what_the_host_needs_to_fail_closed() -> Result<()> {
    let run = guarded()?;
    let settings = claude::settings(run.scratch())?;
    let groups =
        settings.pointer("/hooks/PreToolUse").and_then(Value::as_array).context("no PreToolUse hook")?;
    let [group] = groups.as_slice() else { anyhow::bail!("one entry: {groups:?}") };
    let matcher = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
    assert!(matches!(matcher, "" | "*"), "every tool passes the gate: {group}");
    let hooks = group.get("hooks").and_then(Value::as_array).context("no handlers")?;
    let [hook] = hooks.as_slice() else { anyhow::bail!("one handler: {hooks:?}") };
    assert_eq!(hook.get("onFailure"), Some(&json!("block")), "{hook}");
    assert!(hook.get("args").is_some_and(Value::is_array), "started without a shell: {hook}");
    let command = hook.get("command").and_then(Value::as_str).context("no command")?;
    assert_eq!(fs::canonicalize(command)?, fs::canonicalize(tollgate_binary()?)?, "{hook}");
    assert!(hook.get("timeout").is_some_and(Value::is_u64), "a hanging gate is given up in time: {hook}");
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn uninstalling_leaves_the_settings_as_they_were() -> Result<()> {
    let run = Run::new(&Claude)?;
    victims(&run)?;
    // Tabs, an odd order, another hook, and no newline at the end: bytes that a rewrite would not keep.
    let before = "{\n\t\"model\" : \"opus\",\n\t\"hooks\": { \"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]} ] },\n\n\t\"env\": {}\n}";
    let settings = run.scratch().write_home(SETTINGS, before)?;
    let gate = tollgate_binary()?;
    run.installed_by(&gate)?;
    assert_ne!(fs::read_to_string(&settings)?, before);
    run.uninstalled_by(&gate)?;
    assert_eq!(fs::read_to_string(&settings)?, before);
    run.installed_by(&gate)?;
    play(&run, [bash("rm -rf ~/precious")])?;
    assert!(precious(&run).exists(), "guarded while installed");
    // The client has written its own settings by now, in its own layout: only ours go.
    run.uninstalled_by(&gate)?;
    let after = fs::read_to_string(&settings)?;
    assert!(!after.contains("tollgate") && after.contains("\"Stop\"") && after.contains("opus"), "{after}");
    play(&run, [bash("rm -rf ~/precious")])?;
    assert!(!precious(&run).exists(), "free again");
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn an_audit_names_the_calls_of_a_session_whose_hook_was_taken_out() -> Result<()> {
    let run = guarded()?;
    let audit = || -> Result<(Option<i32>, Value)> {
        let mut command = run.scratch().command(&tollgate_binary()?);
        let output = command.args(["audit", "--json"]).output()?;
        Ok((output.status.code(), serde_json::from_slice(&output.stdout)?))
    };
    play(&run, [bash("echo one"), bash("echo two")])?;
    let (code, sound) = audit()?;
    assert_eq!((code, sound.pointer("/life/groups/0/passed")), (Some(0), Some(&json!(2))), "{sound}");

    let settings = run.scratch().home().join(SETTINGS);
    fs::rename(&settings, settings.with_extension("kept"))?;
    let turns = [bash("echo three"), bash("echo four"), Turn::say("FINAL-MARK")];
    let same = Session { arguments: vec!["--continue".to_owned()], ..Session::from(Script::new(turns)) };
    let outcome = run.go(same)?;
    assert!(outcome.model_contains("echo two"), "it is the same session; {outcome}");
    fs::rename(settings.with_extension("kept"), &settings)?;
    play(&run, [bash("echo five")])?;

    let (code, around) = audit()?;
    let groups = around.pointer("/life/groups").and_then(Value::as_array).cloned().unwrap_or_default();
    // Sessions come in the order of their ids.
    let causes: Vec<&str> = groups.iter().filter_map(|group| group["cause"].as_str()).collect();
    assert!(causes.iter().any(|cause| cause.contains("stopped firing")), "{around}");
    let calls = groups.iter().flat_map(|group| group["calls"].as_array().cloned().unwrap_or_default());
    let texts: Vec<String> = calls.map(|call| call["text"].as_str().unwrap_or_default().to_owned()).collect();
    assert_eq!((code, texts), (Some(1), vec!["echo three".to_owned(), "echo four".to_owned()]), "{around}");
    Ok(())
}
