//! Figures as people read them in a terminal: tables that fit, sparklines, bars, progress.

use std::io::{IsTerminal, Write};
use std::time::Instant;

use crate::paint;
use crate::report::shown;

/// Columns for running text: those of the terminal or of `COLUMNS`, and 80 where there are none.
pub fn width() -> usize {
    columns_given().map_or(80, |columns| columns.min(200))
}

/// Columns for tables. In a file or a pipe nothing is cut.
pub fn room() -> usize {
    columns_given().unwrap_or(usize::MAX)
}

/// `COLUMNS` counts before the terminal, as with other programs.
pub fn columns_given() -> Option<usize> {
    let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal =
        || rustix::termios::tcgetwinsize(std::io::stdout()).map(|size| usize::from(size.ws_col)).ok();
    named.or_else(terminal).filter(|columns| *columns > 0).map(|columns| columns.max(40))
}

/// Rows under a head. The first column is text and gives way; the others are set right where they are figures.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// The first column is shown in full, even where lines then get longer than the terminal is wide.
    pub whole: bool,
}

impl Table {
    /// A table without rows.
    pub fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|name| (*name).to_owned()).collect(), rows: Vec::new(), whole: false }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| shown(&cell)).collect());
    }

    /// As lines of at most `width` columns.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let mut widths: Vec<usize> = self.head.iter().map(|name| columns(name)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns(cell));
            }
        }
        let others: usize = widths.iter().skip(1).map(|width| width + 2).sum();
        if let Some(first) = widths.first_mut().filter(|_| !self.whole) {
            *first = (*first).min(width.saturating_sub(others + 2).max(8));
        }
        let texts: Vec<bool> = (0..self.head.len()).map(|column| self.is_text(column)).collect();
        let all = std::iter::once(&self.head).chain(&self.rows);
        all.map(|row| line(row, &widths, &texts)).collect()
    }

    /// Does a column hold words, all of them?
    pub fn is_text(&self, column: usize) -> bool {
        let word =
            |cell: &String| cell.is_empty() || cell.starts_with(|c: char| c.is_alphabetic() || c == '(');
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        column == 0 || (cells().all(word) && cells().any(|cell| !cell.is_empty()))
    }

    /// As a table in Markdown.
    pub fn markdown(&self) -> String {
        let bar = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| literal(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let marks: Vec<String> =
            (0..self.head.len()).map(|at| if self.is_text(at) { "---" } else { "---:" }.to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| bar(row)).collect();
        format!("{}{}{rows}", bar(&self.head), bar(&marks))
    }
}

/// A text that Markdown shows as it is: no markup, no link, no end of its cell.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '|' | '[' | ']' | '*' | '`' | '<') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn line(cells: &[String], widths: &[usize], texts: &[bool]) -> String {
    let mut out = String::new();
    for ((cell, width), text) in cells.iter().zip(widths).zip(texts) {
        let cell = cut(cell, *width);
        let space = " ".repeat(width.saturating_sub(columns(&cell)));
        out.push_str(&if *text { format!("  {cell}{space}") } else { format!("  {space}{cell}") });
    }
    out.trim_end().to_owned()
}

/// Cuts a text to that many columns, with a mark where something is missing.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let (mut out, mut taken) = (String::new(), 1);
    for c in text.chars() {
        taken += paint::width(c.encode_utf8(&mut [0; 4]));
        if taken > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Lines of at most that many columns, broken between words. A word that is longer is cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in shown(text).split_whitespace() {
        match lines.last_mut().filter(|line| columns(line) + 1 + columns(word) <= width) {
            Some(line) => *line = format!("{line} {word}"),
            None => lines.push(cut(word, width)),
        }
    }
    lines
}

/// Some letters take two columns, and some none.
fn columns(text: &str) -> usize {
    paint::width(text)
}

/// A number with its thousands apart: `12 345`.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// So many of something: `1 call`, `12 calls`.
pub fn counted(value: u64, what: &str) -> String {
    format!("{} {what}{}", number(value), if value == 1 { "" } else { "s" })
}

/// A share: `12.3 %`; nothing of nothing is `–`.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

/// Bytes: `1.2 MB`.
pub fn bytes(value: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut size = value as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    let unit = units.get(unit).copied().unwrap_or_default();
    if size < 10.0 && unit != "B" { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") }
}

/// Values as a line of small bars, at most `width` of them: neighbours are added up.
pub fn sparkline(values: &[u64], width: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let group = values.len().div_ceil(width.max(1)).max(1);
    let sums: Vec<u64> = values.chunks(group).map(|chunk| chunk.iter().sum()).collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let bar = |sum: &u64| match sum {
        0 => ' ',
        sum => BARS.get((sum * 7).div_ceil(most) as usize).copied().unwrap_or('█'),
    };
    sums.iter().map(bar).collect()
}

/// A bar on standard error while something takes long; nothing where that is no terminal.
pub struct Bar {
    what: &'static str,
    start: Instant,
    drawn: Option<Instant>,
}

impl Bar {
    /// A bar that is not drawn before half a second has passed.
    pub fn new(what: &'static str) -> Self {
        Self { what, start: Instant::now(), drawn: None }
    }

    /// So far, of so many.
    pub fn at(&mut self, done: u64, of: u64) {
        let waited = self.drawn.unwrap_or(self.start).elapsed().as_millis();
        if waited < if self.drawn.is_some() { 100 } else { 500 } || !std::io::stderr().is_terminal() {
            return;
        }
        self.drawn = Some(Instant::now());
        let filled = (done * 30 / of.max(1)).min(30) as usize;
        let rate = done as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(30 - filled));
        let text = format!(
            "\r{} {bar} {:>3} %  {}/s ",
            self.what,
            (done * 100 / of.max(1)).min(100),
            number(rate as u64)
        );
        // A bar that cannot be drawn is not missed.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = std::io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_fits_and_only_its_first_column_gives_way() {
        let mut table = Table::new(&["session", "calls", "refused"]);
        table.row([
            "a-very-long-name-of-a-session-that-does-not-fit-here".to_owned(),
            number(1_234_567),
            "3".into(),
        ]);
        table.row(["x\x1b[31m".to_owned(), "1".into(), "0".into()]);
        let lines = table.lines(40);
        assert!(lines.iter().all(|line| columns(line) <= 40 && !line.contains('\x1b')), "{lines:?}");
        assert!(lines[1].contains('…') && lines[1].ends_with('3'), "{lines:?}");
        assert!(table.markdown().starts_with("| session | calls | refused |\n| --- | ---: | ---: |\n"));
        let mut wide = Table::new(&["tool", "calls"]);
        wide.row(["日本語のとても長い名前の道具".to_owned(), "7".into()]);
        wide.row(["short".to_owned(), "12".into()]);
        let lines = wide.lines(30);
        assert!(lines.iter().all(|line| columns(line) == columns(&lines[0])), "{lines:?}");
        assert!(columns(&lines[0]) <= 30 && lines[1].contains('…'), "{lines:?}");
        let mut hostile = Table::new(&["tool"]);
        hostile.row(["a|b [x](javascript:1) <img src=x> `c` \n# d\u{202e}e".to_owned()]);
        let written = hostile.markdown();
        assert!(written.lines().count() == 3 && !written.contains('\u{202e}'), "{written}");
        assert!(
            written.contains("\\[x\\](") && written.contains("\\<img") && written.contains("a\\|b"),
            "{written}"
        );
    }

    #[test]
    fn sparklines_add_neighbours_up() {
        assert_eq!(sparkline(&[0, 1, 7], 10), " ▂█");
        assert_eq!(sparkline(&[1; 100], 10).chars().count(), 10);
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!([bytes(12), bytes(1_234), bytes(56_000_000)], ["12 B", "1.2 kB", "56 MB"]);
    }
}
