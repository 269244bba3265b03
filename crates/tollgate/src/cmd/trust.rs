//! `tollgate trust`: a person trusts a project's policy and the programs it names.

use crate::exit::ExitCode;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_policy::{TrustPlan, distrust};

use crate::dirs::Dirs;
use crate::{out, owner, terminal};

/// Arguments of `tollgate trust`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The project. Without it: the repository around this directory
    folder: Option<PathBuf>,
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
}

/// Shows what would run, asks, and copies it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("trust")?;
    let dirs = Dirs::find().context("no home directory")?;
    let root = project(args.folder.as_deref())?;
    if args.revoke {
        let had = distrust(&dirs.state, &root);
        out::line(if had { "The trust is taken back." } else { "This project was not trusted." });
        return Ok(ExitCode::from(u8::from(!had)));
    }
    let plan = TrustPlan::of(&root)?;
    if plan.files.is_empty() {
        bail!("{} has neither a tollgate.yaml nor hook files; there is nothing to trust", root.display());
    }
    out::line(&format!("{}\n\nFiles that are copied and count from now on:", root.display()));
    plan.files.iter().for_each(|(name, hash)| {
        out::line(&format!("  {}  {}", hash.chars().take(12).collect::<String>(), name.display()));
    });
    out::line("\nPrograms that will run at the events of your agents:");
    if plan.programs.is_empty() {
        out::line("  none");
    }
    plan.programs.iter().for_each(|program| out::line(&format!("  {program}")));
    match terminal::confirm("\nDo you trust them?") {
        None => bail!("trust needs a terminal, so that a person gives it"),
        Some(false) => {
            out::line("Nothing was trusted.");
            Ok(ExitCode::from(1))
        }
        Some(true) => {
            plan.keep(&dirs.state)?;
            out::line("Trusted. A later change in the project changes nothing until you trust it again.");
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn project(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = named {
        return folder.canonicalize().with_context(|| format!("no such folder: {}", folder.display()));
    }
    let here = std::env::current_dir().context("no working directory")?;
    let root = here.ancestors().filter(|folder| folder.join(".git").exists()).last();
    Ok(root.unwrap_or(&here).to_owned())
}
