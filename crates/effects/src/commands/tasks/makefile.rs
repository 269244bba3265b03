//! Makefiles, as far as their recipes need: variables with known values, targets, prerequisites, recipes.

mod functions;
mod parts;

use tollgate_model::{EffectKind, EnvUse, work};
use tollgate_shell::eval::Outcome;

use super::text_of;
use crate::analyst::taint;
use crate::commands::Run;
use crate::options::Options;
use crate::paths::glob_could_be;
use crate::word::Word;
pub(in crate::commands) use parts::shells;
use parts::{EVAL, EVALS, assigned, closing, evals, is_assignment, is_open, runs_always};
pub(super) use parts::{asked, plain_recipe};

/// `make -p`: all that make knows, and with it every variable of the environment. Names of targets are picked out of
/// what it prints for the project.
pub(super) fn database(run: &mut Run, options: &Options) -> Outcome {
    // What the files set is printed with it.
    for file in options.values("f").filter(|file| !file.is("-")).cloned().collect::<Vec<_>>() {
        run.read(&file, false);
    }
    let has_targets = !options.value("f").is_some_and(|file| file.is("/dev/null"));
    let picked = has_targets && run.call.piped_to && (options.has("q") || options.has("n"));
    if !picked {
        run.push(EffectKind::EnvRead { what: EnvUse::All });
    }
    Outcome::unknown(taint::ENVIRONMENT)
}

/// The makefiles that a variable names: make reads them before the others, so they are followed with those.
pub(super) fn brought(run: &mut Run) -> String {
    let named = run.variable("MAKEFILES").and_then(|value| value.as_literal().map(str::to_owned));
    let mut whole = String::new();
    for name in named.unwrap_or_default().split_whitespace().take(16) {
        whole.push_str(&text_of(run, None, &[name]).unwrap_or_default());
        whole.push('\n');
    }
    whole
}

/// All recipe lines of a makefile with the targets they are for, to judge what is written. What runs while it is read
/// is for none.
pub(crate) fn recipes(text: &str) -> Vec<(String, String)> {
    let file = Makefile::read(text, &[]);
    let mut running = file.clone();
    let one_shell = file.one_shell();
    let lines = |rule: &MakeRule| {
        let name = rule.targets.join(" ");
        let lines = rule.recipe.iter().map(|line| plain_recipe(&running.running(line)).to_owned());
        if one_shell {
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
/// The most goals that are made for others.
const GOALS: usize = 512;
/// How deep values that name variables set later are followed.
const NESTED: usize = 4;
const TOO_LONG: &str = "eval \"$a_text_of_make_that_is_too_long\"";

/// A makefile, as far as its recipes need: variables with known values, targets, prerequisites, recipes.
#[derive(Clone)]
pub(super) struct Makefile {
    variables: Vec<(String, String)>,
    rules: Vec<MakeRule>,
    /// What runs while it is read: `$(shell …)` and `!=`.
    at_once: Vec<String>,
    /// Variables that are set when nobody can tell: their values are not known.
    unknown: Vec<String>,
    /// Variables that are set in texts which wait for an `$(eval …)`, and whether such a text is being read.
    templated: Vec<String>,
    in_template: bool,
    /// The variable whose text is being read.
    body: Option<(String, String)>,
}

#[derive(Clone)]
struct MakeRule {
    targets: Vec<String>,
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    pub fn read(text: &str, sets: &[&str]) -> Self {
        let mut file = Self {
            variables: Vec::new(),
            rules: Vec::new(),
            at_once: Vec::new(),
            unknown: Vec::new(),
            templated: Vec::new(),
            in_template: false,
            body: None,
        };
        for line in text.replace("\\\n", " ").lines() {
            file.line(line);
        }
        for set in sets {
            file.assign(set);
        }
        for _ in 0..NESTED {
            file.settle();
        }
        file
    }

    /// Puts variables into the values that name them before they are set, as make does when a value is used.
    fn settle(&mut self) {
        if !self.variables.iter().any(|(_, value)| value.contains("${")) {
            return;
        }
        let settled = self.variables.iter().map(|(name, value)| (name.clone(), self.settled(value)));
        self.variables = settled.collect();
    }

    /// A text in which the names that were left to the shell are those of variables that are set after all.
    fn settled(&self, text: &str) -> String {
        work::charge(2 + text.matches("${").count() * self.variables.len() / 2);
        let mut parts = text.split("${");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let name = part.split_once('}').map(|(name, _)| name);
            let known = |name: &str| self.variables.iter().find(|(known, _)| known == name);
            match name.and_then(known).zip(part.split_once('}')) {
                Some(((_, value), (_, rest))) => out.extend([value, rest]),
                None => out.extend(["${", part]),
            }
            if out.len() > LONGEST {
                return TOO_LONG.to_owned();
            }
        }
        out
    }

    fn line(&mut self, line: &str) {
        if !work::charge(10 + line.len() / 4) {
            return;
        }
        if self.defines(line) {
            return;
        }
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
        match plain.split_whitespace().next() {
            Some("define") => self.in_template = true,
            Some("endef") => self.in_template = false,
            _ => {}
        }
        if !evals(plain).is_empty() && self.running(plain).trim().is_empty() {
            return;
        }
        if is_assignment(plain) {
            if self.in_template {
                self.templated.push(assigned(plain).to_owned());
            }
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

    /// Lines between `define` and `endef` are the text of a variable. True for those that are nothing else.
    fn defines(&mut self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        match (words.next(), &mut self.body) {
            (Some("define"), None) => {
                self.body = words.next().map(|name| (name.to_owned(), String::new()));
                false
            }
            (Some("endef"), Some((name, body))) => {
                let set = (std::mem::take(name), std::mem::take(body));
                self.body = None;
                let text = self.expand(&set.1);
                self.variables.push((set.0, text));
                false
            }
            (_, Some((_, body))) if body.len() < LONGEST => {
                body.push_str(plain_recipe(line));
                body.push('\n');
                line.starts_with('\t')
            }
            _ => false,
        }
    }

    fn assign(&mut self, line: &str) {
        let Some((sets, value)) = line.split_once('=') else { return };
        let keeps = sets.ends_with('?');
        let adds = sets.ends_with('+');
        let runs = sets.ends_with('!');
        let name = assigned(line);
        if self.unknown.iter().any(|unknown| unknown == name) {
            return;
        }
        if runs {
            self.at_once.push(value.trim().to_owned());
        }
        let value = self.expand(value.trim());
        let value = if runs { format!("$({value})") } else { value };
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
        if !work::charge(2 + text.len() / 8) {
            return TOO_LONG.to_owned();
        }
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
        work::charge(4 + self.variables.len() / 2);
        if let Some((_, value)) = self.variables.iter().find(|(known, _)| known == name) {
            return value.clone();
        }
        match name {
            "MAKE" => "make".to_owned(),
            "CURDIR" => ".".to_owned(),
            "RM" => "rm -f".to_owned(),
            _ if name.starts_with(['@', '<', '^', '*', '?', '+', '|', '%']) => "make_target".to_owned(),
            _ if !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') =>
            {
                format!("${{{name}}}")
            }
            "" => String::new(),
            _ if self.unknown.iter().any(|unknown| unknown == name) => "${make_variable}".to_owned(),
            _ => match self.replaced(name) {
                Some(text) => text,
                None => self.function(name).unwrap_or_else(|| "${make_value}".to_owned()),
            },
        }
    }

    /// A text with its variables put in, and each `$(eval …)` carried out where it stands: what it sets is set for all
    /// that follows, in other recipes too.
    fn running(&mut self, text: &str) -> String {
        let (mut out, mut start) = (String::new(), 0);
        let evals = evals(text);
        if evals.len() == EVALS {
            return TOO_LONG.to_owned();
        }
        for (begin, inner) in evals {
            let before = text.get(start..begin).unwrap_or_default();
            if begin < start || is_open(before) {
                self.forget(&inner);
                continue;
            }
            out.push_str(&self.expand(before));
            self.evaluate(&inner);
            start = begin + EVAL + inner.len() + 1;
        }
        out + &self.expand(text.get(start..).unwrap_or_default())
    }

    /// What an `$(eval …)` makes of its text: it is a line of the makefile.
    fn evaluate(&mut self, text: &str) {
        let line = if is_assignment(text) { text.to_owned() } else { self.expand(text) };
        if is_assignment(&line) {
            return self.assign(&line);
        }
        // A text of several lines that was defined before.
        let names = std::mem::take(&mut self.templated);
        names.iter().for_each(|name| self.forget(&format!("{name}=")));
        self.templated = names;
        let is_rule = line.contains(':') && !line.contains("$(") && !line.contains("make_value");
        if is_rule {
            self.line(line.trim());
        }
    }

    /// Whether and when the text is evaluated shows only when make runs: nothing is known of what it sets.
    fn forget(&mut self, text: &str) {
        let line = if is_assignment(text) { text.to_owned() } else { self.expand(text) };
        let name = assigned(&line).to_owned();
        if is_assignment(&line) && !name.is_empty() {
            self.variables.retain(|(known, _)| *known != name);
            self.unknown.push(name);
        }
    }

    /// Is all of a recipe given to one shell?
    fn one_shell(&self) -> bool {
        self.rules.iter().any(|rule| rule.targets.iter().any(|target| target == ".ONESHELL"))
    }

    /// The lines that run for these goals, prerequisites first. Of those that are only shown, the ones that run all the
    /// same: marked lines, those that call make, and what make itself asks a shell for.
    pub fn lines(&self, goals: &[&str], dry: bool) -> Vec<String> {
        let mut lines: Vec<String> = self.at_once.iter().map(|line| self.expand(line)).collect();
        let first = self.rules.iter().flat_map(|rule| &rule.targets).find(|target| !target.starts_with('.'));
        // A goal is made when all that it needs is.
        let mut todo: Vec<(String, bool)> = match goals {
            [] => first.map(|goal| (goal.clone(), false)).into_iter().collect(),
            goals => goals.iter().rev().map(|goal| ((*goal).to_owned(), false)).collect(),
        };
        // Behind `-c` there may be a command that runs in place of every line.
        let flags = self.expand("$(.SHELLFLAGS)");
        if flags.contains(['"', '\'', '\\', '#']) {
            lines.push(format!("sh {flags}"));
        }
        let mut file = self.clone();
        let (mut done, mut unread) = (Vec::<String>::new(), false);
        work::charge(self.rules.len() * 10);
        while let Some((goal, ready)) = todo.pop() {
            if !work::charge(10 + self.rules.len()) {
                break;
            }
            let rules = || self.rules.iter().filter(|rule| rule.targets.contains(&goal));
            if ready {
                rules().for_each(|rule| file.made(rule, dry, &mut lines));
            } else if !done.contains(&goal) && rules().next().is_some() {
                if done.len() == GOALS {
                    // What needs it is made all the same.
                    unread = true;
                    continue;
                }
                todo.push((goal.clone(), true));
                let needs = rules().flat_map(|rule| rule.needs.iter().rev());
                todo.extend(needs.map(|need| (need.clone(), false)));
                done.push(goal);
            }
        }
        lines.extend(unread.then(|| TOO_LONG.to_owned()));
        lines
    }

    /// The lines of a rule's recipe, as they run.
    fn made(&mut self, rule: &MakeRule, dry: bool, lines: &mut Vec<String>) {
        if self.one_shell() && !dry {
            let whole = rule.recipe.iter().map(|line| self.running(line));
            let whole: Vec<String> = whole.map(|line| plain_recipe(&line).to_owned()).collect();
            let stops = self
                .expand("$(.SHELLFLAGS)")
                .split_whitespace()
                .any(|flag| flag.strip_prefix('-').is_some_and(|letters| letters.contains('e')));
            lines.push(format!("{}{}", if stops { "set -e\n" } else { "" }, whole.join("\n")));
            return;
        }
        for line in &rule.recipe {
            let asked: Vec<String> = shells(line).iter().map(|command| self.expand(command)).collect();
            let run = self.running(line);
            lines.extend(asked);
            if !dry || runs_always(line) {
                lines.push(plain_recipe(&run).to_owned());
            }
        }
    }
}
