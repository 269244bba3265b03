//! What the real clients were seen to do with the gate in front of them: one cell per client and behaviour, kept in
//! `behaviour.json`, written by the tests and held by them. The documentation's table is made from it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::{env, path::PathBuf};

use anyhow::{Context, Result, ensure};

use crate::client::{CLIENTS, Client, client, workspace};

/// One thing to be seen, and the test of `tests/agents.rs` that shows it.
#[derive(Debug)]
pub struct Behaviour {
    /// The column.
    pub name: &'static str,
    /// The test, in the module of each client.
    pub test: &'static str,
    /// What a cell says about it.
    pub means: &'static str,
}

/// Every column, in the order of the table.
pub static BEHAVIOURS: &[Behaviour] = &[
    behaviour("refuse", "the_gate_decides", "a refused call does not run, and the model reads why"),
    behaviour("allow", "the_gate_decides", "an allowed call runs, without a word from the gate"),
    behaviour(
        "ask",
        "a_person_is_asked",
        "in a terminal a person is asked, and the call waits for their yes",
    ),
    behaviour("ask headless", "the_gate_decides", "what is asked does not run where nobody is there"),
    behaviour("subagents", "a_subagent_is_guarded", "the calls of a subagent pass the gate"),
    behaviour("rewrite", "answers_are_carried_out", "a changed input is what runs"),
    behaviour("context", "answers_are_carried_out", "context of the session's start reaches the model"),
    behaviour("prompt block", "answers_are_carried_out", "a refused prompt never reaches the model"),
    behaviour("stop block", "answers_are_carried_out", "the agent goes on, and reads why"),
    behaviour("garbled", "a_broken_gate", "a call whose gate prints half an answer"),
    behaviour("noisy", "a_broken_gate", "a call whose gate prints something before its answer"),
    behaviour("exit 1", "a_broken_gate", "a call whose gate fails"),
    behaviour("killed", "a_broken_gate", "a call whose gate is killed"),
    behaviour("gone", "a_gate_that_is_gone", "a call whose gate's program is no longer there"),
    behaviour(
        "slow",
        "a_slow_gate",
        "a call whose gate waits for a middleware that takes longer than most clients wait",
    ),
    behaviour("hung", "a_hung_gate", "a call whose gate does not answer for longer than any usual time-out"),
    behaviour(
        "code mode",
        "code_mode_is_guarded",
        "calls made from code that the model writes pass the gate",
    ),
];

const fn behaviour(name: &'static str, test: &'static str, means: &'static str) -> Behaviour {
    Behaviour { name, test, means }
}

/// Set to write down what is seen in place of comparing it.
const WRITE: &str = "TOLLGATE_E2E_WRITE";

type Cells = BTreeMap<String, BTreeMap<String, String>>;

/// Holds that a client did what `behaviour.json` says, or writes it there.
pub fn seen(agent: &str, test: &str, cells: &[(&str, &str)]) -> Result<()> {
    for (name, _) in cells {
        let known = BEHAVIOURS.iter().any(|behaviour| behaviour.name == *name && behaviour.test == test);
        ensure!(known, "`{name}` is not among the behaviours that `{test}` shows");
    }
    // Tests run side by side, each in its own process.
    let lock = File::create(env::temp_dir().join("tollgate-e2e-behaviour.lock"))?;
    lock.lock()?;
    let mut all = read()?;
    let row = all.entry(client(agent)?.row()).or_default();
    if env::var_os(WRITE).is_some() {
        row.extend(cells.iter().map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned())));
        return Ok(fs::write(file(), format!("{:#}\n", serde_json::to_value(&all)?))?);
    }
    for (name, cell) in cells {
        let known = row.get(*name).map_or("nothing", String::as_str);
        ensure!(
            known == *cell,
            "{agent}, {name}: seen `{cell}`, but behaviour.json says `{known}`; if that is right, \
             run the test with {WRITE}=1 and then `cargo xtask docs`"
        );
    }
    Ok(())
}

/// The table of the documentation, and under it what its columns mean and which test shows them.
pub fn table() -> Result<String> {
    let all = read()?;
    let names: Vec<&str> = BEHAVIOURS.iter().map(|behaviour| behaviour.name).collect();
    let mut text = format!("| client | version | {} |\n", names.join(" | "));
    text.push_str(&format!("|---|---|{}\n", "---|".repeat(names.len())));
    for Client { agent, version, .. } in &CLIENTS {
        ensure!(all.contains_key(*agent), "nothing was seen of {agent}");
        let other = |row: &str| Some(row.strip_prefix(agent)?.strip_prefix('@')?.to_owned());
        let rows = all.iter().filter_map(|(name, row)| match name == agent {
            true => Some(((*version).to_owned(), row)),
            false => Some((other(name)?, row)),
        });
        for (version, row) in rows {
            let cells: Vec<&str> =
                names.iter().map(|name| row.get(*name).map_or("–", String::as_str)).collect();
            text.push_str(&format!("| {agent} | {version} | {} |\n", cells.join(" | ")));
        }
    }
    text.push_str("\n| column | is about | shown by |\n|---|---|---|\n");
    for Behaviour { name, test, means } in BEHAVIOURS {
        text.push_str(&format!("| {name} | {means} | `{test}` |\n"));
    }
    Ok(text)
}

fn read() -> Result<Cells> {
    let text = fs::read_to_string(file()).context("behaviour.json cannot be read")?;
    Ok(serde_json::from_str(&text)?)
}

fn file() -> PathBuf {
    workspace().join("crates/e2e/behaviour.json")
}
