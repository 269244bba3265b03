//! `mapfile`: all lines of known input into an array.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::state::Flow;
use super::super::{Field, Host, Shell};
use crate::value::{HoleSource, Text, Value};

/// The options of `mapfile`.
#[derive(Default)]
struct Request<'a> {
    trims: bool,
    delimiter: Option<char>,
    /// How many lines are taken; zero for all.
    count: usize,
    skipped: usize,
    /// Some number is not known, or the array keeps what it holds elsewhere.
    partly: bool,
    fd: u32,
    callback: Option<Value>,
    array: Option<&'a str>,
    /// It may end before anything is read: an option that there is not, or no such descriptor.
    doubtful: bool,
}

impl Shell {
    pub(super) fn builtin_mapfile(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let request = Request::of(args);
        if let Some(callback) = &request.callback {
            // It is given the index and the line.
            let words = Value::joined([callback, &Value::something(HoleSource::Input)], " ");
            let words = Value::joined([&words, &Value::unknown(HoleSource::Input)], " ");
            self.run_aside(&words, span, host);
        }
        let name = request.array.unwrap_or("MAPFILE");
        let doubtful = request.doubtful || !self.is_target(name);
        let entry = doubtful.then(|| self.state.clone());
        self.run_hidden(&Value::text(name), span, host);
        let input = self.state.input(request.fd).cloned();
        let input = input.unwrap_or_else(|| Value::unknown(HoleSource::Input));
        let lines = input.as_literal().filter(|_| !request.partly).map(|text| request.lines(text));
        self.bind_array(name, lines, &input);
        if let Some(id) = self.state.input_buffer(request.fd) {
            let mut left = input.map(|text| request.left(text));
            if request.partly && !input.is_empty() {
                left = left.union(&Value::unknown(HoleSource::Input).with_taint(input.taint));
            }
            self.state.buffers_mut().insert(id, Rc::new(left));
        }
        let flow = self.either();
        match entry {
            Some(entry) => self.join_flows(flow, Flow::both(entry), &*host),
            None => flow,
        }
    }
}

impl<'a> Request<'a> {
    fn of(args: &'a [Field]) -> Self {
        let mut request = Self::default();
        let mut rest = args.iter();
        while let Some(field) = rest.next() {
            let Some(word) = field.value.as_literal() else {
                request.partly = true;
                continue;
            };
            match word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                Some("-") => {}
                Some(letters) => request.options(letters, &mut rest),
                None => request.array = request.array.or(Some(word)),
            }
        }
        request
    }

    /// Letters behind one dash; the first that takes an operand takes what follows it, or the next word.
    fn options(&mut self, letters: &str, rest: &mut std::slice::Iter<'a, Field>) {
        for (at, letter) in letters.char_indices() {
            if letter == 't' {
                self.trims = true;
                continue;
            }
            let attached = letters.get(at + letter.len_utf8()..).filter(|text| !text.is_empty());
            let operand = attached.map(Value::text).or_else(|| rest.next().map(|field| field.value.clone()));
            self.option(letter, operand.unwrap_or_else(Value::empty));
            return;
        }
    }

    fn option(&mut self, letter: char, operand: Value) {
        let text = operand.as_literal();
        match letter {
            'C' => self.callback = Some(operand),
            'd' => self.delimiter = text.map(|text| text.chars().next().unwrap_or('\0')),
            'u' => {
                let fd = text.and_then(|text| text.parse().ok());
                self.doubtful |= fd.is_none();
                self.fd = fd.unwrap_or_default();
            }
            'n' | 's' => {
                let number = text.and_then(|text| text.parse().ok());
                self.partly |= number.is_none();
                let place = if letter == 'n' { &mut self.count } else { &mut self.skipped };
                *place = number.unwrap_or_default();
            }
            'O' => self.partly = true,
            'c' => {}
            _ => self.doubtful = true,
        }
    }

    /// What is not taken.
    fn left(&self, text: &Text) -> Text {
        match text.as_literal() {
            _ if self.count == 0 && !self.partly => Text::default(),
            Some(known) if !self.partly => {
                let lines = known.split_inclusive(self.delimiter.unwrap_or('\n'));
                Text::literal(&lines.skip(self.skipped.saturating_add(self.count)).collect::<String>())
            }
            _ => text.clone(),
        }
    }

    fn lines(&self, text: &str) -> Vec<String> {
        let delimiter = self.delimiter.unwrap_or('\n');
        let count = if self.count == 0 { usize::MAX } else { self.count };
        let cut = |line: &str| match self.trims {
            true => line.strip_suffix(delimiter).unwrap_or(line).to_owned(),
            false => line.to_owned(),
        };
        text.split_inclusive(delimiter).skip(self.skipped).take(count).map(cut).collect()
    }
}
