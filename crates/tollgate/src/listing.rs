//! Rows for programs: one JSON object per line, or CSV with the same names as columns.

use serde_json::Value;

use crate::out;

/// In which form a listing is printed. Without either it is text for people.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct Output {
    /// Print one JSON object per row
    #[arg(long, global = true)]
    pub json: bool,
    /// Print CSV
    #[arg(long, global = true, conflicts_with = "json")]
    pub csv: bool,
}

impl Output {
    /// Do people read it?
    pub fn is_text(self) -> bool {
        !self.json && !self.csv
    }

    /// Prints rows for programs.
    pub fn print(self, rows: &[Value]) {
        match self.csv {
            true => csv(rows).iter().for_each(|line| out::line(line)),
            false => rows.iter().for_each(|row| out::line(&row.to_string())),
        }
    }
}

/// The names of all members, then a line for each row. A member that is a list or an object is written as JSON.
fn csv(rows: &[Value]) -> Vec<String> {
    let mut columns: Vec<&str> = Vec::new();
    for name in rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys()) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    let line = |row: &Value| {
        let cells = columns.iter().map(|name| match row.get(name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => csv_cell(text),
            Some(Value::Number(number)) => number.to_string(),
            Some(other) => csv_cell(&other.to_string()),
        });
        cells.collect::<Vec<_>>().join(",")
    };
    let head = columns.iter().map(|name| csv_cell(name)).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = rows.iter().map(line).collect();
    if columns.is_empty() { lines } else { std::iter::once(head).chain(lines).collect() }
}

/// A cell of CSV. One that a spreadsheet would take for a formula is made a text.
pub fn csv_cell(text: &str) -> String {
    let risky = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if risky { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::csv;

    #[test]
    fn rows_share_their_columns_and_no_cell_is_a_formula() {
        let rows = [json!({"a": 1, "b": "x,y"}), json!({"b": "=1+1", "c": ["z"], "a": null})];
        assert_eq!(csv(&rows), ["a,b,c", "1,\"x,y\",", ",'=1+1,\"[\"\"z\"\"]\""]);
        assert!(csv(&[]).is_empty());
    }
}
