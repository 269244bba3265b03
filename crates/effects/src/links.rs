//! Links and copies that the call itself makes: the name used later stands for what it was made from.

use tollgate_shell::value::{Piece, Text};

use crate::paths;

/// What the call linked and copied, by absolute path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    links: Vec<(String, String)>,
    copies: Vec<(String, String)>,
}

impl Links {
    /// `name` now leads to `target`.
    pub(crate) fn link(&mut self, name: &str, target: &str) {
        if name != target {
            self.links.push((name.to_owned(), target.to_owned()));
            self.copies.push((name.to_owned(), target.to_owned()));
        }
    }

    /// `name` now holds what `original` held.
    pub(crate) fn copy(&mut self, name: &str, original: &str) {
        self.copies.push((name.to_owned(), original.to_owned()));
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

    /// The program that a path was copied or linked from.
    pub(crate) fn original(&self, path: &str) -> Option<&str> {
        self.copies.iter().rev().find(|(name, _)| name == path).map(|(_, original)| original.as_str())
    }

    fn follow_once(&self, text: &Text) -> Option<Text> {
        let prefix = text.prefix();
        let whole = text.as_literal().is_some();
        let on_link = |(name, _): &&(String, String)| {
            paths::within(prefix, name) && (whole || prefix.len() > name.len())
        };
        let (name, target) = self.links.iter().rev().find(on_link)?;
        let rest = prefix.get(name.len()..).unwrap_or_default();
        let mut followed = Text::literal(&paths::normal(&format!("{target}{rest}")));
        if rest.ends_with('/') && !followed.prefix().ends_with('/') {
            followed.push_str("/");
        }
        text.pieces.iter().skip(1).for_each(|piece: &Piece| followed.push(piece.clone()));
        Some(followed)
    }
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
