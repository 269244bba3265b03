//! `tollgate test`: policy tests as data. Each is played through the hook itself, in a project of its own.

mod junit;
mod play;
pub mod read;
mod sarif;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_policy::{Policy, render};

use self::play::Stage;
use self::read::Test;
use crate::dirs::{self, repository};
use crate::exit::ExitCode;
use crate::table::{Table, room};
use crate::{out, owner};

/// The file of a project's policy tests.
pub const TESTS: &str = "tollgate.tests.yaml";

/// Arguments of `tollgate test`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Test file [default: `tollgate.tests.yaml` here]
    file: Option<PathBuf>,
    /// Also write JUnit XML to this file
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also write failures as SARIF to this file
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Run this project's middleware without `tollgate trust`
    #[arg(long)]
    trust_here: bool,
    /// Also list the rules that no test covers
    #[arg(long)]
    all: bool,
    /// Print one JSON object per test, and one for coverage
    #[arg(long)]
    json: bool,
}

/// How a test went.
pub struct Outcome {
    name: String,
    /// The file, with the line.
    place: String,
    took: Duration,
    /// What is wrong; none when it passed.
    failure: Option<String>,
    /// Rules that found something.
    seen: Vec<String>,
}

/// Runs the tests of a file and the examples of the policy's own rules. Exit 1 when one fails.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("the working directory is gone")?;
    let file = args.file.clone().unwrap_or_else(|| repository(&here).join(TESTS));
    let policy = dirs::applying().context("no home directory")?.policy;
    if args.trust_here {
        owner::refuse_agents("test --trust-here")?;
    }
    let mut outcomes = examples(&policy);
    let mut untrusted = Vec::new();
    if file.exists() || args.file.is_some() {
        let Some(tests) = read_file(&file)? else { return Ok(ExitCode::from(2)) };
        let stage = Stage::new(&file, args.trust_here)?;
        untrusted = stage.untrusted();
        outcomes.extend(tests.iter().map(|test| stage.play(test)));
    }
    if outcomes.is_empty() {
        bail!("nothing to test: no `{}`, and no rule of the policy has examples", file.display());
    }
    tell(args, &outcomes, &coverage(&outcomes, &policy));
    if !untrusted.is_empty() {
        out::error(&format!(
            "tollgate: not trusted, so not run in these tests: {}. To trust them, run: tollgate trust. In CI, run: tollgate test --trust-here",
            untrusted.join(", ")
        ));
    }
    if let Some(path) = &args.sarif {
        std::fs::write(path, sarif::object(&outcomes).to_string())
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    if let Some(path) = &args.junit {
        std::fs::write(path, junit::xml(&outcomes))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(ExitCode::from(u8::from(outcomes.iter().any(|outcome| outcome.failure.is_some()))))
}

fn read_file(file: &Path) -> anyhow::Result<Option<Vec<Test>>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let (tests, problems) = read::read(&file.display().to_string(), &text);
    if problems.is_empty() {
        return Ok(Some(tests));
    }
    out::text(&render(&problems, &text, std::io::stdout().is_terminal()));
    Ok(None)
}

/// The examples of the policy's own rules, as tests.
fn examples(policy: &Policy) -> Vec<Outcome> {
    let failures = tollgate_pipeline::check_examples(policy);
    let of = |rule: &tollgate_policy::Custom, sample: &tollgate_policy::Sample| {
        let failure =
            failures.iter().find(|failure| failure.rule == rule.id && failure.place == sample.place);
        Outcome {
            name: format!("{}: {}", rule.id, sample.shown()),
            place: format!("{}:{}", rule.file, sample.place.0),
            took: Duration::ZERO,
            failure: failure.map(|failure| failure.what.clone()),
            seen: if sample.hit { vec![rule.id.clone()] } else { Vec::new() },
        }
    };
    policy.custom.iter().flat_map(|rule| rule.examples.iter().map(move |sample| of(rule, sample))).collect()
}

/// How many tests have seen each rule find something.
fn coverage(outcomes: &[Outcome], policy: &Policy) -> Vec<(String, usize)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let passed = outcomes.iter().filter(|outcome| outcome.failure.is_none());
    passed.flat_map(|outcome| &outcome.seen).for_each(|rule| *seen.entry(rule).or_default() += 1);
    let own = policy.custom.iter().map(|rule| rule.id.as_str());
    let known: Vec<&str> = own.chain(tollgate_rules::all().map(|rule| rule.card().id)).collect();
    let others: Vec<&str> = seen.keys().filter(|rule| !known.contains(rule)).copied().collect();
    let count = |rule: &&str| ((*rule).to_owned(), seen.get(rule).copied().unwrap_or_default());
    known.iter().chain(&others).map(count).collect()
}

fn tell(args: &Args, outcomes: &[Outcome], coverage: &[(String, usize)]) {
    if args.json {
        for Outcome { name, place, took, failure, seen } in outcomes {
            let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            let passed = failure.is_none();
            out::line(&json!({"test": name, "place": place, "passed": passed, "failure": failure, "rules": seen, "us": us}).to_string());
        }
        let rules: serde_json::Map<_, _> =
            coverage.iter().map(|(rule, tests)| (rule.clone(), json!(tests))).collect();
        out::line(&json!({"coverage": rules}).to_string());
        return;
    }
    let failed: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.failure.is_some()).collect();
    for Outcome { name, place, failure, .. } in &failed {
        out::line(&format!("FAIL  {name} ({place})"));
        failure.iter().flat_map(|text| text.lines()).for_each(|line| out::line(&format!("      {line}")));
    }
    out::line(&format!("{} tests, {} failed", outcomes.len(), failed.len()));
    let mut table = Table::new(&["rule", "tests"]);
    let shown = coverage.iter().filter(|(_, tests)| args.all || *tests > 0);
    shown.for_each(|(rule, tests)| table.row([rule.clone(), tests.to_string()]));
    out::line("");
    table.lines(room()).iter().for_each(|line| out::line(line));
    let seen = coverage.iter().filter(|(_, tests)| *tests > 0).count();
    out::line(&format!("{seen} of {} rules seen by a test", coverage.len()));
}
