//! `tollgate report`: a period or a session on a page, and how it compares with another.

mod data;
mod html;
mod observed;
mod snapshot;
mod stopped;
mod text;

use tollgate_index::Scope;

use super::figures;
use crate::exit::ExitCode;
use crate::usage::{self, Prices, Spent, Wanted};
use crate::{dirs, out, transcripts, when};
use data::Report;

/// Arguments of `tollgate report`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    scope: figures::Past,
    #[command(flatten)]
    which: figures::Which,
    /// Only this session: its id or the start of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Short for `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Read prices from a JSON file
    #[arg(long, value_name = "FILE")]
    prices: Option<std::path::PathBuf>,
    /// Save the figures under this name
    #[arg(long, value_name = "NAME")]
    save: Option<String>,
    /// Compare with `previous` or with saved figures
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text, for a terminal
    Text,
    /// Markdown, for a pull request or a wiki
    Markdown,
    /// One self-contained HTML page
    Html,
    /// JSON, for programs
    Json,
}

/// Writes the report to standard output.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let index = args.scope.index_of(&args.which)?;
    let state = args.scope.state()?;
    let scope = args.scope.scope()?;
    let mut report = match &args.session {
        Some(id) => Report::of_session(&index, id)?,
        None => Report::of_period(&index, scope.clone())?,
    };
    report.spend(spent(args, &scope, &report)?);
    report.observed = observed::Observed::read(&state, &scope, args.session.as_deref());
    let session = args.session.as_ref().and(report.sessions.first()).map(|row| row.session.clone());
    let wanted = stopped::Wanted { scope: &scope, which: &args.which, session: session.as_deref() };
    report.stopped = stopped::Stopped::read(&state, &index, &wanted)?;
    if let Some(name) = &args.against {
        let (label, before) = match name.as_str() {
            "previous" => {
                let earlier = before(&scope, &report);
                let mut then = Report::of_period(&index, earlier.clone())?;
                then.spend(spent(args, &earlier, &then)?);
                (days(&earlier), then.headline)
            }
            name => (name.to_owned(), snapshot::read(&state, name)?),
        };
        report.compare(&label, &before);
    }
    if let Some(name) = &args.save {
        snapshot::write(&state, name, &report)?;
    }
    match if args.json { Format::Json } else { args.format } {
        Format::Text => text::plain(&report).iter().for_each(|line| out::line(line)),
        Format::Markdown => out::text(&text::markdown(&report)),
        Format::Html => out::text(&html::page(&report)),
        Format::Json => out::line(&report.value().to_string()),
    }
    Ok(ExitCode::SUCCESS)
}

/// What the models' answers cost in a period, or in the report's one session.
fn spent(args: &Args, scope: &Scope, report: &Report) -> anyhow::Result<Vec<Spent>> {
    let Some(home) = dirs::home() else { return Ok(Vec::new()) };
    let session = args.session.as_ref().and(report.sessions.first()).map(|row| row.session.as_str());
    let wanted = match session {
        Some(_) => Wanted { session, ..Wanted::default() },
        None => Wanted { since: scope.from, until: scope.to, agent: scope.agent.as_deref(), session },
    };
    Ok(usage::spent(&transcripts::find(&home), &wanted, &Prices::read(args.prices.as_deref())?))
}

/// The time of the same length before a period. Figures are kept by the hour, so that both end on one.
fn before(scope: &Scope, report: &Report) -> Scope {
    let (first, last) = report.span.unwrap_or((0, when::now()));
    let (from, to) = (scope.from.unwrap_or(first), data::end(scope, last));
    let border = from - from.rem_euclid(HOUR);
    Scope { from: Some(border - (to - from)), to: Some(border), agent: scope.agent.clone() }
}

/// Microseconds of an hour.
const HOUR: i64 = when::DAY / 24;

/// A period by its first and last day.
fn days(scope: &Scope) -> String {
    let day = |at: Option<i64>| when::date(at.unwrap_or_default());
    format!("{} – {}", day(scope.from), day(scope.to.map(|to| to - 1)))
}
