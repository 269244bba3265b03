//! `tollgate check`: is the policy valid, and what does it say?

use crate::exit::ExitCode;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use tollgate_policy::{
    FILE_NAME, HOOK_FILE, Layer, Policy, Problem, Severity, check, check_hook, check_hooks, has_hook_files,
    own_rules, own_workflows, render,
};
use tollgate_rules::Rules;

use super::workflow::Here;
use crate::dirs::{self, Dirs, MANAGED, repository};
use crate::listing::Output;
use crate::{out, program};

/// Arguments of `tollgate check`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Policy file or hook.meta.yaml [default: all that apply here]
    file: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

/// Checks files and shows every problem at once.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let files = match &args.file {
        Some(file) => vec![(file.clone(), layer_of(file))],
        None => applying()?,
    };
    let mut found = Found { output: args.output, rows: Vec::new(), is_broken: false };
    if files.is_empty() {
        found.say("No policy file applies here: every rule is on at its own level.");
        found.finish();
        return Ok(ExitCode::SUCCESS);
    }
    for (file, layer) in files {
        // Where no file was named, a folder may have hook files and no policy file.
        match args.file.is_some() || file.exists() {
            true => found.check_one(&file, layer)?,
            false => found.check_hook_files(&file, layer),
        }
    }
    found.check_samples(args.file.as_deref());
    found.check_workflows(args.file.as_deref());
    let is_broken = found.is_broken;
    found.finish();
    Ok(if is_broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// What was found, printed as it comes for people, or all at the end for programs.
struct Found {
    output: Output,
    rows: Vec<serde_json::Value>,
    is_broken: bool,
}

impl Found {
    /// Something that is well.
    fn say(&self, text: &str) {
        if self.output.is_text() {
            out::line(text);
        }
    }

    /// Mistakes that have no place in a file.
    fn complain(&mut self, file: Option<&Path>, all: &[String]) {
        for message in all {
            self.say(message);
            let file = file.map(|file| file.display().to_string());
            self.rows.push(json!({"file": file, "severity": "error", "message": message}));
        }
        self.is_broken |= !all.is_empty();
    }

    fn finish(self) {
        if !self.output.is_text() {
            self.output.print(&self.rows);
        }
    }

    fn check_one(&mut self, file: &Path, layer: Layer) -> anyhow::Result<()> {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let Ok(text) = String::from_utf8(bytes) else {
            self.complain(Some(file), &[format!("error: not UTF-8 text ({})", file.display())]);
            return Ok(());
        };
        let is_hook = file.file_name().is_some_and(|name| name == HOOK_FILE);
        let (problems, hooks) = if is_hook {
            (check_hook(file, &text), Vec::new())
        } else {
            let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
            (check(file, &text, layer, &Rules), check_hooks(&whole, layer, &Rules, &program::is_on_path))
        };
        self.complain(Some(file), &hooks);
        if problems.is_empty() && hooks.is_empty() {
            let what = if is_hook { "hook" } else { "policy" };
            self.say(&format!("{}: fine ({} {what})", file.display(), layer.name()));
        }
        if self.output.is_text() && !problems.is_empty() {
            out::text(&render(&problems, &text, std::io::stdout().is_terminal()));
        }
        self.is_broken |= problems.iter().any(|problem| problem.severity == Severity::Error);
        self.rows.extend(problems.iter().map(row));
        Ok(())
    }

    /// The hook files of a folder that has no policy file.
    fn check_hook_files(&mut self, policy: &Path, layer: Layer) {
        let wrong = check_hooks(policy, layer, &Rules, &program::is_on_path);
        self.complain(Some(policy), &wrong);
        if wrong.is_empty() {
            let folder = policy.parent().unwrap_or(policy);
            self.say(&format!("{}: the hook files are fine ({})", folder.display(), layer.name()));
        }
    }

    /// The workflows that a file switches on, or all that are on here.
    fn check_workflows(&mut self, file: Option<&Path>) {
        let Ok(here) = Here::find() else { return };
        let notices = match file {
            None => here.notices().to_vec(),
            Some(file) => {
                let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
                let text = std::fs::read_to_string(file).unwrap_or_default();
                here.notices_of(own_workflows(&whole, &text, layer_of(file), &Rules))
            }
        };
        self.complain(file, &notices);
    }

    /// The examples of the rules of a file, or of all files that apply, must be judged as they say.
    fn check_samples(&mut self, file: Option<&Path>) {
        let policy = match file {
            Some(file) => {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let mut policy = Policy::builtin();
                policy.custom = own_rules(file, &text, &Rules);
                policy
            }
            None => dirs::applying().map(|loaded| loaded.policy).unwrap_or_default(),
        };
        let failures = tollgate_pipeline::check_examples(&policy);
        self.complain(file, &failures.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
}

/// A mistake for programs.
fn row(problem: &Problem) -> serde_json::Value {
    let severity = if problem.severity == Severity::Error { "error" } else { "warning" };
    json!({
        "file": problem.path, "severity": severity, "message": problem.message, "line": problem.at.line,
        "column": problem.at.column, "hint": Some(&problem.hint).filter(|hint| !hint.is_empty()),
    })
}

fn applying() -> anyhow::Result<Vec<(PathBuf, Layer)>> {
    let mut files = vec![(Path::new(MANAGED).join(FILE_NAME), Layer::Managed)];
    if let Some(dirs) = Dirs::find() {
        files.push((dirs.config.join(FILE_NAME), Layer::User));
    }
    let cwd = std::env::current_dir().context("the working directory is gone")?;
    let root = repository(&cwd);
    let between = cwd.ancestors().take_while(|folder| folder.starts_with(root));
    files.extend(between.map(|folder| (folder.join(FILE_NAME), Layer::Project)));
    files.retain(|(file, layer)| file.exists() || has_hook_files(file, *layer));
    Ok(files)
}

fn layer_of(file: &Path) -> Layer {
    let whole = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let below = |folder: &Path| std::fs::canonicalize(folder).is_ok_and(|folder| whole.starts_with(folder));
    if below(Path::new(MANAGED)) {
        Layer::Managed
    } else if Dirs::find().is_some_and(|dirs| below(&dirs.config)) {
        Layer::User
    } else {
        Layer::Project
    }
}
