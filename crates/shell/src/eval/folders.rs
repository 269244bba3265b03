//! What became of folders on the way through a script, and names that lead to the files of others.

use std::ops::Bound;
use std::rc::Rc;

use tollgate_model::work;

use super::state::{Contents, Variable, World};
use super::{Call, Shell};
use crate::map::{SharedMap, SharedSet};
use crate::value::{Hole, HoleSource, MAX_VALUES, Piece, Text, Value};

/// What became of folders, by resolved path. None is in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Folders {
    made: SharedSet<Rc<str>>,
    /// Gone, or perhaps.
    gone: SharedSet<Rc<str>>,
}

/// Links, by resolved path, with where each may lead.
pub(super) type Names = SharedMap<Rc<str>, Targets>;
type Targets = Rc<[Rc<str>]>;

/// Programs that name a folder without making one.
const LOOKS: &[&str] = &["cat", "du", "file", "find", "ls", "mv", "rm", "rmdir", "stat", "tree"];
/// How many links one path is followed over.
const FOLLOWED: usize = 8;
/// Patterns of folders that may be gone and that are told apart.
const PATTERNS: usize = 64;
/// The longest name, and the longest path, that file systems take.
const NAME: usize = 255;
const PATH: usize = 4096;

impl Shell {
    /// There surely is a folder of this name from now on.
    pub fn make_folder(&mut self, path: &Value) {
        if let Some(path) = self.resolve(path).as_literal() {
            self.state.folders_mut().make(path);
        }
    }

    /// What had this name, with all below it, is removed, or has another name, or cannot be entered from now on;
    /// or that may be so.
    pub fn remove_folder(&mut self, path: &Value) {
        for text in self.resolve(path).any {
            match text.as_literal() {
                Some(path) => self.state.folders_mut().remove(path),
                None => self.remove_some(&text),
            }
        }
    }

    /// What the script itself has made below a folder may be gone.
    pub fn doubt_folders(&mut self, folder: &Value) {
        for folder in self.resolve(folder).literals() {
            if !self.state.world.folders.made.is_empty() {
                let start = format!("{}/", folder.trim_end_matches('/'));
                self.state.folders_mut().doubt(&start, |_| true);
            }
        }
    }

    /// Any folder that fits may be gone.
    fn remove_some(&mut self, text: &Text) {
        let fits = Fits::new(text);
        self.state.folders_mut().doubt(&fits.start, |known| fits.may_take(known));
        // Of the folders that the script does not speak of, only a pattern of names says which may be gone.
        let walks = |piece: &Piece| matches!(piece, Piece::Glob(glob) if glob.contains("**"));
        if text.has_holes() || text.pieces.iter().any(walks) {
            return;
        }
        let taken = &mut self.state.world_mut().taken;
        if taken.len() < PATTERNS {
            taken.insert(text.clone(), ());
        } else {
            taken.clear();
            let any = Text { pieces: [Piece::text("/"), Piece::Glob("*".into())].into_iter().collect() };
            taken.insert(any, ());
        }
    }

    /// Is there a folder of this name, as far as the script itself says?
    pub(super) fn is_folder(&self, path: &str) -> Option<bool> {
        let (folders, taken) = (&self.state.world.folders, &self.state.world.taken);
        if folders.is_empty() && taken.is_empty() {
            return None;
        }
        if let Some(there) = folders.get(path) {
            return Some(there);
        }
        let mut above = std::iter::successors(parent(path), |folder| parent(folder));
        if above.find_map(|folder| folders.get(folder)) == Some(false) {
            return Some(false);
        }
        taken.keys().any(|text| Fits::new(text).may_take(path)).then_some(false)
    }

    /// Would a folder of this name surely be made? `is_dir` tells what is on disk: nothing at all is `None`.
    #[must_use]
    pub fn can_make_folder(&self, path: &str, parents: bool, is_dir: impl Fn(&str) -> Option<bool>) -> bool {
        let fits = |path: &str| path.split('/').all(|name| name.len() <= NAME) && path.len() < PATH;
        // A link that leads nowhere stands in the way.
        let free = |path: &str| is_dir(path) != Some(false) && !self.state.world.names.contains_key(path);
        if !fits(path) || !free(path) {
            return false;
        }
        for folder in std::iter::successors(parent(path), |folder| parent(folder)) {
            match (self.state.world.folders.get(folder), self.is_folder(folder)) {
                (Some(true), _) => return true,
                (_, None) if is_dir(folder) == Some(true) => return true,
                _ if !parents || !free(folder) => return false,
                _ => {}
            }
        }
        true
    }

    /// A program that is given the name of a folder that is gone may well make it anew: `cmake -B build`.
    pub(super) fn may_make_folders(&mut self, call: &Call) {
        if self.state.world.folders.gone.is_empty() || call.name().is_some_and(|name| LOOKS.contains(&name)) {
            return;
        }
        let words: Vec<&str> = call.args().filter_map(|field| field.value.as_literal()).collect();
        for word in words {
            let given = word.strip_prefix('-').map_or(word, |option| {
                option.split_once('=').map_or(option.get(1..).unwrap_or_default(), |(_, value)| value)
            });
            let path = self.resolve(&Value::text(given));
            if let Some(path) = path.as_literal()
                && self.state.world.folders.gone.contains_key(path)
            {
                self.state.folders_mut().gone.remove(path);
            }
        }
    }

    /// What the script put below one name lies below the other, too; or instead of it.
    pub fn carry(&mut self, from: &Value, to: &Value, moved: bool) {
        let (from, to) = (self.keys(from), self.keys(to));
        let (Some(from), Some(to)) = (from.as_literal(), to.as_literal()) else { return };
        let below = |path: &Text| {
            let rest = path.prefix().strip_prefix(from).filter(|rest| rest.starts_with('/'))?;
            let mut new = Text::literal(&format!("{to}{rest}"));
            path.pieces.iter().skip(1).for_each(|piece| new.push(piece.clone()));
            Some(new)
        };
        let carried: Vec<(Text, Text)> = self
            .state
            .world
            .files_below(from)
            .filter_map(|(path, _)| Some((path.clone(), below(path)?)))
            .collect();
        work::charge(carried.len());
        for (old, new) in carried {
            let files = self.state.files_mut();
            let written = if moved { files.remove(&old) } else { files.get(&old).cloned() };
            files.extend(written.map(|written| (new, written)));
        }
    }

    /// A file or folder has a second name from now on: what is written by the one is read by the other.
    pub fn name_also(&mut self, name: &str, target: &str) {
        if name != target {
            let names = &mut self.state.world_mut().names;
            names.insert(Rc::from(name), Rc::from([Rc::from(target)]));
        }
    }

    /// The name no longer leads elsewhere.
    pub(super) fn forget_name(&mut self, path: &Value) {
        for path in self.resolve(path).literals() {
            if self.state.world.names.contains_key(path) {
                self.state.world_mut().names.remove(path);
            }
        }
    }

    /// By which paths the content of files is kept.
    pub(super) fn keys(&self, path: &Value) -> Value {
        let resolved = self.resolve(path);
        if self.state.world.names.is_empty() {
            return resolved;
        }
        Value::of(resolved.any.iter().flat_map(|text| self.state.world.followed(text)), resolved.taint)
    }
}

impl World {
    /// The files that the script has put below a folder.
    pub fn files_below(&self, folder: &str) -> impl Iterator<Item = (&Text, &super::Written)> {
        let start = format!("{}/", folder.trim_end_matches('/'));
        let first = Text::literal(&start);
        self.files
            .from(Bound::Included(&first))
            .take_while(move |(path, _)| path.prefix().starts_with(&start))
    }

    /// Where a path leads over the links that the script made.
    fn followed(&self, text: &Text) -> Vec<Text> {
        let mut ends = Vec::new();
        let mut open = vec![text.clone()];
        for _ in 0..FOLLOWED {
            if ends.len() + open.len() > MAX_VALUES {
                return vec![Text::hole(Hole::new(HoleSource::Budget))];
            }
            for text in std::mem::take(&mut open) {
                match self.leads(&text) {
                    Some((name, targets)) => {
                        open.extend(
                            targets
                                .iter()
                                .filter(|target| **target != name)
                                .map(|target| behind(&text, &name, target)),
                        );
                        ends.extend(targets.contains(&name).then_some(text));
                    }
                    None => ends.push(text),
                }
            }
        }
        ends.extend(open);
        ends
    }

    /// The link nearest to the end of a path, with where it may lead.
    fn leads(&self, text: &Text) -> Option<(Rc<str>, Targets)> {
        let prefix = text.prefix();
        let whole = (text.pieces.len() == 1).then_some(prefix);
        let above = std::iter::successors(parent(prefix), |folder| parent(folder));
        let (name, targets) =
            whole.into_iter().chain(above).find_map(|name| self.names.get_key_value(name))?;
        Some((Rc::clone(name), Rc::clone(targets)))
    }
}

/// The path with what a link leads to in the place of the link.
fn behind(text: &Text, name: &str, target: &str) -> Text {
    let rest = text.prefix().get(name.len()..).unwrap_or_default();
    let mut new = Text::literal(&format!("{}{rest}", target.trim_end_matches('/')));
    text.pieces.iter().skip(1).for_each(|piece| new.push(piece.clone()));
    new
}

/// What is a link on one way only leads to itself on the other.
pub(super) fn join_names(left: &Names, right: &Names) -> Names {
    left.joined(right, &mut |name, left, right| {
        let own: Targets = Rc::from([Rc::clone(name)]);
        let (one, other) = (left.unwrap_or(&own), right.unwrap_or(&own));
        let new = other.iter().filter(|target| !one.contains(target));
        let both: Vec<Rc<str>> = one.iter().chain(new).cloned().collect();
        Some(if one == other { Rc::clone(one) } else { Rc::from(both) })
    })
}

impl Shell {
    /// Nothing of the environment reaches what is started from here.
    pub fn clear_environment(&mut self) {
        let local = self.state.local_mut();
        local.vars.update_all(&mut |variable| Rc::make_mut(variable).attributes.exported = false);
        local.functions.update_all(&mut |functions| functions.exported = false);
    }

    /// What is started from here does not get this variable.
    pub fn withhold(&mut self, name: &str) {
        let mut variable = Variable::new(Value::empty(), true);
        (variable.contents, variable.maybe_unset) = (Contents::Unset, true);
        self.state.vars_mut().insert(Rc::from(name), Rc::new(variable));
    }
}

impl Folders {
    /// Does the script say nothing of folders?
    pub fn is_empty(&self) -> bool {
        self.made.is_empty() && self.gone.is_empty()
    }

    /// Is this very folder there? `None` when the script does not say.
    fn get(&self, path: &str) -> Option<bool> {
        if self.gone.contains_key(path) { Some(false) } else { self.made.contains_key(path).then_some(true) }
    }

    fn make(&mut self, path: &str) {
        take_below(&mut self.gone, path);
        self.gone.remove(path);
        self.made.insert(Rc::from(path), ());
    }

    fn remove(&mut self, path: &str) {
        take_below(&mut self.made, path);
        take_below(&mut self.gone, path);
        self.made.remove(path);
        self.gone.insert(Rc::from(path), ());
    }

    /// Those that were made, whose paths start so, and that fit, may be gone.
    fn doubt(&mut self, start: &str, fits: impl Fn(&str) -> bool) {
        let made = self.made.starting_with(start).map(|(path, ())| path).filter(|path| fits(path));
        let doubted: Vec<Rc<str>> = made.cloned().collect();
        work::charge(doubted.len());
        for path in doubted {
            self.made.remove(&path);
            self.gone.insert(path, ());
        }
    }

    /// Only what is so on both ways is certain; what may be gone may be gone.
    pub fn joined(&self, other: &Self) -> Self {
        let gone = self.gone.joined(&other.gone, &mut |_, one, two| one.or(two).copied());
        let made = self.made.joined(&other.made, &mut |_, one, two| one.and(two).copied());
        Self { made, gone }
    }
}

/// Takes out what lies below a folder.
fn take_below(folders: &mut SharedSet<Rc<str>>, folder: &str) {
    if folders.is_empty() {
        return;
    }
    let start = format!("{}/", folder.trim_end_matches('/'));
    let below: Vec<Rc<str>> = folders.starting_with(&start).map(|(path, ())| Rc::clone(path)).collect();
    work::charge(below.len());
    for path in below {
        folders.remove(&path);
    }
}

/// Which folders a name that is not known in full may take away: those that fit, with all below them.
struct Fits {
    pattern: super::pattern::Pattern,
    start: String,
}

impl Fits {
    fn new(text: &Text) -> Self {
        Self { pattern: super::pattern::Pattern::new(text), start: text.prefix().to_owned() }
    }

    fn may_take(&self, path: &str) -> bool {
        let fits = |path: &str| self.pattern.matches(path) != Some(false);
        path.starts_with(&self.start) && std::iter::successors(Some(path), |path| parent(path)).any(fits)
    }
}

/// The folder that a path lies in.
fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty())
}
