//! `tollgate init --project`: the policy of a repository, with one rule of its own and a test of it, to be committed.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tollgate_policy::FILE_NAME;

use crate::cmd::test::TESTS;
use crate::dirs::repository;
use crate::exit::ExitCode;
use crate::{out, terminal};

const POLICY: &str = "\
# The policy of this project, for everybody who works on it. It can only be stricter than their own.
# To check it, run: tollgate check    To test it, run: tollgate test    To see what holds: tollgate policy show
version: 1

# Levels of rules: note, save, ask, deny. To list all rules, run: tollgate rules
# rules:
#   git-force-push: deny

# Workflows that are on here. To list them, run: tollgate workflow list
# workflows: [plan]

# A rule of your own. `reason` is what the agent and the person read.
custom:
  - id: no-generated-edits
    reason: Files in generated/ are written by the build and must not be edited
    level: deny
    when: effect.kind == \"write\" && effect.path.contains(\"/generated/\")
    instead: Change the source that the file is generated from
    examples:
      hit: [{ tool: Write, input: { file_path: generated/api.ts, content: x } }]
      pass: [{ tool: Write, input: { file_path: src/api.ts, content: x } }]
";

const POLICY_TESTS: &str = "\
# Tests of this project's policy. To run them: tollgate test
version: 1
tests:
  - name: generated files are not edited
    steps:
      - { tool: Write, input: { file_path: generated/api.ts, content: x }, expect: deny, rule: no-generated-edits }
      - { tool: Write, input: { file_path: src/api.ts, content: x }, expect: allow }
  - run: git push --force origin main
    expect: refuse
";

/// Writes what is not there yet. Nothing is replaced.
pub fn run(yes: bool, dry_run: bool) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("the working directory is gone; change to another")?;
    let root = repository(&here);
    let files: Vec<(PathBuf, &str)> = [(FILE_NAME, POLICY), (TESTS, POLICY_TESTS)]
        .map(|(name, text)| (root.join(name), text))
        .into_iter()
        .filter(|(path, _)| path.symlink_metadata().is_err())
        .collect();
    if files.is_empty() {
        out::line(&format!("`{FILE_NAME}` and `{TESTS}` are already in {}.", root.display()));
        return Ok(ExitCode::SUCCESS);
    }
    for (path, text) in &files {
        out::line(&format!("Will write {}:\n", path.display()));
        text.lines().for_each(|line| out::line(format!("  {line}").trim_end()));
        out::line("");
    }
    if dry_run {
        out::line("Dry run: nothing was changed.");
        return Ok(ExitCode::SUCCESS);
    }
    if !yes && terminal::confirm("Write them?") != Some(true) {
        out::line("Nothing was changed. To write without a question, add: --yes");
        return Ok(ExitCode::from(1));
    }
    files.iter().try_for_each(|(path, text)| write(path, text))?;
    out::line("Written. To test the policy, run: tollgate test");
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write `{}`", path.display()))
}
