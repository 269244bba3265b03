//! `tollgate audit`: is the log what was written, and did every call pass the gate?

mod anchor;
mod life;
mod sizes;

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};
use tollgate_store::{Log, Verification};

use super::fleet;
use crate::dirs::{self, Dirs};
use crate::exit::ExitCode;
use crate::report::shown;
use crate::{alive, out, table, when};
use anchor::Anchor;
pub use life::{Life, Way};

/// How many calls that went around are told one by one.
const TOLD: usize = 20;

/// Arguments of `tollgate audit`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Only transcripts written since: `24h`, `7d`, a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only this session: its id or the start of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Heads the log must still contain: `SEQ:HASH`, a file or `-`
    #[arg(long, value_name = "HEADS")]
    anchor: Option<String>,
    /// Home directory with the transcripts
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// State directory
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

/// Audits. Exit 1 when the chain is broken, a transcript shrank, or a call went around.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let state = args.state.clone().unwrap_or(dirs.state);
    let home = args.home.clone().unwrap_or(dirs.home);
    let since = args.since.as_deref().map(when::parse).transpose()?;
    let log = Log::at(&state);
    let chain = log.verify();
    let anchor = args.anchor.as_deref().map(|anchor| Anchor::check(&log, anchor)).transpose()?;
    let witnesses = Anchor::witnessed(&log, &state);
    let life = Life::examine(&state, &home, since, args.session.as_deref());
    let shrunk = sizes::compare(&state, &life.transcripts);
    let fleet = fleet::health::Report::of(&state)?;
    let audit = Audit { chain, anchor, witnesses, life, shrunk, fleet };
    if args.json {
        out::line(&audit.value().to_string())
    } else {
        audit.print()
    }
    Ok(if audit.is_sound() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What the index and the sinks have to say against the log; `None` when they have nothing.
pub fn witnessed(state: &Path) -> Option<String> {
    Anchor::witnessed(&Log::at(state), state).testimony()
}

/// Keeps what a session is told when it starts; nothing when there is nothing to compare. A command of its own, which
/// the gate lets no agent run: what the next session hears must not be of its making.
pub fn brief(state: &Path) -> anyhow::Result<ExitCode> {
    let home = dirs::home().context("no home directory: set HOME")?;
    let life = Life::examine(state, &home, Some(when::now() - alive::DAYS * when::DAY), None);
    let hint = if life.count(Way::Around) == 0 { "" } else { "; `tollgate audit` tells which" };
    let line = match witnessed(state) {
        Some(told) => format!("{told}; `tollgate audit` tells the rest"),
        None if life.is_empty() => String::new(),
        None => format!("last {} days: {}{hint}", alive::DAYS, life.line()),
    };
    alive::keep(state, &line).with_context(|| format!("cannot write to `{}`", state.display()))?;
    Ok(ExitCode::SUCCESS)
}

struct Audit {
    chain: Verification,
    anchor: Option<Anchor>,
    witnesses: Anchor,
    life: Life,
    shrunk: Vec<sizes::Shrunk>,
    fleet: fleet::health::Report,
}

impl Audit {
    fn is_sound(&self) -> bool {
        let anchored = self.anchor.as_ref().is_none_or(|anchor| anchor.holds());
        let chained = self.chain.is_sound() && self.witnesses.holds() && self.fleet.testimony().is_none();
        chained && anchored && self.life.count(Way::Around) == 0 && self.shrunk.is_empty()
    }

    fn print(&self) {
        let chain = if self.chain.is_sound() && self.witnesses.holds() {
            "unbroken chain"
        } else {
            "the chain is BROKEN"
        };
        out::line(&format!("Log: {}, {chain}", table::counted(self.chain.records, "record")));
        for trouble in self.chain.troubles.iter().take(TOLD) {
            out::line(&format!("  {}", shown(&trouble.to_string())));
        }
        for line in self.witnesses.testimony().iter().flat_map(|told| table::wrap(told, table::width() - 4)) {
            out::line(&format!("  {line}"));
        }
        for line in self.fleet.audit_lines() {
            out::line(&format!("  {}", shown(&line)));
        }
        out::line(&match &self.anchor {
            None if self.fleet.is_anchored() => {
                "  anchored: the fleet's server has the chain's head".to_owned()
            }
            None => {
                "  not anchored: a log rewritten whole would not show; see `tollgate audit --help`".to_owned()
            }
            Some(anchor) => anchor.line(),
        });
        self.life.print(TOLD);
        for shrunk in &self.shrunk {
            out::line(&format!("  SHRUNK  {}", shown(&shrunk.to_string())));
        }
    }

    fn value(&self) -> Value {
        let troubles: Vec<Value> = self
            .chain
            .troubles
            .iter()
            .map(|t| json!({"part": t.part, "line": t.line, "what": t.breach.to_string(), "alarm": t.breach.is_alarm()}))
            .collect();
        let anchor = self.anchor.as_ref().map(|anchor| json!({"seq": anchor.last, "heads": anchor.heads, "holds": anchor.holds(), "broken": anchor.broken, "pruned": anchor.gone}));
        let shrunk: Vec<String> = self.shrunk.iter().map(ToString::to_string).collect();
        json!({
            "sound": self.is_sound(), "records": self.chain.records, "chain": self.chain.is_sound(),
            "troubles": troubles, "witnesses": {"hold": self.witnesses.holds(), "broken": self.witnesses.broken}, "anchor": anchor, "shrunk": shrunk, "fleet": self.fleet.value(), "life": self.life.value(),
        })
    }
}
