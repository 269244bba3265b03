//! `tollgate stats`: figures over the log.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::{Value, json};
use tollgate_index::{By, Figures, Histogram, Row, RuleRow, SessionRow};
use tollgate_model::Rule;

use super::figures;
use crate::exit::ExitCode;
use crate::listing::Output;
use crate::table::{self, Table, number, share};
use crate::usage::{self, Prices, Spent, Wanted};
use crate::{out, transcripts, when};

/// Arguments of `tollgate stats`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    scope: figures::Past,
    #[command(flatten)]
    which: figures::Which,
    /// Group the figures; an overview without it
    #[arg(long, value_enum)]
    by: Option<What>,
    /// Show at most N rows [default: 30 on a terminal]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Read prices for `--by tokens` from a JSON file
    #[arg(long, value_name = "FILE")]
    prices: Option<std::path::PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Sessions, newest first
    Session,
    /// Hours
    Hour,
    /// Days
    Day,
    /// Agents
    Agent,
    /// Subagent types
    Subagent,
    /// Kinds of tools, with their run times
    Tool,
    /// Projects
    Project,
    /// Rules: matches, and how often people overrode them
    Rule,
    /// Tokens and cost by session and model, from transcripts
    Tokens,
}

/// Counts.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.by == Some(What::Tokens) {
        let found = tokens(args)?;
        if found.is_empty() && args.output.is_text() {
            out::line(
                "No transcript of Claude Code, Codex, Gemini CLI or Qwen Code tells of tokens in this time.",
            );
            return Ok(ExitCode::SUCCESS);
        }
        print(Rows { table: token_table(&found), values: found.iter().map(token_value).collect() }, args);
        if args.output.is_text() {
            out::line(&format!("\n  total  {}", usage::total(&found)));
            usage::notes(&found)
                .iter()
                .flat_map(|note| table::wrap(note, table::width()))
                .for_each(|line| out::line(&line));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let index = args.scope.index_of(&args.which)?;
    let figures = index.figures(args.scope.scope()?);
    let Some(what) = args.by else {
        let sinks = sink_rows(&args.scope.state()?);
        if !args.output.is_text() {
            args.output.print(&[overview_value(&figures, &sinks.values)?]);
        } else {
            overview(&figures)?;
            if !sinks.values.is_empty() {
                out::line("");
                sinks.table.lines(table::room()).iter().for_each(|line| out::line(line));
            }
        }
        return Ok(ExitCode::SUCCESS);
    };
    print(rows(&figures, what, limit(args))?, args);
    Ok(ExitCode::SUCCESS)
}

fn limit(args: &Args) -> usize {
    args.limit.unwrap_or(if !args.output.is_text() { usize::MAX } else { default_limit() })
}

fn print(rows: Rows, args: &Args) {
    let Rows { mut table, mut values } = rows;
    table.rows.truncate(limit(args));
    values.truncate(limit(args));
    if !args.output.is_text() {
        args.output.print(&values);
    } else {
        table.lines(table::room()).iter().for_each(|line| out::line(line));
    }
}

fn tokens(args: &Args) -> anyhow::Result<Vec<Spent>> {
    let home = crate::dirs::home().context("no home directory: set HOME")?;
    let scope = args.scope.scope()?;
    let wanted = Wanted { since: scope.from, until: scope.to, agent: scope.agent.as_deref(), session: None };
    Ok(usage::spent(&transcripts::find(&home), &wanted, &Prices::read(args.prices.as_deref())?))
}

/// Tokens in a table.
pub fn token_table(found: &[Spent]) -> Table {
    let mut table = Table::new(&["session", "model", "answers", "in", "cached", "out", "cost"]);
    for spent in found {
        table.row([
            spent.session.clone(),
            table::cut(&spent.model, 18),
            number(spent.answers),
            number(spent.input + spent.cache_writes),
            number(spent.cached),
            number(spent.output),
            spent.cost(),
        ]);
    }
    table
}

/// Tokens for programs.
pub fn token_value(spent: &Spent) -> Value {
    json!({
        "agent": spent.agent, "session": spent.session, "model": spent.model, "answers": spent.answers,
        "input": spent.input, "cached": spent.cached, "cache_writes": spent.cache_writes,
        "output": spent.output, "dollars": spent.dollars, "price_checked": spent.checked,
        "price_source": spent.source,
    })
}

fn default_limit() -> usize {
    use std::io::IsTerminal;
    if std::io::stdout().is_terminal() { 30 } else { usize::MAX }
}

/// The same rows for people and for programs.
struct Rows {
    table: Table,
    values: Vec<Value>,
}

fn rows(figures: &Figures, what: What, limit: usize) -> anyhow::Result<Rows> {
    let by = match what {
        What::Session => return sessions(figures, limit),
        What::Rule => return rules(figures),
        What::Tool => return tools(figures),
        What::Tokens => return Ok(Rows { table: Table::new(&[]), values: Vec::new() }),
        What::Hour => By::Hour,
        What::Day => By::Day,
        What::Agent => By::Agent,
        What::Project => By::Project,
        What::Subagent => By::Actor,
    };
    let mut found = figures.calls(by)?;
    for row in &mut found {
        row.name = name_of(by, &row.name);
    }
    let table = call_table(by_name(what), &found);
    Ok(Rows { table, values: found.iter().map(|row| call_value(by_name(what), row)).collect() })
}

fn by_name(what: What) -> &'static str {
    match what {
        What::Session => "session",
        What::Hour => "hour",
        What::Day => "day",
        What::Agent => "agent",
        What::Subagent => "subagent",
        What::Tool => "tool",
        What::Project => "project",
        What::Rule => "rule",
        What::Tokens => "tokens",
    }
}

/// Hours and days are numbers in the index.
pub fn name_of(by: By, name: &str) -> String {
    let number: i64 = name.parse().unwrap_or_default();
    match by {
        By::Hour => when::minute(number.saturating_mul(when::DAY / 24)),
        By::Day => when::date(number.saturating_mul(when::DAY)),
        By::Actor if name.is_empty() => "(main)".to_owned(),
        By::Project if name.is_empty() => "(none)".to_owned(),
        _ => name.to_owned(),
    }
}

/// Calls in a table.
pub fn call_table(name: &str, rows: &[Row]) -> Table {
    let mut table = Table::new(&[name, "calls", "noted", "asked", "refused", "failed", "no result"]);
    for row in rows {
        table.row([
            row.name.clone(),
            number(row.calls),
            number(row.noted),
            number(row.asked),
            number(row.denied),
            number(row.failed),
            number(row.none),
        ]);
    }
    table
}

/// Calls for programs.
pub fn call_value(name: &str, row: &Row) -> Value {
    json!({
        name: row.name, "calls": row.calls, "noted": row.noted, "asked": row.asked, "refused": row.denied,
        "failed": row.failed, "no_result": row.none, "result_bytes": row.bytes, "ran_us": row.took,
    })
}

fn tools(figures: &Figures) -> anyhow::Result<Rows> {
    let found = Tools::read(figures)?;
    let mut table = Table::new(&["tool", "calls", "refused", "failed", "results", "ran p50", "p95"]);
    let mut values = Vec::new();
    for row in &found.rows {
        let ran = figures.ran(&row.name)?;
        table.row([
            found.shown(&row.name),
            number(row.calls),
            number(row.denied),
            number(row.failed),
            table::bytes(row.bytes),
            percentile(&ran, 0.5),
            percentile(&ran, 0.95),
        ]);
        let mut value = found.value(row);
        if let Some(members) = value.as_object_mut() {
            members.insert("ran".into(), percentiles(&ran));
        }
        values.push(value);
    }
    Ok(Rows { table, values })
}

/// Calls by kind of tool, across agents.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// A row for each kind; a tool of no kind of its own goes by its name.
    pub rows: Vec<Row>,
    /// What the agents call the tools of each kind.
    pub names: BTreeMap<String, Vec<String>>,
}

impl Tools {
    /// From the index.
    pub fn read(figures: &Figures) -> anyhow::Result<Self> {
        Ok(Self { rows: figures.calls(By::Kind)?, names: figures.tools_of_kinds()? })
    }

    /// A kind with what the agents call its tools: `shell (Bash, exec_command)`.
    pub fn shown(&self, kind: &str) -> String {
        match self.names.get(kind) {
            Some(names) => format!("{kind} ({})", names.join(", ")),
            None => kind.to_owned(),
        }
    }

    /// In a table.
    pub fn table(&self) -> Table {
        let shown = |row: &Row| Row { name: self.shown(&row.name), ..row.clone() };
        call_table("tool", &self.rows.iter().map(shown).collect::<Vec<Row>>())
    }

    /// A row for programs.
    pub fn value(&self, row: &Row) -> Value {
        let mut value = call_value("kind", row);
        if let Some(members) = value.as_object_mut() {
            members
                .insert("tools".into(), json!(self.names.get(&row.name).unwrap_or(&vec![row.name.clone()])));
        }
        value
    }
}

fn sessions(figures: &Figures, limit: usize) -> anyhow::Result<Rows> {
    let found = figures.sessions(limit.min(i64::MAX as usize))?;
    Ok(Rows { table: session_table(&found), values: found.iter().map(session_value).collect() })
}

/// Sessions in a table.
pub fn session_table(rows: &[SessionRow]) -> Table {
    let mut table =
        Table::new(&["session", "agent", "began", "length", "prompts", "calls", "asked", "refused"]);
    for row in rows {
        table.row([
            row.session.clone(),
            row.agent.clone(),
            when::minute(row.first).chars().skip(5).collect(),
            when::duration(row.last.saturating_sub(row.first).unsigned_abs()),
            number(row.prompts),
            number(row.calls),
            number(row.asked),
            number(row.denied),
        ]);
    }
    table
}

/// A session for programs.
pub fn session_value(row: &SessionRow) -> Value {
    json!({
        "session": row.session, "agent": row.agent, "project": row.project, "first": when::stamp(row.first), "last": when::stamp(row.last),
        "cwd": row.cwd, "transcript": row.transcript, "events": row.events, "prompts": row.prompts,
        "calls": row.calls, "asked": row.asked, "refused": row.denied,
    })
}

fn rules(figures: &Figures) -> anyhow::Result<Rows> {
    let found = with_silent(figures.rules()?);
    Ok(Rows { table: rule_table(&found), values: found.iter().map(rule_value).collect() })
}

/// The rules that fired, and all that never did.
pub fn with_silent(mut found: Vec<RuleRow>) -> Vec<RuleRow> {
    let mut silent: Vec<RuleRow> = tollgate_rules::all()
        .map(Rule::card)
        .filter(|card| !found.iter().any(|row| row.rule == card.id))
        .map(|card| RuleRow { rule: card.id.to_owned(), ..RuleRow::default() })
        .collect();
    silent.sort_by(|one, other| one.rule.cmp(&other.rule));
    found.append(&mut silent);
    found
}

/// Rules in a table.
pub fn rule_table(rows: &[RuleRow]) -> Table {
    let mut table =
        Table::new(&["rule", "fires", "asked", "refused", "approved", "overrid.", "retried", "stands"]);
    table.whole = true;
    for row in rows {
        let stands = row.precision().map_or("–".to_owned(), |share| format!("{:.0} %", share * 100.0));
        let never = if row.fires == 0 { "never".to_owned() } else { number(row.fires) };
        table.row([
            row.rule.clone(),
            never,
            number(row.asked),
            number(row.denied),
            number(row.approved),
            number(row.overridden),
            number(row.retried),
            stands,
        ]);
    }
    table
}

/// A rule for programs.
pub fn rule_value(row: &RuleRow) -> Value {
    json!({
        "rule": row.rule, "fires": row.fires, "asked": row.asked, "refused": row.denied, "approved": row.approved,
        "declined": row.declined, "overridden": row.overridden, "retried": row.retried, "stands": row.precision(),
    })
}

fn overview(figures: &Figures) -> anyhow::Result<()> {
    let totals = figures.totals()?;
    let calls = &totals.calls;
    let Some((from, to)) = totals.span else {
        out::line("Nothing was recorded in this time.");
        return Ok(());
    };
    let gate = figures.latency("")?;
    out::line(&format!("{} to {} (UTC)\n", when::minute(from), when::minute(to)));
    for (name, value) in [
        ("sessions", number(totals.sessions)),
        ("prompts", number(totals.prompts)),
        ("events", number(totals.events)),
        ("calls", number(calls.calls)),
        ("refused", format!("{} ({})", number(calls.denied), share(calls.denied, calls.calls))),
        ("asked", format!("{} ({})", number(calls.asked), share(calls.asked, calls.calls))),
        ("failed", failed(calls)),
        ("faults", number(totals.faults)),
        (
            "gate took",
            format!(
                "p50 {}, p95 {}, p99 {}",
                percentile(&gate, 0.5),
                percentile(&gate, 0.95),
                percentile(&gate, 0.99)
            ),
        ),
    ] {
        out::line(&format!("  {name:<10}  {value}"));
    }
    let days: Vec<u64> = timeline(figures)?.iter().map(|row| row.calls).collect();
    out::line(&format!("\n  calls over time  {}\n", table::sparkline(&days, 60)));
    let mut tools = Tools::read(figures)?;
    tools.rows.truncate(8);
    tools.table().lines(table::room()).iter().for_each(|line| out::line(line));
    let mut rules = figures.rules()?;
    rules.truncate(8);
    if !rules.is_empty() {
        out::line("");
        rule_table(&rules).lines(table::room()).iter().for_each(|line| out::line(line));
    }
    Ok(())
}

/// How many calls failed. Of one without a result nobody knows whether it did, so that the share is a least one.
fn failed(calls: &Row) -> String {
    let (failed, share) = (number(calls.failed), share(calls.failed, calls.calls));
    match calls.none {
        0 => format!("{failed} ({share})"),
        none => format!("{failed} (≥ {share}; {} without a result)", table::counted(none, "call")),
    }
}

/// What became of the deliveries to sinks; empty when there were none.
fn sink_rows(state: &std::path::Path) -> Rows {
    let mut table = Table::new(&["sink", "sent", "dropped", "failing"]);
    let mut values = Vec::new();
    for (name, account) in tollgate_sinks::accounts(state) {
        let failing = if account.why.is_empty() { "no".to_owned() } else { account.why.clone() };
        table.row([name.clone(), number(account.sent), number(account.dropped), failing]);
        values.push(json!({
            "sink": name, "sent": account.sent, "dropped": account.dropped, "reached": account.seq,
            "failing": Some(account.why).filter(|why| !why.is_empty()),
        }));
    }
    Rows { table, values }
}

/// Calls by day, or by hour where there are few days; times without a call are there too.
pub fn timeline(figures: &Figures) -> anyhow::Result<Vec<Row>> {
    let days = figures.calls(By::Day)?;
    let number = |row: &Row| row.name.parse::<i64>().unwrap_or_default();
    let length = days.first().zip(days.last()).map_or(0, |(first, last)| number(last) - number(first));
    let (by, rows) = if length < 3 { (By::Hour, figures.calls(By::Hour)?) } else { (By::Day, days) };
    let (Some(first), Some(last)) = (rows.first().map(number), rows.last().map(number)) else {
        return Ok(Vec::new());
    };
    let mut found = rows.iter().peekable();
    let all = (first..=last).take(10_000).map(|at| {
        let row = found.next_if(|row| number(row) == at).cloned().unwrap_or_default();
        Row { name: name_of(by, &at.to_string()), ..row }
    });
    Ok(all.collect())
}

fn overview_value(figures: &Figures, sinks: &[Value]) -> anyhow::Result<Value> {
    let totals = figures.totals()?;
    let (from, to) =
        totals.span.map_or((None, None), |(from, to)| (Some(when::stamp(from)), Some(when::stamp(to))));
    Ok(json!({
        "from": from, "to": to, "sessions": totals.sessions, "prompts": totals.prompts, "events": totals.events,
        "faults": totals.faults, "calls": call_value("name", &totals.calls),
        "gate": percentiles(&figures.latency("")?), "sinks": sinks,
    }))
}

/// A percentile for people.
pub fn percentile(histogram: &Histogram, share: f64) -> String {
    histogram.percentile(share).map_or("–".to_owned(), when::duration)
}

/// Percentiles for programs, in microseconds.
pub fn percentiles(histogram: &Histogram) -> Value {
    let at = |share| histogram.percentile(share);
    json!({"n": histogram.total(), "p50_us": at(0.5), "p90_us": at(0.9), "p95_us": at(0.95), "p99_us": at(0.99), "max_us": at(1.0)})
}
