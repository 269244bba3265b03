//! `set`, `shift`, `shopt`, `alias`, `hash`, `enable`.

use std::rc::Rc;

use tollgate_model::Span;

use super::super::functions::{GLOBAL, SUFFIX};
use super::super::state::{Flow, List};
use super::super::{Call, Field, Host, Shell, Status};
use super::options;
use crate::ast::Dialect;
use crate::value::{HoleSource, Piece, Text, Value};

impl Shell {
    pub(super) fn builtin_set(&mut self, args: &[Field]) -> Flow {
        let mut rest = args;
        let (mut positional, mut status) = (false, Status::Success);
        while let [first, others @ ..] = rest {
            let Some(word) = first.value.as_literal() else {
                positional = true;
                break;
            };
            match word {
                "--" => {
                    positional = true;
                    rest = others;
                    break;
                }
                "-" => {
                    positional = !others.is_empty();
                    rest = others;
                    break;
                }
                "-o" | "+o" => {
                    let name = others.first().and_then(|field| field.value.as_literal()).unwrap_or_default();
                    self.option(name, word == "-o");
                    if !others.is_empty() && !NAMES.contains(&name) {
                        status = Status::Either;
                    }
                    rest = others.get(1..).unwrap_or_default();
                    continue;
                }
                word if word.len() > 1 && word.starts_with(['-', '+']) => {
                    for (letter, name) in LETTERS {
                        if word.contains(*letter) {
                            self.option(name, word.starts_with('-'));
                        }
                    }
                    if word.ends_with('o') {
                        let name =
                            others.first().and_then(|field| field.value.as_literal()).unwrap_or_default();
                        self.option(name, word.starts_with('-'));
                        rest = others.get(1..).unwrap_or_default();
                        continue;
                    }
                }
                _ => {
                    positional = true;
                    break;
                }
            }
            rest = others;
        }
        if positional {
            self.set_args(rest.to_vec());
        }
        Flow::of(status, self.state.clone())
    }

    fn option(&mut self, name: &str, on: bool) {
        let options = &mut self.state.local_mut().options;
        match name.to_lowercase().replace('_', "").as_str() {
            "noglob" => options.noglob = on,
            "pipefail" => options.pipefail = on,
            "lastpipe" => options.lastpipe = on,
            "nocasematch" | "nocaseglob" | "nocasealternation" => options.nocase |= on,
            "xpgecho" | "bsdecho" => options.xpg_echo |= on,
            "posix" => options.posix |= on,
            "shwordsplit" => options.word_split |= on,
            "physical" | "chaselinks" | "chasedots" => options.physical |= on,
            "errexit" => {
                options.fragile |= on;
                options.errexit = on;
            }
            "nounset" | "errreturn" => options.fragile |= on,
            "unset" => options.fragile |= !on,
            "allexport" => options.all_export = on,
            _ => {}
        }
    }

    pub(super) fn builtin_shopt(&mut self, call: &Call) -> Flow {
        let given = options(call.argv.get(1..).unwrap_or_default());
        let zsh = call.name().is_some_and(|name| name.ends_with("setopt"));
        let on = if zsh { call.name() == Some("setopt") } else { given.letters.contains('s') };
        if zsh || given.letters.contains(['s', 'u']) {
            for name in given.rest.iter().flat_map(|field| field.value.literals()) {
                self.option(name, on);
            }
        }
        self.either()
    }

    /// `emulate sh`, and `emulate sh -c code`.
    pub(super) fn builtin_emulate(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        if !args.iter().any(|field| field.value.as_literal() == Some("zsh")) {
            self.option("shwordsplit", true);
        }
        let code = args.iter().skip_while(|field| field.value.as_literal() != Some("-c")).nth(1);
        if let Some(code) = code {
            self.run_aside(&code.value, span, host);
        }
        self.either()
    }

    pub(super) fn builtin_shift(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let count = match args {
            [] => Some(1),
            [only, ..] => {
                self.number_of(&only.value, span, host).and_then(|count| usize::try_from(count).ok())
            }
        };
        let many = |item: &Value| item.any.iter().any(Text::has_globs);
        let shifted = |list: &List| match count {
            // A pattern stands for any number of names.
            Some(count) if list.items.iter().take(count).any(many) => List::open(Vec::new(), list.values()),
            Some(count) if count <= list.items.len() => {
                List { items: list.items.iter().skip(count).cloned().collect(), ..list.clone() }
            }
            Some(_) if list.others.is_some() => List::open(Vec::new(), list.others.clone()),
            Some(_) => list.clone(),
            None => List::open(Vec::new(), list.values()),
        };
        let any: Vec<List> = self.state.local.args.any.iter().map(shifted).collect();
        let fits = |list: &List| count.is_some_and(|count| count <= list.items.len());
        let status = match &self.state.local.args.any {
            lists if lists.iter().all(fits) => Status::Success,
            lists if count.is_some() && lists.iter().all(|list| !fits(list) && list.others.is_none()) => {
                Status::Failure
            }
            _ => Status::Either,
        };
        Rc::make_mut(&mut self.state.local_mut().args).any = any;
        Flow::of(status, self.state.clone())
    }

    pub(super) fn builtin_alias(&mut self, args: &[Field], span: Span, host: &mut dyn Host) -> Flow {
        let given = options(args);
        let zsh = self.dialect == Dialect::Zsh;
        let (global, suffix) = (zsh && given.letters.contains('g'), zsh && given.letters.contains('s'));
        for field in given.rest {
            for text in &field.value.any {
                let Some((name, value)) = split_alias(text) else { continue };
                let value = Value { any: vec![value], taint: field.value.taint };
                if global {
                    // It takes effect anywhere in a command, behind another one as well.
                    let behind = value.as_literal().map(|text| text.trim_start_matches(['|', '&', ';', ' ']));
                    let alone = behind.map_or_else(|| value.clone(), Value::text);
                    self.run_aside(&alone, span, host);
                }
                if suffix {
                    // It runs with the file that is named like a command.
                    let file = Value::something(HoleSource::Input);
                    self.run_aside(&Value::joined([&value, &file], " "), span, host);
                }
                let aliases = &mut self.state.local_mut().aliases;
                if suffix || global {
                    let kind = if suffix { SUFFIX } else { GLOBAL };
                    aliases.insert(Rc::from(format!("{kind}{name}")), value.clone());
                }
                if suffix {
                    continue;
                }
                aliases.insert(Rc::from(name), value);
            }
        }
        self.either()
    }

    pub(super) fn builtin_unalias(&mut self, args: &[Field]) -> Flow {
        let given = options(args);
        let aliases = &mut self.state.local_mut().aliases;
        if given.letters.contains('a') {
            aliases.clear();
        }
        for name in given.rest.iter().filter_map(|field| field.value.as_literal()) {
            aliases.remove(name);
        }
        self.either()
    }

    /// `hash -p path name` makes a name stand for a path; `hash -r` forgets.
    pub(super) fn builtin_hash(&mut self, args: &[Field]) -> Flow {
        let hashed = &mut self.state.local_mut().hashed;
        let args = match args {
            [first, rest @ ..] if first.value.as_literal() == Some("-r") && !rest.is_empty() => {
                hashed.clear();
                rest
            }
            args => args,
        };
        let attached = |field: &Field| field.value.as_literal()?.strip_prefix("-p").map(Value::text);
        match args {
            [first, names @ ..] if attached(first).is_some_and(|path| !path.is_empty()) => {
                let path = attached(first).unwrap_or_else(Value::empty);
                for name in names.iter().flat_map(|field| field.value.literals()) {
                    hashed.insert(Rc::from(name), path.clone());
                }
            }
            [first, path, names @ ..] if first.value.as_literal() == Some("-p") => {
                for name in names.iter().flat_map(|field| field.value.literals()) {
                    hashed.insert(Rc::from(name), path.value.clone());
                }
            }
            [first, names @ ..] if first.value.as_literal() == Some("-d") => {
                for name in names.iter().filter_map(|field| field.value.as_literal()) {
                    hashed.remove(name);
                }
            }
            [first, ..] if first.value.as_literal() == Some("-r") => hashed.clear(),
            // zsh: `hash name=path`
            assignments => {
                for (name, value) in
                    assignments.iter().flat_map(|field| field.value.any.iter()).filter_map(split_alias)
                {
                    hashed.insert(Rc::from(name), value.into());
                }
            }
        }
        self.either()
    }

    /// `enable -n name` takes a builtin away, so that the name means a program.
    pub(super) fn builtin_enable(&mut self, args: &[Field]) -> Flow {
        let given = options(args);
        let disabled = &mut self.state.local_mut().disabled;
        for name in given.rest.iter().flat_map(|field| field.value.literals()) {
            if given.letters.contains('n') {
                disabled.insert(Rc::from(name), ());
            } else {
                disabled.remove(name);
            }
        }
        self.either()
    }
}

/// The letters of `set` that change what is evaluated.
const LETTERS: &[(char, &str)] =
    &[('f', "noglob"), ('P', "physical"), ('e', "errexit"), ('u', "nounset"), ('a', "allexport")];

/// Names of options behind `set -o`.
const NAMES: &[&str] = &[
    "allexport",
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "histexpand",
    "history",
    "ignoreeof",
    "interactive-comments",
    "keyword",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "posix",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
];

/// `name=value`
fn split_alias(text: &Text) -> Option<(String, Text)> {
    let Some(Piece::Text(first)) = text.pieces.first() else { return None };
    let (name, rest) = first.split_once('=')?;
    let mut value = Text::literal(rest);
    text.pieces.iter().skip(1).for_each(|piece| value.push(piece.clone()));
    Some((name.to_owned(), value))
}
