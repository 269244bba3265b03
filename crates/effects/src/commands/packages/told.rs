//! How managers read their words: verbs, packages, and options with what belongs to them.

use tollgate_catalogue::Packages;

use crate::catalogue;
use crate::commands::Run;
use crate::word::Word;

/// What is known of the manager of this name.
pub(super) fn find(program: &str) -> Option<Manager> {
    catalogue::find(program)?.packages.map(Manager)
}

/// A manager of packages, plugins or templates.
#[derive(Clone, Copy)]
pub(super) struct Manager(pub &'static Packages);

/// The words of a manager that are no options, and not for the program that it runs.
pub(in crate::commands) fn operands(run: &Run) -> Vec<Word> {
    let told = find(run.program).and_then(|manager| manager.own(run.args));
    let parts = told.map(|told| told.parts).unwrap_or_default();
    let operand = |part: Part| match part {
        Part::Operand(word) => Some(word),
        Part::Source(..) | Part::Other(_) => None,
    };
    parts.into_iter().filter_map(operand).collect()
}

/// One of a manager's own words.
pub(super) enum Part {
    /// No option, nor the value of one.
    Operand(Word),
    /// An option that names a place to get code from, with its value.
    Source(String, Word),
    /// Another option, with its value if there is one.
    Other(String),
}

/// What a manager is told.
pub(super) struct Told {
    /// Its own words: not those of the program that it runs.
    pub parts: Vec<Part>,
    /// The first operands, without what stands before the verb.
    pub verbs: Vec<String>,
    /// The operands behind the verb.
    pub packages: Vec<Word>,
}

impl Told {
    /// Is it told to show what it would do, or how it is used?
    pub fn looks_only(&self) -> bool {
        let told =
            |wanted: &str| self.parts.iter().any(|part| matches!(part, Part::Other(name) if name == wanted));
        told("help") || told("dry-run") && !told("no-dry-run")
    }
}

impl Manager {
    /// What it is told, if that brings in code.
    pub fn own(&self, words: &[Word]) -> Option<Told> {
        let told = self.told(words);
        let is_verb = |verb: &String| one_of(self.0.brings, verb);
        let mut verbs = told.verbs.iter().take(if self.0.tasks { usize::MAX } else { 1 });
        let brings = self.0.brings.is_empty() || verbs.any(is_verb);
        brings.then_some(told)
    }

    /// What it is told, as it reads its words.
    pub fn told(&self, words: &[Word]) -> Told {
        let mut told = Told { parts: Vec::new(), verbs: Vec::new(), packages: Vec::new() };
        let mut verbs = Verbs::default();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            let text = word.text.prefix();
            if word.is("--") {
                break;
            }
            if !is_option(word) {
                let is_last = self.is_run(&told.verbs);
                verbs.push(word, self, &mut told);
                if is_last {
                    break;
                }
                continue;
            }
            let name = self.name(text).to_owned();
            if one_of(self.0.ends, &name) {
                break;
            }
            let value = self.value(word, &name, &mut rest);
            let is_off = |word: &Word| word.is("false");
            let off = value.as_ref().or(rest.peek().copied()).is_some_and(is_off);
            let name = if off { format!("no-{name}") } else { name };
            verbs.behind_stranger = value.is_none();
            match value {
                Some(value) if self.is_source(&name) => told.parts.push(Part::Source(name, value)),
                Some(value) if self.may_be_operand(word, &name, &value, &told) => {
                    told.parts.push(Part::Other(name));
                    verbs.push(&value, self, &mut told);
                }
                _ => told.parts.push(Part::Other(name)),
            }
        }
        told
    }

    /// Is the option a switch after all, and the word behind it none of its own? An address is nobody's value but that of
    /// options which take one, and a verb that is still to come is none either.
    fn may_be_operand(&self, word: &Word, name: &str, value: &Word, told: &Told) -> bool {
        let text = value.shown();
        let is_apart = !word.text.prefix().ends_with(&text);
        let is_address = text.contains("://") && !one_of(self.0.addresses, name);
        is_apart && (is_address || told.verbs.is_empty() && one_of(self.0.brings, &text))
    }

    /// The name of an option, without what is attached to it.
    fn name<'t>(&self, text: &'t str) -> &'t str {
        let bare = text.trim_start_matches('-').split('=').next().unwrap_or_default();
        let letter = bare.chars().next().map_or(0, char::len_utf8);
        let short = bare.get(..letter).unwrap_or_default();
        match text.starts_with("--") || self.takes(bare) || !self.takes(short) {
            true => bare,
            false => short,
        }
    }

    /// The value of an option: attached, or the words behind it.
    fn value<'w>(
        &self,
        word: &Word,
        name: &str,
        rest: &mut std::iter::Peekable<impl Iterator<Item = &'w Word>>,
    ) -> Option<Word> {
        let text = word.text.prefix();
        if one_of(self.0.pairs, name) {
            rest.next();
        }
        let start = text.len() - text.trim_start_matches('-').len() + name.len();
        match text.get(start..) {
            Some(behind) if behind.starts_with('=') => Some(word.after('=')),
            Some(behind) if !behind.is_empty() => Some(word.from(start)),
            _ if self.takes(name) => rest.next_if(|next| !is_option(next)).cloned(),
            _ => None,
        }
    }

    fn takes(&self, name: &str) -> bool {
        one_of(self.0.values, name) || self.is_source(name)
    }

    /// Managers of .NET do not mind capital letters, and npm has an index for each scope.
    fn is_source(&self, name: &str) -> bool {
        let known = one_of(self.0.sources, name)
            || name.len() > 1 && one_of(self.0.sources, &name.to_ascii_lowercase());
        known || name.ends_with(":registry") && one_of(self.0.sources, "registry")
    }

    /// Does what stands behind these verbs run?
    fn is_run(&self, verbs: &[String]) -> bool {
        !verbs.is_empty() && one_of(self.0.runs, &verbs.join("/"))
    }
}

/// Where among its operands a manager is.
#[derive(Default)]
struct Verbs {
    /// The word before was an option of which nothing is known: the next may be its value.
    behind_stranger: bool,
    /// So many words belong to one that stands before the verb.
    skipped: usize,
}

impl Verbs {
    fn push(&mut self, word: &Word, manager: &Manager, told: &mut Told) {
        told.parts.push(Part::Operand(word.clone()));
        let shown = word.shown();
        let known = manager.0.brings.is_empty() || one_of(manager.0.brings, &shown);
        let is_value = std::mem::take(&mut self.behind_stranger) && told.verbs.is_empty() && !known;
        if let Some(left) = self.skipped.checked_sub(1) {
            self.skipped = left;
            return;
        }
        let leads = |lead: &&(&str, usize)| lead.0 == shown || lead.0 == "+" && shown.starts_with('+');
        if let Some((_, words)) = manager.0.leads.iter().find(leads).filter(|_| told.verbs.is_empty()) {
            self.skipped = *words;
            return;
        }
        if !told.verbs.is_empty() {
            told.packages.push(word.clone());
        }
        if !is_value && (told.verbs.len() < 4 || manager.0.tasks) {
            told.verbs.push(shown);
        }
    }
}

fn is_option(word: &Word) -> bool {
    let text = word.text.prefix();
    text.len() > 1 && text.starts_with('-')
}

fn one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
