//! A record as one line.

use tollgate_model::json::{self, Value};

use crate::report::shown;
use crate::table;

/// The columns of a table for spreadsheets.
pub const CSV: [&str; 17] = [
    "seq",
    "ts",
    "id",
    "agent",
    "session",
    "subagent",
    "event",
    "phase",
    "cwd",
    "mode",
    "tool",
    "class",
    "text",
    "verdict",
    "expressed",
    "rules",
    "fault",
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
            let room = width.saturating_sub(line.chars().count() + rules.chars().count()).max(12);
            table::cut(&format!("{line}{}{}", table::cut(&shown(&about), room), shown(&rules)), width)
        }
    }
}

/// For spreadsheets. A cell that a spreadsheet would take for a formula is made a text.
pub fn csv(record: &Value) -> String {
    let cells = CSV.map(|column| match column {
        "text" => cell(&subject(record)),
        "rules" => cell(&rules(record).join(" ")),
        "subagent" => {
            cell(record.get("subagent").and_then(|subagent| subagent.text("type")).unwrap_or_default())
        }
        "seq" => match record.get("seq") {
            Some(Value::Number(seq)) => seq.clone(),
            _ => String::new(),
        },
        column => cell(record.text(column).unwrap_or_default()),
    });
    cells.join(",")
}

fn cell(text: &str) -> String {
    let risky = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if risky { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// What a record is about: the command, path or address of its call, or what its event says.
pub fn subject(record: &Value) -> String {
    const INPUT: [&str; 10] = [
        "command",
        "cmd",
        "file_path",
        "path",
        "notebook_path",
        "url",
        "query",
        "pattern",
        "prompt",
        "description",
    ];
    const EVENT: [&str; 8] = ["fault", "prompt", "command", "error", "text", "why", "source", "trigger"];
    let from = |value: &Value, keys: &[&str]| keys.iter().find_map(|key| value.text(key)).map(str::to_owned);
    if let Some(input) = record.get("input") {
        return from(input, &INPUT).unwrap_or_else(|| {
            let mut text = String::new();
            json::write(input, &mut text);
            text
        });
    }
    from(record, &EVENT).unwrap_or_default()
}

fn rules(record: &Value) -> Vec<&str> {
    let findings = record.get("findings").and_then(Value::as_list).unwrap_or_default();
    findings.iter().filter_map(|finding| finding.text("rule")).collect()
}

#[cfg(test)]
mod tests {
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
