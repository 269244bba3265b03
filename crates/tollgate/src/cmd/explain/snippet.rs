//! A source text with lines drawn under parts of it, and what each part does beside or below its line.

use tollgate_model::{Span, Verdict};

use crate::paint::{COLUMNS, Paint, plain, visible, width, wrap};

/// A part of the source, and what is said about it.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The part.
    pub span: Span,
    /// What it does, one line each.
    pub labels: Vec<String>,
    /// The verdict over it, where a rule has one.
    pub verdict: Option<Verdict>,
}

/// Texts of more lines are shown only around the marks.
const SHORT: usize = 12;

/// The source, line by line, with the marks under each line. Marks without a place in it are left out.
pub fn draw(source: &str, marks: &[Mark], paint: Paint) -> Vec<String> {
    let gutter = Gutter::of(source, paint);
    let rows = rows(source, COLUMNS - gutter.width);
    let under = |row: &Row| marks.iter().filter(|mark| row.starts(mark.span)).collect::<Vec<_>>();
    let few = rows.len() <= SHORT;
    let mut lines = Vec::new();
    let mut skipped = false;
    for row in &rows {
        let marks = under(row);
        if marks.is_empty() && !few {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            lines.push(gutter.gap());
        }
        lines.push(gutter.row(row));
        for mark in marks {
            lines
                .extend(row.drawn(mark, COLUMNS - gutter.width, paint).iter().map(|line| gutter.below(line)));
        }
    }
    if skipped {
        lines.push(gutter.gap());
    }
    lines
}

/// Is there something of the source under a span?
pub fn has_place(span: Span, source: &str) -> bool {
    !span.of(source).trim().is_empty()
}

/// The margin: line numbers where there is more than one line.
struct Gutter {
    digits: usize,
    width: usize,
    paint: Paint,
}

impl Gutter {
    fn of(source: &str, paint: Paint) -> Self {
        let lines = source.trim_end().lines().count();
        let digits = if lines > 1 { lines.to_string().len() } else { 0 };
        Self { digits, width: if digits == 0 { 2 } else { digits + 5 }, paint }
    }

    fn row(&self, row: &Row) -> String {
        let number = if row.first { row.line.to_string() } else { String::new() };
        format!("{}{}", self.margin(&number), row.shown())
    }

    fn below(&self, line: &str) -> String {
        format!("{}{line}", self.margin(""))
    }

    fn gap(&self) -> String {
        format!("{}{}", self.margin(""), self.paint.dim("…"))
    }

    fn margin(&self, number: &str) -> String {
        if self.digits == 0 {
            return "  ".to_owned();
        }
        self.paint.dim(&format!("  {number:>0$} │ ", self.digits))
    }
}

/// What fits on one line of the page.
struct Row {
    line: usize,
    /// The first row of its line.
    first: bool,
    cells: Vec<Cell>,
}

/// A character: where it stands in the source, and how it is shown.
struct Cell {
    at: usize,
    shown: String,
}

fn rows(source: &str, most: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = 0;
    for (number, line) in source.trim_end().split('\n').enumerate() {
        let mut row = Row { line: number + 1, first: true, cells: Vec::new() };
        let mut taken = 0;
        for (offset, c) in line.char_indices() {
            let shown = visible(c);
            let wide = width(&shown);
            if taken + wide > most {
                rows.push(std::mem::replace(
                    &mut row,
                    Row { line: number + 1, first: false, cells: Vec::new() },
                ));
                taken = 0;
            }
            taken += wide;
            row.cells.push(Cell { at: at + offset, shown });
        }
        rows.push(row);
        at += line.len() + 1;
    }
    rows
}

impl Row {
    fn shown(&self) -> String {
        self.cells.iter().map(|cell| cell.shown.as_str()).collect()
    }

    fn holds(&self, at: usize) -> bool {
        let ends = self.cells.first().zip(self.cells.last());
        ends.is_some_and(|(first, last)| (first.at..=last.at).contains(&at))
    }

    fn starts(&self, span: Span) -> bool {
        span.end > span.start && self.holds(span.start as usize)
    }

    /// The line under a part, and what is said about it: beside the line where there is room, else below.
    fn drawn(&self, mark: &Mark, most: usize, paint: Paint) -> Vec<String> {
        let columns = |cells: &[&Cell]| cells.iter().map(|cell| width(&cell.shown)).sum::<usize>();
        let (start, end) = (mark.span.start as usize, mark.span.end as usize);
        let before: Vec<&Cell> = self.cells.iter().filter(|cell| cell.at < start).collect();
        let inside: Vec<&Cell> = self.cells.iter().filter(|cell| (start..end).contains(&cell.at)).collect();
        let goes_on = self.cells.last().is_some_and(|last| end > last.at + 4);
        // The dots that say "and so on" take the place of the last column.
        let (indent, length) =
            (columns(&before), columns(&inside).saturating_sub(usize::from(goes_on)).max(1));
        let line = if mark.verdict.is_some() { "━" } else { "─" }.repeat(length);
        let line = paint.verdict(mark.verdict.unwrap_or(Verdict::Note), &line);
        let line = format!("{}{line}{}", " ".repeat(indent), if goes_on { "…" } else { "" });
        let beside = indent + length + usize::from(goes_on) + 1;
        let labels: Vec<String> = mark.labels.iter().map(|label| plain(label)).collect();
        if labels.iter().all(|label| beside + width(label) <= most) {
            return placed(line, 1, &labels, beside);
        }
        // Below its line where a few words fit there, else further left.
        let longest = labels.iter().map(|label| width(label)).max().unwrap_or(0);
        let needed = longest.min(if most - indent.min(most) > 36 { 0 } else { most }) + 2;
        let indent = indent.min(most.saturating_sub(needed));
        let room = most.saturating_sub(indent + 2).max(20);
        let mut lines = vec![line];
        for label in &labels {
            for (number, part) in wrap(label, room).iter().enumerate() {
                let lead = if number == 0 { "╰ " } else { "  " };
                lines.push(format!("{}{lead}{part}", " ".repeat(indent)));
            }
        }
        lines
    }
}

/// Labels beside a line, each further one in the same column below it.
fn placed(line: String, gap: usize, labels: &[String], column: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, label) in labels.iter().enumerate() {
        lines.push(match number {
            0 => format!("{line}{}{label}", " ".repeat(gap)),
            _ => format!("{}{label}", " ".repeat(column)),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Mark, draw};
    use crate::paint::{COLUMNS, Paint, width};
    use tollgate_model::{Span, Verdict};

    fn drawn(source: &str, marks: &[(&str, &str, bool)]) -> String {
        let mark = |(part, label, refused): &(&str, &str, bool)| {
            let start = source.find(part).unwrap_or(usize::MAX / 2);
            Mark {
                span: Span::new(start, start + part.len()),
                labels: label.split('|').map(str::to_owned).collect(),
                verdict: refused.then_some(Verdict::Deny),
            }
        };
        let lines = draw(source, &marks.iter().map(mark).collect::<Vec<_>>(), Paint::none());
        assert!(lines.iter().all(|line| width(line) <= COLUMNS), "{lines:#?}");
        lines.join("\n")
    }

    #[test]
    fn lines_stand_under_the_words() {
        let text = drawn("rm -rf x", &[("rm -rf x", "runs rm", false), ("x", "deletes x|for good", true)]);
        assert_eq!(text, "  rm -rf x\n  ──────── runs rm\n         ━ deletes x\n           for good");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(drawn("cat 日本 x", &[("日本", "reads", false)]), "  cat 日本 x\n      ──── reads");
    }

    #[test]
    fn lines_have_numbers_when_there_are_many() {
        let text = drawn("a\nbb\n", &[("bb", "runs bb", false)]);
        assert_eq!(text, "  1 │ a\n  2 │ bb\n    │ ── runs bb");
        let many = format!("{}last", "x\n".repeat(40));
        assert_eq!(drawn(&many, &[("last", "ends", false)]), "     │ …\n  41 │ last\n     │ ──── ends");
    }

    #[test]
    fn long_lines_and_labels_stay_on_the_page() {
        let long = format!("echo {} end", "word ".repeat(40));
        let text = drawn(&long, &[("end", "stops", false), (long.as_str(), &"why ".repeat(60), true)]);
        assert!(text.contains("─── stops") && text.contains("━…\n  ╰ why"), "{text}");
    }
}
