//! Files: what reading, writing, deleting and changing one comes to.

use tollgate_model::{
    Certainty, EffectKind, FileKind, Place, ProcessAction, Span, Tampered, WriteMode, Zone,
};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Value};

use super::{Analyst, own_at};
use crate::word::{Word, is_checked, is_everywhere};
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
        let (mut within, mut given) = (Taint::NONE, Taint::NONE);
        for (mut place, certainty) in places {
            marks = marks.union(self.remembered(&place)).union(Self::device_marks(&place.path));
            if recursive && !place.pattern {
                within = within.union(self.kept_below(&place.path, shell));
            }
            if taint::has(marks, taint::SECRET) {
                place.zone = Zone::Secret;
            } else if place.zone == Zone::Secret
                && (made || self.is_new_there(&place.path) || self.is_public(&place))
            {
                place.zone = Zone::Temp;
            }
            if place.zone == Zone::Secret {
                marks = marks.union(taint::SECRET);
            }
            if self.elsewhere.as_ref().is_some_and(|there| there.is_secret(&place)) {
                given = taint::SECRET;
            }
            self.push(EffectKind::Read { place, recursive }, word.span, certainty);
        }
        marks = marks.union(given);
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
        if self.is_chosen(word) && !self.supposing {
            return self.suppose(|analyst| analyst.write(word, mode, content, shell));
        }
        self.wrote = true;
        self.writes_device(word, shell);
        let fresh = mode == WriteMode::Overwrite && shell.is_absent(&word.value());
        let mode = if fresh { WriteMode::Create } else { mode };
        let walked = if mode == WriteMode::Overwrite { self.walked(word) } else { None };
        let word = walked.as_ref().unwrap_or(word);
        let text = content.and_then(Value::as_literal).map(str::to_owned);
        if mode == WriteMode::Overwrite && text.is_some() {
            self.listed(word, shell).iter().for_each(|found| self.empty(found, shell));
        }
        if mode == WriteMode::Overwrite {
            self.lose_picked(word, false, false);
        }
        // Whatever a pattern names gets the same text, instead of its own.
        let one = text.is_some() || content.is_some_and(Value::has_file);
        let same = one && word.text.has_globs() && !word.text.has_holes();
        if mode == WriteMode::Overwrite && (same || text.as_deref() == Some("")) {
            self.empty(word, shell);
        }
        let places = self.places(word, shell);
        self.name_by_place(word, &places, shell);
        for (place, certainty) in places {
            self.changes(&place, false, word.span, certainty);
            if mode == WriteMode::Overwrite {
                self.lets_go(&place, word.span, certainty);
            }
            if place.path == "/proc/sysrq-trigger" {
                let kind = EffectKind::Process { action: ProcessAction::Power, target: "the machine".into() };
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
        for (mut place, certainty) in places {
            // The repository that the call itself has just made holds nothing yet.
            if place.path.ends_with("/.git")
                && self.is_made(&place.path)
                && self.world.kind(&place.path) == FileKind::Missing
            {
                place = Place { root: false, zone: place.zone.min(Zone::Workspace), ..place };
            }
            self.changes(&place, recursive, span, certainty);
            for origin in self.links.origins(&place.path) {
                let shown = format!("{} (moved from {})", place.shown, origin.text);
                let mut from = paths::place(&origin.text, &shown, self.world, &self.links);
                if !moved {
                    self.lets_go(&from, span, certainty);
                }
                // Nobody called it by its name, as nobody does with what a pattern finds.
                let unnamed = !origin.named && self.world.kind(&from.path) == FileKind::File;
                from.pattern |= unnamed && from.zone == Zone::Workspace;
                let recursive = recursive && !unnamed;
                self.push(EffectKind::Delete { place: from, recursive, moved }, span, certainty);
            }
            if !moved {
                self.lets_go(&place, span, certainty);
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
        let mark = self.mark();
        let within = |(place, _): &(Place, Certainty)| paths::within(&place.path, self.world.workspace());
        let stays = targets.iter().all(|target| self.places(target, shell).iter().all(within));
        self.takes(word, recursive, !lost, shell);
        if stays && !lost && !targets.is_empty() {
            self.rearranged(mark);
        }
    }

    /// What goes from one folder of the project to another is still the project's.
    fn rearranged(&mut self, mark: usize) {
        let root = format!("{}/", self.world.workspace());
        for mut effect in self.take_since(mark) {
            self.seen.remove(&effect);
            if let EffectKind::Delete { place, moved: true, .. } = &mut effect.kind
                && place.path.starts_with(&root)
                && !place.path.contains("/.git")
                && place.zone <= Zone::Workspace
            {
                place.root = false;
            }
            self.push(effect.kind, effect.span, effect.certainty);
        }
    }

    /// Is it any file that a walk has chosen by what does not show in its name?
    fn is_chosen(&self, word: &Word) -> bool {
        matches!(word.text.pieces.as_slice(), [Piece::Text(_), found] if is_found(found))
    }

    fn takes(&mut self, word: &Word, recursive: bool, moved: bool, shell: &mut Shell) {
        // Nothing is called by an empty name.
        if word.is("") {
            return;
        }
        if self.is_chosen(word) && !self.supposing {
            return self.suppose(|analyst| analyst.takes(word, recursive, moved, shell));
        }
        // Only in the workspace is it known how much of what was found may go.
        let here = |word: &Word| {
            self.names(word, shell).iter().all(|(place, _)| place.zone == Zone::Workspace && !place.root)
        };
        let walked = self.walked(word).filter(|_| here(word));
        for found in self.listed(word, shell) {
            self.deletes(self.places(&found, shell), false, moved, word.span);
        }
        self.lose_picked(word, recursive, moved);
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
    pub(crate) fn permission(&mut self, word: &Word, to: &str, recursive: bool, shell: &mut Shell) {
        if !keeps_open(to) {
            shell.remove_folder(&word.value());
        }
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, recursive || locks_out(to), word.span, certainty);
            self.push(EffectKind::Permission { place, to: to.to_owned(), recursive }, word.span, certainty);
        }
    }

    /// Remembers a directory that the call makes, if nothing goes wrong.
    pub(crate) fn make_dir(&mut self, word: &Word, shell: &mut Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, false, word.span, certainty);
            if !place.pattern {
                self.made.insert(place.path.trim_end_matches('/').to_owned());
            }
            self.push(EffectKind::Alter { place, folder: true }, word.span, certainty);
        }
    }

    /// The same where nothing can go wrong: the directory is there from now on, so that `cd` leads into it.
    pub(crate) fn surely_make_dir(&mut self, word: &Word, parents: bool, shell: &mut Shell) {
        if self.can_make_dir(word, parents, shell) {
            let resolved = shell.resolve(&word.value());
            let path = resolved.as_literal().unwrap_or_default();
            let above = std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|ends| ends.0));
            let new = |above: &&str| *above == path || self.world.kind(above) == FileKind::Missing;
            let all: Vec<&str> = above.take_while(new).filter(|path| !path.is_empty()).collect();
            all.iter().rev().for_each(|folder| shell.make_folder(&Value::text(folder)));
        }
        self.make_dir(word, shell);
    }

    /// A directory for a repository. In a temporary folder nothing stands in the way.
    pub(crate) fn make_copy_dir(&mut self, word: &Word, shell: &mut Shell) {
        let passing = |(place, _): &(Place, Certainty)| place.zone == Zone::Temp;
        match self.places(word, shell).iter().all(passing) {
            true => self.surely_make_dir(word, true, shell),
            false => self.make_dir(word, shell),
        }
    }

    /// Is there nothing in the way of such a directory?
    pub(crate) fn can_make_dir(&self, word: &Word, parents: bool, shell: &Shell) -> bool {
        let own = |(place, certainty): &(Place, Certainty)| {
            let writable =
                matches!(place.zone, Zone::Workspace | Zone::Temp | Zone::Home | Zone::OtherProject);
            writable && !place.pattern && *certainty == Certainty::Certain
        };
        let world = self.world;
        let is_root =
            |path: &str| world.temp_dirs().iter().any(|temp| temp == path) || world.workspace() == path;
        let is_dir = |path: &str| match world.kind(path) {
            FileKind::Missing => is_root(path).then_some(true),
            kind => Some(kind == FileKind::Dir),
        };
        let resolved = shell.resolve(&word.value());
        self.elsewhere.is_none()
            && !self.hampered
            && matches!(self.places(word, shell).as_slice(), [only] if own(only))
            && resolved.as_literal().is_some_and(|path| shell.can_make_folder(path, parents, is_dir))
    }

    /// Remembers a file with a name of its own that the call makes, with nothing in it.
    pub(crate) fn make_file(&mut self, word: &Word, shell: &Shell) {
        let named = shell.resolve(&self.in_temp(word));
        self.made.extend(named.as_literal().map(|path| path.trim_end_matches('/').to_owned()));
    }

    /// Do all files that a pattern stands for hold no secrets?
    fn is_public(&self, place: &Place) -> bool {
        place.pattern && !self.wrote && self.elsewhere.is_none() && paths::is_public(&place.path, self.world)
    }

    /// Does it lie in a temporary folder of this call's own? What it puts there is nobody's secret.
    pub(crate) fn is_new_there(&self, path: &str) -> bool {
        let temporary = self.world.temp_dirs().iter().any(|folder| paths::within(path, folder));
        temporary && self.is_made(path) && self.world.kind(path) == FileKind::Missing
    }

    /// Has this call made the directory, or one above it?
    pub(crate) fn is_made(&self, path: &str) -> bool {
        !self.made.is_empty() && paths::with_parents(path).any(|folder| self.made.contains(folder))
    }

    /// Makes or changes a file or a tree without putting anything of the call's own into it.
    pub(crate) fn alter(&mut self, word: &Word, folder: bool, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, false, word.span, certainty);
            self.push(EffectKind::Alter { place, folder }, word.span, certainty);
        }
    }

    /// Puts something else in the place of a path and all below it, or ends or blocks who has it open.
    pub(crate) fn cover(&mut self, word: &Word, with_all_below: bool, shell: &Shell) {
        for (place, certainty) in self.places(word, shell) {
            self.changes(&place, with_all_below, word.span, certainty);
        }
    }

    fn changes(&mut self, place: &Place, with_all_below: bool, span: Span, certainty: Certainty) {
        if let Some(what) = own_at(place, with_all_below, self.world) {
            self.push(EffectKind::Tamper { target: Tampered::Gate, what }, span, certainty);
        }
    }
}

/// Can the owner still enter a folder with these rights, whatever they were before?
fn keeps_open(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    let octal = !digits.is_empty() && digits.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let owner = digits.bytes().rev().nth(2).is_some_and(|digit| digit & 1 == 1);
    let added = mode.contains('+') && mode.chars().all(|c| "ugoa+rwxXst,".contains(c));
    octal && owner || added
}

/// Do these rights keep the owner out of a folder, and so from all below it?
fn locks_out(mode: &str) -> bool {
    if mode == HIDDEN_BY_MOUNT {
        return true;
    }
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    if octal {
        return mode.bytes().rev().nth(2).is_some_and(|owner| owner & 1 == 0);
    }
    mode.split(',').any(|clause| {
        let Some(at) = clause.find(['-', '=']) else { return false };
        let (who, what) = clause.split_at(at);
        let owner = who.is_empty() || who.contains(['u', 'a']);
        let letters = who.chars().chain(what.chars().skip(1)).all(|letter| "ugoarwxXst".contains(letter));
        owner && letters && what.contains(['x', 'X']) == what.starts_with('-')
    })
}

/// Stands for the rights of what a mount covers.
pub(crate) const HIDDEN_BY_MOUNT: &str = "hidden by a mount";

/// The part of a name that a walk leaves open.
pub(super) fn is_found(piece: &Piece) -> bool {
    matches!(piece, Piece::Hole(Hole { source: HoleSource::Output, nonempty: true }))
}
