//! Files: what reading, writing, deleting and changing one comes to.

use tollgate_model::{Certainty, Effect, EffectKind, FileKind, Place, Span, WriteMode, Zone};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Value};

use super::{Analyst, own_at};
use crate::word::{EVERYWHERE, Word, is_checked, is_everywhere};
use crate::{paths, taint};

impl Analyst<'_> {
    /// Reads a file: what it yields, as far as it can be told.
    pub(crate) fn read(&mut self, word: &Word, recursive: bool, shell: &Shell) -> Value {
        let mut marks = word.taint;
        let places = self.places(word, shell);
        let known = match places.as_slice() {
            [(place, _)] if !recursive => self.harmless_text(place),
            _ => None,
        };
        let whole = match places.as_slice() {
            [(place, _)] if !recursive && !place.pattern => Some(place.path.clone()),
            _ => None,
        };
        // What this call has put there itself, or copied from a file that holds no secrets, is none.
        let made = shell.file(&word.value()).is_some_and(|written| {
            let value = &written.value;
            written.certain
                && (value.as_literal().is_some() || value.has_file())
                && !taint::has(value.taint, taint::SECRET)
        });
        let mut within = Taint::NONE;
        for (mut place, certainty) in places {
            marks = marks.union(self.remembered(&place));
            if recursive && !place.pattern {
                within = within.union(self.kept_below(&place.path, shell));
            }
            if taint::has(marks, taint::SECRET) {
                place.zone = Zone::Secret;
            } else if place.zone == Zone::Secret && (made || self.is_new_there(&place.path)) {
                place.zone = Zone::Temp;
            }
            if place.zone == Zone::Secret {
                marks = marks.union(taint::SECRET);
            }
            self.push(EffectKind::Read { place, recursive }, word.span, certainty);
        }
        match shell.file(&word.value()) {
            _ if word.is("/dev/null") => Value::empty(),
            Some(written) if written.certain => written.value,
            Some(written) => written.value.union(&Value::output(marks.union(taint::FILE))),
            None if marks.is_empty() => known.unwrap_or_else(|| match whole {
                Some(path) => Value::file(&path, taint::FILE),
                None => Value::output(within.union(taint::FILE)),
            }),
            None => Value::output(marks.union(within).union(taint::FILE)),
        }
    }

    /// Is there, below a folder, what this call or an earlier one has made from a secret? Whoever gets all of it gets that.
    fn kept_below(&self, folder: &str, shell: &Shell) -> Taint {
        let kept = taint::has(shell.taint_below(folder), taint::SECRET)
            || self.world.memory().has_secret_below(folder);
        if kept { taint::SECRET } else { Taint::NONE }
    }

    /// Reads the files below a folder whose names fit a pattern: those count that it is meant to find.
    pub(crate) fn search(&mut self, folder: &Word, glob: &str, shell: &Shell) -> Vec<Word> {
        let found = self.meant(folder, glob, shell);
        found.iter().for_each(|word| drop(self.read(word, false, shell)));
        found
    }

    /// The secrets below a folder that a pattern of names is meant to find.
    pub(crate) fn meant(&self, folder: &Word, glob: &str, shell: &Shell) -> Vec<Word> {
        let places = self.places(folder, shell).into_iter().filter(|(place, _)| !place.pattern);
        let found = places.filter_map(|(place, _)| paths::asked(&place.path, glob, self.world));
        found.map(|path| Word { text: paths::globbed(&path), ..folder.clone() }).collect()
    }

    /// Writes a file.
    pub(crate) fn write(&mut self, word: &Word, mode: WriteMode, content: Option<&Value>, shell: &mut Shell) {
        self.wrote = true;
        let fresh = mode == WriteMode::Overwrite && shell.is_absent(&word.value());
        let mode = if fresh { WriteMode::Create } else { mode };
        let walked = if mode == WriteMode::Overwrite { self.walked(word) } else { None };
        let word = walked.as_ref().unwrap_or(word);
        let text = content.and_then(Value::as_literal).map(str::to_owned);
        // Whatever a pattern names gets the same text, instead of its own.
        let same = text.is_some() && word.text.has_globs() && !word.text.has_holes();
        if mode == WriteMode::Overwrite && (same || text.as_deref() == Some("")) {
            self.empty(word, shell);
        }
        let places = self.places(word, shell);
        self.name_by_place(word, &places, shell);
        for (place, certainty) in places {
            self.changes(&place, false, word.span, certainty);
            if place.path == "/proc/sysrq-trigger" {
                let kind = EffectKind::Process { signal: "power".into(), target: "the machine".into() };
                self.push(kind, word.span, certainty);
            }
            let kind = if paths::is_device(&place, self.world) {
                EffectKind::Device { place }
            } else {
                EffectKind::Write { place, mode, content: text.clone() }
            };
            self.push(kind, word.span, certainty);
        }
        if let Some(content) = content {
            shell.write_file(&word.value(), content, mode == WriteMode::Append);
        } else if let Some(stored) = shell.file(&word.value()).filter(|stored| stored.value.has_file()) {
            // What another file holds is not what is there any more.
            shell.write_file(&word.value(), &Value::output(stored.value.taint), false);
        }
    }

    /// What is written through a link on disk is read by the name of the file itself.
    fn name_by_place(&self, word: &Word, places: &[(Place, Certainty)], shell: &mut Shell) {
        let [(place, Certainty::Certain)] = places else { return };
        let resolved = shell.resolve(&word.value());
        if let Some(path) = resolved.as_literal()
            && path != place.path
            && !place.pattern
            && !place.path.starts_with("/dev/")
            && self.elsewhere.is_none()
        {
            shell.name_also(path, &place.path);
        }
    }

    /// A file that a walk of this call has found: it is there, whatever its name.
    pub(super) fn walked(&self, word: &Word) -> Option<Word> {
        let at = word.text.pieces.iter().position(is_found)?;
        let root = word.text.prefix().strip_suffix('/').filter(|_| at == 1)?;
        let walks = |effect: &Effect| match &effect.kind {
            EffectKind::Exec { program, argv, .. } => {
                matches!(
                    program.as_str(),
                    "find" | "gfind" | "fd" | "fdfind" | "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack"
                ) && (root == "." || argv.iter().any(|word| word.trim_end_matches('/') == root))
            }
            _ => false,
        };
        self.found().iter().any(walks).then(|| {
            let mut word = word.clone();
            if let Some(piece) = word.text.pieces.get_mut(at) {
                *piece = Piece::Glob(EVERYWHERE.into());
            }
            word
        })
    }

    /// In a folder that the call itself has made a file begins empty.
    pub(super) fn begin(&mut self, word: &Word, shell: &mut Shell) {
        let is_new = |(place, _): &(Place, Certainty)| {
            self.is_made(&place.path) && self.world.kind(&place.path) == FileKind::Missing
        };
        if !self.made.is_empty()
            && shell.file(&word.value()).is_none()
            && self.places(word, shell).iter().all(is_new)
        {
            shell.write_file(&word.value(), &Value::empty(), false);
        }
    }

    /// A file outside the project is emptied before it is known whether anything goes into it.
    pub(crate) fn cut(&mut self, word: &Word, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            if matches!(place.zone, Zone::Home | Zone::OtherProject) && !place.pattern {
                let content = Some(String::new());
                let kind = EffectKind::Write { place, mode: WriteMode::Overwrite, content };
                self.push(kind, word.span, certainty);
            }
        }
    }

    /// Of many files at once nothing is left but their names.
    pub(super) fn empty(&mut self, word: &Word, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            if place.pattern {
                let kind = EffectKind::Delete { place, recursive: is_everywhere(word), moved: false };
                self.push(kind, word.span, certainty);
            }
        }
    }

    /// Deletes a path.
    pub(crate) fn delete(&mut self, word: &Word, recursive: bool, shell: &mut Shell) {
        self.deletes(self.places(word, shell), recursive, false, word.span);
        shell.forget_file(&word.value());
        shell.remove_folder(&word.value());
    }

    fn deletes(&mut self, places: Vec<(Place, Certainty)>, recursive: bool, moved: bool, span: Span) {
        for (place, certainty) in places {
            self.changes(&place, recursive, span, certainty);
            for origin in self.links.origins(&place.path) {
                let shown = format!("{} (moved from {origin})", place.shown);
                let place = paths::place(&origin, &shown, self.world, &self.links);
                self.push(EffectKind::Delete { place, recursive, moved }, span, certainty);
            }
            self.push(EffectKind::Delete { place, recursive, moved }, span, certainty);
        }
    }

    /// Removes a name, as `rm` does: of a link only the link goes.
    pub(crate) fn remove(&mut self, word: &Word, recursive: bool, shell: &mut Shell) {
        self.takes(word, recursive, false, shell);
    }

    /// Takes a name away, as `mv` does: what it held goes to the targets. Into a device it is lost.
    pub(crate) fn move_away(&mut self, word: &Word, recursive: bool, targets: &[Word], shell: &mut Shell) {
        let is_lost = |(place, _): &(Place, Certainty)| place.path.starts_with("/dev/");
        let lost = targets.iter().any(|target| self.places(target, shell).iter().any(is_lost));
        self.takes(word, recursive, !lost, shell);
    }

    fn takes(&mut self, word: &Word, recursive: bool, moved: bool, shell: &mut Shell) {
        // Only in the workspace is it known how much of what was found may go.
        let here = |word: &Word| {
            self.names(word, shell).iter().all(|(place, _)| place.zone == Zone::Workspace && !place.root)
        };
        let walked = self.walked(word).filter(|_| here(word));
        let word = walked.as_ref().unwrap_or(word);
        let end = word.text.suffix();
        let within = ["/", "/.", "/.."].iter().any(|tail| end.ends_with(tail));
        let recursive = (recursive || is_everywhere(word)) && !is_checked(&word.text);
        let places = if within { self.places(word, shell) } else { self.names(word, shell) };
        self.deletes(places, recursive, moved, word.span);
        shell.forget_file(&word.value());
        shell.remove_folder(&word.value());
    }

    /// Changes who may do what with a path.
    pub(crate) fn permission(&mut self, word: &Word, to: &str, recursive: bool, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, recursive, word.span, certainty);
            self.push(EffectKind::Permission { place, to: to.to_owned(), recursive }, word.span, certainty);
        }
    }

    /// Remembers a directory that the call makes.
    pub(crate) fn make_dir(&mut self, word: &Word, shell: &mut Shell) {
        shell.make_folder(&word.value());
        for (place, certainty) in self.places(word, shell) {
            if !place.pattern {
                self.made.push(place.path.clone());
            }
            self.push(EffectKind::Alter { place, folder: true }, word.span, certainty);
        }
    }

    /// Remembers a file with a name of its own that the call makes, with nothing in it.
    pub(crate) fn make_file(&mut self, word: &Word, shell: &Shell) {
        let named = shell.resolve(&self.in_temp(word));
        self.made.extend(named.as_literal().map(str::to_owned));
    }

    /// Does it lie in a temporary folder of this call's own? What it puts there is nobody's secret.
    pub(crate) fn is_new_there(&self, path: &str) -> bool {
        let temporary = self.world.temp_dirs().iter().any(|folder| paths::within(path, folder));
        temporary && self.is_made(path) && self.world.kind(path) == FileKind::Missing
    }

    /// Has this call made the directory, or one above it?
    pub(crate) fn is_made(&self, path: &str) -> bool {
        self.made.iter().any(|made| paths::within(path, made))
    }

    /// Makes or changes a file or a tree without putting anything of the call's own into it.
    pub(crate) fn alter(&mut self, word: &Word, folder: bool, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.push(EffectKind::Alter { place, folder }, word.span, certainty);
        }
    }

    fn changes(&mut self, place: &Place, with_all_below: bool, span: Span, certainty: Certainty) {
        if let Some(what) = own_at(place, with_all_below, self.world) {
            self.push(EffectKind::Tamper { what }, span, certainty);
        }
    }
}

/// The part of a name that a walk leaves open.
fn is_found(piece: &Piece) -> bool {
    matches!(piece, Piece::Hole(Hole { source: HoleSource::Output, nonempty: true }))
}
