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
    "the_committed_pages_are_what",
    "the_pages_work_in_a_browser",
    "the_server_does_what_it_says",
];

/// Everything that CI runs.
pub fn run() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("format", format);
    steps.run("programs that the tests need", tools::install);
    let clients = steps.run("end-to-end harness", tools::start_client_downloads);
    let release = steps.run("start of the release build", build::start_release);
    steps.run("licences", licences);
    let compiler = build_tests(&mut steps);
    let binary =
        release.and_then(|release| steps.run("release build", || release.wait().and(build::release_path())));
    steps.run("unit tests", || unit(compiler, binary.as_deref(), &[]));
    let clients = clients.and_then(|clients| steps.run("clients from npm", || clients.wait()));
    match binary.zip(clients) {
        Some((binary, ())) => drop(steps.run("end-to-end tests", || e2e(compiler, &binary))),
        None => steps.skip("end-to-end tests", "the release binary or a client is missing"),
    }
    steps.finish()
}

/// What a contributor runs between two edits: no release build, no real clients, no test that takes long.
pub fn quick() -> Result<()> {
    let mut steps = Steps::default();
    steps.run("format", format);
    steps.run("programs that the tests need", tools::install);
    let compiler = build_tests(&mut steps);
    steps.run("unit tests", || unit(compiler, None, SLOW));
    steps.finish()
}

/// The real clients only: all of them as they are pinned, or each named one in the version that it is named with.
pub fn clients(versions: &[String]) -> Result<()> {
    let binary = build::release()?;
    tools::install()?;
    if versions.is_empty() {
        tools::start_client_downloads()?.wait()?;
        return e2e(Compiler::Rustc, &binary);
    }
    let mut command = sh::command(&["cargo", "run", "--locked", "--quiet", "-p", "devtools", "--", "e2e"]);
    sh::check(command.arg(&binary).args(versions))
}

fn format() -> Result<()> {
    sh::run(&["cargo", "fmt", "--all", "--check"])
}

/// What compiles the workspace's own crates.
#[derive(Clone, Copy)]
enum Compiler {
    Rustc,
    /// `rustc` that also runs clippy's lints, as `cargo clippy` starts it. One build serves the lints and the tests; `cargo
    /// clippy` beside it would compile every dependency twice.
    Clippy,
}

/// Compiles the tests and checks them, and all that they are made of, with clippy. Where a lint fails, they are compiled
/// without lints, so that they run all the same.
fn build_tests(steps: &mut Steps) -> Compiler {
    let build = |compiler| sh::check(&mut test_command(compiler, &["--no-run"], &[])?);
    if steps.run("lints and test build", || build(Compiler::Clippy)).is_some() {
        return Compiler::Clippy;
    }
    steps.run("test build without lints", || build(Compiler::Rustc));
    Compiler::Rustc
}

impl Compiler {
    /// Tells a cargo command what compiles the workspace. The wrapper is an option and not in the environment, where cargo
    /// would find it that a test starts.
    fn choose(self, command: &mut Command) -> Result<()> {
        if let Self::Clippy = self {
            let sysroot = sh::output(&["rustc", "--print", "sysroot"])?;
            let driver = Path::new(sysroot.trim()).join("bin/clippy-driver");
            command.arg("--config").arg(format!("build.rustc-workspace-wrapper={driver:?}"));
            // Separated as `cargo clippy` separates them.
            command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
        }
        Ok(())
    }
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

fn unit(compiler: Compiler, binary: Option<&Path>, left_out: &[&str]) -> Result<()> {
    let mut command = test_command(compiler, &["--no-fail-fast"], left_out)?;
    if let Some(binary) = binary {
        command.env("TOLLGATE_BIN", binary);
    }
    sh::check(&mut command)
}

/// All tests that need no real client, without those that are left out.
fn test_command(compiler: Compiler, options: &[&str], left_out: &[&str]) -> Result<Command> {
    let mut command = clean_cargo(compiler, &["--workspace"])?;
    // Generated inputs are the same in every run, so that a red test is red again; another seed tries others.
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        command.env("PROPTEST_RNG_SEED", "20261116");
    }
    command.args(options);
    if !has_nextest() {
        command.arg("--").args(left_out.iter().flat_map(|name| ["--skip", name]));
    } else if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().map(|name| format!("test({name})")).collect();
        command.args(["-E", &format!("not ({})", names.join(" or "))]);
    }
    Ok(command)
}

fn e2e(compiler: Compiler, binary: &Path) -> Result<()> {
    // With nextest the same selection of packages as for the unit tests: another one would be compiled anew.
    let packages: &[&str] =
        if has_nextest() { &["--workspace"] } else { &["-p", "tollgate-e2e", "-p", "packaging"] };
    let mut command = clean_cargo(compiler, packages)?;
    command.env("TOLLGATE_BIN", binary).arg("--no-fail-fast");
    if has_nextest() {
        command.args(["--profile", "end-to-end", "--run-ignored", "only"]);
        command.args(["-E", "package(tollgate-e2e) or package(packaging)"]);
    } else {
        command.args(["--", "--ignored"]);
    }
    sh::check(&mut command)
}

/// Cargo, about to run tests of these packages in a clean environment.
fn clean_cargo(compiler: Compiler, packages: &[&str]) -> Result<Command> {
    let runner: &[&str] = if has_nextest() { &["nextest", "run"] } else { &["test"] };
    let mut command = sh::command(&["cargo"]);
    sh::clean(&mut command, &sh::target_dir().join("test-home"))?;
    command.env("PATH", tools::search_path()).args(runner).args(packages).arg("--locked");
    compiler.choose(&mut command)?;
    Ok(command)
}

fn has_nextest() -> bool {
    sh::exists(&["cargo", "nextest", "--version"])
}
