//! A host that writes facts down as lines.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;

use tollgate_code::facts::{Act, Data, Fact, Host, Language, Marks, Origin, Outcome, Program};
use tollgate_code::holes::Source;
use tollgate_code::run;
use tollgate_model::{Certainty, WriteMode};
use tollgate_shell::value::{HoleSource, Taint, Text, Value};

pub const NET: Taint = Taint(1);
pub const DECODED: Taint = Taint(2);
pub const SECRET: Taint = Taint(4);
pub const FILE: Taint = Taint(8);

#[derive(Default)]
pub struct Recorder {
    pub facts: Vec<Fact>,
    pub files: BTreeMap<String, String>,
    pub folder: String,
    pub fuel: usize,
    pub spent: usize,
    pub fresh: u32,
}

impl Recorder {
    pub fn new() -> Self {
        Self { folder: "/work".into(), fuel: 20_000_000, ..Self::default() }
    }

    pub fn lines(&self) -> Vec<String> {
        self.facts.iter().filter_map(line).collect()
    }
}

impl Host for Recorder {
    fn note(&mut self, fact: Fact) -> Value {
        let answer = match &fact.act {
            Act::Read { path, .. } => {
                let known = path.as_literal().and_then(|path| self.files.get(path));
                known.map_or_else(|| Value::output(FILE), |text| Value::text(text))
            }
            Act::Write { path, content: Some(content), .. } => {
                if let (Some(path), Some(content)) = (path.as_literal(), content.as_literal()) {
                    self.files.insert(path.to_owned(), content.to_owned());
                }
                Value::empty()
            }
            Act::Request { .. } | Act::Connect { .. } => Value::output(NET),
            Act::Shell { .. } | Act::Command { .. } => Value::unknown(HoleSource::Output),
            Act::ReadEnvironment { name: Some(name), .. } => {
                Value::unknown(HoleSource::Variable(name.clone()))
            }
            Act::ReadEnvironment { name: None, .. } => Value::output(SECRET),
            Act::ChangeFolder { path } => {
                self.folder = path.to_string();
                Value::empty()
            }
            _ => Value::empty(),
        };
        self.facts.push(fact);
        answer
    }

    fn spend(&mut self, units: usize) -> bool {
        self.spent += units;
        self.spent <= self.fuel
    }

    fn marks(&self) -> Marks {
        Marks { decoded: DECODED, environment: SECRET }
    }

    fn home(&self) -> String {
        "/home/user".into()
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
        let folder = self.folder.clone();
        path.map(|text| {
            if text.prefix().starts_with('/') {
                return text.clone();
            }
            let mut whole = Text::literal(&format!("{folder}/"));
            whole.append(text);
            whole
        })
    }

    fn interpreter(&self) -> String {
        "python3".into()
    }

    fn module(&mut self, path: &Value) -> Option<Value> {
        self.files.get(path.as_literal()?).map(|text| Value::text(text))
    }
}

pub fn program(code: &str) -> Program {
    Program {
        language: Language::Python,
        source: Source::new(&Text::literal(code), Taint::NONE),
        origin: Origin::Inline,
        file: None,
        args: Vec::new(),
        input: Value::unknown(HoleSource::Input),
        only_loaded: false,
        folders: Vec::new(),
    }
}

pub fn run_with(code: &str, host: &mut Recorder) -> Outcome {
    run(&program(code), host)
}

/// What a program does, a line for each fact; prints are left out.
pub fn facts(code: &str) -> Vec<String> {
    let mut host = Recorder::new();
    run_with(code, &mut host);
    host.lines()
}

fn data(data: &Data) -> String {
    match data {
        Data::Text(text) => text.to_string(),
        Data::Int(number) => number.to_string(),
        Data::Bool(truth) => truth.to_string(),
        Data::Nothing => "nothing".into(),
        Data::Name(name) => name.to_string(),
        Data::List(items, _) => format!("[{}]", items.iter().map(self::data).collect::<Vec<_>>().join(", ")),
        Data::Table(entries) => {
            format!(
                "{{{}}}",
                entries
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", self::data(value)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        Data::Made(name, _) => format!("{name}()"),
        Data::Code => "code".into(),
        Data::Unknown(taint) => format!("?{}", taint.0),
    }
}

fn verb(mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Append => "append",
        WriteMode::Edit => "edit",
        _ => "write",
    }
}

pub fn line(fact: &Fact) -> Option<String> {
    let text = match &fact.act {
        Act::Read { path, .. } => format!("read {path}"),
        Act::Write { path, mode, content } => {
            let verb = verb(*mode);
            match content {
                Some(content) => format!("{verb} {path}: {content}"),
                None => format!("{verb} {path}"),
            }
        }
        Act::Open { path, mode } => format!("{} {path}", verb(*mode)),
        Act::Delete { path, tree } => format!("delete {path}{}", if *tree { "/**" } else { "" }),
        Act::Move { from, to } => format!("move {from} to {to}"),
        Act::Copy { from, to, .. } => format!("copy {from} to {to}"),
        Act::Link { target, name } => format!("link {name} to {target}"),
        Act::MakeFolder { path } => format!("folder {path}"),
        Act::Touch { path } => format!("touch {path}"),
        Act::Mode { path, to, .. } => format!("mode {path} {to}"),
        Act::Extract { to } => {
            format!("extract {}", to.as_ref().map(ToString::to_string).unwrap_or_default())
        }
        Act::ChangeFolder { path } => format!("cd {path}"),
        Act::Shell { text, run } => match &run.input {
            Some(input) => format!("shell {text} <<< {input}"),
            None => format!("shell {text}"),
        },
        Act::Command { words, .. } => {
            format!("run {}", words.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        }
        Act::Dynamic { taint, .. } => format!("dynamic {}", taint.0),
        Act::RunFile { path } => format!("run-file {path}"),
        Act::Request { method, address, data: given, sends } => {
            let data = given.list.iter().chain(given.named.iter().map(|(_, value)| value)).map(data);
            let method = method.as_deref().unwrap_or(if *sends { "SEND" } else { "?" });
            format!("request {method} {address} {}", data.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
        }
        Act::Connect { address } => format!("connect {}", data(address)),
        Act::Send { peer, data: given } => format!(
            "send {} {}",
            peer.as_ref().map(ToString::to_string).unwrap_or_default(),
            given.list.iter().map(data).collect::<Vec<_>>().join(" ")
        ),
        Act::Resolve { name } => format!("resolve {name}"),
        Act::Signal { signal, target, .. } => format!(
            "kill {} {}",
            signal.as_ref().map(ToString::to_string).unwrap_or_default(),
            target.as_ref().map_or("?".into(), ToString::to_string)
        ),
        Act::Exhaust { how } => format!("exhaust {how:?}"),
        Act::PowerOff => "power off".into(),
        Act::LoadEnvironment { path } => format!("load {path}"),
        Act::ReadEnvironment { name, .. } => format!("env {}", name.as_deref().unwrap_or("*")),
        Act::SetEnvironment { name, value } => format!("set {name}={value}"),
        Act::Magic { kind, .. } => format!("magic {kind}"),
        Act::Print { .. } => return None,
        Act::Unpack { .. } => "unpack".into(),
        Act::Set { name, .. } => format!("set {name}"),
        Act::Call { name, .. } => format!("call {name}"),
        Act::Opaque { why } => format!("opaque {why:?}"),
    };
    Some(if fact.certainty == Certainty::Possible { format!("maybe {text}") } else { text })
}
