//! Tollgate in front of every real client, installed by its own installer. What is seen is a cell of the table in
//! `behaviour`.
//!
//! The commands are dangerous only to look at: `~` is a scratch home, and what they would delete was made for it.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use tollgate_agents::Adapter;
use tollgate_agents::install::codex::table;
use tollgate_agents::install::{Doc, groups};
use tollgate_e2e::behaviour::seen;
use tollgate_e2e::drivers::{Codex, Copilot, Gemini, KILO, OPENCODE, Qwen};
use tollgate_e2e::run::Session;
use tollgate_e2e::{Answer, Answers, Claude, Conversation, Driver, Run, Script, Turn, tollgate_binary};
use tollgate_model::json::{Value, object};
use tollgate_model::{
    Actor, Agent, Attended, Certainty, Decision, Event, Finding, Hit, Kind, Phase, Reply, Span, ToolCall,
    ToolUse, Verdict,
};

/// A home with something to lose, guarded by the gate.
fn guarded(driver: &'static dyn Driver) -> Result<Run> {
    let run = Run::new(driver)?;
    run.scratch().write_home("precious/work.txt", "years of work\n")?;
    run.installed_by(&tollgate_binary()?)?;
    Ok(run)
}

/// What is refused does not run and the model is told why, what is asked does not run where nobody is there, and
/// ordinary work runs.
fn the_gate_decides(driver: &'static dyn Driver) -> Result<()> {
    let run = guarded(driver)?;
    let project = run.scratch().project();
    let calls = ["rm -rf ~/precious", "npm publish; touch asked", "touch allowed; echo RAN-MARK"];
    let turns = calls.map(|command| driver.shell(command)).into_iter().chain([Turn::say("FINAL-MARK")]);
    let outcome = run.go(Script::new(turns))?;
    assert!(run.scratch().home().join("precious/work.txt").exists(), "{outcome}");
    assert!(!project.join("asked").exists(), "{outcome}");
    assert!(project.join("allowed").exists(), "{outcome}");
    let results = outcome.tool_results();
    let [refused, asked, allowed] = results.as_slice() else {
        anyhow::bail!("three calls, three results: {outcome}");
    };
    assert!(
        refused.text.contains("Tollgate") && refused.text.contains("instead, or ask the person"),
        "{outcome}"
    );
    assert!(!asked.text.is_empty() && allowed.text.contains("RAN-MARK"), "{outcome}");
    assert!(!allowed.text.contains("ollgate"), "nothing is said about a call that is let through; {outcome}");
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "{outcome}");
    let log = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    let agent = format!("\"agent\":\"{}\"", driver.client()?.agent);
    assert!(log.lines().filter(|line| line.contains(&agent)).count() >= 3, "{log}");
    let cells = [("refuse", "yes"), ("allow", "yes"), ("ask headless", "does not run")];
    seen(driver.client()?.agent, "the_gate_decides", &cells)
}

/// A subagent is held to the same rules.
fn a_subagent_is_guarded(driver: &'static dyn Driver) -> Result<()> {
    let run = guarded(driver)?;
    let helper = [driver.shell("rm -rf ~/precious"), driver.subagent_ends()];
    let helper = Conversation::new(
        "helper",
        |facts| facts.any.contains("HELPER-MARK") && !facts.any.contains("PROMPT-MARK"),
        helper,
    )
    .repeat_last();
    let turns = driver.spawn("HELPER-MARK clean up").into_iter().chain([Turn::say("FINAL-MARK")]);
    let session = Session::from(Script::new(turns).beside(helper));
    let outcome = run.go(Session { arguments: driver.subagent_arguments(), ..session })?;
    assert!(run.scratch().home().join("precious/work.txt").exists(), "{outcome}");
    let helpers: Vec<_> = outcome.conversation("helper").collect();
    let last = helpers.iter().rev().find(|request| !request.tool_results().is_empty());
    let results = last.with_context(|| format!("no subagent made a call: {outcome}"))?.tool_results();
    assert!(results.iter().any(|result| result.text.contains("Tollgate")), "{results:?}");
    seen(driver.client()?.agent, "a_subagent_is_guarded", &[("subagents", "guarded")])
}

/// In a terminal a question is put to the person, in a mode that asks nothing by itself too: the call runs when they say
/// yes, and not before.
fn a_person_is_asked(driver: &'static dyn Driver) -> Result<()> {
    let run = guarded(driver)?;
    let script = Script::new([driver.shell("npm publish; touch ran-asked"), Turn::say("FINAL-MARK")]);
    let mut terminal = run.in_terminal(script)?;
    let limit = Duration::from_secs(110);
    let asked = terminal.wait(limit, |terminal| terminal.shown().contains("Tollgate"));
    assert!(asked && !ran(&run, "asked"), "{}", terminal.shown());
    // A prompt that has just appeared takes no keys yet.
    std::thread::sleep(Duration::from_secs(3));
    assert!(!ran(&run, "asked"), "nobody has said yes yet: {}", terminal.shown());
    terminal.press("\r")?;
    assert!(terminal.wait(limit, |_| ran(&run, "asked")), "{}", terminal.shown());
    seen(driver.client()?.agent, "a_person_is_asked", &[("ask", "asked")])
}

/// Why Gemini CLI is never asked: a hook's question overrules a refusal that the user wrote into Gemini's own policy.
/// When this fails, a version has come in which it does not, and the adapter may ask.
fn a_question_overrules_the_users_own_refusal(driver: &'static dyn Driver) -> Result<()> {
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\ndecision = \"deny\"\npriority = 999\n";
    let calls = || Script::new([touch(driver, "overruled"), Turn::say("FINAL-MARK")]);
    let run = recorded(driver)?;
    run.scratch().write_home(".gemini/policies/mine.toml", rule)?;
    let voice = Voice::of(driver.client()?.agent)?;
    run.answers(&voice.silence())?;
    let outcome = run.go(calls())?;
    assert!(!ran(&run, "overruled"), "the user's own rule refuses: {outcome}");
    let ask = Answer::json(&json!({"decision": "ask", "reason": "ASK-MARK", "systemMessage": "ASK-MARK"}));
    run.answers(&voice.silence().on(voice.name(Phase::PreTool)?, ask))?;
    let mut terminal = run.in_terminal(calls())?;
    let limit = Duration::from_secs(110);
    assert!(terminal.wait(limit, |terminal| terminal.shown().contains("ASK-MARK")), "{}", terminal.shown());
    // A prompt that has just appeared takes no keys yet.
    std::thread::sleep(Duration::from_secs(3));
    terminal.press("1")?;
    assert!(terminal.wait(limit, |_| ran(&run, "overruled")), "{}", terminal.shown());
    Ok(())
}

/// A hook of the person's own decides before the gate is there, in the gate's pipeline, and after it is gone again; its
/// file is then as it was.
fn hooks_that_were_there_are_adopted(driver: &'static dyn Driver) -> Result<()> {
    let run = Run::new(driver)?;
    let file = own_hook(&run, driver.client()?.agent)?;
    let refused = |name: &str| -> Result<()> {
        let (no, yes) = (format!("forbidden-{name}"), format!("fine-{name}"));
        let outcome =
            run.go(Script::new([touch(driver, &no), touch(driver, &yes), Turn::say("FINAL-MARK")]))?;
        assert!(!ran(&run, &no) && ran(&run, &yes), "{name}: {outcome}");
        assert!(outcome.model_contains("MINE-MARK"), "{name}: {outcome}");
        Ok(())
    };
    refused("before")?;
    // Some clients write to their settings when they start.
    let before = fs::read_to_string(&file)?;
    run.adopted_by(&tollgate_binary()?)?;
    assert!(!fs::read_to_string(&file)?.contains("MINE-MARK"), "it is the gate that runs it now");
    refused("adopted")?;
    let log = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    assert!(log.contains("middleware/adopted-1"), "{log}");
    run.uninstalled_by(&tollgate_binary()?)?;
    assert_eq!(fs::read_to_string(&file)?, before);
    refused("after")
}

/// Registers a hook that refuses what is forbidden, as the client's own documentation says. Returns its file.
fn own_hook(run: &Run, agent: &str) -> Result<std::path::PathBuf> {
    let command = "grep -q forbidden && { echo MINE-MARK >&2; exit 2; } || true";
    let answer = r#"grep -q forbidden && echo '{"permissionDecision":"deny","permissionDecisionReason":"MINE-MARK"}' || true"#;
    let group = json!([{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]);
    let (file, hooks) = match agent {
        "codex" => (".codex/hooks.json", json!({"PreToolUse": group})),
        "gemini-cli" => (
            ".gemini/settings.json",
            json!({"BeforeTool": [{"hooks": [{"type": "command", "command": command}]}]}),
        ),
        "qwen-code" => (".qwen/settings.json", json!({"PreToolUse": group})),
        "copilot-cli" => (
            ".copilot/hooks/mine.json",
            json!({"preToolUse": [{"type": "command", "bash": answer, "timeoutSec": 5}]}),
        ),
        other => anyhow::bail!("{other} has no hooks of that kind"),
    };
    let path = run.scratch().home().join(file);
    let found = fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut settings: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&found)?;
    if agent == "copilot-cli" {
        settings.insert("version".to_owned(), json!(1));
    }
    settings.insert("hooks".to_owned(), hooks);
    let text = serde_json::to_string_pretty(&settings)?;
    run.scratch().write_home(file, &text)?;
    if agent == "codex" {
        let settings = Doc::parse(&text).context("hooks.json")?.value();
        let group = groups(&settings, "PreToolUse").first().context("a group")?;
        let handler =
            group.get("hooks").and_then(Value::as_list).and_then(<[_]>::first).context("a handler")?;
        let table = table(&path, ("PreToolUse", 0, 0), group, handler);
        let config = run.scratch().home().join(".codex/config.toml");
        let trust = format!("\n{}\n{} = {:?}\n", table.header, table.key, table.value);
        fs::write(&config, fs::read_to_string(&config)? + &trust)?;
    }
    Ok(path)
}

/// A client whose gate is replaced by a hook that records and answers as told.
fn recorded(driver: &'static dyn Driver) -> Result<Run> {
    let run = Run::new(driver)?;
    run.recorded_by(&tollgate_binary()?, CAPTURE)?;
    Ok(run)
}

fn ran(run: &Run, name: &str) -> bool {
    run.scratch().project().join(format!("ran-{name}")).exists()
}

/// A call that leaves a mark when it runs.
fn touch(driver: &dyn Driver, name: &str) -> Turn {
    driver.shell(&format!("touch ran-{name}"))
}

fn stopped(ran: bool) -> &'static str {
    if ran { "runs" } else { "stopped" }
}

fn yes(happened: bool) -> &'static str {
    if happened { "yes" } else { "no" }
}

/// One session: context at its start, a call to be changed, and an end that is blocked once. Then a prompt that is
/// refused.
fn answers_are_carried_out(driver: &'static dyn Driver) -> Result<()> {
    let (agent, run) = (driver.client()?.agent, recorded(driver)?);
    let voice = Voice::of(agent)?;
    let mut answers = voice.silence();
    for (phase, decision) in [
        (Phase::SessionStart, Decision { context: vec!["CONTEXT-MARK".into()], ..Decision::default() }),
        (Phase::PreTool, Decision { rewrite: Some(voice.rewritten()), ..Decision::default() }),
        (Phase::PreTool, Decision::default()),
        (Phase::Stop, refusal("STOP-MARK")),
        (Phase::Stop, Decision::default()),
    ] {
        answers = answers.on(voice.name(phase)?, voice.answer(phase, &decision)?);
    }
    run.answers(&answers)?;
    let turns = [touch(driver, "original"), touch(driver, "allowed")];
    let turns = turns.into_iter().chain([Turn::say("FIRST-FINAL"), Turn::say("FINAL-MARK")]);
    let outcome = run.go(Script::new(turns))?;
    assert!(ran(&run, "allowed"), "{outcome}");
    assert!(!ran(&run, "original"), "what is to be changed does not run as it was: {outcome}");
    let refused = voice.answer(Phase::Prompt, &refusal("PROMPT-BLOCKED"))?;
    run.answers(&voice.silence().on(voice.name(Phase::Prompt)?, refused))?;
    let blocked = run.go([Turn::say("FINAL-MARK")])?;
    let cells = [
        ("rewrite", yes(ran(&run, "rewritten"))),
        ("context", yes(outcome.model_contains("CONTEXT-MARK"))),
        ("stop block", yes(outcome.model_contains("STOP-MARK"))),
        ("prompt block", yes(blocked.conversation("main").count() == 0)),
    ];
    seen(agent, "answers_are_carried_out", &cells)
}

/// What becomes of a call when the gate in its place fails in each of these ways.
fn a_broken_gate(driver: &'static dyn Driver) -> Result<()> {
    let (agent, run) = (driver.client()?.agent, recorded(driver)?);
    let voice = Voice::of(agent)?;
    let pre = voice.name(Phase::PreTool)?;
    let deny = voice.answer(Phase::PreTool, &refusal("DENY-MARK"))?;
    let allow = voice.answer(Phase::PreTool, &Decision::default())?;
    let half = |text: &str| text.chars().take(text.chars().count() / 2).collect::<String>();
    let ways = [
        ("garbled", Answer { stdout: half(&deny.stdout), ..deny.clone() }),
        ("noisy", Answer { stdout: format!("warning: something\n{}", deny.stdout), ..deny.clone() }),
        ("exit 1", Answer { exit: 1, ..Answer::default() }),
        ("killed", Answer { kill: true, ..Answer::default() }),
        ("allowed", allow),
    ];
    let mut answers = voice.silence();
    for (_, answer) in &ways {
        answers = answers.on(pre, answer.clone());
    }
    run.answers(&answers)?;
    let file = |name: &str| name.replace(' ', "-");
    let calls = ways.iter().map(|(name, _)| touch(driver, &file(name)));
    let outcome = run.go(Script::new(calls.chain([Turn::say("FINAL-MARK")])))?;
    assert!(ran(&run, "allowed"), "{outcome}");
    let failures = ways.iter().take(ways.len() - 1);
    let cells: Vec<_> = failures.map(|(name, _)| (*name, stopped(ran(&run, &file(name))))).collect();
    seen(agent, "a_broken_gate", &cells)
}

/// Whether a call runs when the gate's program is gone.
fn a_gate_that_is_gone(driver: &'static dyn Driver) -> Result<()> {
    let run = recorded(driver)?;
    fs::remove_file(run.scratch().root().join("bin/tollgate"))?;
    run.go([touch(driver, "gone"), Turn::say("FINAL-MARK")])?;
    seen(driver.client()?.agent, "a_gate_that_is_gone", &[("gone", stopped(ran(&run, "gone")))])
}

/// Longer than any time-out that a client was seen to have of its own: Qwen Code lets a call run after a minute.
const USUAL_TIME_OUT: Duration = Duration::from_secs(65);

/// Whether a call runs when the gate does not answer. Where it does not, either the client refuses it in the end or it
/// waits until a person ends it.
fn a_hung_gate(driver: &'static dyn Driver) -> Result<()> {
    let (agent, run) = (driver.client()?.agent, recorded(driver)?);
    let voice = Voice::of(agent)?;
    let hangs = Answer { sleep_ms: 600_000, ..Answer::default() };
    run.answers(&voice.silence().on(voice.name(Phase::PreTool)?, hangs))?;
    // On a busy machine a client may take a minute to ask at all.
    let limits = [100, 240].map(Duration::from_secs);
    let mut outcome = None;
    for timeout in limits {
        let session = Session::from([touch(driver, "hung"), Turn::say("FINAL-MARK")]);
        let now = run.go(Session { timeout, ..session })?;
        let asked = run.captured()?.iter().any(|call| !call.tool.is_empty());
        let hung = run.last_captured().unwrap_or_default();
        let long_enough = asked && (!now.finished.timed_out || hung >= USUAL_TIME_OUT);
        outcome = Some(now).filter(|_| long_enough);
        if outcome.is_some() {
            break;
        }
    }
    let outcome = outcome.context("the gate was not asked, or only just before the end")?;
    let cell = match (ran(&run, "hung"), outcome.finished.timed_out) {
        (true, _) => "runs",
        (false, true) => "waits",
        (false, false) => "stopped",
    };
    seen(agent, "a_hung_gate", &[("hung", cell)])
}

/// A middleware of the user's that takes two minutes, and may: the gate answers before the client gives up, and the call
/// does not run.
fn a_slow_gate(driver: &'static dyn Driver) -> Result<()> {
    let run = guarded(driver)?;
    let slow = "{id: slow, type: safety, run: [/bin/sleep, 120], timeout: 120, on_error: deny}";
    let policy = format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {slow}\n");
    run.scratch().write_home(".config/tollgate/tollgate.yaml", &policy)?;
    let outcome = run.go([touch(driver, "slow"), Turn::say("FINAL-MARK")])?;
    assert!(outcome.model_contains("middleware `slow` could not check this call"), "{outcome}");
    seen(driver.client()?.agent, "a_slow_gate", &[("slow", stopped(ran(&run, "slow")))])
}

/// Codex's newer models call their tools from JavaScript that they write.
fn code_mode_is_guarded(driver: &'static dyn Driver) -> Result<()> {
    let run = guarded(driver)?;
    let exec = |commands: &[&str]| {
        let one = |command: &&str| {
            let input = json!({"cmd": command});
            format!("try {{ text(await tools.exec_command({input})) }} catch (e) {{ text(String(e)) }}")
        };
        let mut turn = Turn::call("exec", json!(commands.iter().map(one).collect::<Vec<_>>().join(";\n")));
        turn.tools.iter_mut().for_each(|tool| tool.custom = true);
        turn
    };
    let turns = [exec(&["rm -rf ~/precious", "touch ran-allowed"]), Turn::say("FINAL-MARK")];
    let session = Session::from(Script::new(turns));
    let outcome = run.go(Session { arguments: vec!["-m".into(), "gpt-6.1-sol".into()], ..session })?;
    assert!(run.scratch().home().join("precious/work.txt").exists(), "{outcome}");
    assert!(ran(&run, "allowed"), "{outcome}");
    assert!(outcome.tool_results().iter().any(|result| result.text.contains("Tollgate")), "{outcome}");
    seen(driver.client()?.agent, "code_mode_is_guarded", &[("code mode", "guarded")])
}

fn refusal(what: &str) -> Decision {
    let hit = Hit {
        what: what.into(),
        instead: String::new(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    let mut decision = Decision::default();
    decision.add(Finding { rule: "e2e".into(), verdict: Verdict::Deny, savable: false, hit });
    decision
}

/// The adapter, speaking through the recording hook.
struct Voice {
    adapter: &'static dyn Adapter,
}

impl Voice {
    fn of(agent: &str) -> Result<Voice> {
        Ok(Voice { adapter: tollgate_agents::adapter(agent).context("no adapter")? })
    }

    /// The agent's name of the first event of a kind.
    fn name(&self, phase: Phase) -> Result<&'static str> {
        let mut rows = self.adapter.profile().events.iter();
        Ok(rows.find(|row| row.phase == phase).with_context(|| format!("no {phase:?}"))?.name)
    }

    /// What every event is answered that no other answer is for.
    fn silence(&self) -> Answers {
        let speaks = matches!(self.adapter.agent(), Agent::OpenCode | Agent::Kilo);
        let nothing = if speaks { Answer::json(&json!({"decision": "allow"})) } else { Answer::default() };
        Answers::default().on("*", nothing)
    }

    fn answer(&self, phase: Phase, decision: &Decision) -> Result<Answer> {
        let tool =
            ToolUse { id: String::new(), name: String::new(), call: ToolCall::Other, input: Value::Null };
        let event = Event {
            agent: self.adapter.agent(),
            name: self.name(phase)?.to_owned(),
            session: String::new(),
            actor: Actor::Main,
            cwd: String::new(),
            project: None,
            transcript: None,
            permission_mode: String::new(),
            attended: Attended::Unknown,
            trace: tollgate_model::Trace::default(),
            kind: if phase == Phase::PreTool { Kind::PreTool(tool) } else { Kind::Other },
        };
        let Reply { stdout, stderr, exit, .. } = self.adapter.reply(&event, decision);
        Ok(Answer { stdout, stderr, exit, ..Answer::default() })
    }

    fn rewritten(&self) -> Value {
        let command = ("command", "touch ran-rewritten".into());
        match self.adapter.agent() {
            Agent::Codex => object([command]),
            _ => object([command, ("description", "run".into())]),
        }
    }
}

const CAPTURE: &str = env!("CARGO_BIN_EXE_capture-hook");

macro_rules! clients {
    ($($name:ident: $driver:expr, [$($test:ident),*];)*) => {$(
        mod $name {
            use super::*;

            $(#[test]
            #[ignore = "needs npm and the real client; run by cargo xtask e2e"]
            fn $test() -> Result<()> {
                super::$test($driver)
            })*
        }
    )*};
    (every $($name:ident: $driver:expr, [$($more:ident),*];)*) => {
        clients! {$($name: $driver, [
            the_gate_decides, a_subagent_is_guarded, answers_are_carried_out, a_broken_gate, a_gate_that_is_gone,
            a_hung_gate $(, $more)*
        ];)*}
    };
}

clients! { every
    claude: &Claude, [a_person_is_asked, a_slow_gate];
    codex: &Codex, [code_mode_is_guarded, hooks_that_were_there_are_adopted];
    gemini: &Gemini, [a_question_overrules_the_users_own_refusal, hooks_that_were_there_are_adopted];
    qwen: &Qwen, [a_person_is_asked, a_slow_gate, hooks_that_were_there_are_adopted];
    copilot: &Copilot, [a_person_is_asked, hooks_that_were_there_are_adopted];
    opencode: &OPENCODE, [];
}

clients! {
    kilo: &KILO, [
        the_gate_decides, a_subagent_is_guarded, answers_are_carried_out, a_broken_gate, a_gate_that_is_gone
    ];
}
