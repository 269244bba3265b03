//! A report for a terminal, and as Markdown.

use super::data::{Figure, Report, Unit};
use crate::cmd::stats;
use crate::table::{self, Table, number};
use crate::{usage, when};

/// For a terminal.
pub fn plain(report: &Report) -> Vec<String> {
    let width = table::width();
    let mut lines = vec![report.title.clone()];
    lines.extend(period(report));
    lines.push(String::new());
    lines.extend(headline(report).lines(width));
    let calls: Vec<u64> = report.timeline.iter().map(|row| row.calls).collect();
    let refused: Vec<u64> = report.timeline.iter().map(|row| row.denied).collect();
    if !calls.is_empty() {
        lines.push(format!("\n  calls    {}", table::sparkline(&calls, width.saturating_sub(12))));
        lines.push(format!("  refused  {}", table::sparkline(&refused, width.saturating_sub(12))));
    }
    for (title, table) in tables(report) {
        lines.push(format!("\n{title}"));
        lines.extend(table.lines(width));
    }
    lines.extend(usage::notes(&report.spent).iter().flat_map(|note| table::wrap(note, width)));
    lines
}

/// For a pull request or a wiki.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("# {}\n\n", report.title);
    if let Some(period) = period(report) {
        out.push_str(&format!("{period}\n\n"));
    }
    out.push_str(&headline(report).markdown());
    for (title, table) in tables(report) {
        out.push_str(&format!("\n## {title}\n\n{}", table.markdown()));
    }
    usage::notes(&report.spent).iter().for_each(|note| out.push_str(&format!("\n{note}\n")));
    out
}

/// From when to when.
pub fn period(report: &Report) -> Option<String> {
    report.span.map(|(from, to)| format!("{} to {} (UTC)", when::minute(from), when::minute(to)))
}

/// The figures at the top, with what they were.
pub fn headline(report: &Report) -> Table {
    let Some(against) = &report.against else {
        let mut table = Table::new(&["", ""]);
        report
            .headline
            .iter()
            .for_each(|figure| table.row([figure.name.clone(), written(figure, figure.value)]));
        return table;
    };
    let mut table = Table::new(&["", "now", against, "change"]);
    for figure in &report.headline {
        let before = figure.before.map_or("–".to_owned(), |before| written(figure, before));
        table.row([figure.name.clone(), written(figure, figure.value), before, change(figure)]);
    }
    table
}

/// The tables under them.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    let mut ran = Table::new(&["tool", "runs", "p50", "p95", "p99"]);
    for (tool, times) in report.ran.iter().filter(|(_, times)| times.total() > 0) {
        let at = |share| stats::percentile(times, share);
        ran.row([tool.clone(), number(times.total()), at(0.5), at(0.95), at(0.99)]);
    }
    let tables = [
        ("Tools", stats::call_table("tool", &report.tools)),
        ("How long tools ran", ran),
        ("Agents and subagents", stats::call_table("subagent", &report.actors)),
        ("Rules", stats::rule_table(&report.rules)),
        ("Only observed: would have been refused", report.observed.table()),
        ("Sessions", stats::session_table(&report.sessions)),
        ("Tokens and cost", stats::token_table(&report.spent)),
    ];
    tables.into_iter().filter(|(_, table)| !table.rows.is_empty()).collect()
}

/// A figure in its unit.
pub fn written(figure: &Figure, value: f64) -> String {
    match figure.unit {
        Unit::Count => number(value as u64),
        Unit::Share => format!("{:.1} %", value * 100.0),
        Unit::Time => when::duration(value as u64),
        Unit::Bytes => table::bytes(value as u64),
        Unit::Dollars => usage::dollars_shown(value),
    }
}

fn change(figure: &Figure) -> String {
    match figure.before {
        Some(before) if before > 0.0 => format!("{:+.0} %", (figure.value / before - 1.0) * 100.0),
        _ => "–".to_owned(),
    }
}
