//! Links and copies that the call itself makes: the name used later stands for what it was made from.

use std::collections::{BTreeMap, HashMap};

use tollgate_model::work;
use tollgate_shell::value::{Piece, Text};

use crate::paths;

/// What the call linked and copied, by absolute path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    links: Vec<(String, String)>,
    /// Where in `links` the last link of each name stands.
    last: HashMap<String, usize>,
    copies: Vec<(String, String)>,
    /// Where in `copies` the last copy to each name stands.
    last_copy: HashMap<String, usize>,
    moves: Moves,
}

/// What the call moved, in order: its new name, and where it was.
#[derive(Clone, Debug, Default)]
struct Moves {
    all: Vec<(String, Text)>,
    /// Where in `all` the moves to each name stand.
    to: BTreeMap<String, Vec<usize>>,
    /// Where in `all` the last move away from each known path stands.
    last_from: BTreeMap<String, usize>,
}

impl Moves {
    fn push(&mut self, name: &str, original: &Text) {
        let at = self.all.len();
        self.all.push((name.to_owned(), original.clone()));
        self.to.entry(name.to_owned()).or_default().push(at);
        if let Some(original) = original.as_literal() {
            self.last_from.insert(original.trim_end_matches('/').to_owned(), at);
        }
    }

    /// Where a move brought something from, unless that has been moved on since, or what it was is not known.
    fn left(&self, at: usize) -> Option<(&str, &str)> {
        let (name, original) = self.all.get(at)?;
        let moved_on = |path: &str| self.last_from.get(path).is_some_and(|later| *later > at);
        let on =
            std::iter::successors(Some(name.as_str()), |path| parent(path)).any(moved_on) || moved_on("");
        original.as_literal().filter(|_| !on).map(|original| (name.as_str(), original))
    }

    /// The moves to a path, into it, or to a folder that it lies in; in their order.
    fn around(&self, path: &str) -> Vec<usize> {
        let folder = path.trim_end_matches('/');
        let start = format!("{folder}/");
        let below = self.to.range(start.clone()..).take_while(|(name, _)| name.starts_with(&start));
        let above =
            std::iter::successors(Some(path), |path| parent(path)).filter_map(|name| self.to.get(name));
        let bare = self.to.get(folder).filter(|_| folder != path);
        let mut found: Vec<usize> =
            below.map(|(_, at)| at).chain(above).chain(bare).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        work::charge(found.len());
        found
    }
}

/// Where something was before this call.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) text: Text,
    /// The path that was asked about is its own, and not that of a folder which it was put into.
    pub(crate) named: bool,
}

impl Links {
    /// `name` now leads to `target`.
    pub(crate) fn link(&mut self, name: &str, target: &str) {
        if name != target {
            self.last.insert(name.to_owned(), self.links.len());
            self.links.push((name.to_owned(), target.to_owned()));
            self.copy(name, target);
        }
    }

    /// `name` now holds what `original` held.
    pub(crate) fn copy(&mut self, name: &str, original: &str) {
        self.last_copy.insert(name.to_owned(), self.copies.len());
        self.copies.push((name.to_owned(), original.to_owned()));
    }

    /// `name` is now, or holds, what `original` was, which is no more.
    pub(crate) fn moved(&mut self, name: &str, original: &Text) {
        self.moves.push(name, original);
    }

    /// What was moved to this name and has not been moved on: where it was.
    pub(crate) fn moved_onto(&self, name: &str) -> Vec<&str> {
        let moves = self.moves.to.get(name).into_iter().flatten();
        moves.filter_map(|at| self.moves.left(*at)).map(|(_, original)| original).collect()
    }

    /// What was moved and has not been moved on, by its new name, with where it was.
    pub(crate) fn moved_to(&self) -> impl Iterator<Item = (&str, &str)> {
        (0..self.moves.all.len()).filter_map(|at| self.moves.left(at))
    }

    /// Where that which now lies at or below a path, or in a folder that was moved, was before this call.
    pub(crate) fn origins(&self, path: &str) -> Vec<Origin> {
        let whole = path;
        // Of a pattern the folder counts that it begins in.
        let path =
            path.split_once('*').map_or(path, |(fixed, _)| fixed.rsplit_once('/').map_or("", |ends| ends.0));
        let origin = |(name, original): &(String, Text)| {
            let mut original = original.clone();
            if !paths::within(name, path) {
                let rest = path.strip_prefix(name.as_str()).filter(|rest| rest.starts_with('/'))?;
                // What was found by a pattern lies in its new folder under a name that is not known.
                original.as_literal()?;
                original.push_str(rest);
            }
            Some(Origin { text: original, named: paths::within(whole, name) })
        };
        let moves = self.moves.around(path).into_iter().filter_map(|at| self.moves.all.get(at));
        moves.filter_map(origin).collect()
    }

    /// The path with links of this call followed.
    pub(crate) fn follow(&self, text: &Text) -> Text {
        let mut text = text.clone();
        for _ in 0..8 {
            let Some(followed) = self.follow_once(&text) else { break };
            text = followed;
        }
        text
    }

    /// Did the call make this name a link?
    pub(crate) fn is_link(&self, name: &str) -> bool {
        self.last.contains_key(name)
    }

    /// The program that a path was copied or linked from.
    pub(crate) fn original(&self, path: &str) -> Option<&str> {
        let (_, original) = self.copies.get(*self.last_copy.get(path)?)?;
        Some(original)
    }

    /// The links that the call made, with where they lead.
    pub(crate) fn made(&self) -> &[(String, String)] {
        &self.links
    }

    /// The names that hold what other files held, or lead to them.
    pub(crate) fn copied(&self) -> &[(String, String)] {
        &self.copies
    }

    fn follow_once(&self, text: &Text) -> Option<Text> {
        let prefix = text.prefix();
        let whole = text.as_literal().is_some();
        let names = std::iter::successors(Some(prefix), |path| parent(path)).skip(usize::from(!whole));
        let latest = names.filter_map(|name| self.last.get(name)).max()?;
        let (name, target) = self.links.get(*latest)?;
        let rest = prefix.get(name.len()..).unwrap_or_default();
        let mut followed = Text::literal(&paths::normal(&format!("{target}{rest}")));
        if rest.ends_with('/') && !followed.prefix().ends_with('/') {
            followed.push_str("/");
        }
        text.pieces.iter().skip(1).for_each(|piece: &Piece| followed.push(piece.clone()));
        Some(followed)
    }
}

/// The folder that a path lies in.
fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| !folder.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_and_end() {
        let mut links = Links::default();
        links.link("/w/r", "/");
        links.link("/w/home", "/w/r/home/user");
        links.link("/w/a", "/w/b");
        links.link("/w/b", "/w/a");
        let follow = |path: &str| links.follow(&Text::literal(path)).as_literal().map(str::to_owned);
        assert_eq!(follow("/w/r/etc/passwd").as_deref(), Some("/etc/passwd"));
        assert_eq!(follow("/w/home/x").as_deref(), Some("/home/user/x"));
        assert_eq!(follow("/w/rest").as_deref(), Some("/w/rest"));
        assert!(follow("/w/a/x").is_some());
    }
}
