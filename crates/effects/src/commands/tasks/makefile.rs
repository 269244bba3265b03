//! Makefiles, as far as their recipes need: variables with known values, targets, prerequisites, recipes.

use tollgate_model::EffectKind;
use tollgate_shell::eval::Outcome;

use super::{RECIPES, text_of};
use crate::analyst::taint;
use crate::commands::Run;
use crate::options::Options;
use crate::paths::glob_could_be;
use crate::word::Word;

/// `make -p`: all that make knows, and with it every variable of the environment. Names of targets are picked out of
/// what it prints for the project.
pub(super) fn database(run: &mut Run, options: &Options) -> Outcome {
    let has_targets = !options.value("f").is_some_and(|file| file.is("/dev/null"));
    let picked = has_targets && run.call.piped_to && (options.has("q") || options.has("n"));
    if !picked {
        run.push(EffectKind::EnvRead { names: Vec::new() });
    }
    Outcome::unknown(taint::ENVIRONMENT)
}

/// All recipe lines of a makefile with the targets they are for, to judge what is written. What runs while it is read
/// is for none.
pub(crate) fn recipes(text: &str) -> Vec<(String, String)> {
    let file = Makefile::read(text, &[]);
    let lines = |rule: &MakeRule| {
        let name = rule.targets.join(" ");
        let lines = rule.recipe.iter().map(|line| plain_recipe(&file.expand(line)).to_owned());
        if file.one_shell() {
            return vec![(name, lines.collect::<Vec<_>>().join("\n"))];
        }
        lines.map(|line| (name.clone(), line)).collect::<Vec<_>>()
    };
    let at_once = file.at_once.iter().map(|line| (String::new(), line.clone()));
    file.rules.iter().flat_map(lines).chain(at_once).collect()
}

/// The text of a makefile with those that it brings in, where they are named outright or by a pattern.
pub(super) fn included(run: &mut Run, folder: Option<&Word>, text: &str, depth: usize) -> String {
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        whole.push_str(line);
        whole.push('\n');
        let words = line.split_whitespace();
        let brings = |word: &str| matches!(word, "include" | "-include" | "sinclude");
        if depth >= 4 || line.starts_with('\t') || !words.clone().next().is_some_and(brings) {
            continue;
        }
        for name in words.skip(1).take(16).take_while(|word| !word.starts_with('#')) {
            for name in matching(run, folder, name) {
                if let Some(more) = text_of(run, folder.filter(|_| !name.starts_with('/')), &[&name]) {
                    whole.push_str(&included(run, folder, &more, depth + 1));
                }
            }
        }
    }
    whole
}

/// The files that a name with a pattern in its last part stands for.
fn matching(run: &Run, folder: Option<&Word>, name: &str) -> Vec<String> {
    let (parent, last) = name.rsplit_once('/').unwrap_or((".", name));
    if !last.contains(['*', '?', '[']) || name.contains('$') {
        return vec![name.to_owned()];
    }
    let base = folder.map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
    let word = Word::literal_at(
        &format!("{}{parent}", if parent.starts_with('/') { "" } else { &base }),
        run.call.span,
    );
    let places = run.analyst.places(&word, run.shell);
    let names = places.iter().flat_map(|(place, _)| run.analyst.world.list(&place.path, 64));
    let fits = names.filter(|entry| glob_could_be(last, entry));
    fits.take(16).map(|entry| format!("{parent}/{entry}")).collect()
}

/// How much longer than it stands there a text may become, and what it is then: code that nobody knows.
const LONGEST: usize = 1 << 16;
const TOO_LONG: &str = "eval \"$a_text_of_make_that_is_too_long\"";

/// A makefile, as far as its recipes need: variables with known values, targets, prerequisites, recipes.
pub(super) struct Makefile {
    variables: Vec<(String, String)>,
    rules: Vec<MakeRule>,
    /// What runs while it is read: `$(shell …)` and `!=`.
    at_once: Vec<String>,
}

struct MakeRule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    pub fn read(text: &str, sets: &[&str]) -> Self {
        let mut file = Self { variables: Vec::new(), rules: Vec::new(), at_once: Vec::new() };
        for line in text.replace("\\\n", " ").lines() {
            file.line(line);
        }
        for set in sets {
            file.assign(set);
        }
        file
    }

    fn line(&mut self, line: &str) {
        if let Some(command) = line.strip_prefix('\t') {
            if let Some(rule) = self.rules.last_mut() {
                rule.recipe.push(command.to_owned());
            }
            return;
        }
        let plain = line.trim();
        if plain.is_empty() || plain.starts_with('#') {
            return;
        }
        // `$(file < name)` is what is in it.
        if let Some((_, rest)) = plain.split_once("$(file <") {
            self.at_once.push(format!("cat {}", rest.split(')').next().unwrap_or_default().trim()));
        }
        self.at_once.extend(shells(plain));
        if is_assignment(plain) {
            return self.assign(plain);
        }
        let Some((targets, rest)) = plain.split_once(':') else { return };
        let (needs, recipe) =
            rest.trim_start_matches(':').split_once(';').unwrap_or((rest.trim_start_matches(':'), ""));
        let words = |text: &str| self.expand(text).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let recipe = if recipe.trim().is_empty() { Vec::new() } else { vec![recipe.trim().to_owned()] };
        let rule = MakeRule { targets: words(targets), needs: words(needs), recipe };
        self.rules.push(rule);
    }

    fn assign(&mut self, line: &str) {
        let line = line.trim_start_matches("export ").trim_start_matches("override ");
        let Some((name, value)) = line.split_once('=') else { return };
        let keeps = name.ends_with('?');
        let adds = name.ends_with('+');
        let runs = name.ends_with('!');
        let name = name.trim_end_matches([':', '?', '+', '!', ' ']).trim();
        if runs {
            self.at_once.push(value.trim().to_owned());
            return;
        }
        let value = self.expand(value.trim());
        match self.variables.iter_mut().find(|(known, _)| known == name) {
            Some(_) if keeps => {}
            Some((_, old)) if adds && old.len() + value.len() > LONGEST => *old = TOO_LONG.to_owned(),
            Some((_, old)) if adds => *old = format!("{old} {value}"),
            Some((_, old)) => *old = value,
            None => self.variables.push((name.to_owned(), value)),
        }
    }

    /// A text with its variables put in. What is not known is left to the shell as a variable of its own.
    fn expand(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            if out.len() > LONGEST {
                return TOO_LONG.to_owned();
            }
            let (before, after) = rest.split_at(at);
            out.push_str(before);
            let after = after.get(1..).unwrap_or_default();
            if let Some(next) = after.strip_prefix('$') {
                out.push('$');
                rest = next;
                continue;
            }
            let close = match after.chars().next() {
                Some('(') => ')',
                Some('{') => '}',
                Some(c) => {
                    out.push_str(&self.value(&c.to_string()));
                    rest = after.get(c.len_utf8()..).unwrap_or_default();
                    continue;
                }
                None => break,
            };
            let inner = after.get(1..).unwrap_or_default();
            let end = closing(inner, close);
            out.push_str(&self.value(inner.get(..end).unwrap_or_default()));
            rest = inner.get(end + 1..).unwrap_or_default();
        }
        out.push_str(rest);
        if out.len() > LONGEST + text.len() { TOO_LONG.to_owned() } else { out }
    }

    fn value(&self, name: &str) -> String {
        if let Some((_, value)) = self.variables.iter().find(|(known, _)| known == name) {
            return value.clone();
        }
        match name {
            "MAKE" => "make".to_owned(),
            "CURDIR" => ".".to_owned(),
            "RM" => "rm -f".to_owned(),
            "@" | "<" | "^" | "*" | "?" | "@D" | "<D" => "make_target".to_owned(),
            _ if !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') =>
            {
                format!("${{{name}}}")
            }
            "" => String::new(),
            _ => self.function(name).unwrap_or_else(|| "make_value".to_owned()),
        }
    }

    /// What a function of make that only works on texts gives; `None` for the others, whose result is some word.
    fn function(&self, call: &str) -> Option<String> {
        let (name, rest) = call.split_once([' ', '\t'])?;
        // Texts within texts within texts are no makefile's.
        if rest.matches("$(").count() + rest.matches("${").count() > 16 {
            return None;
        }
        let args: Vec<String> =
            arguments(rest.trim_start()).into_iter().map(|arg| self.expand(arg)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let words = |text: &str, change: &dyn Fn(&str) -> String| {
            text.split_whitespace().map(change).collect::<Vec<_>>().join(" ")
        };
        Some(match (name, args.as_slice()) {
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

    /// The lines that run for these goals, prerequisites first. Of those that are only shown, the ones that run all the
    /// Is all of a recipe given to one shell?
    fn one_shell(&self) -> bool {
        self.rules.iter().any(|rule| rule.targets.iter().any(|target| target == ".ONESHELL"))
    }

    /// same: marked lines, those that call make, and what make itself asks a shell for.
    pub fn lines(&self, goals: &[&str], dry: bool) -> Vec<String> {
        let mut lines: Vec<String> = self.at_once.iter().map(|line| self.expand(line)).collect();
        let first = self.rules.iter().flat_map(|rule| &rule.targets).find(|target| !target.starts_with('.'));
        let mut todo: Vec<String> = match goals {
            [] => first.cloned().into_iter().collect(),
            goals => goals.iter().rev().map(|goal| (*goal).to_owned()).collect(),
        };
        let mut done: Vec<String> = Vec::new();
        while let Some(goal) = todo.pop() {
            if done.contains(&goal) || done.len() >= RECIPES {
                continue;
            }
            for rule in self.rules.iter().filter(|rule| rule.targets.contains(&goal)) {
                todo.extend(rule.needs.iter().cloned());
                if self.one_shell() && !dry {
                    let whole = rule.recipe.iter().map(|line| self.expand(line));
                    let whole: Vec<String> = whole.map(|line| plain_recipe(&line).to_owned()).collect();
                    let stops = self
                        .expand("$(.SHELLFLAGS)")
                        .split_whitespace()
                        .any(|flag| flag.strip_prefix('-').is_some_and(|letters| letters.contains('e')));
                    lines.push(format!("{}{}", if stops { "set -e\n" } else { "" }, whole.join("\n")));
                    continue;
                }
                for line in &rule.recipe {
                    lines.extend(shells(line).iter().map(|command| self.expand(command)));
                    if !dry || runs_always(line) {
                        lines.push(plain_recipe(&self.expand(line)).to_owned());
                    }
                }
            }
            done.push(goal);
        }
        lines
    }
}

/// Does a line of a recipe run even where recipes are only shown?
fn runs_always(line: &str) -> bool {
    let marks = line.len() - line.trim_start().trim_start_matches(['@', '-', '+', ' ']).len();
    let marked = line.get(..marks).is_some_and(|marks| marks.contains('+'));
    marked || line.contains("$(MAKE)") || line.contains("${MAKE}")
}

/// The commands of `$(shell …)` in a text.
pub(super) fn shells(text: &str) -> Vec<String> {
    let calls = [("$(shell ", ')'), ("${shell ", '}'), ("$(shell\t", ')')];
    let rests = calls.iter().flat_map(|(call, close)| text.split(call).skip(1).map(|rest| (rest, *close)));
    rests
        .take(64)
        .map(|(rest, close)| rest.get(..closing(rest, close)).unwrap_or_default().to_owned())
        .collect()
}

/// The commands of BSD's `${name:!command!}` in a text.
pub(super) fn asked(text: &str) -> Vec<String> {
    let rests = text.split(":!").skip(1).filter_map(|rest| rest.split_once('!'));
    rests.map(|(command, _)| command.to_owned()).collect()
}

/// Where a variable's name ends: at the mark that closes it, those within it left out.
fn closing(text: &str, close: char) -> usize {
    let open = if close == ')' { '(' } else { '{' };
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return at;
            }
            depth -= 1;
        }
    }
    text.len()
}

/// The arguments of a function of make, at the commas that stand in no brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut all) = (0_u32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.extend(text.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    all.extend(text.get(start..));
    all
}

/// A recipe line without the marks that silence it or let it fail.
pub(super) fn plain_recipe(line: &str) -> &str {
    line.trim_start().trim_start_matches(['@', '-', '+'])
}

fn is_assignment(line: &str) -> bool {
    let Some(at) = line.find('=') else { return false };
    let name = line.get(..at).unwrap_or_default();
    let name = name.trim_start_matches("export ").trim_start_matches("override ");
    !name.trim_end_matches([':', '?', '+', '!', ' ']).contains([':', ' ', '\t', '$'])
}
