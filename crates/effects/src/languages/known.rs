//! What is known of the machine that a program runs on: its environment, arguments, folders.

use tollgate_model::{Certainty, EffectKind, EnvUse, Span};
use tollgate_shell::eval::Host;
use tollgate_shell::value::{Hole, HoleSource, Taint, Value};

use super::machine::Machine;
use super::ops::{ENVIRONMENT, Known};
use super::pure;
use super::value::{Args, Val};

/// Where code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The command line or standard input.
    Inline,
    /// A file.
    File,
}

/// What is around a program.
#[derive(Debug)]
pub(super) struct Around {
    pub span: Span,
    pub origin: Origin,
    /// The arguments after the program's name.
    pub argv: Vec<Val>,
    /// The program's file.
    pub file: Option<Value>,
    /// What it reads from standard input.
    pub input: Val,
    /// What the stand-ins in its text stand for.
    pub holes: Vec<(Hole, Taint)>,
    /// The file was written in this session, and is none of the project's.
    pub own: bool,
}

impl Machine<'_, '_, '_> {
    /// What is known of the machine.
    pub fn known(&mut self, known: Known) -> Val {
        let script = || self.around.file.clone();
        match known {
            Known::Arguments => Val::list(self.around.argv.clone()),
            Known::Program | Known::Interpreted => {
                let before = if known == Known::Program { 1 } else { 2 };
                let mut list = vec![Val::Text(script().unwrap_or_else(|| Value::text("-c"))); before];
                // `node -e` has no script before its arguments.
                if known == Known::Interpreted && self.around.file.is_none() {
                    list.pop();
                }
                list.extend(self.around.argv.iter().cloned());
                Val::list(list)
            }
            Known::Environment => Val::name("$ENV"),
            Known::Home => Val::text(self.run.analyst.world.home()),
            Known::Folder => Val::Text(self.run.shell.cwd().clone()),
            Known::Temp => Val::text(&self.temp()),
            // Its name is its own, so that what is written below it is found there.
            Known::TempFile => {
                let number = self.run.analyst.next_temporary();
                Val::text(&format!("{}/tmpX{number}", self.temp()))
            }
            Known::Executable => Val::text(self.run.program),
            Known::File => Val::Text(script().unwrap_or_else(|| Value::something(HoleSource::Input))),
            Known::FileFolder => match script() {
                Some(path) => Val::Text(pure::parent(&self.run.shell.resolve(&path))),
                None => Val::Text(self.run.shell.cwd().clone()),
            },
            Known::Input => self.around.input.clone(),
            Known::Slash => Val::text("/"),
            Known::Newline => Val::text("\n"),
            Known::Parent => Val::text(tollgate_model::EffectKind::PARENT),
        }
    }

    pub fn temp(&self) -> String {
        self.run.analyst.world.temp_dirs().first().cloned().unwrap_or_else(|| "/tmp".to_owned())
    }

    /// Variables of the environment: one by its name, with a default, or all of them.
    pub fn environment(&mut self, all: bool, name: &str, args: &Args) -> Val {
        if all || args.list.is_empty() {
            // A block is given each variable with its value.
            if let Some(block) = args.list.last().cloned() {
                let each = vec![Val::Unknown(ENVIRONMENT), Val::Unknown(ENVIRONMENT)];
                self.apply(&block, &Args::of(each));
            }
            let value = Val::Unknown(ENVIRONMENT);
            // The names in pairs of names and values are no secret.
            let pairs = name.ends_with(".items").then(|| Val::list(vec![Val::unknown(), value.clone()]));
            return pairs.map_or(value, |pair| Val::many(vec![pair]));
        }
        if let Some(Val::List(names)) = args.get(0).filter(|value| !value.items().is_empty()) {
            let each =
                names.items.iter().map(|name| self.environment(false, "[", &Args::of(vec![name.clone()])));
            return Val::list(each.collect());
        }
        let Some(variable) = args.literal(0) else {
            // One of several names that are known.
            let names: Vec<&str> = match args.get(0) {
                Some(Val::Text(text)) if text.is_known() => text.literals().collect(),
                _ => Vec::new(),
            };
            let given = |name: &&str| self.environment(false, "[", &Args::of(vec![Val::text(name)]));
            let each = names.iter().map(given).reduce(|all, one| all.union(&one));
            return each.unwrap_or(Val::Unknown(ENVIRONMENT));
        };
        if variable == "CARGO_MANIFEST_DIR" {
            return Val::text(self.run.analyst.world.workspace());
        }
        self.push(EffectKind::EnvRead { what: EnvUse::Used(vec![variable.clone()]) }, Certainty::Certain);
        // `os.environ["X"]` fails where there is no X; `getenv` does not.
        let present = name.contains('[') || args.list.len() > 1;
        let value = self.variable(&variable, present);
        match args.get(1) {
            Some(default) if !value.is_known() => Val::Text(value).union(default),
            _ => Val::Text(value),
        }
    }

    /// What the files hold that are the program's arguments, or what comes in from outside.
    pub fn input_files(&mut self) -> Val {
        let given = self.scope.get("@ARGV").cloned().unwrap_or_else(|| self.known(Known::Arguments));
        match &given {
            Val::List(list) if list.items.is_empty() => self.around.input.clone(),
            Val::List(_) | Val::Text(_) => Val::Text(self.read(&given)),
            _ => Val::Unknown(given.taint()),
        }
    }

    /// Data with these marks leaves the program, or is seen.
    pub fn leaks(&mut self, marks: Taint) {
        if marks.0 & ENVIRONMENT.0 == ENVIRONMENT.0 {
            self.push(EffectKind::EnvRead { what: EnvUse::All }, Certainty::Certain);
        }
    }

    /// What a variable of the environment is known to say.
    pub fn said(&mut self, name: &str) -> Option<String> {
        self.variable(name, false).as_literal().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Is it a program of the project, which was there before this session?
    pub fn is_project_script(&self) -> bool {
        self.around.origin == Origin::File && !self.around.own
    }

    fn variable(&mut self, name: &str, present: bool) -> Value {
        if let Some(value) = self.set_variable(name) {
            return value;
        }
        match self.run.analyst.environment(name) {
            Some(value) => Value::text(&value),
            None if present => Value::something(HoleSource::Variable(name.into())),
            None => Value::unknown(HoleSource::Variable(name.into())),
        }
    }

    /// What the call itself has set a variable to.
    pub fn set_variable(&self, name: &str) -> Option<Value> {
        let assigns = &self.run.call.assigns;
        let set = assigns.iter().rev().find(|(set, _)| **set == *name).map(|(_, value)| value.clone());
        let exported = || self.run.shell.exported().find(|(set, _)| *set == name).map(|(_, value)| value);
        set.or_else(exported)
    }
}
