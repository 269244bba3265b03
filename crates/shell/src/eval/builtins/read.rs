//! `read`: lines of known input into variables, unknown ones as holes that keep the marks.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::state::{Array, Contents, Elements, ExitCode, Flow, Key, State, Variable};
use super::super::vars::is_name;
use super::super::{Field, Host, Shell, Stream};
use crate::ast::Dialect;
use crate::value::{Hole, HoleSource, Piece, Text, Value};

/// Elements that `mapfile` and `read -a` keep apart.
const ELEMENTS: usize = 1_000;

/// The options of `read`.
#[derive(Default)]
struct Request<'a> {
    raw: bool,
    delimiter: Option<char>,
    count: Option<usize>,
    fd: u32,
    array: Option<&'a str>,
    names: Vec<&'a str>,
    /// It may end before anything is read: an option that there is not, no time at all.
    doubtful: bool,
}

/// The options of `read`, in bash and in zsh.
const LETTERS: &str = "adeinNprstuE";
const ZSH_LETTERS: &str = "acdeilnpqrstuzAECNk";

/// One way a line may be read: the line, what is left, and whether the delimiter was there.
struct Line {
    line: Text,
    rest: Text,
    ended: Ended,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Yes,
    No,
    Maybe,
}

impl Shell {
    pub(super) fn builtin_read(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let letters = if self.dialect == Dialect::Zsh { ZSH_LETTERS } else { LETTERS };
        let Some(request) = Request::of(args, letters) else { return self.read_somewhere(args, span, host) };
        let targets = || request.names.iter().copied().chain(request.array);
        let doubtful = request.doubtful || !targets().all(|name| self.is_target(name));
        let entry = doubtful.then(|| self.state.clone());
        let flow = self.read_line(&request, span, host);
        match entry {
            Some(entry) => self.join_flows(flow, Flow::both(entry), &*host),
            None => flow,
        }
    }

    /// Can something be read into it, as far as its name and what it is say?
    pub(super) fn is_target(&self, name: &str) -> bool {
        let base =
            name.split_once('[').filter(|(_, rest)| rest.ends_with(']')).map_or(name, |(base, _)| base);
        let fixed = |variable: &Rc<Variable>| {
            variable.attributes.readonly
                || matches!(&variable.contents, Contents::Array(array) if array.associative && base == name)
        };
        is_name(base) && !self.state.local.vars.get(base).is_some_and(fixed)
    }

    fn read_line(&mut self, request: &Request<'_>, span: Span, host: &mut dyn Host) -> Flow {
        for name in &request.names {
            self.run_hidden(&Value::text(name), span, host);
        }
        let input = self.state.input(request.fd).cloned();
        let Some((id, input)) = self.state.input_buffer(request.fd).zip(input) else {
            if self.stream(request.fd) == Stream::Closed {
                return self.failed();
            }
            self.bind_read(request, &Value::unknown(HoleSource::Input), span, host);
            return self.either();
        };
        let lines: Vec<Line> = input.any.iter().map(|text| request.take(text)).collect();
        let rest = Value::of(lines.iter().map(|line| line.rest.clone()), input.taint);
        self.state.buffers_mut().insert(id, Rc::new(rest));
        let value = Value::of(lines.iter().map(|line| line.line.clone()), input.taint);
        self.bind_read(request, &value, span, host);
        let succeeds = lines.iter().any(|line| line.ended != Ended::No);
        let fails = lines.iter().any(|line| line.ended != Ended::Yes);
        let state = |code| State { code, ..self.state.clone() };
        Flow {
            ok: succeeds.then(|| state(ExitCode::Known(0))),
            fail: fails.then(|| state(ExitCode::Known(1))),
        }
    }

    /// With options that are not known, any word may be a variable that is read.
    fn read_somewhere(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let taint = self.state.input(0).map(|value| value.taint).unwrap_or_default();
        if let Some(input) = self.input_value(0) {
            self.spread(&input.map(|text| Request::default().take(text).line));
            if let Some(id) = self.state.input_buffer(0).filter(|_| !input.is_empty()) {
                let left = input.union(&Value::unknown(HoleSource::Input).with_taint(taint));
                self.state.buffers_mut().insert(id, Rc::new(left));
            }
        }
        for name in args.iter().filter_map(|field| field.value.as_literal()).filter(|name| is_name(name)) {
            self.assign_scalar(name, Value::unknown(HoleSource::Input).with_taint(taint), span, host);
        }
        self.either()
    }

    /// Splits a line over the variables.
    fn bind_read(&mut self, request: &Request<'_>, line: &Value, span: Span, host: &mut dyn Host) {
        let ifs = self.lookup("IFS", &*host).scalar();
        let ifs: Option<Rc<str>> = ifs.as_ref().and_then(|value| value.as_literal()).map(Rc::from);
        if let Some(name) = request.array {
            let words = match (line.as_literal(), &ifs) {
                (Some(text), Some(ifs)) => Some(split(text, ifs, usize::MAX, request.raw)),
                _ => None,
            };
            return self.bind_array(name, words, line);
        }
        if request.names.is_empty() {
            return self.assign_scalar("REPLY", line.clone(), span, host);
        }
        let names = request.names.len();
        for (index, name) in request.names.iter().enumerate() {
            let part = line.map(|text| match (text.as_literal(), &ifs) {
                (Some(text), Some(ifs)) => {
                    let words = split(text, ifs, names, request.raw);
                    words.get(index).map(|word| Text::literal(word)).unwrap_or_default()
                }
                _ if names == 1 => text.clone(),
                _ => Text::hole(Hole::new(source(text))),
            });
            self.assign_scalar(name, part, span, host);
        }
    }

    pub(super) fn bind_array(&mut self, name: &str, words: Option<Vec<String>>, line: &Value) {
        let mut elements = Elements::default();
        match words.filter(|words| words.len() <= ELEMENTS) {
            Some(words) => {
                for (index, word) in (0..).zip(words) {
                    let value = Value::text(&word).with_taint(line.taint);
                    elements.known.insert(Key::Index(index), value);
                }
            }
            None if are_names(&line.map(one_line)) => elements.others = Some(line.map(one_line)),
            None => {
                // A line of what a command printed was printed by it.
                let printed = line.any.iter().all(
                    |text| matches!(text.pieces.as_slice(), [Piece::Hole(hole)] if hole.source.is_output()),
                );
                let source = if printed { HoleSource::Output } else { HoleSource::Input };
                elements.others = Some(Value::unknown(source).with_taint(line.taint));
            }
        }
        let contents = Contents::Array(Array { any: vec![elements], associative: false });
        let mut variable = Variable { contents, ..Variable::new(Value::empty(), false) };
        if let Some(old) = self.state.local.vars.get(name).filter(|old| old.attributes.readonly) {
            variable = super::super::join::join_variables(old, &variable);
        }
        self.state.vars_mut().insert(Rc::from(name), Rc::new(variable));
    }
}

impl<'a> Request<'a> {
    fn of(args: &'a [Field], known: &str) -> Option<Self> {
        let mut request = Self::default();
        let mut rest = args.iter().map(|field| field.value.as_literal());
        while let Some(word) = rest.next() {
            let word = word?;
            let Some(letters) =
                word.strip_prefix('-').filter(|letters| !letters.is_empty() && request.names.is_empty())
            else {
                request.names.push(word);
                continue;
            };
            request.doubtful |= letters != "-" && letters.starts_with('-');
            for (at, letter) in letters.char_indices() {
                request.doubtful |= letter != '-' && !known.contains(letter);
                let attached = letters.get(at + letter.len_utf8()..).filter(|text| !text.is_empty());
                let mut operand = || attached.or_else(|| rest.next().flatten());
                match letter {
                    'r' => request.raw = true,
                    'e' | 's' | '-' => {}
                    'a' | 'A' => request.array = Some(operand()?),
                    'd' => request.delimiter = Some(operand()?.chars().next().unwrap_or('\0')),
                    'n' | 'N' => request.count = Some(operand()?.parse().ok()?),
                    'u' => request.fd = operand()?.parse().ok()?,
                    't' => {
                        let seconds = operand().and_then(|text| text.parse::<f64>().ok());
                        request.doubtful |= seconds.is_none_or(|seconds| seconds <= 0.0);
                    }
                    _ => drop(operand()),
                }
                if !matches!(letter, 'r' | 'e' | 's' | '-') {
                    break;
                }
            }
        }
        Some(request)
    }

    /// Where the line ends: not behind a backslash, unless those mean nothing.
    fn cut<'t>(&self, known: &'t str, delimiter: char) -> Option<(&'t str, &'t str)> {
        let escaped = |before: &str| {
            let slashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
            !self.raw && slashes % 2 == 1
        };
        let mut cuts = known
            .match_indices(delimiter)
            .filter_map(|(at, _)| Some((known.get(..at)?, known.get(at + delimiter.len_utf8()..)?)));
        cuts.find(|(before, _)| !escaped(before))
    }

    /// Takes one line off the input.
    fn take(&self, input: &Text) -> Line {
        let delimiter = self.delimiter.unwrap_or('\n');
        let mut line = Text::default();
        // Names that a walk prints, all of the same form: one line stands for all of them.
        let mut names = false;
        let mut pieces = input.pieces.iter();
        while let Some(piece) = pieces.next() {
            let Piece::Text(known) = piece else {
                line.push(piece.clone());
                if is_name_part(piece) && self.count.is_none() {
                    names = true;
                    continue;
                }
                // A hole may hold the end of the line, or several.
                let rest = std::iter::once(piece).chain(pieces).cloned().collect();
                return Line { line, rest: Text { pieces: rest }, ended: Ended::Maybe };
            };
            if let Some(count) = self.count {
                let cut: String = known.chars().take(count).collect();
                let mut rest = Text::literal(known.get(cut.len()..).unwrap_or_default());
                pieces.for_each(|piece| rest.push(piece.clone()));
                let ended = if cut.is_empty() { Ended::No } else { Ended::Yes };
                return Line { line: Text::literal(&cut), rest, ended };
            }
            if let Some((before, after)) = self.cut(known, delimiter) {
                line.push_str(before);
                if names && after.is_empty() && pieces.len() == 0 {
                    return Line { line, rest: input.clone(), ended: Ended::Maybe };
                }
                let mut rest = Text::literal(after);
                pieces.for_each(|piece| rest.push(piece.clone()));
                return Line { line, rest, ended: Ended::Yes };
            }
            line.push_str(known);
        }
        match names {
            true => Line { line, rest: input.clone(), ended: Ended::Maybe },
            false => Line { line, rest: Text::default(), ended: Ended::No },
        }
    }
}

/// Is it nothing but names of files, as a walk prints them? Some of them may be known.
fn are_names(value: &Value) -> bool {
    let one = |text: &Text| {
        text.pieces.iter().all(|piece| match piece {
            Piece::Text(known) => !known.contains('\n'),
            piece => is_name_part(piece),
        })
    };
    let mut pieces = value.any.iter().flat_map(|text| text.pieces.iter());
    pieces.any(is_name_part) && value.any.iter().all(one)
}

/// A text without the end of its last line.
fn one_line(text: &Text) -> Text {
    let mut out = Text::default();
    let last = text.pieces.len().saturating_sub(1);
    for (at, piece) in text.pieces.iter().enumerate() {
        match piece {
            Piece::Text(known) if at == last => out.push_str(known.strip_suffix('\n').unwrap_or(known)),
            other => out.push(other.clone()),
        }
    }
    out
}

/// Is it a part of a file's name, as a walk prints them? Such a part ends no line.
fn is_name_part(piece: &Piece) -> bool {
    matches!(piece, Piece::Glob(_) | Piece::Hole(Hole { source: HoleSource::Output, nonempty: true }))
}

/// Splits a line into at most `count` words; the last keeps the rest.
fn split(line: &str, ifs: &str, count: usize, raw: bool) -> Vec<String> {
    let is_white = |c: char| ifs.contains(c) && matches!(c, ' ' | '\t' | '\n');
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches(is_white);
    while !rest.is_empty() && words.len() + 1 < count {
        let end = rest.find(|c| ifs.contains(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        words.push(unbackslashed(word, raw));
        let after = after.trim_start_matches(is_white);
        let hard = after.chars().next().filter(|c| ifs.contains(*c));
        rest = hard
            .map_or(after, |c| after.get(c.len_utf8()..).unwrap_or_default().trim_start_matches(is_white));
    }
    let rest = last_field(rest.trim_end_matches(is_white), ifs);
    if !rest.is_empty() {
        words.push(unbackslashed(rest, raw));
    }
    words
}

/// The last field without the one separator behind it, where it holds no other.
fn last_field<'l>(rest: &'l str, ifs: &str) -> &'l str {
    let hard = |c: char| ifs.contains(c) && !matches!(c, ' ' | '\t' | '\n');
    match rest.strip_suffix(hard) {
        Some(field) if !field.contains(hard) => field.trim_end_matches(|c| ifs.contains(c)),
        _ => rest,
    }
}

fn unbackslashed(text: &str, raw: bool) -> String {
    if raw || !text.contains('\\') {
        return text.to_owned();
    }
    let mut result = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        // A backslash before the end of a line joins the next one to it.
        result.extend(if c == '\\' { chars.next().filter(|next| *next != '\n') } else { Some(c) });
    }
    result
}

fn source(text: &Text) -> HoleSource {
    let hole = text.pieces.iter().find_map(|piece| match piece {
        Piece::Hole(hole) => Some(hole.source.of_part()),
        _ => None,
    });
    hole.unwrap_or(HoleSource::Input)
}
