//! Compares what this crate sees in the Python texts of all cases with what `tollgate-effects` sees in them.
//!
//! Each text that a case hands to Python (`-c`, standard input, a written `.py` file) is run both ways: as `python3 -c TEXT`
//! by `effects`, and by the machine with a host that hands commands to `effects` and notes everything else as a key:
//! `delete /home/user`. What `effects` alone concludes from calls of libraries (databases, clouds, services) is told to the
//! host by the machine as calls, so it is counted apart.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic, reason = "a tool for developers")]

#[path = "../../pipeline/tests/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tollgate_code::facts::{Act, Data, Fact, Host, Language, Marks, Origin, Program, Why};
use tollgate_code::holes::Source;
use tollgate_code::run;
use tollgate_model::json::parse;
use tollgate_model::{CodeSource, Effect, EffectKind, EnvUse, StillWorld};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Call, Note, Open, Outcome, Shell, Status};
use tollgate_shell::value::{HoleSource, Piece, Taint, Text, Value};

const STACK: usize = 256 << 20;
const FOLDER: &str = "/home/user/project";
const HOME: &str = "/home/user";

fn main() {
    std::thread::Builder::new().stack_size(STACK).spawn(compare).unwrap().join().unwrap();
}

fn compare() {
    let only = std::env::args().nth(1);
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (id, tool, call) in cases(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../pipeline/tests/cases")))
    {
        for text in texts_of(&tool, &call) {
            texts.entry(text).or_insert_with(|| id.clone());
        }
    }
    let world = support::world();
    let mut tally = Tally::default();
    for (text, id) in &texts {
        if only.as_ref().is_some_and(|only| only != id) {
            continue;
        }
        let old = keys(&effects_of(&format!("python3 -c {}", quoted(text)), &world));
        let mut bridge = Bridge {
            world: &world,
            keys: BTreeSet::new(),
            files: BTreeMap::new(),
            folder: FOLDER.into(),
            fresh: 0,
            fuel: 0,
        };
        run(&program(text), &mut bridge);
        tally.add(id, text, &old, &bridge.keys, only.is_some());
    }
    tally.print(texts.len());
}

/// Every case in a folder and those below it: its id, its tool and its call.
fn cases(folder: &Path) -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            all.extend(cases(&path));
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            for line in std::fs::read_to_string(&path).unwrap().lines().filter(|line| !line.is_empty()) {
                let case = parse(line.as_bytes()).unwrap_or_else(|_| panic!("{}: {line}", path.display()));
                let text = |name: &str| case.text(name).unwrap_or_default().to_owned();
                let tool = if text("tool").is_empty() { "Shell".to_owned() } else { text("tool") };
                all.push((text("id"), tool, text("call")));
            }
        }
    }
    all
}

#[derive(Default)]
struct Tally {
    same: usize,
    covers: usize,
    missing: BTreeMap<String, usize>,
    extra: BTreeMap<String, usize>,
    differ: usize,
}

impl Tally {
    fn add(&mut self, id: &str, text: &str, old: &BTreeSet<String>, new: &BTreeSet<String>, verbose: bool) {
        let judged = |key: &&String| !key.starts_with("host ");
        let missing: Vec<&String> = old.iter().filter(judged).filter(|key| !new.contains(*key)).collect();
        let module = |key: &&String| !(key.starts_with("read ") && key.ends_with(".py"));
        let extra: Vec<&String> =
            new.iter().filter(judged).filter(module).filter(|key| !old.contains(*key)).collect();
        self.same += usize::from(missing.is_empty() && extra.is_empty());
        self.covers += usize::from(missing.is_empty());
        let verb = |key: &str| key.split(' ').next().unwrap_or_default().to_owned();
        missing.iter().for_each(|key| *self.missing.entry(verb(key)).or_default() += 1);
        extra.iter().for_each(|key| *self.extra.entry(verb(key)).or_default() += 1);
        if !missing.is_empty() || verbose {
            self.differ += 1;
            println!("== {id}\n{}", text.chars().take(700).collect::<String>());
            missing.iter().for_each(|key| println!("  - {key}"));
            extra.iter().for_each(|key| println!("  + {key}"));
        }
    }

    fn print(&self, all: usize) {
        println!(
            "{all} texts: {} the same, {} more in which nothing is missing, {} in which something is",
            self.same,
            self.covers - self.same,
            all - self.covers
        );
        println!("missing: {:?}\nadded: {:?}", self.missing, self.extra);
    }
}

fn program(text: &str) -> Program {
    Program {
        language: Language::Python,
        source: Source::new(&Text::literal(text), Taint::NONE),
        origin: Origin::Inline,
        file: None,
        args: Vec::new(),
        input: Value::unknown(HoleSource::Input),
        only_loaded: false,
        folders: Vec::new(),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn effects_of(command: &str, world: &StillWorld) -> Vec<Effect> {
    tollgate_effects::analyse(&support::case("Shell", command), world)
}

/// The texts that a case hands to Python.
fn texts_of(tool: &str, call: &str) -> Vec<String> {
    if tool == "Write" {
        let (path, text) = call.split_once('\n').unwrap_or_default();
        return if path.ends_with(".py") { vec![text.to_owned()] } else { Vec::new() };
    }
    if tool != "Shell" || !call.contains("py") {
        return Vec::new();
    }
    let mut finder = Finder { texts: Vec::new() };
    Shell::new(Dialect::Bash, Some(FOLDER)).run(call, &mut finder);
    finder.texts
}

/// Runs a command of a case, and keeps what it hands to Python.
struct Finder {
    texts: Vec<String>,
}

impl tollgate_shell::eval::Host for Finder {
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        let words: Vec<Option<&str>> = call.argv.iter().map(|field| field.value.as_literal()).collect();
        let name = words.first().copied().flatten().unwrap_or_default();
        if name.rsplit('/').next().unwrap_or_default().starts_with("python") {
            let inline = words
                .iter()
                .position(|word| *word == Some("-c"))
                .and_then(|at| words.get(at + 1).copied().flatten());
            let script = words.get(1).copied().flatten().filter(|word| word.ends_with(".py"));
            let written = script.and_then(|path| shell.file(&Value::text(path)));
            let written = written.and_then(|file| file.value.as_literal().map(str::to_owned));
            let piped = call
                .stdin
                .value
                .as_ref()
                .and_then(Value::as_literal)
                .filter(|_| words.len() < 3 && script.is_none());
            self.texts.extend(inline.map(str::to_owned).or(written).or(piped.map(str::to_owned)));
        }
        Outcome { stdout: Value::unknown(HoleSource::Output), status: Status::Either }
    }

    fn open(&mut self, _: &Open, _: &mut Shell) -> Option<Value> {
        None
    }

    fn note(&mut self, _: Note) {}

    fn is_dir(&self, _: &str) -> Option<bool> {
        None
    }

    fn environment(&self, _: &str) -> Option<String> {
        None
    }

    fn home_of(&self, _: &str) -> Option<String> {
        Some(HOME.to_owned())
    }
}

/// Effects as keys.
fn keys(effects: &[Effect]) -> BTreeSet<String> {
    let keys = effects.iter().filter_map(|effect| key(&effect.kind));
    // Where nothing is known of a path, it is empty there.
    keys.map(|key| if key.ends_with(' ') { format!("{key}*") } else { key }).collect()
}

fn key(kind: &EffectKind) -> Option<String> {
    Some(match kind {
        EffectKind::Read { place, .. } => format!("read {}", place.path),
        EffectKind::Write { place, .. } | EffectKind::Device { place } => format!("write {}", place.path),
        EffectKind::Delete { place, .. } => format!("delete {}", place.path),
        EffectKind::Permission { place, .. } => format!("mode {}", place.path),
        EffectKind::Net { host, .. } => format!("net {host}"),
        EffectKind::Exec { source: CodeSource::Literal, program, .. } => {
            if program.starts_with("python") {
                return None;
            } else {
                format!("run {program}")
            }
        }
        EffectKind::Exec { source, .. } => format!("code {source:?}"),
        EffectKind::EnvRead { what: EnvUse::All } => "env *".to_owned(),
        EffectKind::EnvRead { what: EnvUse::Used(names) } => format!("env {}", names.join(" ")),
        EffectKind::EnvRead { .. } => "host EnvRead".to_owned(),
        EffectKind::Process { action, .. } => format!("kill {}", action.name()),
        EffectKind::Opaque { .. } => "opaque".to_owned(),
        EffectKind::Alter { .. } => return None,
        other => format!("host {}", format!("{other:?}").split([' ', '{']).next().unwrap_or_default()),
    })
}

/// The machine's host: commands go to `effects`, everything else becomes a key.
struct Bridge<'w> {
    world: &'w StillWorld,
    keys: BTreeSet<String>,
    files: BTreeMap<String, Value>,
    folder: String,
    fresh: u32,
    fuel: usize,
}

impl Bridge<'_> {
    fn path_keys(&mut self, verb: &str, path: &Value) {
        for text in &path.any {
            self.keys.insert(format!("{verb} {}", self.normal(text)));
        }
    }

    /// A path, absolute and normal; whatever is not known is `*`.
    fn normal(&self, text: &Text) -> String {
        let mut shown = String::new();
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) | Piece::Glob(known) => shown.push_str(known),
                Piece::Hole(_) => shown.push('*'),
            }
        }
        if matches!(text.pieces.first(), Some(Piece::Hole(_))) {
            return "*".to_owned();
        }
        let whole = if shown.starts_with('/') { shown } else { format!("{}/{shown}", self.folder) };
        let mut parts: Vec<&str> = Vec::new();
        for part in whole.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    }

    fn shell(&mut self, command: &str) -> Value {
        let there = if self.folder == FOLDER {
            command.to_owned()
        } else {
            format!("cd {} && {{ {command}\n}}", quoted(&self.folder))
        };
        let mut whole = String::new();
        for (path, content) in self.files.iter().take(4) {
            if let Some(content) = content.as_literal() {
                whole.push_str(&format!("printf %s {} > {}\n", quoted(content), quoted(path)));
            }
        }
        whole.push_str(&there);
        let mut found = keys(&effects_of(&whole, self.world));
        if whole.len() > there.len() {
            found.remove("run printf");
        }
        self.keys.extend(found);
        Value::unknown(HoleSource::Output)
    }

    fn content(&self, path: &Value) -> Value {
        let written = path.single().and_then(|text| self.files.get(&self.normal(text)));
        written.cloned().unwrap_or_else(|| Value::output(Taint(8)))
    }
}

impl Bridge<'_> {
    fn add(&mut self, key: String) {
        self.keys.insert(key);
    }

    /// The network, processes and code.
    fn note_other(&mut self, act: &Act) -> Value {
        match act {
            Act::Request { address, .. } => {
                address.any.iter().for_each(|text| self.add(format!("net {}", host_of(&text.to_string()))));
                return Value::output(Taint(1));
            }
            Act::Connect { address } => {
                let host = match address {
                    Data::Text(text) => text.to_string(),
                    Data::List(items, _) => match items.first() {
                        Some(Data::Text(text)) => text.to_string(),
                        _ => "*".into(),
                    },
                    _ => "*".into(),
                };
                self.keys.insert(format!("net {}", host_of(&host)));
                return Value::output(Taint(1));
            }
            Act::Send { peer, .. } => {
                let host = peer.as_ref().map(ToString::to_string).unwrap_or_default();
                self.keys.insert(format!("net {}", host_of(&host)));
            }
            Act::Resolve { name } => self.add(format!("net {}", host_of(&name.to_string()))),
            Act::Signal { signal, .. } => {
                let signal = signal
                    .as_ref()
                    .map_or_else(|| "TERM".into(), |signal| signal.as_literal().unwrap_or("?").to_owned());
                self.keys.insert(format!("kill {signal}"));
            }
            Act::Exhaust { .. } => self.add("kill fork-bomb".into()),
            Act::PowerOff => self.add("kill power".into()),
            Act::Dynamic { taint, .. } => {
                let source = match taint.0 & 0xff {
                    bits if bits & 1 != 0 => CodeSource::Downloaded,
                    bits if bits & 2 != 0 => CodeSource::Decoded,
                    bits if bits & 8 != 0 => CodeSource::File,
                    _ => CodeSource::Variable,
                };
                self.keys.insert(format!("code {source:?}"));
            }
            Act::Opaque { why } if *why != Why::Unread => self.add("opaque".into()),
            _ => {}
        }
        Value::empty()
    }
}

impl Host for Bridge<'_> {
    fn note(&mut self, fact: Fact) -> Value {
        match &fact.act {
            Act::Read { path, .. } => {
                self.path_keys("read", path);
                return self.content(path);
            }
            Act::Open { path, .. } | Act::LoadEnvironment { path } => self.path_keys("write", path),
            Act::Write { path, content, .. } => {
                self.path_keys("write", path);
                if let (Some(text), Some(content)) = (path.single(), content) {
                    let path = self.normal(text);
                    self.files.insert(path, content.clone());
                }
            }
            Act::Delete { path, .. } => self.path_keys("delete", path),
            Act::Move { from, to } => {
                self.path_keys("delete", from);
                self.path_keys("write", to);
            }
            Act::Copy { from, to, .. } | Act::Link { target: from, name: to } => {
                self.path_keys("read", from);
                self.path_keys("write", to);
            }
            Act::Mode { path, .. } => self.path_keys("mode", path),
            Act::ChangeFolder { path } => {
                if let Some(text) = path.single() {
                    self.folder = self.normal(text);
                }
            }
            Act::Shell { text, .. } => {
                return self.shell(&shown(text));
            }
            Act::Command { words, run } => {
                if run.remote {
                    self.keys.insert("code Downloaded".into());
                }
                let line: Vec<String> = words
                    .iter()
                    .map(|word| word.as_literal().map_or_else(|| "\"$UNKNOWN\"".into(), quoted))
                    .collect();
                return self.shell(&line.join(" "));
            }
            Act::ReadEnvironment { name, .. } => {
                self.keys.insert(format!("env {}", name.as_deref().unwrap_or("*")));
                if name.as_deref() == Some("HOME") {
                    return Value::text(HOME);
                }
                return name.as_ref().map_or_else(
                    || Value::output(Taint(4)),
                    |name| Value::unknown(HoleSource::Variable(name.clone())),
                );
            }
            other => return self.note_other(other),
        }
        Value::empty()
    }

    fn spend(&mut self, units: usize) -> bool {
        self.fuel += units;
        self.fuel < 12_000_000
    }

    fn marks(&self) -> Marks {
        Marks { decoded: Taint(2), environment: Taint(4) }
    }

    fn home(&self) -> String {
        HOME.into()
    }

    fn folder(&self) -> Value {
        Value::text(&self.folder)
    }

    fn temp(&self) -> String {
        "/tmp".into()
    }

    fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    fn resolve(&self, path: &Value) -> Value {
        path.map(|text| match text.as_literal() {
            Some(_) => Text::literal(&self.normal(text)),
            None => text.clone(),
        })
    }

    fn interpreter(&self) -> String {
        "python3".into()
    }

    fn module(&mut self, path: &Value) -> Option<Value> {
        let path = self.normal(path.single()?);
        let known = self.files.get(&path).cloned();
        // Today whatever is looked for is read, there or not.
        self.keys.insert(format!("read {path}"));
        known
    }
}

/// A text for a shell, with a variable for whatever is not known.
fn shown(text: &Value) -> String {
    let mut shown = String::new();
    for piece in text.any.first().map(|text| &text.pieces).into_iter().flatten() {
        match piece {
            Piece::Text(known) | Piece::Glob(known) => shown.push_str(known),
            Piece::Hole(_) => shown.push_str("$UNKNOWN"),
        }
    }
    shown
}

/// The host of an address.
fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let mut known = String::new();
    for (at, part) in host.split(['‹', '›']).enumerate() {
        known.push_str(if at % 2 == 1 { "*" } else { part });
    }
    known
}
