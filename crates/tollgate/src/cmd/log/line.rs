//! A record as one line.

use tollgate_index::subject;
use tollgate_model::json::Value;
use tollgate_store::micros_of;

use crate::parquet::{Cell, Kind};
use crate::report::shown;
use crate::{paint, table};

/// The columns of an export.
pub const COLUMNS: [(&str, Kind); 23] = [
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
];

/// For people: when, what was said, which tool, about what, and by which rules.
pub fn text(record: &Value, width: Option<usize>) -> String {
    let part = |key: &str| record.text(key).unwrap_or_default();
    let time: String = part("ts").chars().skip(5).take(14).collect::<String>().replace('T', " ");
    let tool = if part("tool").is_empty() { part("event") } else { part("tool") };
    let who = record.get("subagent").and_then(|subagent| subagent.text("type")).unwrap_or_default();
    let who = if who.is_empty() { String::new() } else { format!("{who}: ") };
    let rules = rules(record);
    let rules = if rules.is_empty() { String::new() } else { format!("  [{}]", rules.join(" ")) };
    let verdict = record.text("expressed").unwrap_or_else(|| part("verdict"));
    let about = subject(record);
    let line = format!("{time}  {verdict:<5}  {tool:<10} {who}");
    let line = shown(&line);
    match width {
        None => format!("{line}{}{}", shown(&about), shown(&rules)),
        Some(width) => {
            let room = width.saturating_sub(paint::width(&line) + paint::width(&rules)).max(12);
            table::cut(&format!("{line}{}{}", table::cut(&shown(&about), room), shown(&rules)), width)
        }
    }
}

/// For spreadsheets. A cell that a spreadsheet would take for a formula is made a text.
pub fn csv(record: &Value) -> String {
    let cells = COLUMNS.map(|(column, _)| match of(record, column) {
        Cell::None => String::new(),
        Cell::Number(_) if column == "ts" => cell(record.text("ts").unwrap_or_default()),
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => cell(&text),
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

fn cell(text: &str) -> String {
    let risky = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if risky { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
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
        for line in [text(&nasty, None), text(&nasty, Some(60)), text(&nasty, Some(20))] {
            assert!(!line.contains(char::is_control), "{line:?}");
        }
        assert_eq!(text(&nasty, Some(60)).chars().count().min(60), text(&nasty, Some(60)).chars().count());
        assert!(csv(&nasty).contains("\"a\nb"), "{}", csv(&nasty));
    }

    #[test]
    fn a_cell_is_never_a_formula() {
        let formula = record(r#"{"seq":1,"input":{"command":"=cmd|' /C calc'!A0"}}"#);
        assert!(csv(&formula).contains(",'=cmd"), "{}", csv(&formula));
    }
}
