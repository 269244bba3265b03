//! What is wrong with a policy file, with its place, and how that is shown.

use std::fmt;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use tollgate_model::Span;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is good; something in it has no effect.
    Warning,
    /// The file is broken.
    Error,
}

/// One thing that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file, as text for people.
    pub path: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do about it; empty when there is nothing to say.
    pub hint: String,
    /// Where.
    pub at: At,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        if !self.hint.is_empty() {
            write!(out, "; {}", self.hint)?;
        }
        write!(out, " ({}:{}:{})", self.path, self.at.line, self.at.column)
    }
}

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct At {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Bytes.
    pub span: Span,
}

impl At {
    /// The place of a byte range of `text`.
    #[must_use]
    pub fn of(text: &str, span: Span) -> Self {
        let before = text.get(..span.start as usize).unwrap_or(text);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line: count(line), column: count(column), span }
    }
}

/// Every problem with its line and a caret, in the look of rustc. `text` is the file's.
#[must_use]
pub fn render(problems: &[Problem], text: &str, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    problems.iter().map(|problem| render_one(problem, text, &renderer) + "\n").collect()
}

fn render_one(problem: &Problem, text: &str, renderer: &Renderer) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let (line, start) = line_at(text, problem.at.span.start as usize);
    let marked = mark_in(line, start, problem.at.span);
    let mut caret = AnnotationKind::Primary.span(marked);
    if !problem.hint.is_empty() {
        caret = caret.label(problem.hint.as_str());
    }
    let snippet = Snippet::source(harmless(line))
        .line_start(problem.at.line as usize)
        .path(problem.path.as_str())
        .annotation(caret);
    renderer.render(&[level.primary_title(problem.message.as_str()).element(snippet)])
}

/// The line that holds a byte, and where it starts. Only this line is handed to the renderer, which reads all it
/// is given once per problem.
fn line_at(text: &str, position: usize) -> (&str, usize) {
    let position = (0..=position.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = text.get(..position).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    (line, start)
}

/// The marked bytes of a line: within it, on character borders, as the renderer demands.
fn mark_in(line: &str, start: usize, span: Span) -> std::ops::Range<usize> {
    let border = |at: usize| {
        let at = at.saturating_sub(start).min(line.len());
        (0..=at).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
    };
    let first = border(span.start as usize);
    first..border(span.end as usize).max(first)
}

/// A line with what could act on a terminal replaced by something visible of the same length in bytes, so that
/// the marks still fit.
fn harmless(line: &str) -> String {
    let shown = |letter: char| match letter.len_utf8() {
        _ if letter == '\t' || !(letter.is_control() || is_invisible(letter)) => letter,
        1 => '?',
        2 => '¿',
        _ => char::REPLACEMENT_CHARACTER,
    };
    line.chars().map(shown).collect()
}

/// Text from a file or the disk, safe to show: control characters are escaped, long text is cut.
#[must_use]
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut safe: String = text.chars().take(LONGEST).flat_map(escaped).collect();
    if text.chars().nth(LONGEST).is_some() {
        safe.push('…');
    }
    safe
}

/// A path, safe to show.
pub(crate) fn shown_path(path: &Path) -> String {
    path.to_string_lossy().chars().flat_map(escaped).collect()
}

fn escaped(letter: char) -> impl Iterator<Item = char> {
    let plain = !letter.is_control() && !is_invisible(letter);
    let (kept, escape) = if plain { (Some(letter), None) } else { (None, Some(letter.escape_unicode())) };
    kept.into_iter().chain(escape.into_iter().flatten())
}

/// Characters that turn or hide the text around them.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
