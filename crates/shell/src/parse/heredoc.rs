//! Heredocs: their bodies begin after the line that names them, wherever the parser is by then.
//!
//! A redirection is put in the tree before its body is known. Its body holds the number of the heredoc until
//! the script around it is complete; then `fill_heredocs` puts the bodies in their places.

use tollgate_model::Span;

use super::ansi::delimiter;
use super::quote::HEREDOC;
use super::word::Parts;
use super::{Closers, Parser};
use crate::ast::{Command, CommandKind, Dialect, Part, ProblemKind, RedirectKind, Script, Stage, Word};

/// The heredocs of one script, substitutions left out.
#[derive(Default)]
pub(super) struct Heredocs {
    waiting: Vec<Waiting>,
    bodies: Vec<Word>,
}

/// A heredoc whose body has not been reached.
struct Waiting {
    number: usize,
    start: usize,
    delimiter: String,
    literal: bool,
    strip: bool,
}

/// Where a body lies.
struct Extent {
    end: usize,
    next: usize,
    closed: bool,
}

impl Parser<'_> {
    /// Notes a heredoc whose delimiter was just read from `start` on, and gives the placeholder of its body.
    pub(super) fn await_heredoc(&mut self, start: usize, strip: bool) -> RedirectKind {
        let (delimiter, literal) = delimiter(self.at.slice(start, self.at.pos));
        let number = self.heredocs.bodies.len();
        self.heredocs.bodies.push(self.no_word());
        self.heredocs.waiting.push(Waiting { number, start, delimiter, literal, strip });
        let body = Word { parts: Vec::new(), span: Span::new(number, number) };
        RedirectKind::Heredoc { body, literal }
    }

    /// Reads the bodies that begin here, after a newline.
    pub(super) fn read_heredocs(&mut self) {
        for waiting in std::mem::take(&mut self.heredocs.waiting) {
            let body = self.heredoc_body(&waiting);
            if let Some(place) = self.heredocs.bodies.get_mut(waiting.number) {
                *place = body;
            }
        }
    }

    /// Puts the bodies into the script they belong to.
    pub(super) fn fill_heredocs(&mut self, script: &mut Script) {
        for waiting in std::mem::take(&mut self.heredocs.waiting) {
            // Where text follows, shells disagree whether it is the body.
            let kind =
                if self.at.peek().is_some() { ProblemKind::Unclosed } else { ProblemKind::OpenHeredoc };
            self.problem(kind, waiting.start, self.at.pos);
        }
        if !self.heredocs.bodies.is_empty() {
            fill_script(script, &mut self.heredocs.bodies);
        }
    }

    fn heredoc_body(&mut self, waiting: &Waiting) -> Word {
        let start = self.at.pos;
        let extent = self.heredoc_extent(waiting);
        self.looked(extent.next - start);
        let body = self.heredoc_word(waiting, start, extent.end);
        self.resume(extent.next);
        if !extent.closed {
            // A carriage return may hide the delimiter from one reader and not from another.
            let returned = self.at.slice(start, extent.end).contains('\r');
            let kind = if returned { ProblemKind::Unclosed } else { ProblemKind::OpenHeredoc };
            self.problem(kind, waiting.start, extent.end);
        }
        body
    }

    /// Finds the line of the delimiter. Where the body expands, a backslash joins lines before they are compared.
    fn heredoc_extent(&self, waiting: &Waiting) -> Extent {
        let delimiter = waiting.delimiter.as_bytes();
        let mut look = self.at;
        let mut begin = look.pos;
        let mut matched = Some(0);
        let mut fresh = true;
        while look.pos < look.text.len() {
            let line = look.run_to(b'\n');
            let line = if fresh && waiting.strip { line.trim_start_matches('\t') } else { line };
            let continued = !waiting.literal && look.peek().is_some() && ends_in_backslash(line);
            if fresh && let Some(next) = self.closed_early(waiting, line, look.pos) {
                return Extent { end: begin, next, closed: false };
            }
            look.pos = look.text.len().min(look.pos + 1);
            let piece = if continued { line.strip_suffix('\\').unwrap_or(line) } else { line };
            matched = matched.and_then(|length| match_piece(delimiter, length, piece.as_bytes()));
            if continued {
                fresh &= piece.is_empty();
                continue;
            }
            if matched == Some(delimiter.len()) {
                return Extent { end: begin, next: look.pos, closed: true };
            }
            (begin, matched, fresh) = (look.pos, Some(0), true);
        }
        Extent { end: look.pos, next: look.pos, closed: false }
    }

    /// In `$( … )` bash takes a line that starts with the delimiter and goes on to a `)` for the end.
    fn closed_early(&self, waiting: &Waiting, line: &str, line_end: usize) -> Option<usize> {
        if self.substitution != Closers::PAREN || self.dialect != Dialect::Bash {
            return None;
        }
        let rest = line.strip_prefix(waiting.delimiter.as_str())?;
        rest.contains(')').then_some(line_end - rest.len())
    }

    fn heredoc_word(&mut self, waiting: &Waiting, start: usize, end: usize) -> Word {
        let span = self.span(start, end);
        let raw = self.at.slice(start, end);
        let indented = waiting.strip && (raw.starts_with('\t') || raw.contains("\n\t"));
        let stripped = if indented { strip_tabs(raw, waiting.literal) } else { String::new() };
        if waiting.literal {
            let text = if indented { stripped } else { raw.to_owned() };
            if self.fixed.is_none() && !raw.is_ascii() {
                self.ledger.data.push((start, end));
            }
            self.count(1);
            return Word { parts: vec![Part::Text { text, quoted: true }], span };
        }
        let mut parts = Parts::default();
        if indented {
            self.elsewhere(&stripped, span, |inner| inner.enclosed(&HEREDOC, &mut parts));
        } else {
            self.within(start, end, |parser| parser.enclosed(&HEREDOC, &mut parts));
        }
        self.count(parts.0.len().max(1));
        Word { parts: parts.0, span }
    }
}

/// How much of the delimiter is matched when `piece` follows `length` matched bytes.
fn match_piece(delimiter: &[u8], length: usize, piece: &[u8]) -> Option<usize> {
    let rest = delimiter.get(length..)?;
    // Nearly every line differs in its first byte.
    let fits = rest.first() == piece.first() && rest.starts_with(piece) || piece.is_empty();
    fits.then_some(length + piece.len())
}

/// An odd number of backslashes at the end.
fn ends_in_backslash(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Removes the tabs before each line; lines that a backslash joins are one.
fn strip_tabs(raw: &str, literal: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut fresh = true;
    for line in raw.split_inclusive('\n') {
        let line = if fresh { line.trim_start_matches('\t') } else { line };
        let content = line.strip_suffix('\n').unwrap_or(line);
        let continued = !literal && ends_in_backslash(content);
        fresh = !continued || (fresh && content == "\\");
        text.push_str(line);
    }
    text
}

fn fill_script(script: &mut Script, bodies: &mut [Word]) {
    for item in &mut script.items {
        fill_stages(&mut item.first.stages, bodies);
        for (_, pipeline) in &mut item.rest {
            fill_stages(&mut pipeline.stages, bodies);
        }
    }
}

fn fill_stages(stages: &mut [Stage], bodies: &mut [Word]) {
    for stage in stages {
        fill_command(&mut stage.command, bodies);
    }
}

fn fill_command(command: &mut Command, bodies: &mut [Word]) {
    for redirect in &mut command.redirects {
        if let RedirectKind::Heredoc { body, .. } = &mut redirect.kind
            && let Some(filled) = bodies.get_mut(body.span.start as usize)
        {
            *body = std::mem::take(filled);
        }
    }
    match &mut command.kind {
        CommandKind::Group(script) | CommandKind::Subshell(script) => fill_script(script, bodies),
        CommandKind::If { arms, otherwise } => {
            for (condition, body) in arms {
                fill_script(condition, bodies);
                fill_script(body, bodies);
            }
            if let Some(body) = otherwise {
                fill_script(body, bodies);
            }
        }
        CommandKind::For { body, .. } | CommandKind::CFor { body, .. } => fill_script(body, bodies),
        CommandKind::While { condition, body, .. } => {
            fill_script(condition, bodies);
            fill_script(body, bodies);
        }
        CommandKind::Case { arms, .. } => {
            arms.iter_mut().for_each(|arm| fill_script(&mut arm.body, bodies));
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body, .. } => fill_command(body, bodies),
        CommandKind::Simple(_) | CommandKind::Test(_) | CommandKind::Arith(_) | CommandKind::Broken(_) => {}
    }
}
