//! What programs print, and what they hand on to files, programs and connections they hold open.

use std::rc::Rc;

use tollgate_model::{Certainty, EffectKind, EnvUse, WriteMode};
use tollgate_shell::value::Value;

use super::machine::{Machine, Origin};
use super::ops::{ENVIRONMENT, Op};
use super::text::secret_in;
use super::value::{Args, Val};
use crate::analyst::taint;
use crate::commands::secrets::told_aside;
use crate::secret_names::is_secret_name;

impl Machine<'_, '_, '_> {
    /// Prints, or hands data on.
    pub fn put_op(&mut self, op: Op, name: &str, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Print(newline) => self.print_args(newline, args),
            Op::Tell => {
                self.tell(args);
                Val::name("None")
            }
            Op::EnvDump => {
                let parts = ["GENERAL", "MODULES", "CONFIGURATION", "CREDITS", "LICENSE"];
                let is_part = |what: &Val| matches!(what, Val::Name(name) if parts.iter().any(|part| name.ends_with(part)));
                if !args.get(0).is_some_and(is_part) {
                    self.leaks(ENVIRONMENT);
                }
                Val::unknown()
            }
            Op::SendThird => {
                let content = Val::Text(self.read(&args.at(2, &[])));
                self.send_to_peer("send", Args::of(vec![content]))
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
            Op::OpenFor(mode) => self.opens_for(name, args, mode),
            Op::Archive => self.archives(args),
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
            _ => return self.lead_op(op, args),
        })
    }

    /// Leads data into something that takes it.
    fn lead_op(&mut self, op: Op, args: &Args) -> Option<Val> {
        Some(match op {
            Op::Streams => {
                let mut args = args.list.iter();
                let first = args.next().cloned().unwrap_or_else(Val::unknown);
                args.fold(first, |from, to| {
                    self.perform(Op::PipeTo, "pipe", &Args::of(vec![from.clone(), to.clone()]));
                    if matches!(from, Val::File(_)) { from } else { to.clone() }
                })
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
                    Some(peer) if is_peer(peer) => {
                        args.at(0, &[]).wire();
                        self.send_to_peer("send", Args::of(vec![args.at(0, &[])]))
                    }
                    // What goes through a filter comes out of it.
                    Some(other) => match args.get(0) {
                        Some(from) if from.tells() => from.clone(),
                        _ => other.clone(),
                    },
                    None => Val::unknown(),
                }
            }
            _ => return None,
        })
    }

    fn print_args(&mut self, newline: bool, args: &Args) -> Val {
        if args.option("file").is_some_and(|file| matches!(file, Val::Name(name) if name.ends_with("stderr")))
        {
            self.tell(args);
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
            line = self.concat(&line, &shown(value));
        }
        if newline {
            line = self.concat(&line, &Value::text("\n"));
        }
        self.print(&line);
        Val::name("None")
    }

    /// Something is said where errors go.
    pub fn tell(&mut self, args: &Args) {
        self.settings_shown(args);
        for value in &args.list {
            self.leaks(value.taint());
            if self.act() {
                told_aside(self.run.analyst, self.run.call, &shown(value));
            }
        }
        self.callbacks(args);
    }

    /// What a program fails with is said where errors go.
    pub fn thrown(&mut self, value: &Val) {
        match value {
            Val::Object(object) => self.tell(&object.args.clone()),
            other => self.tell(&Args::of(vec![other.clone()])),
        }
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
                let what = EnvUse::Printed(vec![last.to_owned()]);
                self.push(EffectKind::EnvRead { what }, Certainty::Certain);
            }
        }
    }
}

/// A value as it is printed: of a list or a table, at least the secrets in it are seen.
fn shown(value: &Val) -> Value {
    match value {
        Val::List(_) | Val::Table(_) => secret_in(value).map_or_else(|| value.as_text(), |it| it.as_text()),
        other => other.as_text(),
    }
}

/// Does it lead to another machine?
pub(super) fn is_peer(value: &Val) -> bool {
    match value {
        Val::Object(object) => &*object.class == "connection",
        Val::Unknown(marks) => taint::has(*marks, taint::NET),
        _ => false,
    }
}
