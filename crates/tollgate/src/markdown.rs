//! Markdown pages in a terminal: headings and labels in bold, code set in, text broken at the terminal's width.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::paint::{Paint, plain, wrap};

/// A page as lines of at most so many columns.
pub fn lines(page: &str, columns: usize, paint: Paint) -> Vec<String> {
    let mut shown =
        Shown { paint, columns, lines: Vec::new(), text: String::new(), place: Place::Text, lead: "" };
    Parser::new(page).for_each(|event| shown.take(&event));
    while shown.lines.last().is_some_and(String::is_empty) {
        shown.lines.pop();
    }
    shown.lines
}

/// What the text that comes belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Heading,
    Code,
}

struct Shown {
    paint: Paint,
    columns: usize,
    lines: Vec<String>,
    text: String,
    place: Place,
    /// What stands before the first line of a list's entry.
    lead: &'static str,
}

impl Shown {
    fn take(&mut self, event: &Event) {
        match event {
            Event::Start(Tag::Heading { .. }) => self.place = Place::Heading,
            Event::Start(Tag::CodeBlock(_)) => self.place = Place::Code,
            Event::Start(Tag::Item) => self.lead = "• ",
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text.push_str(text),
            Event::Code(code) => self.text.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock) => self.end_block(true),
            Event::End(TagEnd::Item) => self.end_block(false),
            Event::End(TagEnd::List(_)) => self.lines.push(String::new()),
            _ => {}
        }
    }

    /// Writes what was gathered, and with `apart` an empty line after it.
    fn end_block(&mut self, apart: bool) {
        let text = std::mem::take(&mut self.text);
        let (place, lead) = (std::mem::replace(&mut self.place, Place::Text), std::mem::take(&mut self.lead));
        if text.is_empty() {
            return;
        }
        if place == Place::Code {
            let code = |line: &str| format!("    {}", self.paint.code(&plain(line)));
            self.lines.extend(text.lines().map(code));
        } else {
            let is_label = place == Place::Heading || text.ends_with(':');
            let parts = wrap(&plain(&text), self.columns.saturating_sub(lead.chars().count()).max(20));
            for (at, part) in parts.iter().enumerate() {
                let lead = if at == 0 { lead.to_owned() } else { " ".repeat(lead.chars().count()) };
                let part = if is_label { self.paint.bold(part) } else { part.clone() };
                self.lines.push(format!("{lead}{part}"));
            }
        }
        if apart && lead.is_empty() {
            self.lines.push(String::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::lines;
    use crate::paint::{Paint, width};

    #[test]
    fn marks_are_shown_and_not_printed() {
        let page = "## a-rule\n\nStops `x` and **warns**\nof it.\n\nCaught:\n\n```text\nrm \\x1b[31m -rf *\n```\n\n- one\n- two\n";
        let shown = lines(page, 80, Paint::none());
        let expected = [
            "a-rule",
            "",
            "Stops `x` and warns of it.",
            "",
            "Caught:",
            "",
            "    rm \\x1b[31m -rf *",
            "",
            "• one",
            "• two",
        ];
        let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
        assert_eq!(shown, expected);
        let long = format!("{}\n", "word ".repeat(60));
        assert!(lines(&long, 40, Paint::none()).iter().all(|line| width(line) <= 40));
    }

    #[test]
    fn nothing_in_a_page_moves_the_cursor() {
        let shown = lines("a\u{1b}[2Jb\n\n    c\u{202e}d\n", 80, Paint::none()).concat();
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown:?}");
    }
}
