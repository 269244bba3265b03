//! Redirections: files are told to the host, contents go through the file table.

use std::ops::Range;

use tollgate_model::Span;

use super::expand::{Fields, Mode};
use super::state::{Descriptor, Descriptors, State};
use super::{Field, Host, Open, OpenMode, Shell};
use crate::ast::{Part, Redirect, RedirectFd, RedirectKind, Word};
use crate::value::{HoleSource, Value};

/// Whether the redirection can fail because of a file.
pub(super) fn opens_file(kind: &RedirectKind) -> bool {
    match kind {
        RedirectKind::Heredoc { .. } | RedirectKind::HereString(_) | RedirectKind::Duplicate { .. } => false,
        RedirectKind::Read(word)
        | RedirectKind::Write(word)
        | RedirectKind::Clobber(word)
        | RedirectKind::Append(word)
        | RedirectKind::ReadWrite(word)
        | RedirectKind::WriteBoth(word)
        | RedirectKind::AppendBoth(word) => match word.parts.as_slice() {
            [Part::Process { .. }] => false,
            // That is always there.
            [Part::Text { text, .. }] => text != "/dev/null",
            _ => true,
        },
    }
}

/// `{name}` takes the first free descriptor from this on.
const NAMED: u32 = 10;

/// The descriptors that a command's redirections replaced.
pub(super) struct Replaced {
    before: Descriptors,
    numbers: Vec<u32>,
    /// The buffers made for them.
    buffers: Range<u32>,
    /// Ways out that were there before.
    pub mark: usize,
}

impl Replaced {
    /// Puts them back. What the command itself opened with `exec` stays.
    pub fn put_back(&self, state: &mut State) {
        if self.numbers.is_empty() {
            return;
        }
        let fds = &mut state.local_mut().fds;
        for number in &self.numbers {
            match self.before.get(number) {
                Some(old) => fds.insert(*number, old.clone()),
                None => fds.remove(number),
            };
        }
        let kept = |open: &Descriptor| open.buffer().is_some_and(|id| self.buffers.contains(&id));
        if !fds.values().any(kept) {
            state.drop_buffers(self.buffers.clone());
        }
    }
}

impl Shell {
    /// Puts the redirections of one command in force, to be put back after it.
    pub(super) fn redirect_for(
        &mut self,
        redirects: &[Redirect],
        host: &mut dyn Host,
    ) -> Option<(Vec<Open>, Replaced)> {
        let (before, first, mark) = (self.state.local.fds.clone(), self.next_buffer, self.jumps.len());
        let opens = self.redirect(redirects, host)?;
        let now = &self.state.local.fds;
        let changed = |fd: &&u32| before.get(fd) != now.get(fd);
        // `{name}<file` stays open.
        let named = redirects.iter().any(|redirect| matches!(redirect.fd, Some(RedirectFd::Name(_))));
        let restored = |fd: &&u32| changed(fd) && !(named && **fd >= NAMED);
        let numbers = before.keys().chain(now.keys()).filter(restored).copied().collect();
        Some((opens, Replaced { before, numbers, buffers: first..self.next_buffer, mark }))
    }

    /// Puts redirections in force. The files opened, or `None` when an expansion ended the shell.
    pub(super) fn redirect(&mut self, redirects: &[Redirect], host: &mut dyn Host) -> Option<Vec<Open>> {
        let mut opens = Vec::new();
        for redirect in redirects {
            self.step(1, redirect.span, host);
            self.redirect_one(redirect, &mut opens, host);
            if self.take_ended() {
                return None;
            }
        }
        Some(opens)
    }

    fn redirect_one(&mut self, redirect: &Redirect, opens: &mut Vec<Open>, host: &mut dyn Host) {
        let free = (NAMED..).find(|fd| !self.state.local.fds.contains_key(fd)).unwrap_or(NAMED);
        let fd = |default| match &redirect.fd {
            Some(RedirectFd::Number(number)) => *number,
            Some(RedirectFd::Name(_)) => free,
            None => default,
        };
        match &redirect.kind {
            RedirectKind::Read(word) => self.open(word, OpenMode::Read, fd(0), redirect, opens, host),
            RedirectKind::Write(word) | RedirectKind::Clobber(word) => {
                self.open(word, OpenMode::Write, fd(1), redirect, opens, host);
            }
            RedirectKind::Append(word) => self.open(word, OpenMode::Append, fd(1), redirect, opens, host),
            RedirectKind::ReadWrite(word) => {
                self.open(word, OpenMode::ReadWrite, fd(0), redirect, opens, host)
            }
            RedirectKind::WriteBoth(word) => self.open_both(word, OpenMode::Write, redirect, opens, host),
            RedirectKind::AppendBoth(word) => self.open_both(word, OpenMode::Append, redirect, opens, host),
            RedirectKind::Duplicate { target, output } => {
                self.duplicate(target, fd(u32::from(*output)), *output, redirect, opens, host);
            }
            RedirectKind::Heredoc { body, .. } => {
                let value = self.expand_value(body, Mode::Plain, host);
                self.feed(fd(0), value);
            }
            RedirectKind::HereString(word) => {
                let value = self.expand_value(word, Mode::Plain, host).concat(&Value::text("\n"));
                self.feed(fd(0), value);
            }
        }
        if let Some(RedirectFd::Name(name)) = &redirect.fd {
            self.assign_scalar(name, Value::text(&free.to_string()), redirect.span, host);
        }
    }

    fn feed(&mut self, fd: u32, value: Value) {
        let id = self.new_buffer(value);
        self.set_descriptor(fd, Descriptor::Here(id));
    }

    fn open_both(
        &mut self,
        word: &Word,
        mode: OpenMode,
        redirect: &Redirect,
        opens: &mut Vec<Open>,
        host: &mut dyn Host,
    ) {
        self.open(word, mode, 1, redirect, opens, host);
        let file = self.descriptor(1);
        self.set_descriptor(2, file);
    }

    fn open(
        &mut self,
        word: &Word,
        mode: OpenMode,
        fd: u32,
        redirect: &Redirect,
        opens: &mut Vec<Open>,
        host: &mut dyn Host,
    ) {
        let path = self.path_field(word, host);
        self.open_path(path, mode, fd, redirect.span, opens, host);
    }

    /// The file name: a word that must come to one field.
    fn path_field(&mut self, word: &Word, host: &mut dyn Host) -> Field {
        let span = self.at(word.span);
        match self.expand_word(word, host) {
            Fields::One(field) => field,
            Fields::Any(lists) => {
                let splits =
                    lists.iter().any(|list| list.len() != 1 || list.iter().any(|field| field.splits));
                let values = lists.into_iter().flatten().map(|field| field.value);
                let value = values.reduce(|left, right| left.union(&right)).unwrap_or_else(Value::empty);
                Field { value, span, splits }
            }
        }
    }

    fn open_path(
        &mut self,
        path: Field,
        mode: OpenMode,
        fd: u32,
        span: Span,
        opens: &mut Vec<Open>,
        host: &mut dyn Host,
    ) {
        let open = Open {
            path,
            mode,
            fd,
            span: self.at(span),
            background: self.context.background > 0,
            conditional: self.context.conditional,
        };
        let stored = if mode == OpenMode::Write { None } else { self.stored(&open.path.value) };
        let read = host.open(&open, self);
        let resolved = self.resolve(&open.path.value);
        let content = match stored {
            Some(written) if written.certain => Some(written.value),
            Some(written) => Some(read.map_or(written.value.clone(), |value| value.union(&written.value))),
            None => read,
        };
        let reads = matches!(mode, OpenMode::Read | OpenMode::ReadWrite);
        let buffer = reads.then(|| {
            let unknown = || Value::unknown(HoleSource::Output).with_taint(open.path.value.taint);
            self.new_buffer(content.clone().unwrap_or_else(unknown))
        });
        match mode {
            OpenMode::Write => self.put(&resolved, &Value::empty(), false),
            OpenMode::Append => {
                if let Some(content) = content {
                    self.put(&resolved, &content, false);
                }
            }
            OpenMode::Read | OpenMode::ReadWrite => {}
        }
        self.set_descriptor(
            fd,
            Descriptor::File {
                path: resolved,
                buffer,
                write: mode != OpenMode::Read,
                over: mode == OpenMode::ReadWrite,
            },
        );
        opens.push(open);
    }

    /// A descriptor of the script's own, among the texts that a value may be.
    fn known_descriptor(&self, value: &Value) -> Option<u32> {
        let numbers = value.literals().filter_map(|text| text.trim_end_matches('-').parse::<u32>().ok());
        numbers.into_iter().find(|number| self.state.local.fds.contains_key(number))
    }

    /// Opens the files that a word may name besides numbers.
    fn open_named(
        &mut self,
        target: &Field,
        output: bool,
        fd: u32,
        span: Span,
        opens: &mut Vec<Open>,
        host: &mut dyn Host,
    ) {
        let is_file = |text: &&str| text.trim_end_matches('-').parse::<u32>().is_err() && !text.is_empty();
        let files: Vec<Value> = target.value.literals().filter(is_file).map(Value::text).collect();
        let mode = if output { OpenMode::Write } else { OpenMode::Read };
        for value in files {
            self.open_path(Field { value, ..target.clone() }, mode, fd, span, opens, host);
        }
    }

    fn duplicate(
        &mut self,
        target: &Word,
        fd: u32,
        output: bool,
        redirect: &Redirect,
        opens: &mut Vec<Open>,
        host: &mut dyn Host,
    ) {
        let target = self.path_field(target, host);
        match target.value.as_literal() {
            Some("-") => self.set_descriptor(fd, Descriptor::Closed),
            Some(text) => {
                let moved = text.strip_suffix('-').unwrap_or(text);
                match moved.parse::<u32>() {
                    Ok(number) => {
                        let descriptor = self.descriptor(number);
                        self.set_descriptor(fd, descriptor);
                        if moved.len() < text.len() {
                            self.set_descriptor(number, Descriptor::Closed);
                        }
                    }
                    // `>& word` with a word that is no number opens a file.
                    Err(_) => {
                        let mode = if output { OpenMode::Write } else { OpenMode::Read };
                        self.open_path(target.clone(), mode, fd, redirect.span, opens, host);
                        if output && fd == 1 {
                            let file = self.descriptor(1);
                            self.set_descriptor(2, file);
                        }
                    }
                }
            }
            None if self.known_descriptor(&target.value).is_some() => {
                // Where the variable of `{name}>file` may not have been set, it is that descriptor or none.
                let number = self.known_descriptor(&target.value).unwrap_or(fd);
                self.open_named(&target, output, fd, redirect.span, opens, host);
                let descriptor = self.descriptor(number);
                self.set_descriptor(fd, descriptor);
            }
            None => {
                // A number or a file name that is not known: told to the host as a file.
                let mode = if output { OpenMode::Write } else { OpenMode::Read };
                self.open_path(target, mode, fd, redirect.span, opens, host);
            }
        }
    }
}
