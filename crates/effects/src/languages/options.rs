//! Arguments of the program as its own parser of options takes them apart: `argparse`.

use std::rc::Rc;

use super::machine::Machine;
use super::value::{Args, Val};

/// The most options that are taken down.
const OPTIONS: usize = 64;

impl Machine<'_, '_, '_> {
    /// A parser is told of an option, or asked what the program was given.
    pub fn option_parser(&mut self, class: &str, name: &str, args: &Args) -> Option<Val> {
        if !class.starts_with("argparse.ArgumentParser") {
            return None;
        }
        match name {
            "add_argument" => {
                if self.own.options.len() < OPTIONS {
                    self.own.options.push(args.clone());
                }
                Some(Val::unknown())
            }
            "parse_args" if args.list.is_empty() => Some(self.parsed()),
            _ => None,
        }
    }

    fn parsed(&self) -> Val {
        let argv: Vec<Val> = self.around.argv.clone();
        let mut taken = vec![false; argv.len()];
        let mut entries: Vec<(Rc<str>, Val)> = Vec::new();
        let mut plain = Vec::new();
        for option in &self.own.options {
            let names: Vec<String> = option.list.iter().filter_map(Val::literal).collect();
            let long = names.iter().find(|name| name.starts_with("--")).or(names.first());
            let Some(long) = long else { continue };
            let named = option.option("dest").and_then(Val::literal);
            let name: Rc<str> =
                Rc::from(named.unwrap_or_else(|| long.trim_start_matches('-').replace('-', "_")));
            if !long.starts_with('-') {
                plain.push((name, option));
                continue;
            }
            let given = given(&names, option.option("action").is_some(), &argv, &mut taken);
            let default = option.option("default").cloned().unwrap_or_else(|| Val::name("None"));
            entries.push((name, given.unwrap_or(default)));
        }
        let mut rest = argv.iter().zip(&taken).filter(|(_, taken)| !**taken).map(|(word, _)| word.clone());
        for (name, option) in plain {
            let value = match option.option("nargs").is_some() {
                true => Val::list(rest.by_ref().collect()),
                false => {
                    let default = option.option("default").cloned();
                    rest.next().or(default).unwrap_or_else(Val::unknown)
                }
            };
            entries.push((name, value));
        }
        Val::table(entries)
    }
}

/// What follows an option among the arguments, which is marked as taken.
fn given(names: &[String], flag: bool, argv: &[Val], taken: &mut [bool]) -> Option<Val> {
    let mut mark = |at: usize| taken.get_mut(at).into_iter().for_each(|taken| *taken = true);
    for (at, word) in argv.iter().enumerate() {
        let Some(text) = word.literal() else { continue };
        if names.contains(&text) {
            mark(at);
            if flag {
                return Some(Val::name("True"));
            }
            mark(at + 1);
            return argv.get(at + 1).cloned();
        }
        let attached = names.iter().find_map(|name| text.strip_prefix(name.as_str())?.strip_prefix('='));
        if let Some(value) = attached {
            mark(at);
            return Some(Val::text(value));
        }
    }
    None
}
