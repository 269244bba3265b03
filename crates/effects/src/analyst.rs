//! The analyst: runs a shell text abstractly and writes down what each command would do.

use std::collections::HashSet;

use tollgate_model::{
    Certainty, CodeSource, Effect, EffectKind, FileKind, Place, Span, World, WriteMode, Zone,
};
use tollgate_shell::ast::{Dialect, ProblemKind};
use tollgate_shell::eval::{Call, Host, Note, Open, OpenMode, Outcome, Shell, Status};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use crate::aftermath;
use crate::commands;
use crate::elsewhere::Elsewhere;
use crate::languages;
use crate::links::Links;
use crate::paths;
use crate::word::{Word, show, ways};

/// Marks on data.
pub(crate) mod taint {
    use tollgate_shell::value::Taint;

    /// Came from the network.
    pub(crate) const NET: Taint = Taint(1);
    /// Was decoded from something unreadable.
    pub(crate) const DECODED: Taint = Taint(2);
    /// Is, or was made from, a secret.
    pub(crate) const SECRET: Taint = Taint(4);
    /// Came from a file that could not be read.
    pub(crate) const FILE: Taint = Taint(8);
    /// Is the whole environment.
    pub(crate) const ENVIRONMENT: Taint = Taint(1 << 40);

    /// Does it carry the mark?
    pub(crate) fn has(taint: Taint, mark: Taint) -> bool {
        taint.0 & mark.0 != 0
    }
}

/// The largest script file that is read.
const SCRIPT_LIMIT: usize = 256 * 1024;

/// Effects of one call, while they are being found.
pub(crate) struct Analyst<'w> {
    pub(crate) world: &'w dyn World,
    cwd: String,
    effects: Vec<Effect>,
    seen: HashSet<Effect>,
    scripts: u32,
    made: Vec<String>,
    /// The file system that paths belong to, when it is not this machine's.
    pub(crate) elsewhere: Option<Elsewhere>,
    pub(crate) links: Links,
    /// What is left for code in other languages.
    pub(crate) languages: languages::Budget,
}

impl<'w> Analyst<'w> {
    pub(crate) fn new(world: &'w dyn World, cwd: &str) -> Self {
        Self {
            world,
            cwd: cwd.to_owned(),
            effects: Vec::new(),
            seen: HashSet::new(),
            scripts: 0,
            made: Vec::new(),
            elsewhere: None,
            links: Links::default(),
            languages: languages::Budget::default(),
        }
    }

    /// A shell in the call's directory.
    pub(crate) fn fresh_shell(&self) -> Shell {
        let cwd = self.cwd.starts_with('/').then_some(self.cwd.as_str());
        Shell::new(Dialect::Bash, cwd)
    }

    /// Everything that was found, with what the changes mean taken together.
    pub(crate) fn finish(mut self, shell: &Shell) -> Vec<Effect> {
        aftermath::settle(&mut self, shell);
        self.effects
    }

    /// What was found so far.
    pub(crate) fn found(&self) -> &[Effect] {
        &self.effects
    }

    /// Takes effects back that a later command makes harmless.
    pub(crate) fn retract(&mut self, gone: impl Fn(&Effect) -> bool) {
        self.effects.retain(|effect| !gone(effect));
        self.seen.retain(|effect| !gone(effect));
    }

    /// Takes an effect down, once.
    pub(crate) fn push(&mut self, kind: EffectKind, span: Span, certainty: Certainty) {
        let effect = Effect { kind, span, certainty };
        if self.seen.insert(effect.clone()) {
            self.effects.push(effect);
        }
    }

    /// The place in the list of effects, for `doubt`.
    pub(crate) fn mark(&self) -> usize {
        self.effects.len()
    }

    /// What was taken down since the mark may never happen: only what `keep` picks stays, as possible.
    pub(crate) fn doubt(&mut self, mark: usize, keep: impl Fn(&Effect) -> bool) {
        let doubted = self.effects.split_off(mark.min(self.effects.len()));
        for effect in &doubted {
            self.seen.remove(effect);
        }
        for effect in doubted.into_iter().filter(keep) {
            self.push(effect.kind, effect.span, effect.certainty.min(Certainty::Possible));
        }
    }

    /// Of what was taken down since the mark only what `keep` picks stays.
    pub(crate) fn sift(&mut self, mark: usize, keep: impl Fn(&Effect) -> bool) {
        let sifted = self.effects.split_off(mark.min(self.effects.len()));
        for effect in sifted {
            if keep(&effect) {
                self.effects.push(effect);
            } else {
                self.seen.remove(&effect);
            }
        }
    }

    /// What was taken down since the mark.
    pub(crate) fn since(&self, mark: usize) -> &[Effect] {
        self.effects.get(mark..).unwrap_or_default()
    }

    pub(crate) fn opaque(&mut self, why: impl Into<String>, span: Span) {
        self.push(EffectKind::Opaque { why: why.into() }, span, Certainty::Possible);
    }

    /// The places a word may name, seen from the present directory.
    pub(crate) fn places(&self, word: &Word, shell: &Shell) -> Vec<(Place, Certainty)> {
        let mut places: Vec<(Place, Certainty)> = Vec::new();
        let mut add = |place: Place, certainty| {
            if !places.iter().any(|(known, _)| known.path == place.path) {
                places.push((place, certainty));
            }
        };
        let shown = word.shown();
        let resolved = shell.resolve(&word.value());
        for text in &self.here(&resolved) {
            let text = &self.links.follow(text);
            let sure = resolved.any.len() == 1 && paths::is_certain(text, self.world);
            let certainty = if sure { Certainty::Certain } else { Certainty::Possible };
            add(paths::place(text, &shown, self.world), certainty);
        }
        // A variable that may be empty turns `"$DIR/"` into the root.
        if let Some(emptied) = emptied(&word.text) {
            let value = shell.resolve(&Value::of([emptied], word.taint));
            for text in &self.here(&value) {
                let place = paths::place(text, &shown, self.world);
                if place.root {
                    add(place, Certainty::Possible);
                }
            }
        }
        places
    }

    /// Paths on this machine, for those of the file system that the command sees.
    fn here(&self, resolved: &Value) -> Vec<Text> {
        match &self.elsewhere {
            Some(elsewhere) => resolved.any.iter().flat_map(|text| elsewhere.here(text)).collect(),
            None => resolved.any.clone(),
        }
    }

    /// Reads a file: what it yields, as far as it can be told.
    pub(crate) fn read(&mut self, word: &Word, recursive: bool, shell: &Shell) -> Value {
        let mut marks = word.taint;
        for (mut place, certainty) in self.places(word, shell) {
            marks = marks.union(self.remembered(&place));
            if taint::has(marks, taint::SECRET) {
                place.zone = Zone::Secret;
            }
            if place.zone == Zone::Secret {
                marks = marks.union(taint::SECRET);
            }
            self.push(EffectKind::Read { place, recursive }, word.span, certainty);
        }
        match shell.file(&word.value()) {
            Some(written) if written.certain => written.value,
            Some(written) => written.value.union(&Value::output(marks.union(taint::FILE))),
            None => Value::output(marks.union(taint::FILE)),
        }
    }

    /// Writes a file.
    pub(crate) fn write(&mut self, word: &Word, mode: WriteMode, content: Option<&Value>, shell: &mut Shell) {
        let text = content.and_then(Value::as_literal).map(str::to_owned);
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, false, word.span, certainty);
            let kind = if is_device(&place, self.world) {
                EffectKind::Device { place }
            } else {
                EffectKind::Write { place, mode, content: text.clone() }
            };
            self.push(kind, word.span, certainty);
        }
        if let Some(content) = content {
            shell.write_file(&word.value(), content, mode == WriteMode::Append);
        }
    }

    /// Deletes a path.
    pub(crate) fn delete(&mut self, word: &Word, recursive: bool, shell: &mut Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, recursive, word.span, certainty);
            self.push(EffectKind::Delete { place, recursive }, word.span, certainty);
        }
        shell.forget_file(&word.value());
    }

    /// Changes who may do what with a path.
    pub(crate) fn permission(&mut self, word: &Word, to: &str, recursive: bool, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, recursive, word.span, certainty);
            self.push(EffectKind::Permission { place, to: to.to_owned(), recursive }, word.span, certainty);
        }
    }

    /// Remembers a directory that the call makes.
    pub(crate) fn make_dir(&mut self, word: &Word, shell: &Shell) {
        let made = self.places(word, shell).into_iter().filter(|(place, _)| !place.pattern);
        self.made.extend(made.map(|(place, _)| place.path));
    }

    /// What is in a script file, written earlier in the call or on disk.
    pub(crate) fn script(&mut self, word: &Word, shell: &Shell) -> Option<Value> {
        if let Some(written) = shell.file(&word.value()) {
            return Some(written.value);
        }
        self.scripts += 1;
        let (place, _) = self.places(word, shell).into_iter().next()?;
        if place.pattern || self.scripts > 16 || self.world.kind(&place.path) != FileKind::File {
            return None;
        }
        let bytes = self.world.read(&place.path, SCRIPT_LIMIT)?;
        String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(|text| Value::text(&text))
    }

    fn changes(&mut self, place: &Place, with_all_below: bool, span: Span, certainty: Certainty) {
        if let Some(what) = own_at(place, with_all_below, self.world) {
            self.push(EffectKind::Tamper { what }, span, certainty);
        }
    }

    /// Runs one way that a command may come out.
    fn way(&mut self, argv: Vec<Word>, call: &Call, shell: &mut Shell) -> Outcome {
        let Some((command, args)) = argv.split_first() else {
            return Outcome::silent(Status::Either);
        };
        let Some(name) = command.literal() else {
            return self.unresolved(command, args, call, shell);
        };
        let program = self.program(command, name, shell);
        let shown = argv.iter().map(Word::shown).collect();
        let kind = EffectKind::Exec { program: program.clone(), argv: shown, source: CodeSource::Literal };
        self.push(kind, call.span, Certainty::Certain);
        let mut run = commands::Run { analyst: self, shell, call, path: name, program: &program, args };
        commands::run(&mut run)
    }

    /// The program's name without its directory; for a copy or link made in this call, what it was made from.
    fn program(&self, command: &Word, name: &str, shell: &Shell) -> String {
        let mut path = name.to_owned();
        if name.contains('/')
            && let Some(resolved) = shell.resolve(&command.value()).as_literal()
            && let Some(original) = self.links.original(resolved)
        {
            path = original.to_owned();
        }
        path.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// A glob in command position is matched against the commands that are known to do something.
    fn unresolved(&mut self, command: &Word, args: &[Word], call: &Call, shell: &mut Shell) -> Outcome {
        let shown = command.shown();
        if command.text.has_globs() && !command.text.has_holes() {
            let pattern = shown.rsplit('/').next().unwrap_or(&shown).to_owned();
            let before = self.effects.len();
            for program in commands::known().filter(|name| paths::glob_could_be(&pattern, name)) {
                let mut run = commands::Run { analyst: self, shell, call, path: program, program, args };
                commands::run(&mut run);
            }
            for effect in self.effects.iter_mut().skip(before) {
                effect.certainty = effect.certainty.min(Certainty::Possible);
            }
        }
        self.opaque(format!("the command `{shown}` is only known when it runs"), command.span);
        Outcome::unknown(call_taint(call))
    }
}

impl Host for Analyst<'_> {
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        commands::environment(self, call, shell);
        let mut outcome: Option<Outcome> = None;
        for argv in ways(&call.argv) {
            let next = self.way(argv, call, shell);
            outcome = Some(match outcome {
                None => next,
                Some(before) => Outcome {
                    stdout: before.stdout.union(&next.stdout),
                    status: before.status.or(next.status),
                },
            });
        }
        outcome.unwrap_or_else(|| Outcome::silent(Status::Success))
    }

    fn open(&mut self, open: &Open, shell: &mut Shell) -> Option<Value> {
        let fields = std::slice::from_ref(&open.path);
        let mut content: Option<Value> = None;
        for word in ways(fields).into_iter().flatten() {
            if commands::socket(self, &word) {
                content = Some(Value::output(taint::NET));
                continue;
            }
            match open.mode {
                OpenMode::Read => content = Some(self.read(&word, false, shell)),
                OpenMode::Write => self.write(&word, WriteMode::Overwrite, None, shell),
                OpenMode::Append | OpenMode::ReadWrite => self.write(&word, WriteMode::Append, None, shell),
            }
        }
        content
    }

    fn note(&mut self, note: Note) {
        match note {
            Note::Problem(problem) => {
                let why = match problem.kind {
                    ProblemKind::Budget => "the command is too long or too deeply nested to be read whole",
                    ProblemKind::StrangeByte => "it holds characters that shells read differently",
                    ProblemKind::Unexpected | ProblemKind::Unclosed => "a part of it is not valid shell",
                };
                self.opaque(why, problem.span);
            }
            Note::Recursion { name, background, piped, span } if background || piped => {
                let kind = EffectKind::Process { signal: "fork-bomb".into(), target: name.to_string() };
                self.push(kind, span, Certainty::Certain);
            }
            Note::Recursion { .. } => {}
            Note::Budget { span, .. } => {
                let why = "it does too much to be followed to its end".into();
                self.push(EffectKind::Opaque { why }, span, Certainty::Budget);
            }
            Note::Unresolved { word, span } => {
                if taint::has(word.taint, taint::NET) {
                    self.dynamic_code(word.taint, span);
                }
                let shown = word.any.first().map(show).unwrap_or_default();
                self.opaque(format!("the command `{shown}` is only known when it runs"), span);
            }
            // An unknown part in the middle of known code is a word of it: where it is a command, that is
            // noted by itself.
            Note::DynamicCode { text, .. } if text.taint.is_empty() && begins_known(&text) => {}
            Note::DynamicCode { text, span } => self.dynamic_code(text.taint, span),
        }
    }

    fn is_dir(&self, path: &str) -> Option<bool> {
        match self.world.kind(path) {
            FileKind::Dir => Some(true),
            FileKind::Missing => self.made.iter().any(|made| paths::within(made, path)).then_some(true),
            _ => Some(false),
        }
    }

    fn environment(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some(self.world.home().to_owned()),
            "PWD" if !self.cwd.is_empty() => Some(self.cwd.clone()),
            // The value of a secret stays unknown, so that it is seen where it goes, and never written down.
            _ if commands::secrets::is_secret_name(name) => None,
            _ => self.world.environment(name),
        }
    }

    fn home_of(&self, user: &str) -> Option<String> {
        self.world.home_of(user)
    }
}

impl Analyst<'_> {
    /// Code that is not known in full is run: what it came from decides.
    pub(crate) fn dynamic_code(&mut self, marks: Taint, span: Span) {
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

/// Says what of Tollgate a change at this place, and perhaps of all below it, would touch.
pub(crate) fn own_at(place: &Place, with_all_below: bool, world: &dyn World) -> Option<String> {
    let touches = |own: &&String| {
        paths::within(&place.path, own)
            || (with_all_below && !place.path.is_empty() && paths::within(own, &place.path))
    };
    world.own_places().iter().find(touches).map(|own| format!("Tollgate's own files in {own}"))
}

/// What a command's data comes from: its input and its words.
pub(crate) fn call_taint(call: &Call) -> Taint {
    let input = call.stdin.value.as_ref().map_or(Taint::NONE, |value| value.taint);
    call.argv.iter().fold(input, |marks, field| marks.union(field.value.taint))
}

/// A text with the variables that may be empty taken out; `None` when there are none.
fn emptied(text: &Text) -> Option<Text> {
    let may_vanish = |piece: &Piece| {
        matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(_), nonempty: false }))
    };
    if !text.pieces.iter().any(may_vanish) {
        return None;
    }
    let mut kept = Text::default();
    text.pieces.iter().filter(|piece| !may_vanish(piece)).for_each(|piece| kept.push(piece.clone()));
    (!kept.is_empty()).then_some(kept)
}

fn begins_known(text: &Value) -> bool {
    text.any.iter().all(|text| !text.prefix().trim_start().is_empty())
}

fn is_device(place: &Place, world: &dyn World) -> bool {
    let raw = [
        "/dev/sd",
        "/dev/hd",
        "/dev/vd",
        "/dev/xvd",
        "/dev/nvme",
        "/dev/mmcblk",
        "/dev/disk",
        "/dev/mapper/",
    ];
    let more = ["/dev/dm-", "/dev/md", "/dev/loop", "/dev/rdisk", "/dev/mem", "/dev/kmem", "/dev/port"];
    place.zone != Zone::Temp
        && place.path.starts_with("/dev/")
        && (raw.iter().chain(&more).any(|prefix| place.path.starts_with(prefix))
            || (!place.pattern && world.kind(&place.path) == FileKind::Device))
}
