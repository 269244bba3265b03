//! A report for a terminal, and as Markdown.

use super::data::{Figure, Report, Unit};
use super::stopped::Stopped;
use crate::cmd::stats;
use crate::report::shown;
use crate::table::{self, Table, number};
use crate::{usage, when};

/// For a terminal.
pub fn plain(report: &Report) -> Vec<String> {
    let width = table::width();
    let mut lines = vec![shown(&report.title)];
    lines.extend(period(report));
    lines.extend(headed(&headline(report)));
    lines.extend(
        table::wrap(&nothing(report), width.saturating_sub(4)).iter().map(|line| format!("  {line}")),
    );
    let calls: Vec<u64> = report.timeline.iter().map(|row| row.calls).collect();
    let refused: Vec<u64> = report.timeline.iter().map(|row| row.denied).collect();
    if !calls.is_empty() {
        lines.push(format!("\n  calls    {}", table::sparkline(&calls, width.saturating_sub(12))));
        lines.push(format!("  refused  {}", table::sparkline(&refused, width.saturating_sub(12))));
    }
    for (title, table) in tables(report) {
        lines.push(format!("\n{title}"));
        lines.extend(table.lines(table::room()));
    }
    lines.extend(usage::notes(&report.spent).iter().flat_map(|note| table::wrap(note, width)));
    lines
}

/// The figures beside their names, or as a table where they are compared.
fn headed(table: &Table) -> Vec<String> {
    let longest = table.rows.iter().filter_map(|row| row.first()).map(|name| name.chars().count()).max();
    let beside = |row: &Vec<String>| match row.as_slice() {
        [name, figures @ ..] => {
            let room = longest.unwrap_or(0);
            format!("  {name:<room$}  {}", figures.join("  "))
        }
        [] => String::new(),
    };
    let bare = table.head.iter().all(String::is_empty);
    let lines = if bare { table.rows.iter().map(beside).collect() } else { table.lines(table::room()) };
    std::iter::once(String::new()).chain(lines).collect()
}

/// For a pull request or a wiki.
pub fn markdown(report: &Report) -> String {
    let mut out = format!("# {}\n\n", table::literal(&shown(&report.title)));
    if let Some(period) = period(report) {
        out.push_str(&format!("{period}\n\n"));
    }
    let mut figures = headline(report);
    if report.against.is_none() {
        figures.head = vec!["figure".to_owned(), "value".to_owned()];
    }
    out.push_str(&figures.markdown());
    let nothing = nothing(report);
    if !nothing.is_empty() {
        out.push_str(&format!("\n{nothing}\n"));
    }
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
    let some = || report.headline.iter().filter(|figure| !figure.is_nothing());
    let Some(against) = &report.against else {
        let mut table = Table::new(&["", ""]);
        for (figure, details) in cards(report) {
            let details: Vec<String> =
                details.iter().map(|one| format!("{} {}", written(one, one.value), one.short())).collect();
            let details =
                if details.is_empty() { String::new() } else { format!(" ({})", details.join(", ")) };
            table.row([figure.name.clone(), written(figure, figure.value) + &details]);
        }
        return table;
    };
    let mut table = Table::new(&["", "now", against, "change"]);
    for figure in some() {
        let before = figure.before.map_or("–".to_owned(), |before| written(figure, before));
        table.row([figure.name.clone(), written(figure, figure.value), before, change(figure)]);
    }
    table
}

/// The figures of which there is something, each with its details.
pub fn cards(report: &Report) -> Vec<(&Figure, Vec<&Figure>)> {
    let mut cards: Vec<(&Figure, Vec<&Figure>)> = Vec::new();
    for figure in report.headline.iter().filter(|figure| !figure.is_nothing()) {
        match cards.last_mut().filter(|_| figure.detail) {
            Some((_, details)) => details.push(figure),
            None => cards.push((figure, Vec::new())),
        }
    }
    cards
}

/// What there was none of; empty when there was some of everything.
pub fn nothing(report: &Report) -> String {
    let none = report.headline.iter().filter(|figure| figure.is_nothing() && !figure.detail);
    let names: Vec<&str> = none.map(|figure| figure.name.as_str()).collect();
    if names.is_empty() { String::new() } else { format!("none: {}", names.join(", ")) }
}

/// The tables under them.
pub fn tables(report: &Report) -> Vec<(&'static str, Table)> {
    let mut ran = Table::new(&["tool", "runs", "p50", "p95", "p99"]);
    for (tool, times) in report.ran.iter().filter(|(_, times)| times.total() > 0) {
        let at = |share| stats::percentile(times, share);
        ran.row([tool.clone(), number(times.total()), at(0.5), at(0.95), at(0.99)]);
    }
    let tables = [
        ("Tools", report.tools.table()),
        ("How long tools ran", ran),
        (
            "Projects",
            stats::call_table("project", if report.projects.len() > 1 { &report.projects } else { &[] }),
        ),
        ("Agents", stats::call_table("agent", if report.agents.len() > 1 { &report.agents } else { &[] })),
        (
            "Subagents",
            stats::call_table("subagent", if report.actors.len() > 1 { &report.actors } else { &[] }),
        ),
        ("Refused, asked, approved, saved", Stopped::table(&report.stopped)),
        ("Rules", stats::rule_table(&report.rules)),
        ("Only observed: would have been refused", report.observed.table()),
        ("Sessions", stats::session_table(&report.sessions)),
        ("Tokens and cost", stats::token_table(&report.spent)),
    ];
    tables.into_iter().filter(|(_, table)| !table.rows.is_empty()).collect()
}

/// A figure in its unit.
pub fn written(figure: &Figure, value: f64) -> String {
    if figure.least {
        return if value > 0.0 {
            format!("≥ {}", usage::dollars_shown(value))
        } else {
            "unknown".to_owned()
        };
    }
    match figure.unit {
        Unit::Count => number(value as u64),
        Unit::Share => format!("{:.1} %", value * 100.0),
        Unit::Time => when::duration(value as u64),
        Unit::Bytes => table::bytes(value as u64),
        Unit::Dollars => usage::dollars_shown(value),
    }
}

/// How much it has become more or less.
pub fn change(figure: &Figure) -> String {
    let percent = |before: f64| (figure.value / before - 1.0) * 100.0;
    match figure.before {
        Some(before) if before > 0.0 && percent(before).abs() < 0.5 => "±0 %".to_owned(),
        Some(before) if before > 0.0 => format!("{:+.0} %", percent(before)),
        Some(_) => "new".to_owned(),
        None => "–".to_owned(),
    }
}
