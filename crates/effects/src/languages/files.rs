//! What programs do with files.

use std::rc::Rc;

use tollgate_model::{FileKind, WriteMode};
use tollgate_shell::value::{Piece, Text, Value};

use super::machine::Machine;
use super::ops::Op;
use super::output::is_peer;
use super::pure;
use super::value::{Args, Val};
use crate::analyst::taint;
use crate::commands;
use crate::word::Word;

/// The longest path that a system opens.
pub(super) const PATH: usize = 4096;

impl Machine<'_, '_, '_> {
    pub fn files(&mut self, op: Op, args: &Args) -> Val {
        let first = args.at(0, &["path", "file", "filename", "src", "name", "pathname", "dir", "files"]);
        match op {
            Op::Delete | Op::DeleteTree | Op::DeleteMaybe => self.delete(op, first, args),
            Op::LinkTo => {
                self.transfer(Op::Link, &args.at(1, &["target"]), &first);
                Val::unknown()
            }
            Op::Copy if is_remote(&first) => self.network(Op::Download, args),
            Op::Copy if is_remote(&args.at(1, &[])) || is_peer(&args.at(1, &[])) => {
                let content = Val::Text(self.read(&first));
                self.sends_to(&args.at(1, &[]), content)
            }
            Op::Read | Op::Lines | Op::ReadAll if is_remote(&first) => self.network(Op::Fetch, args),
            Op::Write | Op::Append if is_remote(&first) => self.sends_to(&first, args.at(1, &["data"])),
            Op::Move | Op::Copy | Op::CopyTree | Op::Link => {
                let target = args.at(1, &["dst", "dest", "target", "destination"]);
                self.transfer(op, &first, &target);
                self.callbacks(args);
                target
            }
            Op::Extract(at) => {
                let folder =
                    ["cwd", "C", "dir", "path", "extract_dir"].iter().find_map(|name| args.option(name));
                self.unpacks(folder.or(args.get(at)).cloned());
                self.callbacks(args);
                Val::unknown()
            }
            Op::ChangeDir => {
                self.run.shell.set_cwd(&first.as_text());
                self.callbacks(args);
                Val::unknown()
            }
            Op::DeleteSelf => match (&first, args.list.len()) {
                (Val::Text(_), 1) => self.delete(Op::Delete, first, args),
                _ => Val::Unknown(args.taint()),
            },
            Op::OpenSecond => self.open(&args.at(1, &[]), &args.at(2, &[]), args),
            Op::Open => self.open(&first, &args.at(1, &["mode", "flags"]), args),
            Op::Create => {
                let append =
                    args.option("flags").and_then(Val::literal).is_some_and(|flags| flags.starts_with('a'));
                self.open(&first, &Val::text(if append { "a" } else { "w" }), args)
            }
            Op::OpenHandle => self.open_handle(args),
            Op::ReadOr(path) => {
                Val::Text(self.read(&args.get(0).cloned().unwrap_or_else(|| self.home_path(path))))
            }
            Op::ReadAll => {
                let read = args.list.iter().map(|path| self.read(path));
                Val::Text(read.reduce(|all, next| all.union(&next)).unwrap_or_else(Value::empty))
            }
            Op::Read | Op::Lines => self.read_op(op, &first, args),
            Op::Write | Op::Append | Op::Truncate | Op::MakeDir | Op::Touch => {
                self.write_op(op, &first, args)
            }
            Op::Permission | Op::PermissionOf(_) => self.permissions(op, &first, args),
            _ => self.listed(op, &first, args),
        }
    }

    /// Sends content to an address, or on a connection.
    fn sends_to(&mut self, peer: &Val, content: Val) -> Val {
        match peer {
            Val::Text(_) => self.network(Op::Post, &Args::of(vec![peer.clone(), content])),
            _ => self.send_to_peer("send", Args::of(vec![content])),
        }
    }

    /// Reads a file: its text, or its lines.
    fn read_op(&mut self, op: Op, path: &Val, args: &Args) -> Val {
        let content = self.read(path);
        if args.option("inplace").is_some_and(Val::is_true) {
            self.write(path, WriteMode::Edit, None);
            self.replaced.push((path.clone(), self.printed.clone()));
        }
        for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(function, &Args::of(vec![Val::unknown(), Val::Text(content.clone())]));
        }
        match op {
            Op::Lines => pure::apply(pure::Pure::Lines, &Args::of(vec![Val::Text(content)])),
            _ => Val::Text(content),
        }
    }

    /// Makes or changes what a path names.
    fn write_op(&mut self, op: Op, path: &Val, args: &Args) -> Val {
        match op {
            Op::Truncate => {
                let nothing = args.get(1).is_none_or(|length| matches!(length, Val::Int(0)));
                self.write(path, WriteMode::Overwrite, nothing.then(Value::empty).as_ref());
            }
            Op::MakeDir => {
                for word in self.paths(path) {
                    self.run.analyst.make_dir(&word, self.run.shell);
                }
            }
            Op::Touch => {
                for word in self.paths(path) {
                    self.run.analyst.alter(&word, false, self.run.shell);
                }
            }
            _ => {
                let content = args.at(1, &["data", "content", "contents"]).as_text();
                let append = op == Op::Append || is_append(args);
                let mode = if append { WriteMode::Append } else { WriteMode::Overwrite };
                self.write(path, mode, Some(&content));
                self.callbacks(args);
                return Val::name("None");
            }
        }
        Val::unknown()
    }

    fn delete(&mut self, op: Op, first: Val, args: &Args) -> Val {
        // .NET says it by a truth behind the path.
        let said = |value: &Val| matches!(value, Val::Name(_)) && value.is_true();
        let asked =
            args.option("recursive").is_some_and(|value| value.is_true() || matches!(value, Val::Unknown(_)))
                || self.syntax.flat && args.list.iter().skip(1).any(said);
        let deep = op == Op::DeleteTree || (op == Op::DeleteMaybe && asked);
        let is_path = |(at, value): &(usize, &Val)| {
            let truth =
                matches!(value, Val::Name(name) if matches!(&**name, "true" | "false" | "True" | "False"));
            // What comes first is what is deleted, whatever it is; options follow.
            let option = matches!(value, Val::Table(_)) && *at > 0;
            !truth && !option && !matches!(value, Val::Function(_) | Val::Int(_))
        };
        let all = if args.list.is_empty() {
            vec![first]
        } else {
            args.list.iter().enumerate().filter(is_path).map(|(_, value)| value.clone()).collect()
        };
        for value in all {
            for word in self.paths(&value) {
                self.run.analyst.delete(&word, deep, self.run.shell);
            }
        }
        self.callbacks(args);
        Val::name("None")
    }

    fn permissions(&mut self, op: Op, first: &Val, args: &Args) -> Val {
        let Op::PermissionOf(deep) = op else {
            self.permission(first, &shown_mode(&args.at(1, &["mode"])), false);
            return Val::unknown();
        };
        let to = args.get(0).map(shown_mode).unwrap_or_default();
        let is_path = |value: &&Val| !matches!(value, Val::Table(_) | Val::Int(_));
        for value in args.list.iter().skip(1).filter(is_path) {
            self.permission(value, &to, deep);
        }
        Val::unknown()
    }

    fn transfer(&mut self, op: Op, from: &Val, to: &Val) {
        let targets = self.paths(to);
        for source in self.paths(from) {
            let content = if op == Op::Move {
                let content = self.run.analyst.script(&source, self.run.shell);
                let single = self.run.analyst.places(&source, self.run.shell).iter().all(|(place, _)| {
                    !place.pattern && self.run.analyst.world.kind(&place.path) == FileKind::File
                });
                self.run.analyst.move_away(&source, !single, &targets, self.run.shell);
                content
            } else {
                Some(self.run.analyst.read(&source, op == Op::CopyTree, self.run.shell))
            };
            for target in &targets {
                self.run.analyst.write(target, WriteMode::Overwrite, content.as_ref(), self.run.shell);
                if op == Op::Link && target.literal().is_none() && self.linked.len() < 16 {
                    self.linked.push((target.text.clone(), source.text.clone()));
                }
                if op == Op::Move {
                    self.moved(&source, target);
                }
                if op == Op::Link {
                    commands::files::remember_link(self.run, target, &source, true);
                }
            }
        }
    }

    /// What lies behind the new name from now on came from the old one, and goes with it.
    fn moved(&mut self, source: &Word, target: &Word) {
        let shell = &*self.run.shell;
        let Some(name) = shell.resolve(&target.value()).as_literal().map(str::to_owned) else { return };
        for original in &shell.resolve(&source.value()).any {
            self.run.analyst.links.moved(&name, original);
        }
    }

    /// Each word that a value may be as a path, lists taken apart.
    fn paths(&mut self, value: &Val) -> Vec<Word> {
        let texts: Vec<Value> = match value {
            Val::List(list) => list.items.iter().map(Val::as_text).collect(),
            Val::File(handle) => vec![handle.path.clone()],
            other => vec![other.as_text()],
        };
        let mut words = Vec::new();
        for value in texts {
            // No system opens a longer path.
            for text in value.any.iter().filter(|text| text.bytes() <= PATH).take(64) {
                if !self.act() {
                    return words;
                }
                // A line that names a file is read without its end.
                let line = text.has_globs().then(|| text.trim_newlines());
                let text = self.at_home(line.as_ref().unwrap_or(text));
                let text = self.through_link(text);
                words.push(self.word(&text, value.taint));
            }
        }
        words
    }

    /// A path that may begin with `~/`.
    fn home_path(&self, path: &str) -> Val {
        match path.strip_prefix("~/") {
            Some(rest) => Val::text(&format!("{}/{rest}", self.run.analyst.world.home())),
            None => Val::text(path),
        }
    }

    /// Some of the languages that are read flat expand `~`; the others would fail.
    fn at_home(&self, text: &Text) -> Text {
        let prefix = text.prefix();
        if !self.syntax.flat || !(text.as_literal() == Some("~") || prefix.starts_with("~/")) {
            return text.clone();
        }
        let mut full = Text::literal(self.run.analyst.world.home());
        full.append(&self.word(text, tollgate_shell::value::Taint::NONE).from(1).text);
        full
    }

    /// A path below a link whose name is not known, by where the link leads.
    fn through_link(&self, text: Text) -> Text {
        let below = |(link, target): &(Text, Text)| {
            let rest = text.pieces.strip_prefix(link.pieces.as_slice())?;
            let inside = matches!(rest.first(), Some(Piece::Text(next)) if next.starts_with('/'));
            inside.then(|| {
                let mut full = target.clone();
                rest.iter().for_each(|piece| full.push(piece.clone()));
                full
            })
        };
        self.linked.iter().rev().find_map(below).unwrap_or(text)
    }

    /// What reading a file yields.
    pub fn read(&mut self, path: &Val) -> Value {
        if let Some(address) = path.literal().filter(|text| text.contains("://")) {
            return self.network(Op::Fetch, &Args::of(vec![Val::text(&address)])).as_text();
        }
        let mut content: Option<Value> = None;
        for word in self.paths(path) {
            let shown = word.shown();
            if matches!(shown.as_str(), "/dev/stdin" | "php://stdin" | "-") || word.is("0") {
                return self.around.input.as_text();
            }
            if !self.files.contains(&shown) && self.files.len() < 64 {
                self.files.push(shown);
            }
            let mut next = self.run.analyst.read(&word, false, self.run.shell);
            // What may be run as code is looked at.
            let suffixes = [
                ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".pm", ".php", ".lua", ".sh", ".bash",
                ".R", ".jl", ".ps1",
            ];
            if !next.is_known() && suffixes.iter().any(|suffix| word.text.suffix().ends_with(suffix)) {
                next = self
                    .run
                    .analyst
                    .script(&word, self.run.shell)
                    .map_or(next, |text| text.with_taint(taint::FILE));
            }
            content = Some(content.map_or(next.clone(), |all| all.union(&next)));
        }
        content.unwrap_or_else(|| Value::output(path.taint().union(taint::FILE)))
    }

    pub fn write(&mut self, path: &Val, mode: WriteMode, content: Option<&Value>) {
        self.leaks(content.map(|content| content.taint).unwrap_or_default());
        self.grown += 1;
        let fetched = content.is_some_and(|content| taint::has(content.taint, taint::NET));
        for word in self.paths(path) {
            if fetched && word.literal().is_none() && self.fetched.len() < 16 {
                self.fetched.push(word.text.clone());
            }
            self.run.analyst.write(&word, mode, content, self.run.shell);
        }
    }

    /// Files are emptied, whatever goes into them later.
    pub fn cut(&mut self, path: &Val) {
        for word in self.paths(path) {
            self.run.analyst.cut(&word, self.run.shell);
        }
    }

    /// A file that everything printed goes into is empty when nothing is.
    pub fn emptied(&mut self, from: usize) {
        let ended = self.replaced.split_off(from.min(self.replaced.len()));
        for (path, before) in ended {
            if self.printed == before && !self.strange {
                self.cut(&path);
            }
        }
    }

    /// Files are opened to be written anew, and are empty until something is written.
    pub fn reopen(&mut self, path: &Val) {
        for word in self.paths(path) {
            if let Some(all) = self.run.analyst.reopen(&word) {
                self.run.shell.write_file(&all.value(), &Value::empty(), false);
            }
        }
    }

    fn permission(&mut self, path: &Val, to: &str, deep: bool) {
        for word in self.paths(path) {
            self.run.analyst.permission(&word, to, deep, self.run.shell);
        }
    }

    /// The same, each of them handed to the functions that were given for it.
    fn listed(&mut self, op: Op, first: &Val, args: &Args) -> Val {
        let names = self.listing(op, first, args);
        let below = matches!(op, Op::GlobBelow | Op::GlobDeep | Op::Glob | Op::GlobHome);
        let symbol = |value: &Val| {
            self.syntax.bare_calls && args.list.len() == 2 && op == Op::GlobBelow && value.literal().is_some()
        };
        let called: Vec<Val> = args
            .list
            .iter()
            .skip(1)
            .filter(|value| below && (matches!(value, Val::Function(_)) || symbol(value)))
            .cloned()
            .collect();
        for function in called {
            self.apply_to(&function, &names.item());
        }
        names
    }
}

/// The text with `*`, `?` and `[…]` as patterns.
pub(super) fn glob(text: &Text) -> Text {
    let mut out = Text::default();
    for piece in &text.pieces {
        let Piece::Text(known) = piece else {
            out.push(piece.clone());
            continue;
        };
        let mut rest: &str = known;
        while let Some(at) = rest.find(['*', '?', '[']) {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            let length = match after.find(']') {
                Some(close) if after.starts_with('[') => close + 1,
                _ => after.len() - after.trim_start_matches(['*', '?']).len(),
            };
            let (pattern, after) = after.split_at_checked(length.max(1)).unwrap_or((after, ""));
            out.push(Piece::Glob(Rc::from(if pattern.starts_with("**") { "*" } else { pattern })));
            rest = after;
        }
        out.push_str(rest);
    }
    out
}

fn is_append(args: &Args) -> bool {
    let flag = args.option("flag").and_then(Val::literal).is_some_and(|flag| flag.starts_with('a'));
    flag || args.list.iter().skip(2).any(|value| matches!(value, Val::Name(name) if name.contains("APPEND")))
        || args.option("append").is_some_and(Val::is_true)
}

fn shown_mode(value: &Val) -> String {
    match value {
        Val::Int(mode) => format!("{mode:o}"),
        other => other.literal().unwrap_or_else(|| "?".to_owned()),
    }
}

/// Is it the address of something on another machine?
fn is_remote(path: &Val) -> bool {
    let schemes = ["http://", "https://", "ftp://", "ftps://", "ssh2.sftp://"];
    let remote = |text: &Text| schemes.iter().any(|scheme| text.prefix().starts_with(scheme));
    matches!(path, Val::Text(text) if text.any.iter().any(remote))
}
