//! Commands that are put together before they run: `Command::new("rm").arg("-rf")`, `ProcessBuilder`, `Process()` with its
//! parts set one by one.

use tollgate_shell::value::Value;

use super::super::machine::Machine;
use super::super::ops::Op;
use super::super::pure::{self, Pure};
use super::super::token::Tok;
use super::super::value::{Args, Object, Val};

/// The class of a command that is being put together.
pub(in crate::languages) const COMMAND: &str = "command";

/// The class of what says how a file is to be opened.
pub(in crate::languages) const OPENING: &str = "opening";

/// Does `new Name {…}` stand here?
pub(super) fn initialised(m: &Machine) -> bool {
    matches!((m.ahead(1), m.ahead(2)), (Some(Tok::Name(_)), Some(Tok::Op("{"))))
}

/// `new Name { Part = value, … }`
pub(super) fn object(m: &mut Machine) -> Val {
    m.at += 1;
    let name = m.name().unwrap_or_default();
    let close = m.pair();
    let args = m.range(m.at + 1..close, Machine::argument_list);
    m.at = close + 1;
    m.library(&name, &args)
}

/// The arguments; where each has a label (`removeItem(atPath: path)`), those that say no more than how count by their
/// place.
pub(in crate::languages) fn labelled(args: &Args) -> Args {
    const HOW: &[&str] = &["recursive", "force", "atomically", "encoding", "mode", "attributes"];
    let all = args.list.is_empty() && !args.named.is_empty();
    let named = args.named.iter().filter(|(name, _)| all && !HOW.contains(&&**name));
    let list = args.list.iter().chain(named.map(|(_, value)| value)).cloned().collect();
    Args { list, named: args.named.clone() }
}

impl Machine<'_, '_, '_> {
    /// What only the languages that are read flat have.
    pub fn flat_op(&mut self, op: Op, args: &Args) -> Option<Val> {
        Some(match (op, args.get(0)) {
            (Op::Builder, _) => self.begin_command(args),
            (Op::StartText, Some(Val::Object(command))) if &*command.class == COMMAND => {
                self.command_method(command, None, "start", &Args::default())
            }
            (Op::Visit, Some(folder)) => self.visit(folder),
            (Op::FoldFiles, _) => {
                let names = self.files(Op::GlobDeep, &Args::of(vec![args.at(0, &[]), Val::text("*")]));
                self.apply(&args.at(3, &[]), &Args::of(vec![names.item()]))
            }
            (Op::Special, folder) => {
                let documents = folder.is_some_and(|folder| format!("{folder:?}").contains("Documents"));
                let home = Value::text(self.run.analyst.world.home());
                let below = Value::text(if documents { "Documents" } else { "" });
                Val::Text(pure::join_paths(&[home, below]))
            }
            (Op::DeleteFlagged, Some(path)) => {
                let deep = args.literal(1).is_some_and(|flags| flags.contains('r'));
                let op = if deep { Op::DeleteTree } else { Op::Delete };
                self.files(op, &Args::of(vec![path.clone()]))
            }
            (Op::UploadTo, Some(path)) => {
                let content = Val::Text(self.read(path));
                self.network(Op::Post, &Args::of(vec![args.at(1, &[]), content]))
            }
            // `String(contentsOfFile: path)`
            (Op::Pure(Pure::Same), _)
                if let Some(path) = args.option("contentsOfFile").or(args.option("contentsOf")) =>
            {
                Val::Text(self.read(path))
            }
            // Rust's `format!("{x}")`.
            (Op::Pure(Pure::Printf), Some(text))
                if let Some(filled) = text.literal().and_then(|text| self.captured(&text)) =>
            {
                Val::Text(filled)
            }
            // Rust's `format!("{}", x)`.
            (Op::Pure(Pure::Printf), Some(text))
                if text.literal().is_some_and(|text| text.contains("{}")) =>
            {
                pure::apply(Pure::Braces, args)
            }
            (Op::Opening, _) => Val::object(OPENING, Args::default()),
            (Op::OpenMode, Some(path)) => {
                let mode = match args.get(1) {
                    Some(Val::Name(name)) if name.starts_with("Append") => "a",
                    Some(Val::Name(name)) if name.starts_with("ReadWrite") => "r+",
                    Some(Val::Name(name)) if name.starts_with("Write") => "w",
                    _ => "r",
                };
                self.open(path, &Val::text(mode), args)
            }
            _ => return None,
        })
    }

    /// A text with the variables in it that it names in braces, if it names one that is known here.
    fn captured(&self, text: &str) -> Option<Value> {
        let mut filled = Value::empty();
        let mut any = false;
        let mut parts = text.split('{');
        filled = filled.concat(&Value::text(parts.next().unwrap_or_default()));
        for part in parts {
            let (inside, rest) = part.split_once('}')?;
            let name = inside.split(':').next().unwrap_or_default();
            let value = self.scope.get(name)?;
            any = true;
            filled = filled.concat(&value.as_text()).concat(&Value::text(rest));
        }
        any.then_some(filled)
    }

    /// The beginning of a command; what it is given may be lists of words.
    pub fn begin_command(&mut self, args: &Args) -> Val {
        // .NET has the arguments in one text.
        let texts = args.option("Arguments").is_some();
        let words = args.list.iter().flat_map(Val::items_or_self);
        let list = words.flat_map(|word| match word.literal().filter(|_| texts) {
            Some(text) => text.split_whitespace().map(Val::text).collect(),
            None => vec![word],
        });
        Val::object(COMMAND, Args::of(list.collect()))
    }

    /// Something is added to a command, or it is run.
    pub fn command_method(&mut self, command: &Object, place: Option<&str>, name: &str, args: &Args) -> Val {
        let mut all = command.args.clone();
        match name {
            "arg" | "args" | "addArgument" | "addArguments" | "arguments" => {
                all.list.extend(args.list.iter().flat_map(Val::items_or_self));
            }
            "command" => all.list = args.list.iter().flat_map(Val::items_or_self).collect(),
            "current_dir" | "directory" => all.named.push(("cwd".into(), args.at(0, &[]))),
            "env" => drop(self.set_env(args)),
            "envs"
            | "env_clear"
            | "env_remove"
            | "environment"
            | "stdin"
            | "stdout"
            | "stderr"
            | "inheritIO"
            | "redirectErrorStream"
            | "redirectOutput"
            | "redirectInput"
            | "redirectError"
            | "uid"
            | "gid" => {}
            _ if all.list.is_empty() => return Val::unknown(),
            _ => return self.perform(Op::System, COMMAND, &all),
        }
        let command = Val::object(COMMAND, all);
        if let Some(place) = place {
            self.scope.set(place, command.clone());
        }
        command
    }

    /// A part of a command is set by its name; what it runs comes before what that is given.
    pub fn command_part(&mut self, owner: &str, command: &Object, part: &str, value: &Val) {
        let mut all = command.args.clone();
        match part {
            "executableURL" | "launchPath" | "FileName" => all.list.insert(0, value.clone()),
            "arguments" | "Arguments" | "ArgumentList" => all.list.extend(value.items_or_self()),
            _ => return,
        }
        self.scope.set(owner, Val::object(COMMAND, all));
    }

    /// `OpenOptions::new().write(true).truncate(true).open(path)`
    pub fn opening_method(&mut self, opening: &Object, place: Option<&str>, name: &str, args: &Args) -> Val {
        if name == "open" {
            let is = |name: &str| opening.args.option(name).is_some_and(Val::is_true);
            let mode = match (is("append"), is("truncate") || is("create_new"), is("write")) {
                (true, ..) => "a",
                (_, true, _) => "w",
                (.., true) => "r+",
                _ => "r",
            };
            return self.open(&args.at(0, &[]), &Val::text(mode), &Args::default());
        }
        let mut all = opening.args.clone();
        all.named.push((name.into(), args.at(0, &[])));
        let opening = Val::object(OPENING, all);
        if let Some(place) = place {
            self.scope.set(place, opening.clone());
        }
        opening
    }
}
