//! Which settings files the real Claude Code skips. The cases are the facts behind the rules in
//! `crates/agents/src/install/claude/validity.rs`, which are compared with the same cases in that crate.

use std::fs;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tollgate_e2e::claude::SETTINGS;
use tollgate_e2e::{Claude, Outcome, Run, Turn, tollgate_binary};

const CASES: &str = include_str!("../../agents/tests/claude_settings/cases.json");
const HANDLERS: &str = include_str!("../../tollgate/tests/documents/settings/handlers.json");
const COLLECTIVE: &str = include_str!("../../tollgate/tests/documents/settings/collective.json");

fn bash(run: &Run, command: &str) -> Result<Outcome> {
    run.go([Turn::call("Bash", json!({"command": command, "description": "run"})), Turn::say("FINAL-MARK")])
}

/// The client says so itself.
fn is_skipped(outcome: &Outcome) -> bool {
    let finished = &outcome.finished;
    format!("{}{}", finished.stdout, finished.stderr).contains("settings files did not load")
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn the_client_reads_each_case_as_recorded() -> Result<()> {
    let run = Run::new(&Claude)?;
    let fired = run.scratch().home().join("fired");
    let handler = json!({"type": "command", "command": format!("touch {}", fired.display())}).to_string();
    let cases: Vec<Value> = serde_json::from_str(CASES)?;
    let mut different = Vec::new();
    for case in &cases {
        let name = case.get("name").and_then(Value::as_str).context("a case without a name")?;
        let loads = case.get("loads").and_then(Value::as_bool).context("a case without a result")?;
        let settings = case.get("settings").map(Value::to_string);
        let text = case.get("text").and_then(Value::as_str).map(str::to_owned).or(settings);
        let text = text.with_context(|| format!("{name} has no settings"))?;
        run.scratch().write_home(SETTINGS, &text.replace("\"@OK@\"", &handler))?;
        let outcome = bash(&run, "true")?;
        if is_skipped(&outcome) == loads {
            different.push(format!("{name}: {outcome}"));
        } else if text.contains("@OK@") && fired.exists() != loads {
            different.push(format!("{name}: the hook beside it; {outcome}"));
        }
        let _ = fs::remove_file(&fired);
    }
    assert!(different.is_empty(), "{} cases: {}", different.len(), different.join("\n"));
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn settings_that_the_client_skips_guard_again_after_init() -> Result<()> {
    for (settings, adopt) in [(HANDLERS, false), (HANDLERS, true), (COLLECTIVE, false), (COLLECTIVE, true)] {
        let run = Run::new(&Claude)?;
        run.scratch().write_home(SETTINGS, settings)?;
        assert!(is_skipped(&bash(&run, "true")?), "the client skips the file as it stands");
        // The client writes settings of its own into the file at its first start.
        let before = fs::read_to_string(run.scratch().home().join(SETTINGS))?;
        let tollgate = tollgate_binary()?;
        if adopt {
            run.adopted_by(&tollgate)?
        } else {
            run.installed_by(&tollgate)?
        }
        let outcome = bash(&run, "tollgate uninstall --dry-run")?;
        assert!(!is_skipped(&outcome), "{outcome}");
        assert!(outcome.tool_results().iter().all(|result| result.is_error), "{outcome}");
        run.uninstalled_by(&tollgate)?;
        assert_eq!(fs::read_to_string(run.scratch().home().join(SETTINGS))?, before);
    }
    Ok(())
}
