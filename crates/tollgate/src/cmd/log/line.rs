//! A record as one line.

use std::path::Path;

use tollgate_index::{Outcome, subject};
use tollgate_model::Verdict;
use tollgate_model::json::Value;
use tollgate_store::micros_of;

use super::rows::End;
use crate::listing::csv_cell;
use crate::paint::Paint;
use crate::parquet::{Cell, Kind};
use crate::report::{shown, tilde};
use crate::{dirs, paint, table, when};

/// The columns of an export.
pub const COLUMNS: [(&str, Kind); 26] = [
    ("seq", Kind::Number),
    ("ts", Kind::Time),
    ("id", Kind::Text),
    ("agent", Kind::Text),
    ("session", Kind::Text),
    ("subagent", Kind::Text),
    ("event", Kind::Text),
    ("phase", Kind::Text),
    ("cwd", Kind::Text),
    ("mode", Kind::Text),
    ("tool", Kind::Text),
    ("class", Kind::Text),
    ("text", Kind::Text),
    ("verdict", Kind::Text),
    ("expressed", Kind::Text),
    ("rules", Kind::Text),
    ("fault", Kind::Text),
    ("prompt_id", Kind::Text),
    ("project", Kind::Text),
    ("workflow", Kind::Text),
    ("gate_us", Kind::Number),
    ("result_bytes", Kind::Number),
    ("took_ms", Kind::Number),
    ("host", Kind::Text),
    ("user", Kind::Text),
    ("canary", Kind::Text),
];

/// Which columns a line has, and how wide it may be.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// On a terminal; elsewhere nothing is cut.
    width: Option<usize>,
    paint: Paint,
}

/// From this width on there is room for the agent.
const MEDIUM: usize = 100;
/// From this width on there is room for session and project.
const WIDE: usize = 140;

impl Layout {
    /// For a terminal of so many columns, or for a file.
    pub fn of(width: Option<usize>) -> Self {
        Self { width, paint: Paint::for_stdout() }
    }

    fn is_at_least(self, columns: usize) -> bool {
        self.width.is_none_or(|width| width >= columns)
    }

    /// Cells that a wide layout has and a narrow one leaves out.
    fn only(self, columns: usize, cells: &[(&str, usize)]) -> String {
        match self.is_at_least(columns) {
            true => cells.iter().map(|(text, width)| fitted(text, *width) + " ").collect(),
            false => String::new(),
        }
    }

    /// The names of the columns.
    pub fn head(self) -> String {
        let time = fitted("UTC", if self.is_at_least(MEDIUM) { 14 } else { 11 });
        let agent = self.only(MEDIUM, &[("agent", 11)]);
        let places = self.only(WIDE, &[("session", 8), ("project", 12)]);
        let head = format!(
            "{:>5} {time} {} {} {agent}{places}{} about [rules]",
            "event",
            fitted("says", 5),
            fitted("result", 9),
            fitted("tool", 16)
        );
        self.paint.dim(&self.cut(&head))
    }

    /// For people: number, time, verdict, result, agent, session, project, tool, what it is about, and the rules.
    pub fn line(self, record: &Value, end: Option<&End>) -> String {
        let part = |key: &str| shown(record.text(key).unwrap_or_default());
        let digits = if self.is_at_least(MEDIUM) { 14 } else { 11 };
        let time: String = part("ts").chars().skip(5).take(digits).collect::<String>().replace('T', " ");
        let verdict = part(if record.text("expressed").is_some() { "expressed" } else { "verdict" });
        let result = end.map(|end| result(record, end)).unwrap_or_default();
        let project = if part("project").is_empty() { part("cwd") } else { part("project") };
        let project = project.rsplit('/').next().unwrap_or_default();
        let session: String = part("session").chars().take(8).collect();
        let before = format!("{:>5} {time} ", number_of(record, "seq"));
        let after = self.only(MEDIUM, &[(&part("agent"), 11)])
            + &self.only(WIDE, &[(&session, 8), (project, 12)])
            + &fitted(&tool(record), 16)
            + " ";
        let (about, rules) = self.fit(&about(record), &rules(record), &before, &after);
        let (verdict, result) = (self.verdict(&verdict), self.result(&result, end));
        format!("{before}{verdict} {result} {after}{about}{}", self.paint.dim(&rules)).trim_end().to_owned()
    }

    /// What a call is about and the rules that matched, in the room that is left.
    fn fit(self, about: &str, rules: &[&str], before: &str, after: &str) -> (String, String) {
        let rules = if rules.is_empty() { String::new() } else { shown(&format!("  [{}]", rules.join(" "))) };
        let Some(width) = self.width else { return (about.to_owned(), rules) };
        let room = width.saturating_sub(paint::width(before) + 5 + 1 + 9 + 1 + paint::width(after));
        // What the call is about comes first; the rules get what it leaves, and two fifths at least.
        let rules = table::cut(&rules, room.saturating_sub(paint::width(about)).max(room * 2 / 5));
        (table::cut(about, room.saturating_sub(paint::width(&rules))), rules)
    }

    fn verdict(self, name: &str) -> String {
        let text = fitted(name, 5);
        verdict_named(name).map_or_else(|| text.clone(), |verdict| self.paint.verdict(verdict, &text))
    }

    fn result(self, text: &str, end: Option<&End>) -> String {
        let text = fitted(text, 9);
        match end.map(|end| end.outcome) {
            Some(Outcome::Failed) => self.paint.verdict(Verdict::Deny, &text),
            _ => text,
        }
    }

    fn cut(self, text: &str) -> String {
        self.width.map_or_else(|| text.to_owned(), |width| table::cut(text, width))
    }
}

/// A text in exactly so many columns.
fn fitted(text: &str, width: usize) -> String {
    let text = table::cut(text, width);
    format!("{text}{}", " ".repeat(width.saturating_sub(paint::width(&text))))
}

/// What it is about, after the subagent that makes the call.
fn about(record: &Value) -> String {
    let who = record.get("subagent").and_then(|subagent| subagent.text("type")).unwrap_or_default();
    let who = if who.is_empty() { String::new() } else { format!("{who}: ") };
    let subject = subject(record);
    let subject = match dirs::home() {
        Some(home) if subject.starts_with('/') => tilde(Path::new(&subject), &home),
        _ => subject,
    };
    shown(&format!("{who}{subject}"))
}

/// `ran 34 ms`, `failed`, `no result`.
fn result(record: &Value, end: &End) -> String {
    let begun = record.text("ts").and_then(micros_of).unwrap_or(end.at);
    let took = end.took.or_else(|| u64::try_from(end.at - begun).ok()).filter(|took| *took > 0);
    match (end.outcome, took) {
        (Outcome::Ran, Some(took)) => format!("ran {}", when::duration(took)),
        (outcome, _) => outcome.name().to_owned(),
    }
}

/// The kind of the tool, with the agent's own name of it: `shell (Bash)`. An event that is about no call goes by its name.
pub fn tool(record: &Value) -> String {
    let part = |key: &str| shown(record.text(key).unwrap_or_default());
    let (kind, name) = (part("class"), part("tool"));
    match kind.as_str() {
        _ if record.text("agent") == Some("tollgate") => part("event"),
        _ if name.is_empty() => part("event"),
        "" | "mcp" | "other" => name,
        kind => format!("{kind} ({name})"),
    }
}

/// The verdict of a name.
pub fn verdict_named(name: &str) -> Option<Verdict> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
}

/// A number of a record; zero where it has none.
pub fn number_of(record: &Value, key: &str) -> u64 {
    record.get(key).and_then(number).and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
}

/// For spreadsheets. A cell that a spreadsheet would take for a formula is made a text.
pub fn csv(record: &Value) -> String {
    let cells = COLUMNS.map(|(column, _)| match of(record, column) {
        Cell::None => String::new(),
        Cell::Number(_) if column == "ts" => csv_cell(record.text("ts").unwrap_or_default()),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => csv_cell(&text),
    });
    cells.join(",")
}

/// For data tools.
pub fn row(record: &Value) -> Vec<Cell> {
    COLUMNS.iter().map(|(column, _)| of(record, column)).collect()
}

/// What a column says about a record.
fn of(record: &Value, column: &str) -> Cell {
    let text = |text: &str| if text.is_empty() { Cell::None } else { Cell::Text(text.to_owned()) };
    match column {
        "ts" => record.text("ts").and_then(micros_of).map_or(Cell::None, Cell::Number),
        "text" => text(&subject(record)),
        "rules" => text(&rules(record).join(" ")),
        "subagent" => text(record.get("subagent").and_then(|one| one.text("type")).unwrap_or_default()),
        "workflow" => text(&workflows(record).join(" ")),
        "gate_us" => {
            let steps = record.get("us").and_then(Value::as_map);
            let sum = |steps: &[(String, Value)]| steps.iter().filter_map(|(_, step)| number(step)).sum();
            steps.map_or(Cell::None, |steps| Cell::Number(sum(steps)))
        }
        "seq" | "result_bytes" | "took_ms" => {
            record.get(column).and_then(number).map_or(Cell::None, Cell::Number)
        }
        "canary" => text(if record.get("canary") == Some(&Value::Bool(true)) { "true" } else { "" }),
        column => text(record.text(column).unwrap_or_default()),
    }
}

fn number(value: &Value) -> Option<i64> {
    if let Value::Number(text) = value { text.parse().ok() } else { None }
}

/// The workflows that were under way: `code:test`.
fn workflows(record: &Value) -> Vec<String> {
    let all = record.get("workflow").and_then(Value::as_list).unwrap_or_default().iter();
    let part = |one: &Value, key: &str| one.text(key).unwrap_or_default().to_owned();
    all.map(|one| format!("{}:{}", part(one, "name"), part(one, "phase")).trim_end_matches(':').to_owned())
        .collect()
}

fn rules(record: &Value) -> Vec<&str> {
    let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
    findings.iter().filter_map(|finding| finding.text("rule")).collect()
}

#[cfg(test)]
mod tests {
    use tollgate_model::json;

    use super::*;

    fn record(text: &str) -> Value {
        json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn f29_a_record_is_one_line_whatever_is_in_it() {
        let nasty = record(
            r#"{"seq":1,"ts":"2026-01-31T12:00:00.000000Z","tool":"Bash","verdict":"deny","input":{"command":"a\nb[2J,\"c\"\r"},"findings":[{"rule":"r"}]}"#,
        );
        for width in [None, Some(200), Some(100), Some(80)] {
            let line = Layout { width, paint: Paint::none() }.line(&nasty, None);
            assert!(!line.contains(char::is_control), "{line:?}");
            assert!(width.is_none_or(|width| line.chars().count() <= width), "{line:?}");
        }
        assert!(csv(&nasty).contains("\"a\nb"), "{}", csv(&nasty));
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        let formula = record(r#"{"seq":1,"input":{"command":"=cmd|' /C calc'!A0"}}"#);
        assert!(csv(&formula).contains(",'=cmd"), "{}", csv(&formula));
    }
}
