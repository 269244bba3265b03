//! Names of files that a program lists.

use tollgate_shell::value::{HoleSource, Text, Value};

use super::files::glob;
use super::machine::Machine;
use super::ops::Op;
use super::pure;
use super::value::{Args, Val};

impl Machine<'_, '_, '_> {
    /// Names of files: from a directory, or by a pattern.
    pub(super) fn listing(&mut self, op: Op, first: &Val, args: &Args) -> Val {
        let is_proc = |value: &Val| value.literal().is_some_and(|path| path.trim_end_matches('/') == "/proc");
        self.all_processes |= args.list.iter().any(is_proc);
        let name = || Value::text("*").map(glob);
        let folder = if args.list.is_empty() { Value::text(".") } else { first.as_text() };
        let below = |deep: bool, pattern: &Value| {
            let pattern = pattern.map(glob);
            let inner = || Value::something(HoleSource::Input);
            let folder = if deep { pure::join_paths(&[folder.clone(), inner()]) } else { folder.clone() };
            let mut found = pure::join_paths(&[folder, pattern.clone()]);
            if deep {
                found = found.union(&pure::join_paths(&[first.as_text(), pattern]));
            }
            Val::many(vec![Val::Text(found)])
        };
        match op {
            // Julia's `join` and R's `full.names`.
            Op::ReadDir if ["join", "full.names"].iter().any(|name| args.option(name).is_some()) => {
                below(false, &Value::text("*"))
            }
            Op::ReadDir => {
                let names = Val::many(vec![Val::Text(name())]);
                for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
                    // A block is given each of them, a callback all of them behind what went wrong.
                    let given = if self.syntax.bare_calls {
                        vec![names.item()]
                    } else {
                        vec![Val::unknown(), names.clone()]
                    };
                    self.apply(function, &Args::of(given));
                }
                names
            }
            Op::Walk => {
                let below = pure::join_paths(&[folder.clone(), Value::something(HoleSource::Input)]);
                let inner = Val::Text(folder.union(&below));
                let names = Val::many(vec![Val::Text(name())]);
                Val::many(vec![Val::list(vec![inner, names.clone(), names])])
            }
            Op::Glob | Op::GlobHome => self.globbed(op, args),
            Op::GlobBelow => {
                let pattern = if args.list.len() < 2 { Value::text("*") } else { args.text(1) };
                let deep = pattern.any.iter().any(|text| text.prefix().contains("**"));
                let pattern = pattern.map(|text| match text.as_literal() {
                    Some(known) => Text::literal(known.rsplit("**/").next().unwrap_or(known)),
                    None => text.clone(),
                });
                below(deep, &pattern)
            }
            _ => below(true, &args.text(1)),
        }
    }

    /// The files that fit patterns.
    fn globbed(&mut self, op: Op, args: &Args) -> Val {
        let home = (op == Op::GlobHome).then(|| self.run.analyst.world.home().to_owned());
        let at_home = |text: Value| match &home {
            Some(home) => pure::expand_user(&text, home),
            None => text,
        };
        let all: Vec<Val> = args.list.iter().flat_map(Val::items_or_self).collect();
        let all = all.iter().filter(|value| !matches!(value, Val::Int(_) | Val::Name(_)));
        let processes =
            |path: &String| path.strip_prefix("/proc/").is_some_and(|rest| rest.starts_with(['[', '*']));
        self.all_processes |= all.clone().filter_map(Val::literal).any(|path| processes(&path));
        let found = all.map(|value| Val::Text(at_home(value.as_text()).map(glob))).collect();
        Val::many(found)
    }
}
