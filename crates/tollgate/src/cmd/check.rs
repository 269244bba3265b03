//! `tollgate check`: is the policy valid, and what does it say?

use crate::exit::ExitCode;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tollgate_policy::{
    FILE_NAME, HOOK_FILE, Layer, Policy, Severity, check, check_hook, check_hooks, has_hook_files, own_rules,
    render,
};
use tollgate_rules::Rules;

use super::workflow::Here;
use crate::dirs::{self, Dirs, MANAGED, repository};
use crate::{out, program};

/// Arguments of `tollgate check`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Policy file or hook.meta.yaml [default: all that apply here]
    file: Option<PathBuf>,
}

/// Checks files and shows every problem at once.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let files = match &args.file {
        Some(file) => vec![(file.clone(), layer_of(file))],
        None => applying()?,
    };
    if files.is_empty() {
        out::line("no policy file applies here: every rule is on at its own level");
        return Ok(ExitCode::SUCCESS);
    }
    let mut broken = false;
    for (file, layer) in files {
        // Where no file was named, a folder may have hook files and no policy file.
        let is_fine = match args.file.is_some() || file.exists() {
            true => check_one(&file, layer)?,
            false => check_hook_files(&file, layer),
        };
        broken |= !is_fine;
    }
    broken |= !check_samples(args.file.as_deref());
    broken |= args.file.is_none() && !check_workflows();
    Ok(if broken { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn check_one(file: &Path, layer: Layer) -> anyhow::Result<bool> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let Ok(text) = String::from_utf8(bytes) else {
        out::line(&format!("error: not UTF-8 text ({})", file.display()));
        return Ok(false);
    };
    let is_hook = file.file_name().is_some_and(|name| name == HOOK_FILE);
    let (problems, hooks) = if is_hook {
        (check_hook(file, &text), Vec::new())
    } else {
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        (check(file, &text, layer, &Rules), check_hooks(&whole, layer, &Rules, &program::is_on_path))
    };
    hooks.iter().for_each(|wrong| out::line(wrong));
    if problems.is_empty() && hooks.is_empty() {
        let what = if is_hook { "hook" } else { "policy" };
        out::line(&format!("{}: fine ({} {what})", file.display(), layer.name()));
        return Ok(true);
    }
    out::text(&render(&problems, &text, std::io::stdout().is_terminal()));
    Ok(hooks.is_empty() && !problems.iter().any(|problem| problem.severity == Severity::Error))
}

/// The hook files of a folder that has no policy file.
fn check_hook_files(policy: &Path, layer: Layer) -> bool {
    let wrong = check_hooks(policy, layer, &Rules, &program::is_on_path);
    wrong.iter().for_each(|wrong| out::line(wrong));
    if wrong.is_empty() {
        let folder = policy.parent().unwrap_or(policy);
        out::line(&format!("{}: the hook files are fine ({})", folder.display(), layer.name()));
    }
    wrong.is_empty()
}

/// The workflows that are on here.
fn check_workflows() -> bool {
    let Ok(here) = Here::find() else { return true };
    here.notices().iter().for_each(|notice| out::line(notice));
    here.notices().is_empty()
}

/// The examples of the rules of a file, or of all files that apply, must be judged as they say.
fn check_samples(file: Option<&Path>) -> bool {
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
    failures.iter().for_each(|failure| out::line(&failure.to_string()));
    failures.is_empty()
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
