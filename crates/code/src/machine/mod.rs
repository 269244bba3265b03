//! The abstract machine: it walks a tree once, keeps what is known of the program's values, and tells its host what the
//! program would do. It knows no language and no library. Total, deterministic, bounded by fuel.
//!
//! Every branch counts, and every loop is walked as often as its items are known, or else until what it changes is part of
//! what it begins with, at most twice. Functions run where they are called, or are summed up (`summary`); those that nobody
//! calls run at the end with arguments of which nothing is known, and what they do is only possible.

mod blocks;
mod calls;
mod classes;
mod data;
mod expressions;
mod files;
mod functions;
mod modules;
mod narrow;
mod options;
mod perform;
mod pure;
mod scope;
mod store;
mod summary;
mod texts;
mod value;

use std::rc::Rc;

use tollgate_catalogue::libraries::Library;
use tollgate_model::Certainty;
use tollgate_shell::value::{Taint, Text, Value};

use crate::facts::{Act, Exhaust, Fact, Host, Marks, Origin, Outcome, Program, Why};
use crate::frontends::Frontend;
use crate::tree::{Kind, NodeId, Range};
use scope::{FrameId, Scopes, Symbol, Unit};
use store::{Cell, Changes, Slot, Store};
use summary::Recording;
use value::{Args, Class, Closure, Val};

/// How deep expressions, blocks and calls may be in one another.
const DEPTH: u32 = 360;

/// The most things one program is seen to do.
const ACTS: u32 = 4_000;

/// The most functions that are run at the end because nobody called them.
const FUNCTIONS: usize = 4_096;

/// What a statement leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// The next one.
    On,
    /// Somewhere else: it leaves the block.
    Out,
}

/// How much a program has split itself, waited, and taken for itself.
#[derive(Clone, Copy, Debug, Default)]
struct Effort {
    forks: u32,
    calms: u32,
    started: u32,
    grown: u32,
}

/// The machine.
struct Machine<'h> {
    host: &'h mut dyn Host,
    frontend: &'h dyn Frontend,
    library: &'static Library,
    marks: Marks,
    origin: Origin,
    program: &'h Program,
    store: Store,
    scopes: Scopes,
    /// The text that is being run, and the names that are known there.
    unit: Rc<Unit>,
    frame: FrameId,
    /// The object whose method runs, and the class that the method is of.
    this: Option<Val>,
    class: Option<Rc<Class>>,
    /// What the functions being run gave back so far, and what they yielded.
    backs: Vec<Back>,
    printed: Value,
    functions: Vec<Rc<Closure>>,
    active: Vec<Rc<Closure>>,
    recordings: Vec<Recording>,
    /// Modules all of whose names are known without them.
    stars: Vec<Rc<str>>,
    /// Modules that were brought in, by their files, and folders that they are looked for in.
    modules: Vec<(Rc<str>, Value, Val)>,
    folders: Vec<Value>,
    /// Objects whose end does something; the class that one of the program's makes.
    objects: Vec<Val>,
    forming: Option<Val>,
    /// Files that what is printed goes into, and what had been printed before.
    replaced: Vec<(Value, Value)>,
    /// What parsers of options were told, and the program's own words.
    options: Vec<options::Told>,
    words: Option<Val>,
    /// Functions that a test has put others in the place of.
    stubs: Vec<Rc<str>>,
    /// What conditions made of variables, in the branches where they hold.
    believed: Vec<(Cell, Val)>,
    effort: Effort,
    range: Range,
    depth: u32,
    acts: u32,
    /// It may not come to this place; nobody may ever do what is done here; nothing is done any more.
    unsure: u32,
    doubtful: bool,
    stopped: bool,
    strange: bool,
    /// It opened a connection, to this.
    peer: Option<Value>,
    connected: bool,
    /// Its own standard input is a connection.
    remote: bool,
    /// It went through the numbers of all processes.
    all_processes: bool,
    /// Loops that are being walked for the second time.
    again: bool,
}

/// What a function that is being run gives back.
#[derive(Debug, Default)]
struct Back {
    value: Option<Val>,
    yielded: Vec<Val>,
}

/// Runs a program abstractly, and tells the host what it would do.
pub fn run(program: &Program, host: &mut dyn Host) -> Outcome {
    let (frontend, library) = crate::library::of(program.language);
    let marks = host.marks();
    let unit = Rc::new(Unit {
        tree: crate::tree::Builder::new(&crate::frontends::PLAIN).finish_empty(),
        source: crate::holes::Source::default(),
        symbols: Vec::new(),
        file: None,
        package: Rc::from(""),
        watched: false,
    });
    let mut scopes = Scopes::default();
    let frame = scopes.open(None, false);
    let mut machine = Machine {
        host,
        frontend,
        library,
        marks,
        origin: program.origin,
        program,
        store: Store::default(),
        scopes,
        unit,
        frame,
        this: None,
        class: None,
        backs: Vec::new(),
        printed: Value::empty(),
        functions: Vec::new(),
        active: Vec::new(),
        recordings: Vec::new(),
        stars: Vec::new(),
        modules: Vec::new(),
        folders: program.folders.clone(),
        objects: Vec::new(),
        forming: None,
        stubs: Vec::new(),
        options: Vec::new(),
        words: None,
        replaced: Vec::new(),
        believed: Vec::new(),
        effort: Effort::default(),
        range: Range::default(),
        depth: 0,
        acts: 0,
        unsure: 0,
        doubtful: false,
        stopped: false,
        strange: false,
        peer: None,
        connected: false,
        remote: false,
        all_processes: false,
        again: false,
    };
    machine.whole();
    Outcome { printed: machine.printed, strange: machine.strange }
}

impl Machine<'_> {
    /// The program, and then what nobody called.
    fn whole(&mut self) {
        // A program's own folder comes first, until it says otherwise.
        let beside = self.program.file.as_ref().map_or_else(|| self.host.folder(), texts::parent);
        self.folders.insert(0, beside);
        let source = self.program.source.clone();
        let frame = self.frame;
        self.text(source, self.program.file.clone(), frame);
        self.ended_with(frame);
        self.emptied(0);
        self.uncalled();
    }

    /// The program ends: its objects say what that does, in the text that they are of.
    fn ended_with(&mut self, frame: FrameId) {
        if let Some(unit) =
            self.objects.first().and_then(|object| self.store.class(object)).and_then(|class| {
                let mut parts = self.scopes.all(class.frame).into_iter();
                parts.find_map(|(_, cell)| match self.store.get(cell) {
                    Slot::Val(Val::Function(closure)) => Some(Rc::clone(&closure.unit)),
                    _ => None,
                })
            })
        {
            let before = (std::mem::replace(&mut self.unit, unit), std::mem::replace(&mut self.frame, frame));
            self.all_ended();
            (self.unit, self.frame) = before;
        }
    }

    /// Reads a text and runs it with the names of a frame; what it comes to is the value of its last statement.
    fn text(&mut self, source: crate::holes::Source, file: Option<Value>, frame: FrameId) -> Val {
        if !self.burn(source.code.len() / 2 + 20) || !self.enter() {
            return Val::unknown();
        }
        let tree = self.frontend.parse(&source.code);
        let symbols = self.scopes.symbols(&tree);
        let package = Rc::clone(&self.unit.package);
        let unit = Rc::new(Unit { tree, source, symbols, file, package, watched: true });
        self.declare(frame, &unit, unit.tree.locals());
        let root = unit.tree.root();
        let before =
            (std::mem::replace(&mut self.unit, unit), std::mem::replace(&mut self.frame, frame), self.range);
        let value = self.last_value(root);
        (self.unit, self.frame, self.range) = before;
        self.leave();
        value
    }

    /// Runs a block; where it is one expression, its value.
    fn last_value(&mut self, root: NodeId) -> Val {
        let unit = Rc::clone(&self.unit);
        let Kind::Block(list) = unit.tree.kind(root) else { return self.expr(root) };
        match unit.tree.list(list) {
            [only] if is_expression(unit.tree.kind(*only)) => self.expr(*only),
            _ => {
                self.block(root);
                Val::Nothing
            }
        }
    }

    /// Gives a frame these names, nothing in them yet.
    fn declare(&mut self, frame: FrameId, unit: &Unit, names: &[crate::tree::Name]) {
        for name in names {
            let Some(symbol) = unit.symbol(*name) else { continue };
            if self.scopes.own(frame, symbol).is_none() {
                let cell = self.store.add(Slot::Unset);
                self.scopes.declare(frame, symbol, cell);
            }
        }
    }

    /// Runs what nobody called.
    fn uncalled(&mut self) {
        let printed = self.printed.clone();
        let before = std::mem::replace(&mut self.doubtful, true);
        let mut next = 0;
        while let Some(function) = self.functions.get(next).cloned() {
            next += 1;
            if !function.called.get() && !self.stopped {
                self.invoke(None, &function, &Args { open: true, ..Args::default() });
            }
        }
        self.doubtful = before;
        self.printed = printed;
    }

    /// Tells a fact, and hears what it yields.
    fn note(&mut self, act: Act) -> Value {
        let certainty = if self.doubtful { Certainty::Possible } else { Certainty::Certain };
        self.note_as(act, certainty)
    }

    fn note_as(&mut self, act: Act, certainty: Certainty) -> Value {
        self.acts += 1;
        if self.acts > ACTS {
            self.stop();
        }
        if self.stopped {
            return Value::empty();
        }
        let fact = Fact { act, range: self.range, certainty, branch: self.unsure > 0 };
        let level = self.recordings.len();
        match self.recordings.last_mut() {
            Some(recording) => {
                recording.facts.push(fact);
                summary::symbol(level, 'a', recording.facts.len() - 1)
            }
            None => self.host.note(fact),
        }
    }

    /// Something depends on what a value is: where that is only known at a call, the function has to be run there.
    fn looks_at(&mut self, value: &Val) {
        if self.recordings.is_empty() {
            return;
        }
        let depends = match value {
            Val::Text(text) => summary::depends(text),
            Val::Any(ways) => ways.iter().any(|way| matches!(way, Val::Text(text) if summary::depends(text))),
            Val::Process(process) => summary::depends(&process.printed),
            Val::File(file) => summary::depends(&file.content),
            Val::Made(made) => {
                made.args.all().any(|arg| matches!(arg, Val::Text(text) if summary::depends(text)))
            }
            _ => false,
        };
        if let Some(recording) = self.recordings.last_mut().filter(|_| depends) {
            recording.depends = true;
        }
    }

    fn opaque(&mut self, why: Why) {
        self.note(Act::Opaque { why });
    }

    /// Code that is not known is run.
    fn dynamic(&mut self, taint: Taint) {
        self.note(Act::Dynamic { taint, known: false });
    }

    /// Spends fuel.
    fn burn(&mut self, amount: usize) -> bool {
        let amount = amount + self.store.take_work();
        if !self.stopped && !self.host.spend(amount + 1) {
            self.stop();
        }
        !self.stopped
    }

    /// Goes one level deeper, when there is room.
    fn enter(&mut self) -> bool {
        if self.stopped || self.depth >= DEPTH {
            self.stop();
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// It does too much to be followed to its end.
    fn stop(&mut self) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        let fact = Fact {
            act: Act::Opaque { why: Why::Fuel },
            range: self.range,
            certainty: Certainty::Budget,
            branch: false,
        };
        self.host.note(fact);
        self.recordings.iter_mut().for_each(|recording| recording.depends = true);
    }

    /// Prints.
    fn print(&mut self, text: &Value, aside: bool) {
        self.print_with(text, aside, Vec::new());
    }

    fn print_with(&mut self, text: &Value, aside: bool, names: Vec<Rc<str>>) {
        self.note(Act::Print { text: text.clone(), aside, names });
        if aside || !self.recordings.is_empty() {
            return;
        }
        if self.unsure > 0 {
            let taint = self.printed.taint.union(text.taint);
            let maybe = self.concat(&self.printed.clone(), text);
            let small = maybe.any.len() <= 8 && maybe.any.iter().map(Text::bytes).sum::<usize>() < 1024;
            self.printed = if small { maybe.union(&self.printed) } else { Value::output(taint) };
            return;
        }
        self.printed = self.concat(&self.printed.clone(), text);
    }

    /// One text after the other, as long as that is not too much work.
    fn concat(&mut self, left: &Value, right: &Value) -> Value {
        // Something unknown after the same is still something unknown.
        if let (Some(last), Some(next)) = (left.single(), right.single())
            && next.pieces.len() == 1
            && next.has_holes()
            && last.pieces.last() == next.pieces.first()
        {
            return left.clone().with_taint(right.taint);
        }
        let size = |value: &Value| {
            value.any.iter().map(|text| text.bytes() / 8 + text.pieces.len() * 8).sum::<usize>()
        };
        let work = size(left) * right.any.len() + size(right) * left.any.len();
        if !self.burn(work / 8) {
            return Value::unknown(tollgate_shell::value::HoleSource::Budget)
                .with_taint(left.taint.union(right.taint));
        }
        left.concat(right)
    }

    /// Runs a branch and takes its changes back.
    fn attempt(&mut self, action: impl FnOnce(&mut Self)) -> Changes {
        if !self.enter() {
            return Changes::new();
        }
        self.unsure += 1;
        let mark = self.store.open();
        let believed = self.believed.len();
        action(self);
        let mut changes = self.store.close(mark);
        self.unsure -= 1;
        self.leave();
        // What a condition says of a variable changes nothing about it.
        for (cell, meant) in self.believed.drain(believed.min(self.believed.len())..) {
            if matches!(changes.get(&cell), Some(Slot::Val(now)) if now.is_same(&meant)) {
                changes.remove(&cell);
            }
        }
        changes
    }

    /// Runs what may not be run.
    fn maybe(&mut self, action: impl FnOnce(&mut Self)) {
        let changes = self.attempt(action);
        self.store.join(vec![changes], true);
    }

    /// A loop that takes without end and never waits.
    fn exhausts(&mut self, start: Effort, endless: bool) {
        let waits = self.effort.calms > start.calms;
        if self.effort.forks > start.forks && !waits {
            self.note(Act::Exhaust { how: Exhaust::Forks });
        }
        if !endless || waits || self.origin == Origin::File {
            return;
        }
        if self.effort.started > start.started {
            self.note(Act::Exhaust { how: Exhaust::Programs });
        } else if self.effort.grown > start.grown {
            self.note(Act::Exhaust { how: Exhaust::Space });
        }
    }

    /// The place of a name where it stands, for who gives it something.
    fn place(&mut self, symbol: Symbol) -> Cell {
        let own = self.scopes.own(self.frame, symbol);
        let outer = || {
            let module = self.scopes.module(self.frame);
            self.scopes.own(module, symbol)
        };
        if let Some(cell) =
            own.or_else(|| self.scopes.places(self.frame, symbol).first().copied()).or_else(outer)
        {
            return cell;
        }
        let cell = self.store.add(Slot::Unset);
        let module = self.scopes.module(self.frame);
        self.scopes.declare(module, symbol, cell);
        cell
    }
}

/// Does a node have a value, and does it stand for nothing else?
fn is_expression(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Block(_)
            | Kind::Function(_)
            | Kind::Class(_)
            | Kind::Assign { .. }
            | Kind::Augment { .. }
            | Kind::Remove(_)
            | Kind::Return(_)
            | Kind::Raise(_)
            | Kind::Assert { .. }
            | Kind::Break
            | Kind::Continue
            | Kind::Loop(_)
            | Kind::Try(_)
            | Kind::With(_)
            | Kind::Match(_)
            | Kind::Import(_)
            | Kind::Unknown(_)
    )
}
