//! `tollgate prune`: makes the log smaller, and says so in the log.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_index::Index;
use tollgate_store::{Keep, Log};

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::listing::Output;
use crate::table::{bytes, counted};
use crate::{out, owner, when};

/// Arguments of `tollgate prune`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Remove parts older than this: `90d`
    #[arg(long, value_name = "TIME")]
    older_than: Option<String>,
    /// Remove the oldest parts above this size: `500M`, `2G`
    #[arg(long, value_name = "SIZE")]
    larger_than: Option<String>,
    /// Compress all remaining parts but the newest
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    output: Output,
    /// State directory
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

/// Compresses, then removes. What is removed is named in the log first, so that the chain stays whole.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    owner::admit("prune")?;
    if args.older_than.is_none() && args.larger_than.is_none() && !args.compress {
        bail!("say what may go: `--older-than 90d`, `--larger-than 2G`, or `--compress`");
    }
    let keep = Keep {
        since: args.older_than.as_deref().map(age).transpose()?,
        bytes: args.larger_than.as_deref().map(size).transpose()?,
    };
    let state = match &args.state {
        Some(state) => state.clone(),
        None => Dirs::find().context("no home directory: set HOME")?.state,
    };
    let log = Log::at(&state);
    let mut told = Vec::new();
    let (mut compressed, mut removed, mut record) = (None, 0, None);
    if args.compress {
        let saved = log.compress()?;
        compressed = Some(saved);
        told.push(format!("Compressed: {} saved.", bytes(saved)));
    }
    if keep != Keep::default() {
        count(&state);
        let before = log.parts().len();
        record = log.prune(keep, SystemTime::now())?.map(|appended| appended.seq);
        removed = before.saturating_sub(log.parts().len()) as u64;
        told.push(match record {
            Some(seq) => format!("Removed {} of the log; record {seq} says which.", counted(removed, "part")),
            None => "Nothing had to go.".to_owned(),
        });
    }
    if args.output.is_text() {
        told.iter().for_each(|line| out::line(line));
    } else {
        args.output.print(&[json!({"bytes_saved": compressed, "parts_removed": removed, "record": record})]);
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes what may go into the index first: figures outlive the records.
fn count(state: &Path) {
    let caught_up = Index::open(state).and_then(|mut index| index.catch_up(|_| {}));
    if let Err(fault) = caught_up {
        out::error(&format!("tollgate: figures of what goes are not kept: {fault}"));
    }
}

fn age(text: &str) -> anyhow::Result<SystemTime> {
    let length =
        when::length(text).with_context(|| format!("`{text}` is no length of time; write `90d` or `12w`"))?;
    let length = Duration::from_micros(length.unsigned_abs());
    SystemTime::now().checked_sub(length).with_context(|| format!("`{text}` is before all time"))
}

fn size(text: &str) -> anyhow::Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text.get(digits.len()..).unwrap_or_default().to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" => 1 << 10,
        "M" | "MB" => 1 << 20,
        "G" | "GB" => 1 << 30,
        _ => 0,
    };
    let size = digits.parse::<u64>().ok().filter(|_| unit > 0).and_then(|number| number.checked_mul(unit));
    size.with_context(|| format!("`{text}` is no size; write `500M` or `2G`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(["12", "3k", "2G"].map(|text| size(text).ok()), [Some(12), Some(3072), Some(2 << 30)]);
        assert!(["", "G", "2T", "-1", "99999999999999G"].iter().all(|text| size(text).is_err()));
    }
}
