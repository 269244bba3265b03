//! `tollgate uninstall`: takes out exactly what `init` put in.

use crate::exit::ExitCode;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_agents::install::claude::is_ours;
use tollgate_agents::install::claude::settings::Scope;
use tollgate_agents::install::setup::SETUPS;
use tollgate_agents::install::{Backups, Removal, Site, Undo};

use super::canary::Stage;
use super::guard::Guard;
use super::init::{ScopeName, StatusLine, adopt, agent_names};
use crate::report::{Line, heading, tilde};
use crate::{out, owner, terminal};

/// Arguments of `tollgate uninstall`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Remove the hooks of this agent only; repeatable
    #[arg(long, value_parser = agent_names())]
    agent: Vec<String>,
    /// Change only these settings [default: all that `init` wrote]
    #[arg(long, value_enum)]
    scope: Option<ScopeName>,
    /// Also delete policy, log and saved files of Tollgate
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    purge: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the plan and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Plans, asks, restores.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    owner::admit("uninstall")?;
    let stage = Stage::here()?;
    let home = &stage.dirs.home;
    let removals = plan(&stage, args)?;
    let lines = status_lines(&stage, args)?;
    let folders = if args.purge { own_folders(&stage) } else { Vec::new() };
    if removals.is_empty() && lines.is_empty() && folders.is_empty() {
        out::line("Tollgate is not registered anywhere; there is nothing to take out.");
        return Ok(ExitCode::SUCCESS);
    }
    heading("Tollgate is taken out of");
    removals.iter().for_each(|removal| out::line(&format!("  {}", describe(removal, home))));
    if args.purge {
        folders.iter().for_each(|folder| {
            out::line(&format!("  {}  (deleted with all that is in it)", tilde(folder, home)))
        });
        out::line("  The log and the files saved for undo are in there. They cannot be restored.");
    } else {
        out::line(&format!(
            "  {} and {} stay",
            tilde(&stage.dirs.config, home),
            tilde(&stage.dirs.state, home)
        ));
    }
    if args.dry_run {
        out::line("\nDry run: nothing was changed.");
        return Ok(ExitCode::SUCCESS);
    }
    if !args.yes && !agreed()? {
        out::line("Nothing was changed.");
        return Ok(ExitCode::from(1));
    }
    out::line("");
    lines.iter().try_for_each(StatusLine::apply)?;
    // Planned again: without the status line a file may be just what `init` wrote.
    let removals = if lines.is_empty() { removals } else { plan(&stage, args)? };
    for removal in &removals {
        removal.apply()?;
        if removal.adopted > 0 {
            adopt::remove(&stage.dirs.config, &removal.target.named)?;
        }
        Line::green(done(removal, home)).print();
    }
    for folder in &folders {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot delete `{}`", folder.display()))?;
        Line::green(format!("{} is deleted", tilde(folder, home))).print();
    }
    out::line("\nThe gate is off for new sessions. `tollgate init` puts it back.");
    Ok(ExitCode::SUCCESS)
}

/// The folders that are Tollgate's alone. One that is a link, or that somebody named otherwise, is left alone.
fn own_folders(stage: &Stage) -> Vec<PathBuf> {
    let cache = stage.dirs.home.join(".cache/tollgate-tests");
    let own = |folder: &PathBuf| {
        let named = folder.file_name().is_some_and(|name| name == "tollgate" || name == "tollgate-tests");
        named && folder.symlink_metadata().is_ok_and(|meta| meta.is_dir())
    };
    [stage.dirs.config.clone(), stage.dirs.state.clone(), cache].into_iter().filter(own).collect()
}

fn plan(stage: &Stage, args: &Args) -> anyhow::Result<Vec<Removal>> {
    let wanted = |name: &str| args.agent.is_empty() || args.agent.iter().any(|agent| agent == name);
    let mut removals = if wanted("claude-code") { plan_claude(stage, args.scope)? } else { Vec::new() };
    let scopes = args.scope.map_or(vec![Scope::User, Scope::Project], |scope| vec![scope.scope()]);
    let registration = stage.registration()?;
    for setup in SETUPS.iter().filter(|setup| wanted(setup.agent.name())) {
        let guard = Guard::new(stage, setup);
        for piece in guard.all_pieces(&registration, &scopes, args.scope.is_none()) {
            match piece.removal(&stage.dirs.state) {
                Ok(removal) if removal.undo == Undo::Nothing && removal.adopted == 0 => {}
                Ok(removal) => removals.push(removal),
                Err(_) if !mentions_us(&piece.path) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(removals)
}

/// The settings with our status line in them.
fn status_lines(stage: &Stage, args: &Args) -> anyhow::Result<Vec<StatusLine>> {
    if !args.agent.is_empty() && !args.agent.iter().any(|agent| agent == "claude-code") {
        return Ok(Vec::new());
    }
    let scopes =
        args.scope.map_or(vec![Scope::User, Scope::Project, Scope::Local], |scope| vec![scope.scope()]);
    let files = scopes.into_iter().map(|scope| stage.places.file(scope)).filter(|file| file.is_file());
    // A file that cannot be read has no status line that anybody sees.
    Ok(files.filter_map(|file| StatusLine::removing(&file).ok().flatten()).collect())
}

fn plan_claude(stage: &Stage, scope: Option<ScopeName>) -> anyhow::Result<Vec<Removal>> {
    let scopes = scope.map_or(vec![Scope::User, Scope::Project, Scope::Local], |scope| vec![scope.scope()]);
    let mut files: Vec<PathBuf> = scopes.into_iter().map(|scope| stage.places.file(scope)).collect();
    if scope.is_none() {
        let written = Backups::in_state(&stage.dirs.state).all().into_iter();
        files
            .extend(written.filter(|manifest| manifest.agent == "claude-code").map(|manifest| manifest.path));
    }
    files.sort();
    files.dedup();
    let mut removals = Vec::new();
    for settings in &files {
        let state = &stage.dirs.state;
        let site = Site { agent: "claude-code", settings, state, ours: is_ours, blank: "", repair: None };
        match Removal::plan(site) {
            Ok(removal) if removal.undo == Undo::Nothing && removal.adopted == 0 => {}
            Ok(removal) => removals.push(removal),
            // Somebody else's broken file does not keep ours from being put right.
            Err(_) if !mentions_us(settings) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(removals)
}

fn mentions_us(settings: &Path) -> bool {
    std::fs::read(settings).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("tollgate"))
}

fn agreed() -> anyhow::Result<bool> {
    out::line("");
    match terminal::confirm("Take the gate out?") {
        Some(answer) => Ok(answer),
        None => bail!(
            "there is no terminal to ask on, so nothing was changed; add `--yes` to go ahead without asking"
        ),
    }
}

fn describe(removal: &Removal, home: &Path) -> String {
    let path = tilde(&removal.target.named, home);
    match &removal.undo {
        Undo::Nothing => format!("{path}  (nothing of Tollgate's)"),
        Undo::Restore(_) => format!("{path}  (gets its old bytes back)"),
        Undo::Delete => format!("{path}  (made by Tollgate: goes)"),
        Undo::Edit(_) => {
            let back = match removal.adopted {
                0 => String::new(),
                1 => ", and the hook that it ran comes back".to_owned(),
                count => format!(", and the {count} hooks that it ran come back"),
            };
            format!("{path}  (changed since: only Tollgate's {} entries go{back})", removal.handlers)
        }
    }
}

fn done(removal: &Removal, home: &Path) -> String {
    let path = tilde(&removal.target.named, home);
    match &removal.undo {
        Undo::Nothing => format!("{path} was left alone"),
        Undo::Restore(_) => format!("{path} is as it was, byte for byte"),
        Undo::Delete => format!("{path} is gone"),
        Undo::Edit(_) => {
            format!(
                "{path} is without Tollgate; its bytes from before `init` stay in {}",
                tilde(&removal.backup(), home)
            )
        }
    }
}
