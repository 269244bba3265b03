//! `tollgate log`: what happened.

mod filter;
mod line;
mod rows;
mod show;

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
use rows::Row;
use tollgate_index::Query;

/// How many records a terminal gets when nobody says how many.
const ON_TERMINAL: usize = 50;

/// Arguments of `tollgate log`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    one: Option<One>,
    #[command(flatten)]
    filter: filter::Wanted,
    /// Show the last N events [default: 50 on a terminal]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Wait for new records and show them
    #[arg(short, long)]
    follow: bool,
    /// Show results and questions as rows of their own
    #[arg(long)]
    records: bool,
    /// Print one JSON object per record, as logged
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print CSV, one row per record
    #[arg(long, conflicts_with_all = ["format", "json"])]
    csv: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// State directory
    #[arg(long, hide = true)]
    state: Option<PathBuf>,
}

#[derive(clap::Subcommand, Debug)]
enum One {
    /// Show one event with effects, reasons and result
    Show(show::Args),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One line per call or event, cut to the terminal
    Text,
    /// JSON lines, as logged
    Json,
    /// CSV, for spreadsheets
    Csv,
    /// Parquet, for data tools; redirect it to a file
    Parquet,
}

/// Shows calls and other events, oldest first.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let state = match &args.state {
        Some(state) => state.clone(),
        None => Dirs::find().context("no home directory: set HOME")?.state,
    };
    if let Some(One::Show(show)) = &args.one {
        return show::run(show, &state);
    }
    let log = Log::at(&state);
    let filter = args.filter.filter()?;
    let format = args.format();
    if format == Format::Parquet && (args.follow || std::io::stdout().is_terminal()) {
        bail!("Parquet is written to a file, and whole: `tollgate log --format parquet > records.parquet`");
    }
    let mut show = Show::new(format)?;
    let limit = args.limit.or_else(|| std::io::stdout().is_terminal().then_some(ON_TERMINAL));
    let (mut last, mut count) = (log.head().map_or(0, |head| head.seq), 0_u64);
    let by_record = args.records || format != Format::Text;
    let rows: Box<dyn Iterator<Item = Row>> = match limit {
        Some(limit) if by_record => Box::new(newest(&log, &filter, limit).into_iter().map(Row::of_record)),
        Some(limit) => Box::new(rows::newest(&log, &filter, limit).into_iter()),
        None if by_record => {
            Box::new(log.records().filter(|entry| filter.matches(entry)).map(Row::of_record))
        }
        None => Box::new(rows::all(&log, &filter)),
    };
    for row in rows {
        (last, count) = (last.max(row.entry.seq), count + 1);
        show.row(&row)?;
    }
    if args.follow {
        let is_wanted = |entry: &Entry| filter.matches(entry) && (by_record || rows::is_news(entry));
        follow(&log, is_wanted, &mut show, last);
    }
    show.finish()?;
    if count == 0 && matches!(format, Format::Text | Format::Csv) {
        out::error(&args.nothing(&log, &state));
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn format(&self) -> Format {
        match (self.json, self.csv) {
            (true, _) => Format::Json,
            (_, true) => Format::Csv,
            _ => self.format,
        }
    }

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
fn follow(log: &Log, is_wanted: impl Fn(&Entry) -> bool, show: &mut Show, mut last: u64) -> ! {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let head = log.head().map_or(0, |head| head.seq);
        if head < last && log.records_from(last).next().is_none() {
            // The log was begun anew.
            last = 0;
        }
        for entry in log.records_from(last + 1) {
            last = entry.seq;
            if is_wanted(&entry) && show.row(&Row::of_record(entry)).is_err() {
                std::process::exit(0);
            }
        }
    }
}

struct Show {
    format: Format,
    layout: line::Layout,
    table: Option<Table<Stdout>>,
}

impl Show {
    fn new(format: Format) -> anyhow::Result<Self> {
        if format == Format::Csv {
            out::line(&line::COLUMNS.map(|(name, _)| name).join(","));
        }
        let parquet = format == Format::Parquet;
        let table = parquet.then(|| Table::new(std::io::stdout(), &line::COLUMNS)).transpose()?;
        let layout = line::Layout::of(table::columns_given());
        if format == Format::Text && std::io::stdout().is_terminal() {
            out::line(&layout.head());
        }
        Ok(Self { format, layout, table })
    }

    fn row(&mut self, Row { entry, end }: &Row) -> anyhow::Result<()> {
        match (&mut self.table, self.format, entry.value()) {
            (Some(table), _, Some(record)) => table.row(line::row(&record))?,
            (Some(_), _, None) => {}
            (None, Format::Json, _) => out::line(&entry.line),
            (None, Format::Csv, Some(record)) => out::line(&line::csv(&record)),
            (None, _, Some(record)) => out::line(&self.layout.line(&record, end.as_ref())),
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
