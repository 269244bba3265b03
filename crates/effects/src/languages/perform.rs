//! Does what the functions of libraries do, by their meaning.

use std::rc::Rc;

use tollgate_model::{Certainty, CodeSource, EffectKind, ProcessAction};
use tollgate_shell::value::{Taint, Value};

use super::flat::labelled;
use super::flow::{ENDLESS, block_leaves};
use super::machine::{Machine, Origin};
use super::ops::{Known, Op};
use super::outgoing::{encoded, holds_environment, with_environment};
use super::pure::{self, Pure};
use super::text::secret_in;
use super::value::{Args, Val};
use crate::analyst::taint;

impl Machine<'_, '_, '_> {
    /// Does what a function does.
    pub fn perform(&mut self, op: Op, name: &str, args: &Args) -> Val {
        if !self.burn(16) {
            return Val::Unknown(args.taint());
        }
        let args = &self.seen(op, args);
        let args = if self.syntax.flat { &labelled(args) } else { args };
        if let Some(value) = self
            .flat_op(op, args)
            .or_else(|| self.test_op(op, args))
            .or_else(|| self.run_there(op, name, args))
        {
            return value;
        }
        if let Some(value) = self.call_op(op, name, args) {
            return value;
        }
        if let Some(value) = self.value_op(op, name, args) {
            return value;
        }
        if let Some(value) = self.put_op(op, name, args) {
            return value;
        }
        if op.is_network() { self.network_by(op, name, args) } else { self.files(op, args) }
    }

    /// The arguments; the whole environment among them is read, but where only a part of it may be meant. What
    /// goes out is read with all that is in it.
    fn seen(&mut self, op: Op, args: &Args) -> Args {
        // To go through the environment is to go through its names.
        let names = Op::Pure(Pure::ToList);
        let part = op == names
            || matches!(op, Op::Count | Op::Env | Op::EnvAll | Op::Get | Op::Part | Op::Known(_) | Op::Keys);
        if part {
            return args.clone();
        }
        let out = op.is_network()
            || matches!(
                op,
                Op::Encode
                    | Op::RequestOption
                    | Op::Print(_)
                    | Op::Tell
                    | Op::Calm
                    | Op::Dump
                    | Op::Write
                    | Op::Append
                    | Op::Put
            );
        let mut args = self.exposed_args(args);
        for value in args.list.iter_mut().filter(|value| out && holds_environment(value)) {
            *value = with_environment(value);
        }
        args
    }

    /// Runs programs in the folder that the options name, and code.
    fn run_there(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        if op.starts() {
            self.child_env(args);
        }
        let mut named = ["cwd", "chdir", "current_dir"].iter().filter_map(|name| args.option(name));
        let Some(folder) = named.find(|value| op.starts() && matches!(value, Val::Text(_))) else {
            return self.run_op(op, name, args);
        };
        let before = self.run.shell.cwd().clone();
        self.run.shell.set_cwd(&folder.as_text());
        let value = self.run_op(op, name, args);
        self.run.shell.set_cwd(&before);
        value
    }

    /// Runs programs and code.
    fn run_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Shell | Op::ShellOut => self.run_shell(op == Op::ShellOut, args),
            Op::Program => {
                self.started += u32::from(name.ends_with("Popen"));
                self.run_program(name, args)
            }
            Op::Spawn => {
                self.started += u32::from(!name.ends_with("Sync") && !name.ends_with("sync"));
                self.run_spawn(args)
            }
            Op::System => self.run_system(name, args),
            Op::ExecList(skip) => {
                let list = args.at(skip + 1, &["args", "argv"]);
                self.run_listed(&args.at(skip, &["path", "file", "command"]), &list)
            }
            Op::ExecWords(skip) => {
                self.run_listed(&args.at(skip, &["path", "file"]), &Val::list(args.skip(skip + 1).list))
            }
            Op::Eval => self.run_eval(args),
            Op::MakeFunction => self.make_function(args),
            Op::EvalFile => self.run_file(&args.at(0, &["path", "file"])),
            Op::Unpack => self.unpack(args),
            Op::UnpackBy(option) => self.unpack_by(option, args),
            Op::Kill | Op::KillFirst => self.kill(op == Op::KillFirst, args),
            Op::KillSelf => self.kill(false, &Args::of(vec![Val::unknown()])),
            Op::Fork | Op::ForkFile => {
                self.forks += 1;
                self.callbacks(args);
                if op == Op::ForkFile { self.run_forked(args) } else { Val::unknown() }
            }
            Op::Power => {
                self.push(
                    EffectKind::Process { action: ProcessAction::Power, target: "the machine".into() },
                    Certainty::Certain,
                );
                Val::unknown()
            }
            _ => return self.process_op(op, name, args),
        })
    }

    /// Starts and ends processes, and runs what it is given.
    fn process_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Later => match args.get(0) {
                Some(Val::Text(_)) => self.run_eval(&Args::of(args.list.iter().take(1).cloned().collect())),
                Some(function) => self.apply(&function.clone(), &args.skip(2)),
                None => Val::unknown(),
            },
            Op::Named => self.run_named(name, args),
            Op::Process => self.open_process(args),
            Op::Pipeline => self.run_pipeline(args),
            Op::Port => self.open_port(args),
            Op::Worker if args.option("eval").is_some_and(Val::is_true) => {
                self.run_eval(&Args::of(args.list.iter().take(1).cloned().collect()))
            }
            Op::Worker => self.run_file(&args.at(0, &[])),
            Op::LispProcess(skip) => {
                let program = args.at(if skip == 2 { 2 } else { 0 }, &[]);
                let rest = args.list.iter().skip(if skip == 2 { 3 } else { skip }).cloned();
                self.run_spawn(&Args::of(vec![Val::list(std::iter::once(program).chain(rest).collect())]))
            }
            Op::StartText => {
                let text = args
                    .list
                    .iter()
                    .map(Val::as_text)
                    .reduce(|left, right| left.concat(&Value::text(" ")).concat(&right));
                self.run_shell(false, &Args::of(vec![Val::Text(text.unwrap_or_else(Value::empty))]))
            }
            Op::Loop => {
                let start = self.effort();
                let args = args.clone();
                self.looped(start, |machine| machine.callbacks(&args));
                if !args.all().any(block_leaves) {
                    self.exhausts(start);
                }
                Val::unknown()
            }
            Op::Duplicate => {
                self.remote |=
                    self.connected && args.get(1).is_none_or(|number| !matches!(number, Val::Int(1 | 2)));
                Val::unknown()
            }
            Op::Calm => {
                self.calms += 1;
                self.tell(args);
                Val::unknown()
            }
            Op::Hidden => {
                self.opaque("its code accesses interpreter internals indirectly");
                Val::unknown()
            }
            _ => return None,
        })
    }

    /// Calls what it is given, or finds it by a name.
    fn call_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Import => self.import(args),
            Op::ImportBeside | Op::ModuleAt(_) | Op::SearchIn | Op::ModulesAgain => self.module_op(op, args),
            Op::Magic(kind) => self.magic(kind, args),
            Op::LoadEnv(_) | Op::LoadedEnv(_) => self.load_env(op, args),
            Op::TempHandle(pair) => self.temporary(pair, args),
            Op::Yields(name) => Val::name(name),
            Op::Names => args.get(0).cloned().unwrap_or_else(|| Val::name("globals")),
            Op::Part => self.part_by_name(args),
            Op::PartOf => self.parts_of(args),
            Op::ItemOf | Op::Literal => self.item_op(op, args),
            Op::CallOf => match (args.literal(0), args.list.last()) {
                (Some(name), Some(owner)) if args.list.len() > 1 => {
                    let mut rest = args.skip(1);
                    rest.list.pop();
                    self.method(&owner.clone(), None, &name, rest)
                }
                _ => Val::Unknown(args.taint()),
            },
            Op::ApplyMember => match (args.get(0), args.get(1), args.get(2)) {
                (Some(Val::Name(module)), Some(Val::Name(name)), Some(Val::List(list))) => {
                    let full = format!("{module}.{name}");
                    self.apply(&Val::name(&full), &Args::of(list.items.clone()))
                }
                _ => {
                    self.callbacks(args);
                    Val::Unknown(args.taint())
                }
            },
            Op::Curry(name) => Val::partial(Val::name(name), args.clone()),
            Op::ApplyNamed | Op::ApplyList => {
                let rest = if op == Op::ApplyList { Args::of(args.at(1, &[]).items()) } else { args.skip(1) };
                // `[$object, "method"]`
                if let Some(Val::List(list)) = args.get(0)
                    && let [owner, name] = list.items.as_slice()
                    && let Some(name) = name.literal()
                {
                    return Some(self.method(owner, None, &name, rest));
                }
                let function = self.callable(&args.at(0, &[]));
                self.apply(&function, &rest)
            }
            Op::Dispatch => self.dispatch(name, args),
            Op::ByName => match args.literal(args.list.len().saturating_sub(1)) {
                Some(name) => self.named_function(&name),
                None => Val::name("?"),
            },
            Op::Get => self.get(args),
            Op::Nothing => {
                self.callbacks(args);
                Val::Unknown(args.taint())
            }
            _ => return self.each_op(op, args),
        })
    }

    /// Calls what it is given for every one of something.
    fn each_op(&mut self, op: Op, args: &Args) -> Option<Val> {
        Some(match op {
            Op::MapNames => {
                let function = match args.get(0) {
                    Some(Val::Name(name)) => Val::Name(Rc::clone(name)),
                    other => other.cloned().unwrap_or_else(Val::unknown),
                };
                self.higher(Op::Map, &Args::of(vec![function, args.at(1, &[])]))
            }
            Op::MapNamed => {
                let is_function =
                    |value: &Val| matches!(value, Val::Name(_) | Val::Function(_) | Val::Partial(_));
                let (list, function) = match (args.get(0), args.get(1)) {
                    (Some(list @ Val::List(_)), Some(function)) => (list.clone(), function.clone()),
                    (Some(list @ Val::Unknown(_)), Some(function)) if is_function(function) => {
                        (list.clone(), function.clone())
                    }
                    // One thing is a list of one.
                    (Some(one @ Val::Text(_)), Some(function)) if is_function(function) => {
                        (Val::list(vec![one.clone()]), function.clone())
                    }
                    (Some(function), Some(list)) => (list.clone(), function.clone()),
                    _ => return Some(Val::unknown()),
                };
                let function = self.callable(&function);
                self.higher(Op::Map, &Args::of(vec![function, list]))
            }
            Op::Find => {
                let function = args.at(0, &[]);
                for folder in args.list.iter().skip(1) {
                    let below = Args::of(vec![folder.clone(), Val::text("*")]);
                    let path = self.listing(Op::GlobDeep, folder, &below).item();
                    self.scope.set("$_", path.clone());
                    self.scope.set("$File::Find::name", path.clone());
                    self.apply(&function, &Args::of(vec![path]));
                }
                Val::unknown()
            }
            Op::TempBlock => {
                let path = self.known(Known::TempFile);
                for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
                    self.apply(function, &Args::of(vec![path.clone()]));
                }
                path
            }
            Op::Record => self.record(args),
            Op::Map
            | Op::Each
            | Op::Filter
            | Op::Reject
            | Op::Then
            | Op::Apply
            | Op::Thread
            | Op::Bind
            | Op::Fold
            | Op::Seek => self.higher(op, args),
            _ => return None,
        })
    }

    /// Makes values out of values.
    fn value_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Input => {
                self.calms += 1;
                self.around.input.clone()
            }
            // `iter(function, last)` calls the function until it returns the last.
            Op::Pure(Pure::ToList) if args.list.len() == 2 => Val::object(ENDLESS, Args::default()),
            Op::Pure(Pure::Entries | Pure::Values) if self.is_risky(args.get(0)) => {
                Val::many(vec![Val::name("?")])
            }
            Op::Count => Val::unknown(),
            Op::Encode => encoded(name, args),
            Op::Buffer if args.list.is_empty() => Val::object("buffer", Args::default()),
            Op::Buffer => Val::object("buffer", args.clone()),
            Op::RequestOption => self.request_option(args),
            Op::RequestOptions => self.request_options(args),
            Op::Keys => pure::apply(Pure::Keys, args),
            Op::Replace if args.list.len() == 2 => self.files(Op::Move, args),
            Op::Replace => self.perform(Op::Pure(Pure::Replace), name, args),
            Op::Pure(what) => {
                match what {
                    Pure::Fragments => drop(self.asks_pattern(name, args)),
                    other => self.yields_part(other),
                }
                let work: usize = args
                    .list
                    .iter()
                    .map(|value| match value {
                        Val::Text(text) => text.any.iter().map(|text| text.bytes()).sum(),
                        Val::List(list) => list.items.len() * 8,
                        _ => 1,
                    })
                    .sum();
                self.burn(work / 4);
                self.asked_by_key(args);
                let made = self.pure(what, args);
                // Whatever is made of a secret holds a part of it; what is cut out of it is looked at there.
                let cuts = matches!(what, Pure::Slice | Pure::Substring);
                match args.get(0).and_then(secret_in) {
                    // Its letters are joined, which are no path.
                    Some(secret) if what == Pure::JoinBy && matches!(args.get(0), Some(Val::Text(_))) => {
                        secret
                    }
                    Some(secret) if !cuts && !made.tells() => secret,
                    _ => made,
                }
            }
            Op::StartsWith | Op::EndsWith => self.affixed(op, name, args),
            Op::Fits => self.asks_pattern(name, args),
            _ => return self.known_op(op, name, args),
        })
    }

    /// Says what is known of the machine and of what runs on it.
    fn known_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Env | Op::EnvAll => self.environment(op == Op::EnvAll, name, args),
            Op::SetEnv => self.set_env(args),
            Op::InputFiles => self.input_files(),
            Op::Known(known) | Op::Now(known) => self.known(known),
            Op::Constant(text) => Val::text(text),
            Op::Property => match args.literal(0).as_deref() {
                Some("user.home") => self.known(Known::Home),
                Some("user.dir") => self.known(Known::Folder),
                Some("java.io.tmpdir") => self.known(Known::Temp),
                _ => Val::unknown(),
            },
            Op::Processes => {
                self.all_processes = args.list.is_empty() && args.named.is_empty();
                let process = Val::object("psutil.Process", Args::default());
                Val::many(vec![if name.ends_with("process_iter") { process } else { Val::unknown() }])
            }
            Op::Picks => {
                self.all_processes = false;
                Val::unknown()
            }
            _ => return None,
        })
    }

    fn pure(&mut self, what: Pure, args: &Args) -> Val {
        match what {
            Pure::ExpandUser => {
                let home = self.run.analyst.world.home().to_owned();
                Val::Text(pure::expand_user(&args.text(0), &home))
            }
            Pure::Absolute => {
                let home = self.run.analyst.world.home().to_owned();
                let path = pure::expand_user(
                    &pure::join_paths(&args.list.iter().rev().map(Val::as_text).collect::<Vec<_>>()),
                    &home,
                );
                Val::Text(self.run.shell.resolve(&path))
            }
            Pure::Resolve => {
                let path = pure::join_paths(&args.list.iter().map(Val::as_text).collect::<Vec<_>>());
                Val::Text(self.run.shell.resolve(&path))
            }
            other => pure::apply(other, args),
        }
    }

    fn kill(&mut self, signal_first: bool, args: &Args) -> Val {
        // Whoever goes through all processes may mean all of them, and does where none is asked for its name.
        let named = |path: &String| path.ends_with("/cmdline") || path.ends_with("/comm");
        let asked = self.files.iter().any(named);
        let unknown = if self.all_processes { "-1" } else { "?" };
        let show = |value: &Val| value.literal().unwrap_or_else(|| unknown.to_owned());
        let (signal, targets) = if signal_first {
            (args.get(0).map(show).unwrap_or_default(), args.skip(1).list)
        } else {
            (args.get(1).map_or_else(|| "TERM".to_owned(), show), args.list.iter().take(1).cloned().collect())
        };
        if signal == "0" {
            return Val::unknown();
        }
        for target in &targets {
            let picked = asked && target.literal().is_none();
            let certainty = if picked { Certainty::Possible } else { Certainty::Certain };
            self.push(
                EffectKind::Process { action: ProcessAction::Signal(signal.clone()), target: show(target) },
                certainty,
            );
        }
        Val::unknown()
    }

    /// A part of a module by its name.
    fn part_by_name(&mut self, args: &Args) -> Val {
        let owner = args.at(0, &[]);
        match (&owner, args.literal(1)) {
            (_, Some(name)) => self.attribute(&owner, None, &name),
            (Val::Name(module), None) if self.syntax.risky.contains(&&**module) => Val::name("?"),
            _ => Val::Unknown(owner.taint()),
        }
    }

    /// Is it a module from which nothing may be picked by a name that is not known?
    fn is_risky(&self, value: Option<&Val>) -> bool {
        matches!(value, Some(Val::Name(module)) if self.syntax.risky.contains(&&**module))
    }

    fn import(&mut self, args: &Args) -> Val {
        if taint::has(args.taint(), taint::NET) {
            self.dynamic(taint::NET);
        }
        if args.literal(0).is_some_and(|name| name.starts_with("http://") || name.starts_with("https://")) {
            self.dynamic(taint::NET);
        }
        if let Some(code) = args.literal(0).as_deref().and_then(crate::url::data) {
            self.source(&code);
            return Val::unknown();
        }
        // It puts its functions where everybody sees them.
        if args.literal(0).as_deref() == Some("shelljs/global") && self.stars.len() < 16 {
            self.stars.push(Rc::from("shelljs"));
        }
        match args.literal(0) {
            Some(name) => self.module(&name),
            None => Val::unknown(),
        }
    }

    pub fn opaque(&mut self, why: &str) {
        if self.act() {
            self.run.analyst.opaque(why, self.around.span);
        }
    }

    /// Code that is not known is run.
    pub fn dynamic(&mut self, marks: Taint) {
        if !self.act() {
            return;
        }
        let telling = taint::has(marks, taint::NET) || taint::has(marks, taint::DECODED);
        if self.around.origin == Origin::Inline || telling {
            self.run.analyst.dynamic_code(marks, self.around.span);
            return;
        }
        // A program on disk that makes its commands from its own data is the ordinary case.
        let kind = EffectKind::Exec {
            program: "its own code".into(),
            argv: Vec::new(),
            source: CodeSource::Variable,
        };
        self.push(kind, Certainty::Possible);
    }
}
