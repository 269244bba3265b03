//! `tollgate audit`: is the log what was written, and did every call pass the gate?

mod life;
mod sizes;

use std::path::PathBuf;

use anyhow::Context;
use serde_json::{Value, json};
use tollgate_store::{Log, Verification};

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::report::shown;
use crate::{out, when};
pub use life::{Life, Way};

/// How many calls that went around are told one by one.
const TOLD: usize = 20;

/// Arguments of `tollgate audit`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Only transcripts that were written since then: `24h`, `7d`, a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only this session, by the beginning of its id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// A head that was noted elsewhere, as `SEQ:HASH` or as it stands in the `head` file: the log must still hold it
    #[arg(long, value_name = "HEAD")]
    anchor: Option<String>,
    /// Look for transcripts below this home directory
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Another state directory
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
    let life = Life::examine(&state, &home, since, args.session.as_deref());
    let shrunk = sizes::compare(&state, &life.transcripts);
    let audit = Audit { chain, anchor, life, shrunk };
    if args.json {
        out::line(&audit.value().to_string())
    } else {
        audit.print()
    }
    Ok(if audit.is_sound() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

struct Audit {
    chain: Verification,
    anchor: Option<Anchor>,
    life: Life,
    shrunk: Vec<sizes::Shrunk>,
}

impl Audit {
    fn is_sound(&self) -> bool {
        let anchored = self.anchor.as_ref().is_none_or(|anchor| anchor.holds);
        self.chain.is_sound() && anchored && self.life.count(Way::Around) == 0 && self.shrunk.is_empty()
    }

    fn print(&self) {
        let chain = if self.chain.is_sound() { "unbroken chain" } else { "the chain is BROKEN" };
        out::line(&format!("Log: {} records, {chain}", self.chain.records));
        for trouble in self.chain.troubles.iter().take(TOLD) {
            out::line(&format!("  {}", shown(&trouble.to_string())));
        }
        out::line(&match &self.anchor {
            None => {
                "  not anchored: a log rewritten whole would not show; see `tollgate audit --help`".to_owned()
            }
            Some(anchor) if anchor.holds => {
                format!("  anchored: record {} is the one that was noted", anchor.seq)
            }
            Some(anchor) => format!("  ANCHOR BROKEN: record {} is not the one that was noted", anchor.seq),
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
        let anchor = self.anchor.as_ref().map(|anchor| json!({"seq": anchor.seq, "holds": anchor.holds}));
        let shrunk: Vec<String> = self.shrunk.iter().map(ToString::to_string).collect();
        json!({
            "sound": self.is_sound(), "records": self.chain.records, "chain": self.chain.is_sound(),
            "troubles": troubles, "anchor": anchor, "shrunk": shrunk, "life": self.life.value(),
        })
    }
}

/// A head that was noted elsewhere.
struct Anchor {
    seq: u64,
    holds: bool,
}

impl Anchor {
    fn check(log: &Log, text: &str) -> anyhow::Result<Self> {
        let noted = match serde_json::from_str::<Value>(text) {
            Ok(value) => value
                .get("seq")
                .and_then(Value::as_u64)
                .zip(value.get("hash").and_then(Value::as_str).map(str::to_owned)),
            Err(_) => text.split_once(':').and_then(|(seq, hash)| Some((seq.parse().ok()?, hash.to_owned()))),
        };
        let (seq, hash) = noted.with_context(|| {
            format!("`{}` is no head; write `SEQ:HASH`, or what the `head` file says", shown(text))
        })?;
        let entry = log.records_from(seq).next().filter(|entry| entry.seq == seq);
        let holds = entry.is_some_and(|entry| entry.line.ends_with(&format!(r#","hash":"{hash}"}}"#)));
        Ok(Self { seq, holds })
    }
}
