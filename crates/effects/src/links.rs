//! Links and copies that the call itself makes: the name used later stands for what it was made from.

use std::collections::HashMap;

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
    moves: Vec<(String, Text)>,
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
            self.copies.push((name.to_owned(), target.to_owned()));
        }
    }

    /// `name` now holds what `original` held.
    pub(crate) fn copy(&mut self, name: &str, original: &str) {
        self.copies.push((name.to_owned(), original.to_owned()));
    }

    /// `name` is now, or holds, what `original` was, which is no more.
    pub(crate) fn moved(&mut self, name: &str, original: &Text) {
        self.moves.push((name.to_owned(), original.clone()));
    }

    /// What was moved to this name and has not been moved on: where it was.
    pub(crate) fn moved_onto(&self, name: &str) -> Vec<&str> {
        work::charge(self.moves.len() / 8);
        self.moves_left(|to| to == name).map(|(_, original)| original).collect()
    }

    /// What was moved and has not been moved on, by its new name, with where it was.
    pub(crate) fn moved_to(&self) -> impl Iterator<Item = (&str, &str)> {
        self.moves_left(|_| true)
    }

    fn moves_left(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&str, &str)> {
        let leaves = |at: usize, name: &str| {
            work::charge((self.moves.len() - at) / 4);
            let on = self.moves.iter().skip(at + 1).filter_map(|(_, original)| original.as_literal());
            on.into_iter().any(|original| paths::within(name, original))
        };
        let wanted = self.moves.iter().enumerate().filter(move |(_, (name, _))| wanted(name));
        wanted.filter_map(move |(at, (name, original))| {
            original.as_literal().filter(|_| !leaves(at, name)).map(|original| (name.as_str(), original))
        })
    }

    /// Where that which now lies at or below a path, or in a folder that was moved, was before this call.
    pub(crate) fn origins(&self, path: &str) -> Vec<Origin> {
        work::charge(self.moves.len() / 4);
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
        self.moves.iter().filter_map(origin).collect()
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
        work::charge(self.copies.len() / 8);
        self.copies.iter().rev().find(|(name, _)| name == path).map(|(_, original)| original.as_str())
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
