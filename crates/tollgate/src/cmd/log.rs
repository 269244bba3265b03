//! `tollgate log`: what happened.

mod filter;
mod line;

use std::io::{IsTerminal, Stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use tollgate_store::{Entry, Log};

use super::figures;
use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::parquet::Table;
use crate::{out, table};
use tollgate_index::Query;

/// How many records a terminal gets when nobody says how many.
const ON_TERMINAL: usize = 50;

/// Arguments of `tollgate log`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    filter: filter::Wanted,
    /// Show the last N records [default: 50 on a terminal]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Wait for new records and show them
    #[arg(short, long)]
    follow: bool,
    /// Print one JSON object per record, as logged
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// State directory
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line per record, cut to the terminal
    Text,
    /// JSON lines, as logged
    Json,
    /// CSV, for spreadsheets
    Csv,
    /// Parquet, for data tools; redirect it to a file
    Parquet,
}

/// Shows records, oldest first. Exit 1 when there are none.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let state = match &args.state {
        Some(state) => state.clone(),
        None => Dirs::find().context("no home directory: set HOME")?.state,
    };
    let log = Log::at(&state);
    let filter = args.filter.filter()?;
    let format = if args.json { Format::Json } else { args.format };
    if format == Format::Parquet && (args.follow || std::io::stdout().is_terminal()) {
        bail!("Parquet is written to a file, and whole: `tollgate log --format parquet > records.parquet`");
    }
    let mut show = Show::new(format)?;
    let limit = args.limit.or_else(|| std::io::stdout().is_terminal().then_some(ON_TERMINAL));
    let (mut last, mut count) = (log.head().map_or(0, |head| head.seq), 0_u64);
    match limit {
        Some(limit) => {
            for entry in newest(&log, &filter, limit) {
                (last, count) = (last.max(entry.seq), count + 1);
                show.entry(&entry)?;
            }
        }
        None => {
            for entry in log.records() {
                last = last.max(entry.seq);
                if filter.matches(&entry) {
                    count += 1;
                    show.entry(&entry)?;
                }
            }
        }
    }
    if args.follow {
        follow(&log, &filter, &mut show, last);
    }
    show.finish()?;
    if count == 0 && matches!(format, Format::Text | Format::Csv) {
        out::error(&args.nothing(&log, &state));
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Why nothing is shown.
    fn nothing(&self, log: &Log, state: &Path) -> String {
        if log.records().next().is_none() {
            return figures::NoLog(state.to_owned()).to_string();
        }
        let names = || tollgate_rules::all().map(|rule| rule.card().id);
        let near = self.filter.rule.as_ref().filter(|rule| !names().any(|name| name == rule.as_str()));
        let near = near.and_then(|rule| tollgate_policy::nearest(rule, names()));
        let hint = near.map_or(String::new(), |near| format!("; did you mean `--rule {near}`?"));
        format!("No record matches{hint}")
    }
}

/// The last records that match, oldest first. Reads the newest parts first, and no more than it must.
fn newest(log: &Log, filter: &Query, limit: usize) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for part in log.parts().iter().rev() {
        let mut of_part: Vec<Entry> = Vec::new();
        let mut newest = i64::MIN;
        for entry in log.records_of(part) {
            newest = newest.max(filter.time_of(&entry));
            if filter.matches(&entry) {
                of_part.push(entry);
            }
        }
        of_part.append(&mut found);
        found = of_part;
        if found.len() >= limit || filter.ends_before(newest) {
            break;
        }
    }
    found.drain(..found.len().saturating_sub(limit));
    found
}

/// Until the reader goes away.
fn follow(log: &Log, filter: &Query, show: &mut Show, mut last: u64) -> ! {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let head = log.head().map_or(0, |head| head.seq);
        if head < last && log.records_from(last).next().is_none() {
            // The log was begun anew.
            last = 0;
        }
        for entry in log.records_from(last + 1) {
            last = entry.seq;
            if filter.matches(&entry) && show.entry(&entry).is_err() {
                std::process::exit(0);
            }
        }
    }
}

/// On a terminal a record is one row; elsewhere nothing is cut.
fn line_width() -> Option<usize> {
    std::io::stdout().is_terminal().then(table::width)
}

struct Show {
    format: Format,
    width: Option<usize>,
    table: Option<Table<Stdout>>,
}

impl Show {
    fn new(format: Format) -> anyhow::Result<Self> {
        if format == Format::Csv {
            out::line(&line::COLUMNS.map(|(name, _)| name).join(","));
        }
        let parquet = format == Format::Parquet;
        let table = parquet.then(|| Table::new(std::io::stdout(), &line::COLUMNS)).transpose()?;
        Ok(Self { format, width: line_width(), table })
    }

    fn entry(&mut self, entry: &Entry) -> anyhow::Result<()> {
        match (&mut self.table, self.format, entry.value()) {
            (Some(table), _, Some(record)) => table.row(line::row(&record))?,
            (Some(_), _, None) => {}
            (None, Format::Json, _) => out::line(&entry.line),
            (None, Format::Csv, Some(record)) => out::line(&line::csv(&record)),
            (None, _, Some(record)) => out::line(&line::text(&record, self.width)),
            (None, _, None) => {
                out::line(&format!("record {} cannot be read; see `tollgate audit`", entry.seq))
            }
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        self.table.map(Table::finish).transpose()?;
        Ok(())
    }
}
