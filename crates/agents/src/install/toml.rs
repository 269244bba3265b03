//! Tables of our own at the end of a TOML file. The rest of the file is text that is let be.

use super::backup::Manifest;

/// A table with one text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// `[hooks.state."…"]`, on a line of its own.
    pub header: String,
    /// The name of the text.
    pub key: &'static str,
    /// The text.
    pub value: String,
}

impl Table {
    fn lines(&self) -> String {
        format!("{}\n{} = {:?}\n", self.header, self.key, self.value)
    }
}

/// A key as TOML writes it in a header.
#[must_use]
pub fn quoted(key: &str) -> String {
    format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The headers of tables that are ours: those to be written, and those that were.
pub(super) fn headers(tables: &[Table], old: Option<&Manifest>) -> Vec<String> {
    let mut headers: Vec<String> = tables.iter().map(|table| table.header.clone()).collect();
    headers.extend(old.into_iter().flat_map(|old| old.created.clone()));
    headers
}

/// The text with tables at its end.
///
/// # Errors
/// When one of them is there already, in another form than ours.
pub(super) fn with(text: &str, tables: &[Table]) -> Result<String, String> {
    let name = |table: &Table| table.header.trim_matches(['[', ']']).to_owned();
    if let Some(table) =
        tables.iter().find(|table| text.contains(name(table).trim_start_matches("hooks.state.")))
    {
        return Err(format!("`{}` is there already, in a form that is not edited", name(table)));
    }
    let mut out = text.to_owned();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    for table in tables {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&table.lines());
    }
    Ok(out)
}

/// Whether a table is there, as it should be.
#[must_use]
pub fn holds(text: &str, table: &Table) -> bool {
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != table.header).skip(1);
    let wanted = format!("{} = {:?}", table.key, table.value);
    lines.by_ref().take_while(|line| !line.starts_with('[')).any(|line| line == wanted)
}

/// The text without the tables of these headers, and without the empty line before each.
pub(super) fn without(text: &str, headers: &[String]) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            inside = headers.iter().any(|header| header == trimmed);
            if inside && out.last().is_some_and(|last| last.trim().is_empty()) {
                out.pop();
            }
        }
        if !inside {
            out.push(line);
        } else if trimmed.starts_with('#') || trimmed.is_empty() {
            // A person's comment after our table is not ours.
            inside = false;
            out.push(line);
        }
    }
    out.concat()
}
