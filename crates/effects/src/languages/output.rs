//! What programs print, and what they hand on to files, programs and connections they hold open.

use std::rc::Rc;

use tollgate_model::phrase::PRINTED;
use tollgate_model::{Certainty, EffectKind, WriteMode};
use tollgate_shell::value::Value;

use super::machine::{Machine, Origin};
use super::ops::{ENVIRONMENT, Op};
use super::value::{Args, Val};
use crate::commands::secrets::is_secret_name;

impl Machine<'_, '_, '_> {
    /// Prints, or hands data on.
    pub fn put_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Print(newline) => self.print_args(newline, args),
            Op::Dump if args.list.is_empty() => {
                self.leaks(ENVIRONMENT);
                Val::unknown()
            }
            Op::Dump => {
                let value = args.at(0, &[]);
                match args.get(1) {
                    Some(Val::File(file)) => {
                        self.file_method(&Rc::clone(file), "write", &Args::of(vec![value]))
                    }
                    _ => self.print_args(true, &Args::of(vec![value])),
                }
            }
            Op::PipeTo => {
                let value = Val::Text(args.text(0));
                match args.get(1) {
                    Some(Val::File(file)) => {
                        self.file_method(&Rc::clone(file), "write", &Args::of(vec![value]))
                    }
                    Some(Val::Pipe(pipe)) => {
                        self.pipe_method(&Rc::clone(pipe), "write", &Args::of(vec![value]))
                    }
                    other => other.cloned().unwrap_or_else(Val::unknown),
                }
            }
            Op::Put => match args.get(0).cloned() {
                Some(Val::File(file)) => self.file_method(&file, "write", &args.skip(1)),
                Some(Val::Pipe(pipe)) => self.pipe_method(&pipe, "write", &args.skip(1)),
                Some(Val::Object(_)) => self.network(Op::Send, args),
                _ => self.print_args(false, &args.skip(1)),
            },
            Op::WriteThird => {
                let content = args.text(0);
                self.write(&args.at(2, &[]), WriteMode::Overwrite, Some(&content));
                Val::unknown()
            }
            Op::ConnectSecond => self.network(Op::Connect, &args.skip(1)),
            Op::ConnectThird => self.network(Op::Connect, &args.skip(2)),
            Op::WriteTo => {
                let target = args.option("file").or(args.option("con")).or(args.get(1)).cloned();
                match target {
                    Some(Val::File(file)) => {
                        self.file_method(&file, "write", &Args::of(vec![args.at(0, &[])]))
                    }
                    Some(path @ Val::Text(_)) if args.option("file").is_some() || name != "cat" => {
                        let content = args.text(0);
                        self.write(&path, WriteMode::Overwrite, Some(&content));
                        Val::unknown()
                    }
                    _ => self.print_args(true, args),
                }
            }
            _ => return None,
        })
    }

    fn print_args(&mut self, newline: bool, args: &Args) -> Val {
        if args.option("file").is_some_and(|file| matches!(file, Val::Name(name) if name.ends_with("stderr")))
        {
            return Val::name("None");
        }
        if let Some(Val::File(handle)) = args.option("file").cloned() {
            self.file_method(&handle, "write", args);
            return Val::name("None");
        }
        let mut line = Value::empty();
        self.settings_shown(args);
        for (at, value) in args.list.iter().enumerate() {
            if at > 0 && newline {
                line = self.concat(&line, &Value::text(" "));
            }
            line = self.concat(&line, &value.as_text());
        }
        if newline {
            line = self.concat(&line, &Value::text("\n"));
        }
        self.print(&line);
        Val::name("None")
    }

    /// A setting of the application that is named for a secret is printed: `settings.SECRET_KEY`.
    fn settings_shown(&mut self, args: &Args) {
        if self.around.origin == Origin::File {
            return;
        }
        for value in &args.list {
            let full = match value {
                Val::Name(name) => name.to_string(),
                Val::Object(object) => object.class.to_string(),
                _ => continue,
            };
            let last = full.rsplit('.').next().unwrap_or_default();
            if full.contains("application.credentials") || full.contains('.') && is_secret_name(last) {
                let names = vec![format!("{PRINTED}{last}")];
                self.push(EffectKind::EnvRead { names }, Certainty::Certain);
            }
        }
    }
}
