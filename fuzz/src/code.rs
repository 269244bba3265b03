//! Targets of `tollgate-code`. Each takes any bytes, and panics when a promise is broken.

use tollgate_code::facts::{Act, Fact, Host, Language, Marks, Origin, Program};
use tollgate_code::frontends::Frontend;
use tollgate_code::frontends::python::Python;
use tollgate_code::holes::Source;
use tollgate_code::run;
use tollgate_model::Certainty;
use tollgate_shell::value::{HoleSource, Taint, Text, Value};

/// Work that a program may cost before it is stopped, and what it may cost for each byte where it is not.
const FUEL: usize = 12_000_000;

/// Any text has a tree whose ranges lie in it, and any program ends, with the same facts each time.
pub fn python(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let tree = Python.parse(&text);
    for node in tree.nodes() {
        assert!(
            node.range.start <= node.range.end && node.range.end as usize <= text.len(),
            "a range outside"
        );
    }
    let (first, second) = (facts(&text), facts(&text));
    assert!(first.facts == second.facts && first.spent == second.spent, "two runs differ");
    assert!(
        first.facts.iter().all(|fact| fact.range.end as usize <= text.len() || first.modules),
        "a fact outside"
    );
    let stopped = first.facts.iter().any(|fact| fact.certainty == Certainty::Budget);
    assert!(first.spent <= FUEL || stopped, "out of fuel without a word");
}

fn facts(text: &str) -> Recorder {
    let program = Program {
        language: Language::Python,
        source: Source::new(&Text::literal(text), Taint::NONE),
        origin: Origin::Inline,
        file: None,
        args: Vec::new(),
        input: Value::unknown(HoleSource::Input),
        only_loaded: false,
        folders: Vec::new(),
    };
    let mut host = Recorder::default();
    run(&program, &mut host);
    host
}

/// A host that knows nothing.
#[derive(Default)]
struct Recorder {
    facts: Vec<Fact>,
    spent: usize,
    fresh: u32,
    /// Code was run that is no part of the text.
    modules: bool,
}

impl Host for Recorder {
    fn note(&mut self, fact: Fact) -> Value {
        self.modules |= fact.range.end > 0;
        let answer = match fact.act {
            Act::Read { .. } | Act::Shell { .. } | Act::Command { .. } | Act::Request { .. } => {
                Value::output(Taint(1))
            }
            _ => Value::empty(),
        };
        self.facts.push(fact);
        answer
    }

    fn spend(&mut self, units: usize) -> bool {
        self.spent += units;
        self.spent <= FUEL
    }

    fn marks(&self) -> Marks {
        Marks { decoded: Taint(2), environment: Taint(4) }
    }

    fn home(&self) -> String {
        "/home/user".into()
    }

    fn folder(&self) -> Value {
        Value::text("/work")
    }

    fn temp(&self) -> String {
        "/tmp".into()
    }

    fn fresh(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh
    }

    fn resolve(&self, path: &Value) -> Value {
        path.clone()
    }

    fn interpreter(&self) -> String {
        "python3".into()
    }

    fn module(&mut self, _: &Value) -> Option<Value> {
        None
    }
}
