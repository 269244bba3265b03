//! Functions of make that work on texts.

use super::super::RECIPES;
use super::parts::{arguments, fits, patched};
use super::{Makefile, TOO_LONG};

impl Makefile {
    /// `$(SRC:.c=.o)`, `$(SRC:%.c=%.o)`
    pub(super) fn replaced(&self, name: &str) -> Option<String> {
        let (variable, (from, to)) = name
            .split_once(':')
            .map(|(name, pair)| (name, pair.split_once('=')))
            .and_then(|(name, pair)| Some((name, pair?)))?;
        let (_, value) = self.variables.iter().find(|(known, _)| known == variable)?;
        let (from, to) = match from.contains('%') {
            true => (from.to_owned(), self.expand(to)),
            false => (format!("%{from}"), format!("%{}", self.expand(to))),
        };
        Some(value.split_whitespace().map(|word| patched(&from, &to, word)).collect::<Vec<_>>().join(" "))
    }

    /// What a function of make that only works on texts gives; `None` for the others, whose result is some word.
    pub(super) fn function(&self, call: &str) -> Option<String> {
        let (name, rest) = call.split_once([' ', '\t'])?;
        // Texts within texts within texts are no makefile's.
        if rest.matches("$(").count() + rest.matches("${").count() > 16 {
            return None;
        }
        let raw = arguments(rest.trim_start());
        if let ("foreach", [variable, list, text]) = (name, raw.as_slice()) {
            return Some(self.for_each(variable.trim(), &self.expand(list), text));
        }
        let args: Vec<String> = raw.into_iter().map(|arg| self.expand(arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let words = |text: &str, change: &dyn Fn(&str) -> String| {
            text.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
        };
        Some(match (name, args.as_slice()) {
            ("shell", _) => format!("$({})", args.join(",")),
            ("file", [from]) if let Some(name) = from.trim().strip_prefix('<') => format!("$(cat {name})"),
            ("file" | "info" | "warning" | "error", _) => String::new(),
            ("dir" | "notdir" | "basename" | "suffix", [text]) => {
                words(text, &|word| part_of_name(name, word).to_owned())
            }
            ("wildcard", [patterns]) => words(patterns, &str::to_owned),
            ("filter", [patterns, text]) => {
                picked(text, |word| fits(patterns, word) || word.contains(['*', '$']))
            }
            ("filter-out", [patterns, text]) => picked(text, |word| !fits(patterns, word)),
            ("patsubst", [from, to, text]) => words(text, &|word| patched(from, to, word)),
            ("call", [name, given @ ..]) => self.called(name.trim(), given)?,
            ("eval", _) => String::new(),
            ("strip" | "sort" | "value" | "realpath" | "abspath", [text]) => words(text, &str::to_owned),
            ("subst", [from, to, text]) if !from.is_empty() => text.replace(from, to),
            ("addprefix", [prefix, text]) => words(text, &|word| format!("{prefix}{word}")),
            ("addsuffix", [suffix, text]) => words(text, &|word| format!("{word}{suffix}")),
            ("firstword", [text]) => text.split_whitespace().next().unwrap_or_default().to_owned(),
            ("lastword", [text]) => text.split_whitespace().last().unwrap_or_default().to_owned(),
            ("word", [at, text]) => {
                let at = at.trim().parse::<usize>().ok()?.checked_sub(1)?;
                text.split_whitespace().nth(at).unwrap_or_default().to_owned()
            }
            ("join", [left, right]) => {
                let mut right = right.split_whitespace();
                words(left, &|word| word.to_owned())
                    .split(' ')
                    .map(|word| format!("{word}{}", right.next().unwrap_or_default()))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            ("or", all) => (*all.iter().find(|text| !text.trim().is_empty())?).to_owned(),
            ("and", all) if all.iter().all(|text| !text.trim().is_empty()) => (*all.last()?).to_owned(),
            ("if", [_, then]) => (*then).to_owned(),
            ("if", [test, _, other]) if test.trim().is_empty() => (*other).to_owned(),
            ("if", [_, then, _]) => (*then).to_owned(),
            _ => return None,
        })
    }

    /// `$(foreach name,words,text)`
    fn for_each(&self, variable: &str, list: &str, text: &str) -> String {
        if list.split_whitespace().count() > RECIPES {
            return TOO_LONG.to_owned();
        }
        let each = list.split_whitespace().map(|word| {
            let forms = [format!("$({variable})"), format!("${{{variable}}}")];
            self.expand(&forms.iter().fold(text.to_owned(), |text, form| text.replace(form, word)))
        });
        each.collect::<Vec<_>>().join(" ")
    }

    /// `$(call name,a,b)`: the text of the variable, with what it is given.
    fn called(&self, name: &str, given: &[&str]) -> Option<String> {
        let (_, text) = self.variables.iter().find(|(known, _)| known == name)?;
        let fill = |text: String, (at, word): (usize, &&str)| text.replace(&format!("${{{}}}", at + 1), word);
        Some(given.iter().enumerate().fold(text.clone(), fill))
    }
}

/// The part of a file's name that a function of make gives.
fn part_of_name<'w>(function: &str, word: &'w str) -> &'w str {
    let folder = word.rfind('/').map_or(0, |at| at + 1);
    let dot = word.rfind('.').filter(|at| *at >= folder).unwrap_or(word.len());
    let (from, to) = match function {
        "dir" if folder == 0 => return "./",
        "dir" => (0, folder),
        "notdir" => (folder, word.len()),
        "basename" => (0, dot),
        _ => (dot, word.len()),
    };
    word.get(from..to).unwrap_or_default()
}

/// The words of a text that are kept.
fn picked(text: &str, keep: impl Fn(&str) -> bool) -> String {
    text.split_whitespace().filter(|word| keep(word)).collect::<Vec<_>>().join(" ")
}
