//! What the session remembers: files that a call leaves with a history, and what earlier calls have left.

use tollgate_model::git::{GitAsk, Repo};
use tollgate_model::{
    Certainty, Effect, EffectKind, Entry, FileKind, Mark, Memory, Place, Span, World, WriteMode, Zone,
    is_claim, is_ignored_output, is_rebuildable,
};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Piece, Taint, Text, Value};

use crate::analyst::{Analyst, taint};
use crate::links::Links;
use crate::word::Word;
use crate::{commands, hidden, paths, secrets_scan, shapes};

/// The longest text that is remembered.
const HELD: usize = 32 << 10;
/// The most names that are remembered of one call.
const NAMES: usize = 64;

/// What has to be remembered of a call that passes, as far as it is not yet known. The memory is only asked
/// when there is something.
#[must_use]
pub fn entries<'m>(effects: &[Effect], memory: impl FnOnce() -> &'m Memory) -> Vec<Entry> {
    let entries: Vec<Entry> = effects.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return entries;
    }
    let memory = memory();
    let mut new: Vec<Entry> = Vec::new();
    for entry in entries {
        let is_text = matches!(entry, Entry::File { mark: Mark::Text(_), .. });
        if (is_text || !memory.holds(&entry)) && !new.contains(&entry) {
            new.push(entry);
        }
    }
    new
}

fn entry(effect: &Effect) -> Option<Entry> {
    match &effect.kind {
        EffectKind::Leaves { place, mark: Mark::Known } => Some(Entry::Replaced { path: place.path.clone() }),
        EffectKind::Leaves { place, mark: Mark::Gone } => Some(Entry::Gone { path: place.path.clone() }),
        EffectKind::Delete { place, .. } if !place.pattern && effect.certainty == Certainty::Certain => {
            Some(Entry::Gone { path: place.path.clone() })
        }
        EffectKind::Leaves { place, mark } => {
            Some(Entry::File { path: place.path.clone(), mark: mark.clone() })
        }
        EffectKind::Read { place, .. } if place.zone == Zone::Secret => {
            Some(Entry::SecretRead { shown: place.shown.chars().take(200).collect() })
        }
        _ => None,
    }
}

/// What a written file holds once the call has run, for the calls that are judged before it has.
pub(crate) fn held(
    place: &Place,
    mode: WriteMode,
    texts: &[String],
    analyst: &Analyst,
    shell: &Shell,
) -> Option<Mark> {
    if place.pattern || is_device(&place.path) {
        return None;
    }
    let known =
        || matches!(analyst.world.memory().state_of(&place.path), Some(Mark::Text(_) | Mark::Shape(_)));
    let over = || (mode == WriteMode::Overwrite && known()).then_some(Mark::Gone);
    // A link that this call made is remembered as such, and keys are not written down a second time.
    if place.zone == Zone::Secret || analyst.links.is_link(&place.path) {
        return over();
    }
    let text = match texts {
        [] => grown(place, mode, analyst.world, shell),
        texts => Some(texts.join("\n")),
    };
    match text.filter(|text| text.len() <= HELD) {
        Some(text) => Some(Mark::Text(text)),
        None => shape(place, shell).or_else(over).or_else(|| edited(place, analyst.world)),
    }
}

/// Code of the project is no longer what was read by those who work on it, even when it is committed afterwards.
fn edited(place: &Place, world: &dyn World) -> Option<Mark> {
    let bare = !place.path.rsplit('/').next().unwrap_or_default().contains('.');
    let is_code = place.zone == Zone::Workspace && (bare || hidden::is_code(&place.path));
    (is_code && world.kind(&place.path) == FileKind::File).then_some(Mark::Edited)
}

/// Files of the project are changed that are not known one by one: any below their folder may be.
pub(crate) fn stirred(place: &Place, world: &dyn World) -> Option<EffectKind> {
    let tree = place.pattern || world.kind(&place.path) == FileKind::Dir;
    let known = place.path.split('*').next().unwrap_or_default();
    let folder = if place.pattern { known.rsplit_once('/')?.0 } else { known };
    (tree && paths::within(folder, world.workspace())).then(|| edited_below(folder))
}

/// A patch, or a branch of somebody who is only named by an address, changes any file of the project.
pub(crate) fn patched(program: &str, argv: &[String], world: &dyn World) -> Option<EffectKind> {
    let has = |verb: &str| argv.iter().any(|word| word == verb);
    let is_address = |word: &String| word.contains("://") || word.contains('@') && word.contains(':');
    let patches = match program {
        "git" => has("apply") || has("am") || has("pull") && argv.iter().any(is_address),
        "patch" => true,
        _ => false,
    };
    patches.then(|| edited_below(world.workspace()))
}

fn edited_below(folder: &str) -> EffectKind {
    let path = format!("{}/", folder.trim_end_matches('/'));
    let place = Place { shown: path.clone(), path, zone: Zone::Workspace, pattern: false, root: false };
    EffectKind::Leaves { place, mark: Mark::Edited }
}

/// What is known of a text that is not known as a whole. Credentials are not written down.
fn shape(place: &Place, shell: &Shell) -> Option<Mark> {
    let stored = shell.file(&Value::text(&place.path))?;
    let shape = shapes::written(&stored.value)?;
    secrets_scan::credentials(&shape).is_empty().then_some(Mark::Shape(shape))
}

/// What goes to a device is not there afterwards.
fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

/// What was there with what the call has put behind it.
fn grown(place: &Place, mode: WriteMode, world: &dyn World, shell: &Shell) -> Option<String> {
    let stored = shell.file(&Value::text(&place.path)).filter(|_| mode == WriteMode::Append)?;
    let [text] = stored.value.any.as_slice() else { return None };
    let [Piece::Hole(hole), Piece::Text(added)] = text.pieces.as_slice() else { return None };
    if !hole.source.is_output() {
        return None;
    }
    let before = match world.kind(&place.path) {
        FileKind::Missing => String::new(),
        _ => String::from_utf8(world.read(&place.path, HELD + 1)?).ok()?,
    };
    Some(format!("{before}{added}"))
}

/// Names that lead elsewhere, and programs that go by other names.
pub(crate) fn leave_names(analyst: &mut Analyst) {
    let own = Links::default();
    let place = |name: &str| {
        let locate = |text: &Text, shown: &str| analyst.located(text, shown);
        paths::name(&Text::literal(name), name, analyst.world, &own, &locate)
    };
    let links = analyst.links.made().iter().map(|(name, target)| (place(name), Mark::Link(target.clone())));
    let is_program = |name: &str, original: &str| {
        let program = original.rsplit('/').next().unwrap_or_default();
        commands::is_command(program) && name.rsplit('/').next() != Some(program)
    };
    let copies = analyst
        .links
        .copied()
        .iter()
        .filter(|(name, original)| !analyst.links.is_link(name) && is_program(name, original));
    let copies = copies.map(|(name, original)| (place(name), Mark::Copy(original.clone())));
    let moved = analyst.links.moved_to().map(|(name, from)| (place(name), from));
    let moved =
        moved.filter(|(place, from)| is_forgotten(place, analyst.world) && is_work(from, analyst.world));
    let moved = moved.map(|(place, from)| (place, Mark::Moved(from.to_owned())));
    let left: Vec<(Place, Mark)> = links.chain(copies).chain(moved).take(NAMES).collect();
    for (place, mark) in left {
        analyst.push(EffectKind::Leaves { place, mark }, Span::default(), Certainty::Certain);
    }
}

/// Does it lie where everything may be deleted?
fn is_forgotten(place: &Place, world: &dyn World) -> bool {
    !place.pattern
        && (place.zone == Zone::Temp
            || place.zone == Zone::Workspace && is_rebuildable(&place.path, world.workspace(), world))
}

/// Is there something at a path of the project that nothing else holds, and that this session has not made?
fn is_work(path: &str, world: &dyn World) -> bool {
    let root = world.workspace();
    if !paths::within(path, root)
        || world.kind(path) == FileKind::Missing
        || world.memory().state_of(path).is_some()
        || is_rebuildable(path, root, world)
    {
        return false;
    }
    let ask = GitAsk { paths: vec![path.to_owned()], untracked: true, ignored: true, ..GitAsk::default() };
    let Some(root) = Repo::find(root, world).and_then(|repo| repo.root) else { return true };
    let ignored = |path: &String| !is_ignored_output(path, &root, world);
    world.git_status(&root, &ask).is_none_or(|status| {
        !status.modified.is_empty() || !status.untracked.is_empty() || status.ignored.iter().any(ignored)
    })
}

/// Does what the call has put into a file come from the network?
pub(crate) fn is_from_network(place: &Place, shell: &Shell) -> bool {
    let stored = shell.file(&Value::text(&place.path)).filter(|_| !place.pattern);
    stored.is_some_and(|stored| taint::has(stored.value.taint, taint::NET))
}

/// What a written file has to be remembered for.
pub(crate) fn left(place: &Place, certainty: Certainty, world: &dyn World, shell: &Shell) -> Vec<EffectKind> {
    if place.pattern {
        return Vec::new();
    }
    let mut left = Vec::new();
    let mut leave = |mark| left.push(EffectKind::Leaves { place: place.clone(), mark });
    if let Some(stored) = shell.file(&Value::text(&place.path)) {
        let marks = stored.value.taint;
        if taint::has(marks, taint::NET) {
            leave(Mark::Downloaded);
        } else if taint::has(marks, taint::DECODED) {
            leave(Mark::Decoded);
        } else if stored.value.is_known()
            && certainty == Certainty::Certain
            && !world.memory().marks(&place.path).is_empty()
        {
            leave(Mark::Known);
        }
        if taint::has(marks, taint::SECRET) && place.zone != Zone::Secret {
            leave(Mark::Secret);
        }
    }
    if is_claim(&place.path) {
        leave(Mark::Claim);
    }
    left
}

impl Analyst<'_> {
    /// What is in a file that this call or an earlier one of the session wrote.
    pub(crate) fn own_text(&self, word: &Word, shell: &Shell) -> Option<Value> {
        if let Some(written) = shell.file(&word.value()) {
            return Some(written.value);
        }
        let place = self.one_place(word, shell)?;
        self.text_at(&place)
    }

    /// What is in a file that an earlier call wrote, without credentials, which are seen where they go and never
    /// written down; else what is known of it.
    pub(crate) fn harmless_text(&self, place: &Place) -> Option<Value> {
        let Some(text) = self.text_at(place) else { return self.shape_at(place) };
        let harmless = |text: &str| secrets_scan::credentials(text).is_empty();
        text.as_literal().is_some_and(harmless).then_some(text)
    }

    /// What is known of a file that an earlier call will have left.
    pub(crate) fn shape_of(&self, word: &Word, shell: &Shell) -> Option<Value> {
        let place = self.one_place(word, shell)?;
        self.shape_at(&place)
    }

    /// The one file that a word names. The disk is not asked about files that no call has named.
    fn one_place(&self, word: &Word, shell: &Shell) -> Option<Place> {
        let name = word.text.suffix().rsplit('/').next().filter(|name| !name.is_empty())?;
        if !self.world.memory().names(name) {
            return None;
        }
        let mut places = self.places(word, shell);
        let (place, _) = places.pop().filter(|_| places.is_empty())?;
        Some(place)
    }

    fn text_at(&self, place: &Place) -> Option<Value> {
        let known = matches!(self.world.memory().state_of(&place.path), Some(Mark::Text(_)));
        if !known || place.pattern {
            return None;
        }
        let bytes = self.world.read(&place.path, HELD + 1)?;
        String::from_utf8(bytes).ok().map(|text| Value::text(&text))
    }

    /// What the disk holds is the truth; until it holds something, what was said is.
    fn shape_at(&self, place: &Place) -> Option<Value> {
        match self.world.memory().state_of(&place.path)? {
            Mark::Shape(shape) if self.world.kind(&place.path) == FileKind::Missing => shapes::read(shape),
            _ => None,
        }
    }

    /// Marks on what a file holds, from earlier calls of the session.
    pub(crate) fn remembered(&self, place: &Place) -> Taint {
        if place.pattern {
            return Taint::NONE;
        }
        let marks = self.world.memory().marks(&place.path);
        marks.into_iter().fold(Taint::NONE, |all, mark| match mark {
            Mark::Downloaded | Mark::Cloned => all.union(taint::NET),
            Mark::Decoded => all.union(taint::DECODED),
            Mark::Secret => all.union(taint::SECRET),
            _ => all,
        })
    }

    /// What is in a file that goes elsewhere, with its history.
    pub(crate) fn moved(&mut self, word: &Word, shell: &Shell) -> Option<Value> {
        let places = self.places(word, shell);
        let marks = places.iter().fold(Taint::NONE, |all, (place, _)| all.union(self.remembered(place)));
        let text = self.script(word, shell);
        if marks.is_empty() {
            return text;
        }
        let mut text = text.unwrap_or_else(|| Value::output(taint::FILE));
        text.taint = text.taint.union(marks);
        Some(text)
    }

    /// A file is run that an earlier call, or a tree that this call fetches, may have left. One that this call
    /// has written is not that one.
    pub(crate) fn recall(&mut self, word: &Word, shell: &Shell) {
        self.recall_where(word, shell, |mark| {
            matches!(mark, Mark::Downloaded | Mark::Cloned | Mark::Decoded | Mark::Dangerous(_))
        });
    }

    /// Tasks are run that stand in a file: those of a repository from a forge are what it is cloned for.
    pub(crate) fn recall_tasks(&mut self, word: &Word, shell: &Shell) {
        self.recall_where(word, shell, |mark| {
            matches!(mark, Mark::Downloaded | Mark::Decoded | Mark::Dangerous(_))
        });
    }

    /// A package is installed from a file. One that this call has downloaded is as unread as an earlier one.
    pub(crate) fn recall_package(&mut self, word: &Word, shell: &Shell) {
        let written = shell.file(&word.value());
        if written.is_some_and(|written| taint::has(written.value.taint, taint::NET)) {
            for (place, certainty) in self.places(word, shell) {
                let mark = Mark::Downloaded;
                self.push(EffectKind::Recalls { place, mark }, word.span, certainty);
            }
        }
        self.recall_tasks(word, shell);
    }

    fn recall_where(&mut self, word: &Word, shell: &Shell, runs: impl Fn(&Mark) -> bool) {
        if shell.file(&word.value()).is_some() {
            return;
        }
        for (place, certainty) in self.places(word, shell) {
            let mut marks = self.marks_of(&place, "");
            marks.retain(&runs);
            // A manager has put it there, not the tree around; what was fetched to that very place is no manager's.
            if !marks.is_empty()
                && let Some(base) = self.installed_in(&place)
            {
                let own = self.marks_of(&place, &format!("{base}/"));
                marks.retain(|mark| own.contains(mark));
            }
            for mark in marks {
                self.push(EffectKind::Recalls { place: place.clone(), mark }, word.span, certainty);
            }
        }
    }

    /// What earlier calls, and the trees that this one fetches, have left at a place: of those that begin with `within`.
    fn marks_of(&self, place: &Place, within: &str) -> Vec<Mark> {
        let memory = self.world.memory();
        let mut marks: Vec<Mark> = memory.marks_within(&place.path, within).into_iter().cloned().collect();
        // A package may be the folder itself.
        if marks.is_empty() {
            marks.extend(memory.marks_within(&format!("{}/", place.path), within).into_iter().cloned());
        }
        // What was there before the tree is not of the tree.
        let new = |path: &str| self.world.kind(path) == FileKind::Missing;
        let trees = self.trees.iter().filter(|(tree, _)| below(place, tree) && tree.starts_with(within));
        marks.extend(trees.filter(|_| new(&place.path)).map(|(_, mark)| mark.clone()));
        marks
    }

    /// The folder of packages whose manager has put the program there, if one did. The repository itself must not
    /// know it.
    fn installed_in<'p>(&self, place: &'p Place) -> Option<&'p str> {
        let (folder, name) = place.path.rsplit_once('/').filter(|_| !place.pattern)?;
        let base = ["/bin", "/.bin"].iter().find_map(|end| folder.strip_suffix(end))?;
        let own = |path: &str| {
            let ask =
                GitAsk { paths: vec![path.to_owned()], untracked: true, ignored: true, ..GitAsk::default() };
            let status =
                Repo::find(base, self.world)?.root.and_then(|root| self.world.git_status(&root, &ask))?;
            Some(!status.untracked.is_empty() || !status.ignored.is_empty())
        };
        if self.world.kind(&place.path) != FileKind::Missing {
            let made = base.ends_with("/node_modules")
                || self.world.kind(&format!("{base}/pyvenv.cfg")) == FileKind::File;
            return (made && own(&place.path).unwrap_or(false)).then_some(base);
        }
        let is_usual = ["python", "pip", "activate"].iter().any(|start| name.starts_with(start));
        let is_gone = |effect: &Effect| matches!(&effect.kind, EffectKind::Delete { place, recursive: true, .. } if place.path == base);
        let made = self.environments.iter().any(|made| made == base);
        (made && (is_usual || self.searched().iter().any(is_gone))).then_some(base)
    }

    /// A folder is filled from the network. One that was there before holds other things too, so later calls
    /// only remember the folder in it that `within` names.
    pub(crate) fn fetch_tree(&mut self, folder: &Word, within: Option<&str>, mark: &Mark, shell: &Shell) {
        for (place, certainty) in self.places(folder, shell) {
            if place.pattern {
                continue;
            }
            let path = format!("{}/", place.path.trim_end_matches('/'));
            let fresh = self.world.kind(&place.path) == FileKind::Missing;
            let left = match within.filter(|_| !fresh) {
                Some(name) => Some(format!("{path}{name}/")),
                None => fresh.then(|| path.clone()),
            };
            self.trees.push((path, mark.clone()));
            if let Some(path) = left {
                let place = Place { path, ..place };
                self.push(EffectKind::Leaves { place, mark: mark.clone() }, folder.span, certainty);
            }
        }
    }
}

/// Is the place in the tree, or may it be?
fn below(place: &Place, tree: &str) -> bool {
    place.path.starts_with(tree) && place.path.len() > tree.len()
        || format!("{}/", place.path.trim_end_matches('/')) == tree
}
