//! Tollgate in front of the other real clients, installed by its own installer.
//!
//! The commands are dangerous only to look at: `~` is a scratch home, and what they would delete was made for it.

use std::fs;

use anyhow::{Context, Result};
use tollgate_e2e::drivers::{Codex, Copilot, Gemini, OpenCode, Qwen};
use tollgate_e2e::{Conversation, Driver, Run, Script, Turn, tollgate_binary};

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
    let calls =
        ["rm -rf ~/precious", "npm publish; touch asked", "touch allowed; echo RAN-MARK"];
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
    let outcome = run.go(Script::new(turns).beside(helper))?;
    assert!(run.scratch().home().join("precious/work.txt").exists(), "{outcome}");
    let helpers: Vec<_> = outcome.conversation("helper").collect();
    let last = helpers.iter().rev().find(|request| !request.tool_results().is_empty());
    let results = last.with_context(|| format!("no subagent made a call: {outcome}"))?.tool_results();
    assert!(results.iter().any(|result| result.text.contains("Tollgate")), "{results:?}");
    Ok(())
}

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
