//! `tollgate build`: checks the project's configuration, and writes for every agent what a repository can carry: the
//! agent's own settings with the gate registered, and the policy that it obeys. Whoever has the binary has the gate.

use std::fs;
use std::io::IsTerminal;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::registration::{BUILD, POLICY, Registration};
use tollgate_agents::install::setup::{Content, Roots, SETUPS};
use tollgate_agents::install::{Entry, insert};
use tollgate_policy::{FILE_NAME, Layer, Severity, TrustPlan, check, check_hooks, render};
use tollgate_rules::Rules;

use super::init::agent_names;
use crate::dirs::repository;
use crate::exit::ExitCode;
use crate::flows::Places;
use crate::listing::Output;
use crate::out;

/// Arguments of `tollgate build`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Write files for this agent only; repeatable
    #[arg(long, value_parser = agent_names())]
    agent: Vec<String>,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    bundle: super::bundle::BuildArgs,
    /// Project [default: the repository around this folder]
    folder: Option<PathBuf>,
}

/// Names what is ours in `build/`, so that nothing else is ever replaced.
const MARK: &str = "tollgate.build";

/// Checks, then writes. Nothing is written when anything is wrong.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let root = project(args.folder.as_deref())?;
    if args.bundle.bundle {
        return super::bundle::build(&root, &args.bundle);
    }
    if !is_sound(&root)? {
        out::error("tollgate: nothing was written");
        return Ok(ExitCode::from(1));
    }
    let plan = TrustPlan::of(&root)?;
    super::trust::whole(&plan).context("nothing was written")?;
    let wanted = |name: &str| args.agent.is_empty() || args.agent.iter().any(|agent| agent == name);
    let mut agents = vec!["claude-code"];
    agents.extend(SETUPS.iter().map(|setup| setup.agent.name()));
    let lead = if args.dry_run { "Would write" } else { "Wrote" };
    let mut rows = Vec::new();
    for agent in agents.into_iter().filter(|name| wanted(name)) {
        let folder = root.join(BUILD).join(agent);
        let files = settings(agent, &folder)?;
        if !args.dry_run {
            write_all(&folder, &files, &plan)?;
        }
        let policies = plan.files.iter().map(|(name, _)| folder.join(POLICY).join(name));
        let paths = files.iter().map(|(path, _)| path.clone()).chain(policies).chain([folder.join(MARK)]);
        let shown: Vec<String> =
            paths.map(|path| path.strip_prefix(&root).unwrap_or(&path).display().to_string()).collect();
        if args.output.is_text() {
            out::line(&format!("{lead} for {agent}:"));
            shown.iter().for_each(|path| out::line(&format!("  {path}")));
        }
        rows.push(json!({"agent": agent, "files": shown, "written": !args.dry_run}));
    }
    if !args.output.is_text() {
        args.output.print(&rows);
        return Ok(ExitCode::SUCCESS);
    }
    if !plan.programs.is_empty() {
        out::line(
            "\nPrograms of the hooks run on a machine only once its user trusts them: `tollgate trust`.",
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(folder: &Path, files: &[(PathBuf, String)], plan: &TrustPlan) -> anyhow::Result<()> {
    clear(folder)?;
    for (path, text) in files {
        write(path, text.as_bytes(), text.starts_with("#!"))?;
    }
    copy_policy(plan, &folder.join(POLICY))?;
    write(&folder.join(MARK), format!("policy {}\n", plan.digest()).as_bytes(), false)
}

/// Says everything that is wrong.
fn is_sound(root: &Path) -> anyhow::Result<bool> {
    let file = root.join(FILE_NAME);
    let text = match fs::read(&file) {
        Ok(bytes) => {
            String::from_utf8(bytes).with_context(|| format!("`{}` is not UTF-8 text", file.display()))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "version: 1\n".to_owned(),
        Err(error) => return Err(error).with_context(|| format!("cannot read `{}`", file.display())),
    };
    let problems = check(&file, &text, Layer::Project, &Rules);
    if !problems.is_empty() {
        out::text(&render(&problems, &text, std::io::stdout().is_terminal()));
    }
    // What is on the search path is a matter of the machine that the hooks will run on.
    let mut wrong = check_hooks(&file, Layer::Project, &Rules, &|_| true);
    let loaded = applying(root)?;
    wrong.extend(workflows(root, &loaded.policy)?);
    wrong.extend(tollgate_pipeline::check_examples(&loaded.policy).iter().map(ToString::to_string));
    wrong.iter().for_each(|line| out::line(line));
    Ok(wrong.is_empty() && problems.iter().all(|problem| problem.severity != Severity::Error))
}

/// The policy of the project, for nobody in particular.
fn applying(root: &Path) -> anyhow::Result<tollgate_policy::Loaded> {
    let nobody = tempdir()?;
    let request = tollgate_policy::Request {
        managed_dir: &nobody,
        config_dir: &nobody,
        state_dir: &nobody,
        project: Some(root),
        built: None,
        cwd: root,
    };
    let loaded = tollgate_policy::look(&request, &Rules);
    let _ = fs::remove_dir_all(&nobody);
    Ok(loaded)
}

/// What is wrong with the workflows that are on in the project.
fn workflows(root: &Path, policy: &tollgate_policy::Policy) -> anyhow::Result<Vec<String>> {
    let nobody = tempdir()?;
    let project = root.to_string_lossy();
    let notices = Places { config: &nobody, state: &nobody, project: &project }.load(policy).notices;
    let _ = fs::remove_dir_all(&nobody);
    Ok(notices)
}

/// A folder that is not there: there is no user, no state, no managed policy.
fn tempdir() -> anyhow::Result<PathBuf> {
    let names = (0..100).map(|number| format!("tollgate-nobody-{}-{number}", std::process::id()));
    let mut folders = names.map(|name| std::env::temp_dir().join(name));
    folders
        .find(|folder| !folder.exists())
        .context("the folder for temporary files is full of others' folders")
}

/// The agent's own files, for a repository.
fn settings(agent: &str, folder: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let registration = Registration::built();
    let whole = |entries: &[Entry], blank: &str| -> anyhow::Result<String> {
        insert(blank, entries).map(|edited| edited.text).map_err(|error| anyhow::anyhow!("{error}"))
    };
    let Some(setup) = SETUPS.iter().find(|setup| setup.agent.name() == agent) else {
        return Ok(vec![(folder.join(".claude/settings.json"), whole(&registration.entries(), "")?)]);
    };
    let nothing = folder.join("nothing");
    let roots = Roots { home: &nothing, project: folder, env: &|_| None };
    let mut files = Vec::new();
    for piece in setup.pieces(&registration, &roots, Scope::Project)? {
        match &piece.content {
            Content::Entries(entries) => files.push((piece.path.clone(), whole(entries, piece.blank())?)),
            Content::Whole(text) => files.push((piece.path.clone(), text.clone())),
            // What an agent keeps about its user's yes cannot be carried in a repository.
            Content::Tables(_) => {}
        }
    }
    Ok(files)
}

/// Takes away what an earlier build wrote, and nothing that somebody else did.
fn clear(folder: &Path) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    if !folder.join(MARK).is_file() {
        bail!("`{}` is there and not Tollgate's; move it away and run the command again", folder.display());
    }
    fs::remove_dir_all(folder).with_context(|| format!("cannot replace `{}`", folder.display()))
}

/// The policy file, the hook files and the programs that they name, as they are.
fn copy_policy(plan: &TrustPlan, folder: &Path) -> anyhow::Result<()> {
    for (name, _) in &plan.files {
        let from = plan.root.join(name);
        let bytes = fs::read(&from).with_context(|| format!("cannot read `{}`", from.display()))?;
        let executable = fs::metadata(&from).is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
        write(&folder.join(name), &bytes, executable)?;
    }
    let policy = folder.join(FILE_NAME);
    if !policy.is_file() {
        write(&policy, b"version: 1\n", false)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8], executable: bool) -> anyhow::Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    fs::write(path, bytes).with_context(failed)?;
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).with_context(failed)
}

fn project(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let folder = match named {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().context("the working directory is gone")?,
    };
    let folder = folder.canonicalize().with_context(|| format!("no such folder: {}", folder.display()))?;
    Ok(if named.is_some() { folder } else { repository(&folder).to_owned() })
}
