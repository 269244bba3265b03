//! `tollgate trust`: a person trusts a project's policy and the programs it names.

use crate::exit::ExitCode;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_middleware::SearchPath;
use tollgate_policy::{TrustPlan, distrust};

use crate::dirs::Dirs;
use crate::{out, owner, terminal};

/// Arguments of `tollgate trust`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Project [default: the repository around this folder]
    folder: Option<PathBuf>,
    /// Stop trusting the project
    #[arg(long, conflicts_with = "print")]
    revoke: bool,
    /// Print an entry for the policy file and change nothing
    #[arg(long)]
    print: bool,
}

/// Shows what would run, asks, and copies it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.print {
        return print(&project(args.folder.as_deref())?);
    }
    owner::admit("trust")?;
    let dirs = Dirs::find().context("no home directory")?;
    let root = project(args.folder.as_deref())?;
    if args.revoke {
        let had = distrust(&dirs.state, &root);
        out::line(if had { "The trust is taken back." } else { "This project was not trusted." });
        return Ok(ExitCode::from(u8::from(!had)));
    }
    let plan = plan(&root)?;
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
            SearchPath::keep(&dirs.state)?;
            out::line("Trusted. A later change in the project changes nothing until you trust it again.");
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// The entry for a policy file, under what it stands for.
fn print(root: &Path) -> anyhow::Result<ExitCode> {
    let plan = plan(root)?;
    plan.files.iter().for_each(|(name, hash)| {
        out::line(&format!("# {}  {}", hash.chars().take(12).collect::<String>(), name.display()));
    });
    plan.programs.iter().for_each(|program| out::line(&format!("# runs {program}")));
    let mut path = String::new();
    tollgate_model::json::write(&root.to_string_lossy().as_ref().into(), &mut path);
    out::line(&format!("trust:\n  - {{ path: {path}, hash: {} }}", plan.digest()));
    Ok(ExitCode::SUCCESS)
}

fn plan(root: &Path) -> anyhow::Result<TrustPlan> {
    let plan = TrustPlan::of(root)?;
    if plan.files.is_empty() {
        bail!("{} has neither a tollgate.yaml nor hook files; there is nothing to trust", root.display());
    }
    whole(&plan)?;
    Ok(plan)
}

/// Do the copies have everything that the programs need?
///
/// # Errors
/// When something would be missing, with all of it.
pub fn whole(plan: &TrustPlan) -> anyhow::Result<()> {
    let missing = plan.missing(&unknown_modules);
    if missing.is_empty() {
        return Ok(());
    }
    bail!("the copied hooks would not run:\n  {}", missing.join("\n  "))
}

/// Which modules Python does not have by itself. Without Python on this machine there is nobody to ask.
fn unknown_modules(names: &[String]) -> Vec<String> {
    const ASK: &str = "import importlib.util, sys
for name in sys.argv[1:]:
    try:
        known = importlib.util.find_spec(name) is not None
    except Exception:
        known = name in sys.modules
    if not known:
        print(name)
";
    let asked = std::process::Command::new("python3").args(["-I", "-c", ASK]).args(names).output();
    let printed = asked.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect()
}

fn project(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(folder) = named {
        return folder.canonicalize().with_context(|| format!("no such folder: {}", folder.display()));
    }
    let here = std::env::current_dir().context("no working directory")?;
    let root = here.ancestors().filter(|folder| folder.join(".git").exists()).last();
    Ok(root.unwrap_or(&here).to_owned())
}
