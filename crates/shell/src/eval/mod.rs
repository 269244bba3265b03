//! An abstract interpreter: walks a script and tells a `Host` of every command that would or might run,
//! with what is known of its words. Total, deterministic, and bounded by steps, not time.
//!
//! Invariant: whatever a real shell would run is among the calls reported, or a `Note` says that a budget
//! ran out or that code is not known.

mod api;
mod arith;
mod brace;
mod budget;
mod builtins;
mod compound;
mod concurrent;
mod draft;
mod echo;
mod edit;
mod expand;
mod folders;
mod functions;
mod globs;
mod join;
mod loops;
mod modes;
mod operators;
mod param;
mod path;
pub mod pattern;
mod qualifiers;
mod redirect;
mod script;
mod simple;
mod skim;
mod state;
mod store;
mod substituted;
mod swarm;
mod text;
mod vars;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub use api::{
    Call, Code, Field, Host, Input, Kind, Limit, Note, Open, OpenMode, Outcome, Scope, Status, Stream,
};
use budget::Budget;
pub use budget::KeptBack;
use state::{Descriptor, Flow, Jump, List, State};
pub use store::Written;
use tollgate_model::{Span, work};

use crate::ast::{Dialect, Script};
use crate::value::{HoleSource, Piece, Taint, Text, Value};

/// A shell being interpreted: its present state, and what is shared by all states.
#[derive(Debug)]
pub struct Shell {
    dialect: Dialect,
    state: State,
    budget: Budget,
    jumps: Vec<Jump>,
    frames: Vec<Frame>,
    context: Context,
    placeholders: Vec<Field>,
    next_buffer: u32,
    next_process: u32,
    /// Aliases being expanded, which do not expand again.
    expanding: Vec<Rc<str>>,
    /// Recursions the host was told of.
    recursions: Vec<(Rc<str>, bool, bool)>,
    /// Arrays among the arguments of the `declare` being run.
    declared: Vec<vars::Assignment>,
    /// The variable that the `declare -A` being expanded makes a table of names.
    associating: Option<Rc<str>>,
    /// Scripts of `>( … )` that wait for the command to write to them.
    pending: Vec<(Script, Text)>,
    /// A trap is running, during which no other does.
    trapping: bool,
    /// Something unknown may have set any variable.
    doubted: bool,
    /// How deep in code that may run some time later, or never.
    aside: u32,
    /// What was started in the background.
    jobs: Vec<concurrent::Job>,
    /// Files that were looked into, by resolved path.
    looked: RefCell<BTreeSet<Text>>,
    /// The shell ended in the midst of an expansion or a call of the host.
    ended: bool,
    /// How the last command substitution ended.
    substituted: Option<Status>,
    /// Buffers of the command substitutions being run.
    captures: Vec<u32>,
    /// The text being run, as it was written.
    source: Rc<str>,
    /// Scripts are gone over, not followed.
    skim: Option<skim::Skim>,
}

/// What is true of the place being interpreted, whatever the state.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// Commands of text that is not in the first source stand here.
    origin: Option<Span>,
    /// The text was made with placeholders for unknown parts.
    patched: bool,
    background: u32,
    piped: u32,
    piped_to: bool,
    conditional: bool,
    /// Something unknown is taken to be empty.
    supposed: bool,
    loops: u32,
    returnable: bool,
}

/// A function call in progress.
#[derive(Debug)]
struct Frame {
    name: Rc<str>,
    background: u32,
    piped: u32,
    entry: State,
    /// What `local` had put aside in the function, or the script, that called.
    outer: state::ShadowedVars,
}

impl Shell {
    /// A fresh shell in a directory (`None` when that is unknown), with no arguments.
    #[must_use]
    pub fn new(dialect: Dialect, cwd: Option<&str>) -> Self {
        Self {
            dialect,
            state: State::new(cwd),
            budget: Budget::default(),
            jumps: Vec::new(),
            frames: Vec::new(),
            context: Context::default(),
            placeholders: Vec::new(),
            next_buffer: 0,
            next_process: 63,
            expanding: Vec::new(),
            recursions: Vec::new(),
            declared: Vec::new(),
            associating: None,
            pending: Vec::new(),
            trapping: false,
            doubted: false,
            aside: 0,
            jobs: Vec::new(),
            looked: RefCell::default(),
            ended: false,
            substituted: None,
            captures: Vec::new(),
            source: Rc::default(),
            skim: None,
        }
    }

    /// The text that is run next is that of this file, with arguments that nobody knows yet.
    pub fn read_from(&mut self, path: &str) {
        let args = Rc::make_mut(&mut self.state.local_mut().args);
        (args.name, args.file) = (Value::text(path), Value::text(path));
        let given = || Value::unknown(HoleSource::Input);
        args.any = vec![List::open(vec![given(); 4], Some(given()))];
    }

    /// Reads and interprets a whole script, traps included.
    pub fn run(&mut self, source: &str, host: &mut dyn Host) -> Outcome {
        let script = crate::parse(source, self.dialect);
        self.source = Rc::from(source);
        self.budget.add_for_text(source.len());
        let flow = self.run_top(&script, host);
        // Where the script ends before it has set a trap, no trap is run.
        let is_bare = |jump: &Jump| jump.state.local.traps.is_empty();
        let (bare, trapped): (Vec<Jump>, Vec<Jump>) =
            std::mem::take(&mut self.jumps).into_iter().partition(is_bare);
        self.jumps = trapped;
        let left = self.absorb(0, |_| true, host);
        let flow = self.join_flows(flow, left, &*host);
        let status = flow.status();
        self.settle(flow, host);
        self.run_late_jobs(host);
        self.run_traps(host);
        self.run_late_jobs(host);
        self.jumps = bare;
        let left = self.absorb(0, |_| true, host);
        let status = if left.is_dead() { status } else { Status::Either };
        let flow = self.join_flows(Flow::both(self.state.clone()), left, &*host);
        self.settle(flow, host);
        Outcome::silent(status)
    }

    /// Runs text as code; used by the host for `bash -c`, `source` and the like. The commands in it are
    /// reported to `host` before this returns. What they print goes where the shell's output goes, so the
    /// outcome can be passed on as that of the command.
    pub fn run_text(&mut self, code: &Code, host: &mut dyn Host) -> Outcome {
        let flow = self.run_code(code, host);
        let status = flow.status();
        match self.merged(flow, &*host) {
            Some(state) => self.state = state,
            None => self.ended = true,
        }
        Outcome::silent(status)
    }

    /// Runs `inside` and returns what it printed, which then goes nowhere else.
    pub fn captured<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> (R, Value) {
        let fds = self.state.local.fds.clone();
        let id = self.new_buffer(Value::empty());
        self.set_descriptor(1, state::Descriptor::Pipe(id));
        let result = inside(self);
        let printed = self.take_buffer(id);
        self.state.local_mut().fds = fds;
        (result, printed)
    }

    /// Runs `inside` and then puts variables, functions, directory and descriptors back, as a subshell
    /// does. Files written stay written.
    pub fn isolated<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let (local, mark) = (Rc::clone(&self.state.local), self.jumps.len());
        let result = inside(self);
        // An `exit` inside ends only what is inside.
        self.jumps.truncate(mark);
        self.ended = false;
        self.state.local = local;
        result
    }

    /// Runs `inside` and then puts everything back, files included: what it does may never happen. Only the
    /// host remembers it, and the budget.
    pub fn supposed<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let state = self.state.clone();
        let (jumps, jobs, pending) = (self.jumps.len(), self.jobs.len(), self.pending.len());
        let recursions = self.recursions.len();
        let result = inside(self);
        self.recursions.truncate(recursions);
        self.jumps.truncate(jumps);
        self.jobs.truncate(jobs);
        self.pending.truncate(pending);
        self.ended = false;
        self.state = state;
        result
    }

    /// The dialect being read.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The directories the shell may be in: absolute paths, or holes.
    #[must_use]
    pub fn cwd(&self) -> &Value {
        &self.state.local.cwd
    }

    /// Goes to a directory, for what follows in the present state.
    pub fn set_cwd(&mut self, directory: &Value) {
        let cwd = self.resolve(directory);
        self.state.local_mut().cwd = cwd;
    }

    /// The path made absolute and tidy against the present directory: no `.`, no `//`, `..` taken back where
    /// that is certain. A path that starts with a hole is left as it is.
    #[must_use]
    pub fn resolve(&self, path: &Value) -> Value {
        path::resolve(&self.state.local.cwd, &self.through_descriptors(path))
    }

    /// The absolute paths as they are spelled, where some hold `..`: what the system makes of that is up to the links on
    /// the way.
    #[must_use]
    pub fn spelled(&self, path: &Value) -> Option<Value> {
        let climbs = |text: &Text| {
            text.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains("..")))
        };
        path.any
            .iter()
            .any(climbs)
            .then(|| path::absolute(&self.state.local.cwd, &self.through_descriptors(path)))
    }

    /// A path below a directory that is open: `/proc/self/fd/9/file`.
    fn through_descriptors<'v>(&self, path: &'v Value) -> std::borrow::Cow<'v, Value> {
        let below = |text: &Text| {
            let prefix = text.prefix();
            let rest = prefix.strip_prefix("/proc/self/fd/").or_else(|| prefix.strip_prefix("/dev/fd/"))?;
            let (number, name) = rest.split_once('/')?;
            let Descriptor::File { path, .. } = self.descriptor(number.parse().ok()?) else { return None };
            Some(path.concat(&Value::text(&format!("/{name}"))))
        };
        match path.single().and_then(below) {
            Some(known) => std::borrow::Cow::Owned(known.with_taint(path.taint)),
            None => std::borrow::Cow::Borrowed(path),
        }
    }

    /// Whether what runs now does so only if something unknown turns out empty, as in `$SUDO rm x`.
    #[must_use]
    pub fn is_supposed(&self) -> bool {
        self.context.supposed
    }

    /// How the last command ended, as far as the present way through the script tells.
    #[must_use]
    pub fn last(&self) -> Status {
        match self.state.code {
            state::ExitCode::Known(0) => Status::Success,
            state::ExitCode::Known(_) | state::ExitCode::Nonzero => Status::Failure,
            state::ExitCode::Any => Status::Either,
        }
    }

    /// What the script itself gave a variable; `None` when it did not, or when it is an array.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<Value> {
        self.state.local.vars.get(name).and_then(|variable| variable.scalar())
    }

    /// The value a program started now sees in its environment, as far as the script set it.
    pub fn exported(&self) -> impl Iterator<Item = (&str, Value)> {
        let vars = self.state.local.vars.iter().filter(|(_, variable)| variable.attributes.exported);
        vars.filter_map(|(name, variable)| Some((&**name, variable.scalar()?)))
    }

    /// Gives a variable a value, for what follows in the present state.
    pub fn set_variable(&mut self, name: &str, value: Value, exported: bool) {
        let variable = state::Variable::new(value, exported);
        self.state.local_mut().vars.insert(Rc::from(name), Rc::new(variable));
    }

    /// Whether the script defined a function of this name.
    #[must_use]
    pub fn has_function(&self, name: &str) -> bool {
        self.state.local.functions.contains_key(name)
    }

    /// What the script put into a file, when it wrote it; also the paths of process substitutions,
    /// `/dev/stdin` and `/dev/fd/…`.
    #[must_use]
    pub fn file(&self, path: &Value) -> Option<Written> {
        self.stored(path)
    }

    /// The marks on all that the script has put below a folder, by its absolute path.
    #[must_use]
    pub fn taint_below(&self, folder: &str) -> Taint {
        self.state.world.files_below(folder).fold(Taint::NONE, |marks, (_, written)| {
            work::charge(1);
            marks.union(written.value.taint)
        })
    }

    /// What the script has put below a folder, by absolute path.
    pub fn files_below(&self, folder: &str) -> impl Iterator<Item = (&Text, &Written)> {
        self.state.world.files_below(folder)
    }

    /// Forgets all that the script has put below a folder.
    pub fn forget_below(&mut self, folder: &str) {
        let below: Vec<Text> = self.files_below(folder).map(|(path, _)| path.clone()).collect();
        work::charge(below.len());
        for path in below {
            self.state.files_mut().remove(&path);
        }
    }

    /// Has a test found on the way here that there is no such file?
    #[must_use]
    pub fn is_absent(&self, path: &Value) -> bool {
        let absent = &self.state.world.absent;
        !absent.is_empty() && self.resolve(path).any.iter().all(|key| absent.contains_key(key))
    }

    /// Remembers what a file holds from now on.
    pub fn write_file(&mut self, path: &Value, content: &Value, append: bool) {
        self.put(path, content, append);
    }

    /// Something may have changed any of the files the script wrote: what is known of them is no longer
    /// certain.
    pub fn doubt_files(&mut self) {
        self.state.files_mut().update_all(&mut |written| written.certain = false);
    }

    /// Something unknown may have set any variable: one that the script does not set may have a value.
    pub fn doubt_variables(&mut self) {
        self.doubted = true;
    }

    /// Forgets a file, which is removed or no longer known.
    pub fn forget_file(&mut self, path: &Value) {
        self.forget_name(path);
        let keys = self.keys(path);
        let files = self.state.files_mut();
        keys.any.iter().for_each(|key| drop(files.remove(key)));
    }
}
