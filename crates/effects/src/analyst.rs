//! The analyst: runs a shell text abstractly and writes down what each command would do.

mod devices;
mod files;
mod found;
pub(crate) mod gate;
mod index;
mod keepers;
pub(crate) mod ours;
mod places;
mod scripts;
mod way;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tollgate_model::{
    Certainty, CodeSource, Effect, EffectKind, FileKind, Mark, Place, ProcessAction, Span, World, WriteMode,
    Zone, work,
};
use tollgate_shell::ast::{Dialect, ProblemKind};
use tollgate_shell::eval::{Call, Host, Kind, Note, Open, OpenMode, Outcome, Shell, Status, Stream};
use tollgate_shell::value::{Taint, Text, Value};

use crate::aftermath;
use crate::commands;
use crate::elsewhere::Elsewhere;
use crate::languages;
use crate::links::Links;
use crate::paths;
pub(crate) use crate::taint;
use crate::unresolved;
use crate::unsaved;
use crate::word::{Word, is_everywhere, ways};
pub(crate) use files::HIDDEN_BY_MOUNT;
pub(crate) use gate::own_at;

/// Up to that many effects are compared one by one.
const FEW: usize = 24;
/// Units of work for one command, besides its words.
pub(crate) const COMMAND: usize = 100;
/// Units of work for one word of a command: handlers go over all of them many times.
pub(crate) const WORD: usize = 30;
/// Units of work for one effect.
const EFFECT: usize = 20;
/// What is said of shell code that was not followed to its end.
const TOO_MUCH: &str = "it is too complex to be analysed completely";

/// Effects of one call, while they are being found.
pub(crate) struct Analyst<'w> {
    pub(crate) world: &'w dyn World,
    cwd: String,
    effects: Vec<Effect>,
    index: index::LazyIndex,
    seen: HashSet<Effect>,
    /// Effects that were found more than once at the same place, as in a function that is called twice.
    repeated: HashSet<Effect>,
    scripts: u32,
    /// A script was not read, or not to its end.
    unread: bool,
    temporaries: u32,
    /// Folders that this call makes, without slashes at their end.
    made: BTreeSet<String>,
    /// Environments of Python that this call has made.
    pub(crate) environments: Vec<String>,
    /// Folders that this call fills from the network, with what is to be remembered of them.
    pub(crate) trees: Vec<(String, Mark)>,
    /// What runs now does so only if something unknown turns out empty.
    supposing: bool,
    /// The file system that paths belong to, when it is not this machine's.
    pub(crate) elsewhere: Option<Elsewhere>,
    pub(crate) links: Links,
    pub(crate) keepers: keepers::Keepers,
    /// What is left for code in other languages.
    pub(crate) languages: languages::Budget,
    /// The call has written a file.
    wrote: bool,
    /// Names of files that were listed, as patterns, and whether they were told with their folders.
    listed: Vec<(Word, bool)>,
    /// Files of the project that commands in pipes have read, each with a mark of its own.
    origins: Vec<String>,
    /// Where in `origins` each of them stands.
    origin_numbers: HashMap<String, usize>,
    /// Files that were found, in the project and outside.
    found_at: Vec<Place>,
    /// Patterns of files that were opened to be written anew.
    reopened: Vec<Word>,
    /// So many programs are between the shell and the command: each may not start it after all.
    pub(crate) started: u32,
    /// A folder that the call makes may not be made, or not be open to its owner.
    pub(crate) hampered: bool,
    /// Every command is printed before it runs.
    pub(crate) traced: bool,
    /// Variables with secrets that were loaded from a file.
    pub(crate) loaded: Vec<String>,
    /// One of them was printed.
    pub(crate) told_loaded: bool,
    /// Every line of a script is printed as it is read.
    pub(crate) verbose: bool,
    /// An archive that came from the network was unpacked.
    pub(crate) unpacked: bool,
    /// A stranger's words are being tried as commands.
    pub(crate) guessing: bool,
    /// How many patterns that stand for commands are still held against every name.
    pub(crate) patterns: u32,
    /// It looks into a text that a call writes: the texts which that one writes are not looked into in turn.
    pub(crate) within: bool,
    /// The text of the call, as far as a text that it writes may come from it.
    pub(crate) source: Option<String>,
    /// The project's own code is being followed.
    ours: Option<ours::Ours>,
    /// What the call did before that.
    pub(crate) before: ours::Before,
    /// The machine that docker was told to talk to from now on, whatever the process.
    pub(crate) docker_context: Option<String>,
    /// Scripts that shells are reading from their standard input.
    pub(crate) typed: Vec<Value>,
    /// Where paths were found to lie.
    placed: RefCell<BTreeMap<Text, Place>>,
}

impl<'w> Analyst<'w> {
    pub(crate) fn new(world: &'w dyn World, cwd: &str) -> Self {
        Self {
            world,
            cwd: cwd.to_owned(),
            effects: Vec::new(),
            index: index::LazyIndex::default(),
            seen: HashSet::new(),
            repeated: HashSet::new(),
            scripts: 0,
            unread: false,
            temporaries: 0,
            made: BTreeSet::new(),
            environments: Vec::new(),
            trees: Vec::new(),
            supposing: false,
            elsewhere: None,
            links: Links::default(),
            keepers: keepers::Keepers::default(),
            languages: languages::Budget::default(),
            wrote: false,
            listed: Vec::new(),
            origins: Vec::new(),
            origin_numbers: HashMap::new(),
            found_at: Vec::new(),
            reopened: Vec::new(),
            started: 0,
            hampered: false,
            traced: false,
            loaded: Vec::new(),
            told_loaded: false,
            verbose: false,
            unpacked: false,
            guessing: false,
            patterns: 16,
            within: false,
            source: None,
            ours: None,
            before: ours::Before::default(),
            docker_context: None,
            typed: Vec::new(),
            placed: RefCell::default(),
        }
    }

    /// An analyst of a text that a call writes.
    pub(crate) fn within(world: &'w dyn World, cwd: &str) -> Self {
        Self { within: true, ..Self::new(world, cwd) }
    }

    /// A shell in the call's directory.
    pub(crate) fn fresh_shell(&self) -> Shell {
        let cwd = self.cwd.starts_with('/').then_some(self.cwd.as_str());
        Shell::new(Dialect::Bash, cwd)
    }

    /// Everything that was found, with what the changes mean taken together.
    pub(crate) fn finish(mut self, shell: &Shell) -> Vec<Effect> {
        for word in std::mem::take(&mut self.reopened) {
            // A usage line (`set <name> [value]`) reads like that, in the project.
            let bare = !word.text.prefix().contains('/') && word.shown().contains('[');
            let ours = |(place, _): &(Place, Certainty)| bare && place.zone <= Zone::Workspace;
            // What is put into all of them alike is not made from what each of them held.
            if shell.file(&word.value()).is_some_and(|written| written.value.as_literal().is_some())
                && !self.places(&word, shell).iter().any(ours)
            {
                self.empty(&word, shell);
            }
        }
        aftermath::settle(&mut self, shell);
        self.effects
    }

    /// Files that fit a pattern are opened to be written anew: all of them may get the same text, or none.
    pub(crate) fn reopen(&mut self, word: &Word) -> Option<Word> {
        let walked = self.walked(word);
        let all = walked.as_ref().unwrap_or(word);
        if all.text.has_globs() && !all.text.has_holes() {
            self.reopened.push(all.clone());
        }
        all.text.has_globs().then(|| all.clone())
    }

    /// What was found so far.
    pub(crate) fn found(&self) -> &[Effect] {
        &self.effects
    }

    /// Takes effects back that a later command makes harmless.
    pub(crate) fn retract(&mut self, gone: impl Fn(&Effect) -> bool) {
        work::charge(self.effects.len() / 2);
        let before = self.effects.len();
        self.effects.retain(|effect| !gone(effect));
        self.seen.retain(|effect| !gone(effect));
        self.index.get_mut().truncate(self.effects.len().saturating_sub(before - self.effects.len()));
    }

    /// Takes an effect down, once.
    pub(crate) fn push(&mut self, kind: EffectKind, span: Span, certainty: Certainty) {
        work::charge(EFFECT);
        let certainty = if self.supposing { certainty.min(Certainty::Possible) } else { certainty };
        self.changes_before(&kind);
        let kind = self.left_open(kind, certainty);
        let effect = Effect { kind, span, certainty };
        if self.is_new(&effect) {
            self.effects.push(effect);
        } else {
            self.repeated.insert(effect);
        }
    }

    /// Most calls have few effects, and looking through those is quicker than hashing each.
    fn is_new(&mut self, effect: &Effect) -> bool {
        if self.effects.len() < FEW {
            self.seen.clear();
            return !self.effects.contains(effect);
        }
        if self.seen.is_empty() {
            self.seen.extend(self.effects.iter().cloned());
        }
        self.seen.insert(effect.clone())
    }

    /// Was it found more than once? Then no later command makes it harmless.
    pub(crate) fn is_repeated(&self, effect: &Effect) -> bool {
        self.repeated.contains(effect)
    }

    /// The place in the list of effects, for `doubt`.
    pub(crate) fn mark(&self) -> usize {
        self.effects.len()
    }

    /// What was taken down since the mark may never happen: only what `keep` picks stays, as possible.
    pub(crate) fn doubt(&mut self, mark: usize, keep: impl Fn(&Effect) -> bool) {
        let doubted = self.take_since(mark);
        for effect in &doubted {
            self.seen.remove(effect);
        }
        // What could not be followed stays unread, whatever it might have been.
        for effect in doubted.into_iter().filter(|effect| is_unread(effect) || keep(effect)) {
            self.push(effect.kind, effect.span, effect.certainty.min(Certainty::Possible));
        }
    }

    /// Of what was taken down since the mark only what `keep` picks stays.
    pub(crate) fn sift(&mut self, mark: usize, keep: impl Fn(&Effect) -> bool) {
        let sifted = self.take_since(mark);
        for effect in sifted {
            if is_unread(&effect) || keep(&effect) {
                self.effects.push(effect);
            } else {
                self.seen.remove(&effect);
            }
        }
    }

    /// The files that a command was given since the mark were found by a walk, at any depth.
    pub(crate) fn deepen(&mut self, mark: usize) {
        for mut effect in self.take_since(mark) {
            self.seen.remove(&effect);
            if let EffectKind::Delete { place, recursive, .. } = &mut effect.kind {
                *recursive |= place.pattern;
            }
            self.push(effect.kind, effect.span, effect.certainty);
        }
    }

    /// What was taken down since the mark.
    pub(crate) fn since(&self, mark: usize) -> &[Effect] {
        self.effects.get(mark..).unwrap_or_default()
    }

    /// Whatever is taken down meanwhile is possible, not certain.
    pub(crate) fn suppose<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.supposing, true);
        let result = inside(self);
        self.supposing = outer;
        result
    }

    pub(crate) fn opaque(&mut self, why: impl Into<String>, span: Span) {
        self.push(EffectKind::Opaque { why: why.into() }, span, Certainty::Possible);
    }

    /// The number of the next temporary file.
    pub(crate) fn next_temporary(&mut self) -> u32 {
        self.temporaries += 1;
        self.temporaries
    }
}

/// Did the analysis stop there?
fn is_unread(effect: &Effect) -> bool {
    effect.certainty == Certainty::Budget
}

impl Host for Analyst<'_> {
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        let texts = call.argv.iter().flat_map(|field| &field.value.any);
        if !work::charge(texts.map(|text| WORD + text.bytes() / 16).sum()) {
            return Outcome::silent(Status::Either);
        }
        let outer = self.supposing;
        self.supposing |= shell.is_supposed();
        commands::environment(self, call, shell);
        // The body of a function is followed by the shell: no program of its name runs.
        let mark = self.mark();
        let outcome = if call.kind == Kind::Function { None } else { self.every_way(call, shell) };
        unsaved::notice(self, call, mark, shell);
        self.supposing = outer;
        let mut outcome = outcome.unwrap_or_else(|| Outcome::silent(Status::Success));
        if call.stdout == Stream::Pipe {
            outcome.stdout.taint = outcome.stdout.taint.union(unsaved::origins(self, call, mark, shell));
        }
        commands::shown(self, call, &outcome);
        outcome
    }

    fn open(&mut self, open: &Open, shell: &mut Shell) -> Option<Value> {
        let outer = self.supposing;
        self.supposing |= shell.is_supposed();
        let content = self.opened(open, shell);
        self.supposing = outer;
        content
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Problem(problem) if problem.kind == ProblemKind::OpenHeredoc => {}
            Note::Problem(problem) => {
                self.opaque(unresolved::unread(problem.kind), problem.span);
            }
            Note::Recursion { name, background, piped, span } if background || piped => {
                let kind = EffectKind::Process { action: ProcessAction::ForkBomb, target: name.to_string() };
                self.push(kind, span, Certainty::Certain);
            }
            Note::Recursion { .. } => {}
            Note::Swarm { span } => {
                let kind = EffectKind::Process { action: ProcessAction::ForkBomb, target: "the loop".into() };
                self.push(kind, span, Certainty::Certain);
            }
            Note::Flood { span } => {
                let kind = EffectKind::Process { action: ProcessAction::FillDisk, target: "the loop".into() };
                self.push(kind, span, Certainty::Certain);
            }
            Note::Budget { span, .. } => {
                self.push(EffectKind::Opaque { why: TOO_MUCH.into() }, span, Certainty::Budget);
            }
            Note::Complaint { text, span } => commands::secrets::told(self, &text, span),
            Note::Unresolved { word, span } => {
                if taint::has(word.taint, taint::NET) {
                    self.dynamic_code(word.taint, span);
                }
                // What is not known of it is judged with its arguments.
                if let Some(known) = word.as_literal() {
                    self.opaque(unresolved::unknown(known), span);
                }
            }
            // An unknown part in the middle of known code is a word of it: where it is a command, that is
            // noted by itself.
            Note::DynamicCode { text, .. }
                if taint::sources(text.taint).is_empty() && begins_known(&text) => {}
            Note::DynamicCode { text, span } => self.dynamic_code(text.taint, span),
        }
    }

    fn is_dir(&self, path: &str) -> Option<bool> {
        match self.world.kind(path) {
            FileKind::Dir => Some(true),
            // Who is told to make it may have failed.
            FileKind::Missing => None,
            _ => Some(false),
        }
    }

    fn real_dir(&self, path: &str) -> Option<String> {
        let text = Text::literal(path);
        let text = paths::physical(&text, &self.links, self.world).unwrap_or(text);
        let place = paths::place(&text, path, self.world, &self.links);
        (!place.pattern).then_some(place.path)
    }

    fn environment(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some(self.world.home().to_owned()),
            "PWD" if !self.cwd.is_empty() => Some(self.cwd.clone()),
            // The value of a secret stays unknown, so that it is seen where it goes, and never written down.
            _ if crate::secret_names::is_secret_name(name) => None,
            _ => self.world.environment(name),
        }
    }

    fn content(&mut self, path: &str, shell: &Shell) -> Option<String> {
        self.whole_text(path, shell)
    }

    fn is_unset(&self, name: &str) -> bool {
        !crate::secret_names::is_secret_name(name) && self.world.environment(name).is_none()
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.world.home_of(user)
    }

    fn failed(&mut self, shell: &mut Shell) {
        commands::failed(shell);
    }
}

impl Analyst<'_> {
    /// Takes down what opening a file does; what reading it yields.
    fn opened(&mut self, open: &Open, shell: &mut Shell) -> Option<Value> {
        let fields = std::slice::from_ref(&open.path);
        let mut content: Option<Value> = None;
        for word in ways(fields).into_iter().flatten() {
            if commands::socket(self, &word) {
                content = Some(Value::output(taint::NET));
                continue;
            }
            match open.mode {
                // No shell writes into a folder.
                _ if word.is("/") => {}
                OpenMode::Read => content = Some(self.read(&word, false, shell)),
                OpenMode::Write => {
                    let found: Vec<Word> =
                        self.walked(&word).into_iter().chain(self.listed(&word, shell)).collect();
                    if !found.is_empty() {
                        found.iter().for_each(|found| self.empty(found, shell));
                    } else if is_everywhere(&word) && word.text.suffix().is_empty() {
                        self.empty(&word, shell);
                    } else {
                        self.reopen(&word);
                    }
                    self.write(&word, WriteMode::Overwrite, None, shell);
                }
                OpenMode::Append | OpenMode::ReadWrite => {
                    self.begin(&word, shell);
                    self.write(&word, WriteMode::Append, None, shell);
                }
            }
        }
        content
    }

    /// Code that is not known in full is run: what it came from decides.
    pub(crate) fn dynamic_code(&mut self, marks: Taint, span: Span) {
        if taint::sources(marks) == taint::SETUP {
            return;
        }
        let source = if taint::has(marks, taint::NET) {
            CodeSource::Downloaded
        } else if taint::has(marks, taint::DECODED) {
            CodeSource::Decoded
        } else if taint::has(marks, taint::FILE) {
            CodeSource::File
        } else {
            CodeSource::Variable
        };
        let kind = EffectKind::Exec { program: "code".into(), argv: Vec::new(), source };
        self.push(kind, span, Certainty::Certain);
    }
}

/// What a command's data comes from: its input and its words.
pub(crate) fn call_taint(call: &Call) -> Taint {
    let input = call.stdin.value.as_ref().map_or(Taint::NONE, |value| value.taint);
    let all = call.argv.iter().fold(input, |marks, field| marks.union(field.value.taint));
    // What a program makes of data without end has one, unless the program is known to hand all of it on.
    Taint(all.0 & !taint::ENDLESS.0)
}

fn begins_known(text: &Value) -> bool {
    text.any.iter().all(|text| !text.prefix().trim_start().is_empty())
}
