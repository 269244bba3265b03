//! `cargo xtask test`: every check, one after the other. A failing step does not hide the ones behind it: all of them run, and
//! a summary at the end names those that failed.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use xtask::sh;

use crate::steps::Steps;
use crate::{build, tools};

/// Tests that take longer than a few seconds each; `--quick` leaves them out.
const SLOW: &[&str] = &[
    "an_event_that_no_workflow_gates",
    "an_export_is_read_by_the_tools",
    "before_the_agent_gives_up",
    "bombs_take_linear_time",
    "changes_no_refusal",
    "doctor_knows_which_versions",
    "f30_no_planted_secret_is_kept",
    "loses_work_in_silence",
    "owner_commands_ask_for_the_pin",
    "owner_commands_refuse_to_run",
    "rewrites_keep_what_a_command_does",
];

/// Everything that CI runs.
pub fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("format", format);
    steps.run("programs that the tests need", tools::install);
    let clients = steps.run("end-to-end harness", tools::start_client_downloads);
    let release = steps.run("start of the release build", build::start_release);
    steps.run("lints", lints);
    steps.run("licences", licences);
    steps.run("test build", || sh::check(&mut test_command(&["--no-run"], &[])?));
    let binary =
        release.and_then(|release| steps.run("release build", || release.wait().and(build::release_path())));
    steps.run("unit tests", || unit(binary.as_deref(), &[]));
    let clients = clients.and_then(|clients| steps.run("clients from npm", || clients.wait()));
    match binary.zip(clients) {
        Some((binary, ())) => drop(steps.run("end-to-end tests", || e2e(&binary))),
        None => steps.skip("end-to-end tests", "the release binary or a client is missing"),
    }
    steps.finish()
}

/// What a contributor runs between two edits: no release build, no real clients, no test that takes long.
pub fn quick() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("format", format);
    steps.run("programs that the tests need", tools::install);
    steps.run("lints", lints);
    steps.run("unit tests", || unit(None, SLOW));
    steps.finish()
}

/// The real clients only: all of them as they are pinned, or each named one in the version that it is named with.
pub fn clients(versions: &[String]) -> Result<()> {
    let binary = build::release()?;
    tools::install()?;
    if versions.is_empty() {
        tools::start_client_downloads()?.wait()?;
        return e2e(&binary);
    }
    let mut command = sh::command(&["cargo", "run", "--locked", "--quiet", "-p", "devtools", "--", "e2e"]);
    sh::check(command.arg(&binary).args(versions))
}

fn format() -> Result<()> {
    sh::run(&["cargo", "fmt", "--all", "--check"])
}

fn lints() -> Result<()> {
    sh::run(&["cargo", "clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
}

/// Licences and sources of everything we build on. Without `cargo deny`, a test of `devtools` checks the licences. Advisories
/// need the network and are checked by the release workflow.
fn licences() -> Result<()> {
    if !sh::exists(&["cargo", "deny", "--version"]) {
        println!("`cargo deny` is not installed; the licences are checked by a unit test");
        return Ok(());
    }
    sh::run(&["cargo", "deny", "--all-features", "check", "bans", "licenses", "sources"])
}

fn unit(binary: Option<&Path>, left_out: &[&str]) -> Result<()> {
    let mut command = test_command(&["--no-fail-fast"], left_out)?;
    if let Some(binary) = binary {
        command.env("TOLLGATE_BIN", binary);
    }
    sh::check(&mut command)
}

/// All tests that need no real client, without those that are left out.
fn test_command(options: &[&str], left_out: &[&str]) -> Result<Command> {
    let mut command = if has_nextest() {
        let mut command = sh::command(&["cargo", "nextest", "run", "--workspace", "--locked"]);
        let names: Vec<String> = left_out.iter().map(|name| format!("test({name})")).collect();
        if !names.is_empty() {
            command.args(["-E", &format!("not ({})", names.join(" or "))]);
        }
        command.args(options);
        command
    } else {
        let mut command = sh::command(&["cargo", "test", "--workspace", "--locked"]);
        command.args(options).arg("--").args(left_out.iter().flat_map(|name| ["--skip", name]));
        command
    };
    sh::clean(&mut command, &sh::target_dir().join("test-home"))?;
    // Generated inputs are the same in every run, so that a red test is red again; another seed tries others.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "20261116");
    }
    command.env("PATH", tools::search_path());
    Ok(command)
}

fn e2e(binary: &Path) -> Result<()> {
    let mut command = if has_nextest() {
        sh::command(&["cargo", "nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        sh::command(&["cargo", "test", "-p", "tollgate-e2e", "-p", "packaging", "--locked", "--no-fail-fast"])
    };
    if has_nextest() {
        // The same selection of packages as for the unit tests: another one would be compiled anew.
        command.args(["-E", "package(tollgate-e2e) or package(packaging)", "--run-ignored", "only"]);
    } else {
        command.args(["--", "--ignored"]);
    }
    sh::clean(&mut command, &sh::target_dir().join("test-home"))?;
    sh::check(command.env("TOLLGATE_BIN", binary).env("PATH", tools::search_path()))
}

fn has_nextest() -> bool {
    sh::exists(&["cargo", "nextest", "--version"])
}
