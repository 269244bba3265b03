//! What is known of a function that was run before.
//!
//! A function that is called again and again is run once with symbols for its arguments: the facts that it tells then hold
//! for every call, with the arguments put in the place of their symbols. That is so as long as nothing it does depends on
//! what the arguments are: it may put them into texts, hand them on and give them back, but a condition, an index or a loop
//! that looks at one makes the function one that has to be run for each call. Those are run a limited number of times, and
//! then once more with arguments of which nothing is known, which stands for all further calls.

use std::rc::Rc;

use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use super::store::Cell;
use super::value::Val;
use crate::facts::{Act, Arguments, Data, Fact, Run};

/// What is known of a function.
#[derive(Clone, Debug, Default)]
pub(super) enum Known {
    /// Nobody has tried to sum it up.
    #[default]
    Nothing,
    /// It has to be run.
    Runs,
    /// It stands for all calls.
    Sum(Rc<Summary>),
    /// It was run with arguments of which nothing is known, and gave this back.
    Exhausted(Val),
}

/// A function's facts as functions of its arguments.
#[derive(Debug)]
pub(super) struct Summary {
    pub facts: Vec<Fact>,
    pub back: Val,
    /// Variables around it that it looks at, as they were.
    pub reads: Vec<(Cell, u32)>,
    /// How many functions were being summed up, this one included.
    pub level: usize,
}

/// What is being told while a function is summed up.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub facts: Vec<Fact>,
    /// Variables around the function that it has looked at.
    pub reads: Vec<(Cell, u32)>,
    /// Something depended on what an argument is.
    pub depends: bool,
}

/// Begins the name of a symbol. No variable of a shell is called so, and what programs call theirs is not kept as one.
const SYMBOL: char = '\u{1}';

/// What stands for something that is only known at a call.
pub(super) fn symbol(level: usize, kind: char, number: usize) -> Value {
    let name = format!("{SYMBOL}{level}{kind}{number}");
    Value::unknown(HoleSource::Variable(Rc::from(name)))
}

fn is_symbol(piece: &Piece) -> bool {
    matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if name.starts_with(SYMBOL))
}

/// Does a text depend on what is only known at a call?
pub(super) fn depends(value: &Value) -> bool {
    value.any.iter().any(|text| text.pieces.iter().any(is_symbol))
}

/// What symbols stand for at a call.
#[derive(Debug)]
pub(super) struct Call {
    pub level: usize,
    pub args: Vec<Value>,
    pub answers: Vec<Value>,
}

/// The most texts that come of one when symbols are filled in.
const WAYS: usize = 32;

impl Call {
    fn meaning(&self, piece: &Piece) -> Option<&Value> {
        let Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) = piece else { return None };
        let rest = name.strip_prefix(SYMBOL)?.strip_prefix(&self.level.to_string())?;
        let number = |rest: &str| rest.parse::<usize>().ok();
        match rest.split_at_checked(1)? {
            ("p", rest) => self.args.get(number(rest)?),
            ("a", rest) => self.answers.get(number(rest)?),
            _ => None,
        }
    }

    pub fn value(&self, value: &Value) -> Value {
        if !depends(value) {
            return value.clone();
        }
        let mut taint = value.taint;
        let mut texts: Vec<Text> = Vec::new();
        for text in &value.any {
            let mut ways = vec![Text::default()];
            for piece in &text.pieces {
                let Some(meaning) = self.meaning(piece) else {
                    ways.iter_mut().for_each(|way| way.push(piece.clone()));
                    continue;
                };
                taint = taint.union(meaning.taint);
                if ways.len() * meaning.any.len() > WAYS {
                    let hole = Piece::Hole(Hole::new(HoleSource::Budget));
                    ways.iter_mut().for_each(|way| way.push(hole.clone()));
                    continue;
                }
                let longer = ways.iter().flat_map(|way| {
                    meaning.any.iter().map(|more| {
                        let mut way = way.clone();
                        way.append(more);
                        way
                    })
                });
                ways = longer.collect();
            }
            texts.extend(ways);
        }
        Value::of(texts, taint)
    }

    fn maybe(&self, value: &Option<Value>) -> Option<Value> {
        value.as_ref().map(|value| self.value(value))
    }

    fn run(&self, run: &Run) -> Run {
        Run {
            input: self.maybe(&run.input),
            folder: self.maybe(&run.folder),
            remote: run.remote,
            called: self.maybe(&run.called),
            variables: run
                .variables
                .iter()
                .map(|(name, value)| (Rc::clone(name), self.value(value)))
                .collect(),
        }
    }

    fn data(&self, data: &Data) -> Data {
        match data {
            Data::Text(text) => Data::Text(self.value(text)),
            Data::List(items, open) => Data::List(items.iter().map(|item| self.data(item)).collect(), *open),
            Data::Table(entries) => {
                Data::Table(entries.iter().map(|(name, entry)| (Rc::clone(name), self.data(entry))).collect())
            }
            Data::Made(name, args) => Data::Made(Rc::clone(name), self.arguments(args)),
            other => other.clone(),
        }
    }

    fn arguments(&self, args: &Arguments) -> Arguments {
        Arguments {
            list: args.list.iter().map(|value| self.data(value)).collect(),
            named: args.named.iter().map(|(name, value)| (Rc::clone(name), self.data(value))).collect(),
        }
    }

    /// What a function does at this call.
    pub fn act(&self, act: &Act) -> Act {
        let put = |value: &Value| self.value(value);
        match act {
            Act::Read { path, tree } => Act::Read { path: put(path), tree: *tree },
            Act::Write { path, mode, content } => {
                Act::Write { path: put(path), mode: *mode, content: self.maybe(content) }
            }
            Act::Open { path, mode } => Act::Open { path: put(path), mode: *mode },
            Act::LoadEnvironment { path } => Act::LoadEnvironment { path: put(path) },
            Act::Delete { path, tree } => Act::Delete { path: put(path), tree: *tree },
            Act::Move { from, to } => Act::Move { from: put(from), to: put(to) },
            Act::Copy { from, to, tree } => Act::Copy { from: put(from), to: put(to), tree: *tree },
            Act::Link { target, name } => Act::Link { target: put(target), name: put(name) },
            Act::MakeFolder { path } => Act::MakeFolder { path: put(path) },
            Act::Touch { path } => Act::Touch { path: put(path) },
            Act::Mode { path, to, tree } => Act::Mode { path: put(path), to: to.clone(), tree: *tree },
            Act::Extract { to } => Act::Extract { to: self.maybe(to) },
            Act::ChangeFolder { path } => Act::ChangeFolder { path: put(path) },
            Act::RunFile { path } => Act::RunFile { path: put(path) },
            Act::Resolve { name } => Act::Resolve { name: put(name) },
            Act::SetEnvironment { name, value } => Act::SetEnvironment { name: put(name), value: put(value) },
            Act::Magic { kind, words } => Act::Magic { kind, words: words.iter().map(put).collect() },
            Act::Print { text, aside, names } => {
                Act::Print { text: put(text), aside: *aside, names: names.clone() }
            }
            Act::Unpack { data } => Act::Unpack { data: put(data) },
            Act::Signal { signal, target, all } => {
                Act::Signal { signal: self.maybe(signal), target: self.maybe(target), all: *all }
            }
            _ => self.act_with_data(act),
        }
    }

    fn act_with_data(&self, act: &Act) -> Act {
        match act {
            Act::Shell { text, run } => Act::Shell { text: self.value(text), run: self.run(run) },
            Act::Command { words, run } => Act::Command {
                words: words.iter().map(|word| self.value(word)).collect(),
                run: self.run(run),
            },
            Act::Request { method, sends, address, data } => Act::Request {
                method: method.clone(),
                sends: *sends,
                address: self.value(address),
                data: self.arguments(data),
            },
            Act::Connect { address } => Act::Connect { address: self.data(address) },
            Act::Send { peer, data } => Act::Send { peer: self.maybe(peer), data: self.arguments(data) },
            Act::Call { name, of, args } => Act::Call {
                name: Rc::clone(name),
                of: of.as_ref().map(|of| self.arguments(of)),
                args: self.arguments(args),
            },
            Act::Set { name, of, value } => {
                Act::Set { name: Rc::clone(name), of: self.arguments(of), value: self.arguments(value) }
            }
            other => other.clone(),
        }
    }

    /// What a function gives back at this call.
    pub fn back(&self, value: &Val) -> Val {
        match value {
            Val::Text(text) => Val::Text(self.value(text)),
            Val::Unknown(taint) => Val::Unknown(self.taint().union(*taint)),
            other => other.clone(),
        }
    }

    fn taint(&self) -> Taint {
        self.args.iter().fold(Taint::NONE, |all, arg| all.union(arg.taint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_becomes_what_it_stands_for() {
        let call = Call { level: 1, args: vec![Value::text("/a")], answers: vec![Value::text("b")] };
        let path = symbol(1, 'p', 0).concat(&Value::text("/")).concat(&symbol(1, 'a', 0));
        assert!(depends(&path));
        assert_eq!(call.value(&path).as_literal(), Some("/a/b"));
        assert!(depends(&call.value(&symbol(2, 'p', 0))), "a symbol of another level stays");
    }
}
