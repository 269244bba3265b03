//! Builtins that decide what runs next: `exit`, `break`, `eval`, `trap`, `command`, `exec`.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::state::{ExitCode, Flow, Jump, JumpKind, State, Trap};
use super::super::{Call, Field, Host, Scope, Shell, Status};
use super::{Builtin, find, joined, options};
use crate::multicall;
use crate::value::{Hole, HoleSource, Taint, Text, Value};

impl Shell {
    /// `exit` and `return`. Only a call that certainly works ends the path: with a wrong number of
    /// arguments or `--help` the shell goes on.
    pub(super) fn builtin_exit(&mut self, args: &[Field], returns: bool) -> Flow {
        if returns && !self.context.returnable {
            return self.either();
        }
        let kind = if returns { JumpKind::Return } else { JumpKind::Exit };
        let code = match args {
            [] => Some(self.state.code),
            [only] if !only.splits => only
                .value
                .as_literal()
                .and_then(|text| text.parse::<i64>().ok())
                .map(|code| ExitCode::Known(u8::try_from(code.rem_euclid(256)).unwrap_or_default())),
            _ => None,
        };
        let state = State { code: code.unwrap_or(ExitCode::Any), ..self.state.clone() };
        self.jumps.push(Jump::new(kind, state));
        if code.is_some() { Flow::default() } else { self.either() }
    }

    pub(super) fn builtin_break(&mut self, args: &[Field], continues: bool) -> Flow {
        if self.context.loops == 0 {
            return self.either();
        }
        let levels = match args {
            [] => Some(1),
            [only] => {
                only.value.as_literal().and_then(|text| text.parse::<u32>().ok()).filter(|levels| *levels > 0)
            }
            _ => None,
        };
        let count = levels.unwrap_or(1).min(self.context.loops);
        let kind = if continues { JumpKind::Continue(count) } else { JumpKind::Break(count) };
        let state = State { code: ExitCode::Known(0), ..self.state.clone() };
        self.jumps.push(Jump::new(kind, state));
        if levels.is_some() { Flow::default() } else { self.either() }
    }

    pub(super) fn builtin_eval(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let args = match args {
            [first, rest @ ..] if first.value.as_literal() == Some("--") => rest,
            args => args,
        };
        if args.is_empty() {
            return Flow::of(Status::Success, self.state.clone());
        }
        let code = self.code(joined(args), Scope::Same, span);
        self.run_code(&code, host)
    }

    /// The body of a trap may run at any time from here on, and at the end.
    pub(super) fn builtin_trap(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let args = options(args).rest;
        let [action, signals @ ..] = args else { return self.either() };
        if signals.is_empty() {
            return self.either();
        }
        if matches!(action.value.as_literal(), Some("" | "-")) {
            return self.either();
        }
        let between = |field: &Field| match field.value.as_literal() {
            Some(signal) => {
                matches!(
                    signal.to_ascii_uppercase().trim_start_matches("SIG"),
                    "DEBUG" | "ERR" | "ZERR" | "RETURN" | "CHLD" | "CLD" | "17"
                )
            }
            None => true,
        };
        let between = signals.iter().any(between);
        let trap = Trap { text: action.value.clone(), between, span };
        if !self.state.local.traps.contains(&trap) {
            Rc::make_mut(&mut self.state.local_mut().traps).push(trap);
        }
        // What runs at the end of the script is run there, with what the variables hold by then; a trap set by
        // code that may have ended the script by then is run at once.
        let at_end = |field: &Field| matches!(field.value.as_literal(), Some("EXIT" | "0"));
        if self.aside > 0 || !signals.iter().all(at_end) {
            let (folders, taken) = (&self.state.world.folders, &self.state.world.taken);
            let (folders, taken) = (folders.clone(), taken.clone());
            self.run_aside(&action.value, span, host);
            // What it removes is there until then.
            let world = self.state.world_mut();
            (world.folders, world.taken) = (folders, taken);
        }
        self.either()
    }

    /// Runs the traps that may run before any command.
    pub(in super::super) fn run_traps_between(&mut self, host: &mut dyn Host) {
        if self.trapping || !self.state.local.traps.iter().any(|trap| trap.between) {
            return;
        }
        self.trapping = true;
        let traps = Rc::clone(&self.state.local.traps);
        for trap in traps.iter().filter(|trap| trap.between) {
            self.run_aside(&trap.text, trap.span, host);
        }
        self.trapping = false;
    }

    /// The shell may end here, or be told something by a signal: what waits for that finds things as they are now.
    pub(in super::super) fn may_end(&mut self, state: State) {
        if !state.local.traps.is_empty() {
            self.jumps.push(Jump::new(JumpKind::Exit, state));
        }
    }

    /// A command that failed, or a variable that was not set, may have ended the shell.
    pub(in super::super) fn may_end_by_failure(&mut self, flow: &Flow) {
        if let Some(state) = flow.fail.as_ref().filter(|state| state.local.options.fragile) {
            self.may_end(state.clone());
        }
    }

    /// A signal came: any trap may run, with things as they are.
    pub(in super::super) fn run_traps_aside(&mut self, host: &mut dyn Host) {
        if !std::mem::replace(&mut self.trapping, true) {
            let traps = Rc::clone(&self.state.local.traps);
            traps.iter().for_each(|trap| self.run_aside(&trap.text, trap.span, host));
            self.trapping = false;
        }
    }

    /// Runs what traps may do in the end.
    pub(in super::super) fn run_traps(&mut self, host: &mut dyn Host) {
        let traps = Rc::clone(&self.state.local.traps);
        Rc::make_mut(&mut self.state.local_mut().traps).clear();
        for trap in traps.iter() {
            self.run_aside(&trap.text, trap.span, host);
        }
    }

    /// `command`, `builtin` and `exec`: the command they run.
    pub(super) fn builtin_prefix(&mut self, builtin: Builtin, call: &Call, host: &mut dyn Host) -> Flow {
        let Some(skipped) = prefix_words(builtin, &call.argv) else {
            // `command -v` only prints.
            self.emit(1, &located(&call.argv));
            return self.either();
        };
        let mut argv: Vec<Field> = call.argv.iter().skip(skipped).cloned().collect();
        if let (Some(called), Some(program)) = (called(builtin, call), argv.first_mut())
            && let (Some(path), Some(name)) = (program.value.as_literal(), called.value.as_literal())
            && let Some(tool) = multicall::tool(path, name)
        {
            program.value = Value::text(tool);
        }
        if argv.is_empty() {
            return Flow::of(Status::Success, self.state.clone());
        }
        let inner = Call { argv, kind: super::Kind::External, ..call.clone() };
        let flow = self.nested(call.span, host, |shell, host| shell.run_prefixed(builtin, inner, host));
        flow.unwrap_or_else(|| self.either())
    }

    /// Runs the command that stands behind `command`, `builtin` or `exec`.
    fn run_prefixed(&mut self, builtin: Builtin, inner: Call, host: &mut dyn Host) -> Flow {
        if !self.step(inner.argv.len(), inner.span, host) {
            return self.either();
        }
        if inner.argv.first().is_some_and(|field| field.value.any.len() > 1 || field.splits) {
            return self.run_call(inner, &[], host);
        }
        match builtin {
            Builtin::Precommand => self.run_call(inner, &[], host),
            Builtin::Exec => {
                self.may_end(self.state.clone());
                let flow = self.run_external(inner, host);
                // Nothing follows, unless the program could not be started.
                self.context.conditional = true;
                flow
            }
            Builtin::OfShell if inner.name().and_then(find).is_none() => self.run_external(inner, host),
            _ => self.run_program(inner, &[], host),
        }
    }
}

/// What `command -v name` prints: the path of the program, the name of a function or builtin, or nothing.
fn located(argv: &[Field]) -> Value {
    match argv.last().and_then(|field| field.value.as_literal()) {
        Some(name) if argv.len() == 3 && !name.starts_with('-') => {
            let mut path = Text::hole(Hole::nonempty(HoleSource::Output));
            path.push_str(&format!("/{name}\n"));
            Value::of([path, Text::literal(&format!("{name}\n")), Text::default()], Taint::NONE)
        }
        _ => Value::unknown(HoleSource::Output),
    }
}

/// The name that `exec -a name` gives to the program; the letters may stand together, and the name with them.
fn called(builtin: Builtin, call: &Call) -> Option<Field> {
    let words = call.argv.get(1..).filter(|_| builtin == Builtin::Exec)?;
    let at = words.iter().position(|field| {
        field.value.as_literal().is_some_and(|text| text.starts_with('-') && text.contains('a'))
    })?;
    let options = words.get(..at)?.iter();
    if !options.clone().all(|field| field.value.as_literal().is_some_and(|text| text.starts_with('-'))) {
        return None;
    }
    let option = words.get(at)?;
    match option.value.as_literal()?.split_once('a')? {
        (_, "") => words.get(at + 1).cloned(),
        (_, name) => Some(Field { value: Value::text(name), ..option.clone() }),
    }
}

/// How many words come before the command; `None` when nothing is run.
fn prefix_words(builtin: Builtin, argv: &[Field]) -> Option<usize> {
    let mut words = 1;
    while let Some(option) = argv.get(words).and_then(|field| field.value.as_literal()) {
        match (builtin, option) {
            (_, "--") => return Some(words + 1),
            (Builtin::Command, "-v" | "-V" | "-pv" | "-pV" | "-vp" | "-Vp") => return None,
            (Builtin::Command, "-p") | (Builtin::Exec, "-c" | "-l" | "-cl" | "-lc") => words += 1,
            (Builtin::Exec, option) if option.starts_with('-') && option.ends_with('a') => words += 2,
            (Builtin::Exec, option) if option.starts_with("-a") => words += 1,
            _ => break,
        }
    }
    Some(words)
}
