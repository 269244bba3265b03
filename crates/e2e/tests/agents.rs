//! Tollgate in front of the other real clients, installed by its own installer.
//!
//! The commands are dangerous only to look at: `~` is a scratch home, and what they would delete was made for it.

use std::fs;

use anyhow::{Context, Result};
use serde_json::json;
use tollgate_agents::Adapter;
use tollgate_e2e::client::workspace;
use tollgate_e2e::drivers::{Codex, Copilot, Gemini, OpenCode, Qwen};
use tollgate_e2e::run::Session;
use tollgate_e2e::{Answer, Answers, Client, Conversation, Driver, Run, Script, Turn, tollgate_binary};
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
    assert!(refused.text.contains("Tollgate") && refused.text.contains("Instead"), "{outcome}");
    assert!(!asked.text.is_empty() && allowed.text.contains("RAN-MARK"), "{outcome}");
    assert!(!allowed.text.contains("ollgate"), "nothing is said about a call that is let through; {outcome}");
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "{outcome}");
    let log = fs::read_to_string(run.scratch().home().join(".local/state/tollgate/events.jsonl"))?;
    let agent = format!("\"agent\":\"{}\"", driver.client()?.agent);
    assert!(log.lines().filter(|line| line.contains(&agent)).count() >= 3, "{log}");
    Ok(())
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
    Ok(())
}

/// What the client makes of the adapter's own answers, and of a gate that fails, as a row of the documentation.
fn behaves_as_documented(driver: &'static dyn Driver) -> Result<()> {
    let agent = driver.client()?.agent;
    let run = Run::new(driver)?;
    run.recorded_by(&tollgate_binary()?, CAPTURE)?;
    let voice = Voice::of(agent)?;
    let mut seen = Seen { gone: stopped(gone(driver)?), ..Seen::default() };
    seen.first(&run, &voice)?;
    seen.blocked_prompt(&run, &voice)?;
    let row = seen.row(driver.client()?);
    let page = fs::read_to_string(workspace().join("docs/agents/README.md")).unwrap_or_default();
    assert!(page.lines().any(|line| line == row), "docs/agents/README.md should say\n{row}");
    Ok(())
}

/// Whether a call runs when the gate's program is gone.
fn gone(driver: &'static dyn Driver) -> Result<bool> {
    let run = Run::new(driver)?;
    run.recorded_by(&tollgate_binary()?, CAPTURE)?;
    fs::remove_file(run.scratch().root().join("bin/tollgate"))?;
    run.go([driver.shell("touch ran-gone"), Turn::say("FINAL-MARK")])?;
    Ok(run.scratch().project().join("ran-gone").exists())
}

/// What was seen of a client.
#[derive(Default)]
struct Seen {
    rewrite: &'static str,
    context: &'static str,
    prompt: &'static str,
    stop: &'static str,
    garbled: &'static str,
    exit_one: &'static str,
    killed: &'static str,
    gone: &'static str,
}

fn stopped(ran: bool) -> &'static str {
    if ran { "runs" } else { "stopped" }
}

fn yes(happened: bool) -> &'static str {
    if happened { "yes" } else { "no" }
}

impl Seen {
    /// One session: context at its start, a call for each way of answering, and an end that is blocked once.
    fn first(&mut self, run: &Run, voice: &Voice) -> Result<()> {
        let driver = run.driver();
        let pre = voice.name(Phase::PreTool)?;
        let mut answers = voice.silence();
        let mut say = |phase, decision: &Decision| -> Result<()> {
            let answers_now = std::mem::take(&mut answers);
            answers = answers_now.on(voice.name(phase)?, voice.answer(phase, decision)?);
            Ok(())
        };
        say(Phase::SessionStart, &Decision { context: vec!["CONTEXT-MARK".into()], ..Decision::default() })?;
        say(Phase::PreTool, &Decision { rewrite: Some(voice.rewritten()), ..Decision::default() })?;
        say(Phase::Stop, &refusal("STOP-MARK"))?;
        say(Phase::Stop, &Decision::default())?;
        let garbled = Answer { stdout: r#"{"decision": oops"#.to_owned(), ..Answer::default() };
        answers = answers.on(pre, garbled).on(pre, Answer { exit: 1, ..Answer::default() });
        answers = answers.on(pre, Answer { kill: true, ..Answer::default() });
        answers = answers.on(pre, voice.answer(Phase::PreTool, &Decision::default())?);
        run.answers(&answers)?;
        let names = ["original", "garbled", "exit-one", "killed", "allowed"];
        let calls = names.map(|name| driver.shell(&format!("touch ran-{name}")));
        let turns = calls.into_iter().chain([Turn::say("FIRST-FINAL"), Turn::say("FINAL-MARK")]);
        let outcome = run.go(Script::new(turns))?;
        let ran = |name: &str| run.scratch().project().join(format!("ran-{name}")).exists();
        assert!(ran("allowed"), "{outcome}");
        assert!(!ran("original"), "what is to be changed does not run as it was: {outcome}");
        self.rewrite = yes(ran("rewritten"));
        self.context = yes(outcome.model_contains("CONTEXT-MARK"));
        self.stop = yes(outcome.model_contains("STOP-MARK"));
        (self.garbled, self.exit_one) = (stopped(ran("garbled")), stopped(ran("exit-one")));
        self.killed = stopped(ran("killed"));
        Ok(())
    }

    /// A prompt that is refused never reaches the model.
    fn blocked_prompt(&mut self, run: &Run, voice: &Voice) -> Result<()> {
        let answers = voice.silence();
        let refused = voice.answer(Phase::Prompt, &refusal("PROMPT-BLOCKED"))?;
        run.answers(&answers.on(voice.name(Phase::Prompt)?, refused))?;
        let outcome = run.go([Turn::say("FINAL-MARK")])?;
        self.prompt = yes(outcome.conversation("main").count() == 0);
        Ok(())
    }

    fn row(&self, client: &Client) -> String {
        let cells = [
            client.package,
            client.version,
            self.rewrite,
            self.context,
            self.prompt,
            self.stop,
            self.garbled,
            self.exit_one,
            self.killed,
            self.gone,
        ];
        format!("| {} |", cells.join(" | "))
    }
}

fn refusal(what: &str) -> Decision {
    let hit = Hit {
        what: what.into(),
        instead: String::new(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    let mut decision = Decision::default();
    decision.add(Finding { rule: "e2e".into(), verdict: Verdict::Deny, hit });
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
        let speaks = self.adapter.agent() == Agent::OpenCode;
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
    ($($name:ident: $driver:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            #[ignore = "needs npm and the real client; run by cargo xtask e2e"]
            fn the_gate_decides() -> Result<()> {
                super::the_gate_decides($driver)
            }

            #[test]
            #[ignore = "needs npm and the real client; run by cargo xtask e2e"]
            fn behaves_as_documented() -> Result<()> {
                super::behaves_as_documented($driver)
            }

            #[test]
            #[ignore = "needs npm and the real client; run by cargo xtask e2e"]
            fn a_subagent_is_guarded() -> Result<()> {
                super::a_subagent_is_guarded($driver)
            }
        }
    )*};
}

clients! {
    codex: &Codex;
    gemini: &Gemini;
    qwen: &Qwen;
    copilot: &Copilot;
    opencode: &OpenCode;
}
