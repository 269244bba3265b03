//! Variables that a program sets for itself and for the programs that it starts: some of them are code.

use tollgate_shell::value::Value;

use super::machine::Machine;
use super::ops::Op;
use super::value::{Args, Val};
use crate::analyst::taint;
use crate::commands;

impl Machine<'_, '_, '_> {
    /// `putenv("NAME=value")`, `setenv("NAME", "value")`, `environ.update({…})`.
    pub fn set_env(&mut self, args: &Args) -> Val {
        match args.list.as_slice() {
            [Val::Text(pair)] => {
                let parts = pair.as_literal().and_then(|text| text.split_once('='));
                if let Some((name, value)) = parts {
                    self.exported(name, &Val::text(value));
                }
            }
            [name @ Val::Text(_), value, ..] => {
                if let Some(name) = name.literal() {
                    self.exported(&name, value);
                }
            }
            tables => tables.iter().for_each(|table| self.exported_all(table)),
        }
        args.named.iter().for_each(|(name, value)| self.exported(name, value));
        Val::unknown()
    }

    /// The environment that a program is started with.
    pub fn child_env(&mut self, args: &Args) {
        if let Some(table) = args.option("env") {
            self.exported_all(&table.clone());
        }
        // Ruby takes it before the command.
        if let [table @ Val::Table(_), Val::Text(_), ..] = args.list.as_slice() {
            self.exported_all(table);
        }
    }

    /// `environ["NAME"] = value`, and the same in a copy for a child.
    pub fn env_part(&mut self, owner: &str, part: &str, value: &Val) {
        let copied = self.scope.get(owner).is_some_and(|value| taint::has(value.taint(), taint::ENVIRONMENT));
        let owner = owner.rsplit(['.', '%', '$']).next().unwrap_or_default().to_ascii_lowercase();
        if copied || owner.contains("env") {
            self.exported(part, value);
        }
    }

    /// A file of variables is put into the environment.
    pub fn load_env(&mut self, op: Op, args: &Args) -> Val {
        let at = if let Op::LoadEnv(at) = op { at } else { 0 };
        let named = ["path", "dotenv_path", "env_file"].iter().find_map(|name| args.option(name));
        let given =
            named.or(args.get(at)).filter(|value| matches!(value, Val::Text(_)) && args.list.len() > at);
        let single = matches!(op, Op::LoadedEnv(0));
        let file = given.filter(|_| !single).map_or_else(|| Value::text(".env"), Val::as_text);
        for text in file.any.iter().take(4) {
            let word = self.word(text, file.taint);
            self.run.analyst.load_variables(&word, self.run.shell);
        }
        match op {
            Op::LoadedEnv(at) => self.environment(false, "[", &Args::of(vec![args.at(at, &[])])),
            // What was read is a part of what it returns.
            _ => Val::table(vec![
                ("parsed".into(), Val::Unknown(taint::SECRET)),
                ("error".into(), Val::name("undefined")),
            ]),
        }
    }

    fn exported_all(&mut self, table: &Val) {
        if let Val::Table(table) = table {
            let entries = table.entries.clone();
            entries.iter().for_each(|(name, value)| self.exported(name, value));
        }
    }

    fn exported(&mut self, name: &str, value: &Val) {
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if named && matches!(value, Val::Text(_)) && self.act() {
            commands::set_variable(self.run, name, &value.as_text());
        }
    }
}
