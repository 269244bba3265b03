//! What became of folders on the way through a script, and names that lead to the files of others.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::state::{Contents, Variable, World};
use super::{Call, Shell};
use crate::value::{Text, Value};

/// Folders that were made (true), and those that are gone, or may be (false), by resolved path.
pub(super) type Folders = BTreeMap<Rc<str>, bool>;

/// Programs that name a folder without making one.
const LOOKS: &[&str] = &["cat", "du", "file", "find", "ls", "mv", "rm", "rmdir", "stat", "tree"];
/// How many links one path is followed over.
const FOLLOWED: usize = 8;

impl Shell {
    /// There is a folder of this name from now on.
    pub fn make_folder(&mut self, path: &Value) {
        if let Some(path) = self.resolve(path).as_literal() {
            let folders = Rc::make_mut(&mut self.state.world_mut().folders);
            folders.retain(|known, there| *there || !is_below(known, path));
            folders.insert(Rc::from(path), true);
        }
    }

    /// What had this name is removed, or has another name from now on.
    pub fn remove_folder(&mut self, path: &Value) {
        for path in self.resolve(path).literals() {
            Rc::make_mut(&mut self.state.world_mut().folders).insert(Rc::from(path), false);
        }
    }

    /// Is there a folder of this name, as far as the script itself says?
    pub(super) fn is_folder(&self, path: &str) -> Option<bool> {
        let folders = &self.state.world.folders;
        if folders.is_empty() {
            return None;
        }
        if let Some(there) = folders.get(path) {
            return Some(*there);
        }
        let nearest = folders.iter().rfind(|(known, _)| is_below(path, known));
        nearest.filter(|(_, there)| !**there).map(|_| false)
    }

    /// A program that is given the name of a folder that is gone may well make it anew: `cmake -B build`.
    pub(super) fn may_make_folders(&mut self, call: &Call) {
        if self.state.world.folders.values().all(|there| *there)
            || call.name().is_some_and(|name| LOOKS.contains(&name))
        {
            return;
        }
        let words: Vec<&str> = call.args().filter_map(|field| field.value.as_literal()).collect();
        for word in words {
            let given = word.strip_prefix('-').map_or(word, |option| {
                option.split_once('=').map_or(option.get(1..).unwrap_or_default(), |(_, value)| value)
            });
            let path = self.resolve(&Value::text(given));
            if let Some(path) = path.as_literal()
                && self.state.world.folders.get(path) == Some(&false)
            {
                Rc::make_mut(&mut self.state.world_mut().folders).remove(path);
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
        let carried: Vec<(Text, Text)> =
            self.state.world.files.keys().filter_map(|path| Some((path.clone(), below(path)?))).collect();
        for (old, new) in carried {
            let files = self.state.files_mut();
            let written = if moved { files.remove(&old) } else { files.get(&old).cloned() };
            files.extend(written.map(|written| (new, written)));
        }
    }

    /// A file or folder has a second name from now on: what is written by the one is read by the other.
    pub fn name_also(&mut self, name: &str, target: &str) {
        if name != target {
            Rc::make_mut(&mut self.state.world_mut().names).insert(Rc::from(name), Rc::from(target));
        }
    }

    /// The name no longer leads elsewhere.
    pub(super) fn forget_name(&mut self, path: &Value) {
        for path in self.resolve(path).literals() {
            if self.state.world.names.contains_key(path) {
                Rc::make_mut(&mut self.state.world_mut().names).remove(path);
            }
        }
    }

    /// By which paths the content of files is kept.
    pub(super) fn keys(&self, path: &Value) -> Value {
        let resolved = self.resolve(path);
        let names = &self.state.world.names;
        if names.is_empty() { resolved } else { resolved.map(|text| self.state.world.followed(text)) }
    }
}

impl World {
    fn followed(&self, text: &Text) -> Text {
        let mut text = text.clone();
        for _ in 0..FOLLOWED {
            let prefix = text.prefix();
            let whole = text.pieces.len() == 1;
            let leads =
                |(name, _): &(&Rc<str>, &Rc<str>)| whole && prefix == &***name || is_below(prefix, name);
            let Some((name, target)) = self.names.iter().rfind(leads) else { break };
            let rest = prefix.get(name.len()..).unwrap_or_default();
            let mut new = Text::literal(&format!("{}{rest}", target.trim_end_matches('/')));
            text.pieces.iter().skip(1).for_each(|piece| new.push(piece.clone()));
            text = new;
        }
        text
    }
}

impl Shell {
    /// Nothing of the environment reaches what is started from here.
    pub fn clear_environment(&mut self) {
        let local = self.state.local_mut();
        for variable in Rc::make_mut(&mut local.vars).values_mut() {
            Rc::make_mut(variable).attributes.exported = false;
        }
        Rc::make_mut(&mut local.functions).values_mut().for_each(|functions| functions.exported = false);
    }

    /// What is started from here does not get this variable.
    pub fn withhold(&mut self, name: &str) {
        let mut variable = Variable::new(Value::empty(), true);
        (variable.contents, variable.maybe_unset) = (Contents::Unset, true);
        self.state.vars_mut().insert(Rc::from(name), Rc::new(variable));
    }

    /// Functions that are exported may not be taken up by what is started from here.
    pub fn doubt_functions(&mut self) {
        if self.state.local.functions.values().any(|functions| functions.exported) {
            let functions = Rc::make_mut(&mut self.state.local_mut().functions);
            functions.values_mut().for_each(|functions| functions.maybe_unset = true);
        }
    }
}

/// Only what is so on both ways is certain; what may be gone may be gone.
pub(super) fn join_folders(left: &Folders, right: &Folders) -> Folders {
    let mut all = Folders::new();
    for (path, there) in left.iter().chain(right) {
        let both = left.get(path) == right.get(path);
        if both || !there {
            all.insert(Rc::clone(path), *there);
        }
    }
    all
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}
