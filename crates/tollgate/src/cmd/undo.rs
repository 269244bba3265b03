//! `tollgate undo`: lists what calls changed, and takes it back.
//!
//! An agent may restore what its own session lost: that is a write like any other, and puts a file back where it was. It
//! sees no contents and no other session, because saved files may hold secrets. People see everything.

pub mod clean;
mod list;
mod restore;
mod show;

pub use list::files as saved_files;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_undo::{Snapshot, Store, is_id};

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::{out, owner, terminal};

/// How many calls the question shows.
const OFFERED: usize = 10;

/// Arguments of `tollgate undo`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Snapshot to restore; without it, choose from a list
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    how: restore::How,
    /// State directory
    #[arg(long, hide = true, global = true)]
    state: Option<PathBuf>,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// List the calls that can be taken back, newest first
    List(list::Args),
    /// Show the files of a snapshot and what restoring would change
    Show(show::Args),
    /// Restore a snapshot, or some paths of it
    Restore(restore::Args),
}

/// Lists, shows or restores.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let state = match &args.state {
        Some(state) => state.clone(),
        None => Dirs::find().context("no home directory: set HOME")?.state,
    };
    let desk = Desk { store: Store::at(&state), reader: Reader::find()? };
    match (&args.verb, &args.id) {
        (Some(Verb::List(args)), _) => list::run(&desk, args),
        (Some(Verb::Show(args)), _) => show::run(&desk, args),
        (Some(Verb::Restore(args)), _) => restore::run(&desk, &args.id, &args.how),
        (None, Some(id)) => restore::run(&desk, id, &args.how),
        (None, None) => choose(&desk, &args.how),
    }
}

/// The store, and who reads it.
struct Desk {
    store: Store,
    reader: Reader,
}

/// Who asks.
enum Reader {
    Person,
    /// An agent's session.
    Session(String),
}

impl Reader {
    fn find() -> anyhow::Result<Self> {
        let Some(sign) = owner::agent_sign() else { return Ok(Self::Person) };
        match owner::agent_session() {
            Some(session) => Ok(Self::Session(session)),
            None => bail!(
                "this looks like a coding agent's shell ({sign}) that does not name its session; ask the person to run \
                 `tollgate undo` in a terminal of their own"
            ),
        }
    }
}

impl Desk {
    /// May the reader see and restore it?
    fn is_open(&self, snapshot: &Snapshot) -> bool {
        match &self.reader {
            Reader::Person => true,
            Reader::Session(session) => snapshot.manifest.head.session == *session,
        }
    }

    /// Checks an id before anything is done with it.
    fn admit(&self, id: &str) -> anyhow::Result<Snapshot> {
        if !is_id(id) {
            bail!("`{}` is no id of a snapshot; `tollgate undo list` shows them", crate::report::escaped(id));
        }
        let snapshot = self.store.find(id)?;
        if !self.is_open(&snapshot) {
            bail!("{id} was saved by another session; ask the person to run: tollgate undo {id}");
        }
        Ok(snapshot)
    }

    fn snapshots(&self) -> anyhow::Result<Vec<Snapshot>> {
        let mut all = self.store.list()?;
        all.retain(|snapshot| self.is_open(snapshot));
        Ok(all)
    }
}

/// Shows the last calls and asks which one to take back.
fn choose(desk: &Desk, how: &restore::How) -> anyhow::Result<ExitCode> {
    let mut all = desk.snapshots()?;
    all.truncate(OFFERED);
    if all.is_empty() {
        out::line("Nothing was saved yet.");
        return Ok(ExitCode::SUCCESS);
    }
    list::print(&all);
    match terminal::ask("\nTake back which one? (id, or Enter for none) ") {
        None => Ok(ExitCode::SUCCESS),
        Some(answer) if answer.trim().is_empty() => Ok(ExitCode::SUCCESS),
        Some(answer) => restore::run(desk, answer.trim(), how),
    }
}

/// A path as it is shown: bytes that are no text are replaced.
fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
