//! What `stats` and `report` share: the index, caught up, and the part of the past that is asked about.

use std::fmt;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use tollgate_index::{Index, IndexFault, Only, Scope};
use tollgate_store::Log;

use crate::dirs::Dirs;
use crate::table::Bar;
use crate::{out, when};

/// Which part of the past.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Past {
    /// Only since: `24h`, `7d`, `today`, a date or time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only until
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only this agent
    #[arg(long, value_parser = agents(), hide_possible_values = true)]
    pub agent: Option<String>,
    /// State directory
    #[arg(long, hide = true)]
    pub state: Option<PathBuf>,
}

/// Which records count.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Which {
    /// Count canary calls, too
    #[arg(long)]
    pub canaries: bool,
    /// Only projects with this in their path
    #[arg(long, value_name = "PATH")]
    pub project: Option<String>,
}

impl Past {
    /// The part of the past that they say.
    pub fn scope(&self) -> anyhow::Result<Scope> {
        let (from, to) = when::period(self.since.as_deref(), self.until.as_deref())?;
        Ok(Scope { from, to, agent: self.agent.clone() })
    }

    /// The state directory.
    pub fn state(&self) -> anyhow::Result<PathBuf> {
        match &self.state {
            Some(state) => Ok(state.clone()),
            None => Ok(Dirs::find().context("no home directory: set HOME")?.state),
        }
    }

    /// The index, with the records of the log that count. Others than the usual ones are counted anew from the log.
    pub fn index_of(&self, which: &Which) -> anyhow::Result<Index> {
        let only = Only { canaries: which.canaries, project: which.project.clone() };
        if only == Only::default() {
            return self.index();
        }
        let state = self.state()?;
        if Log::at(&state).parts().is_empty() {
            return Err(NoLog(state).into());
        }
        Ok(caught_up(Index::of_some(&state, only)?)?)
    }

    /// The index, with everything that the log has.
    pub fn index(&self) -> anyhow::Result<Index> {
        let state = self.state()?;
        if Log::at(&state).parts().is_empty() && !state.join("index.db").exists() {
            return Err(NoLog(state).into());
        }
        let index = match Index::open(&state).and_then(caught_up) {
            Err(fault) if fault.is_out_of_reach() => {
                out::error(&format!("tollgate: {fault}; counted from the log, without keeping the sums"));
                Index::in_memory(&state).and_then(caught_up)?
            }
            index => index?,
        };
        if let Some(why) = &index.rebuilt {
            out::error(&format!("tollgate: the index was built anew from the log: {why}"));
        }
        Ok(index)
    }
}

/// Nothing was recorded yet. That is no failure: a command says so and ends well.
#[derive(Debug)]
pub struct NoLog(pub PathBuf);

impl std::error::Error for NoLog {}

impl fmt::Display for NoLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "No events recorded yet in `{}`. To install the hooks, run: tollgate init",
            self.0.display()
        )
    }
}

/// The names that `--agent` takes: those of agents, and ours for what owners do.
pub fn agents() -> PossibleValuesParser {
    let names = tollgate_agents::ADAPTERS.iter().map(|adapter| adapter.agent().name());
    PossibleValuesParser::new(names.chain(["tollgate"]))
}

fn caught_up(mut index: Index) -> Result<Index, IndexFault> {
    let mut bar = Bar::new("counting");
    index.catch_up(|progress| bar.at(progress.seq, progress.last))?;
    Ok(index)
}
