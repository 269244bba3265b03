//! Where git works: which repository, and which files.

use tollgate_model::git::Repo;
use tollgate_model::{FileKind, Zone};
use tollgate_shell::value::Value;

use super::{Git, work};
use crate::paths;
use crate::word::Word;

/// One place where a run of git may work.
pub(super) struct Site {
    /// The repository; `None` when none is found, or the folder is not known.
    pub repo: Option<Repo>,
    /// Made by this call: there is nothing in it yet to lose.
    pub fresh: bool,
    /// The work tree is not the repository's own.
    pub elsewhere: bool,
}

impl Git<'_, '_, '_> {
    /// Every place where this run may work.
    pub(super) fn sites(&self) -> Vec<Site> {
        let folders: Vec<Option<String>> =
            self.run.shell.cwd().any.iter().map(|text| text.as_literal().map(str::to_owned)).collect();
        let mut sites: Vec<Site> = Vec::new();
        for folder in folders.iter().take(4) {
            let site = match folder {
                Some(folder) => self.site(folder),
                None => Site { repo: None, fresh: false, elsewhere: false },
            };
            if !sites.iter().any(|known| known.repo == site.repo && known.fresh == site.fresh) {
                sites.push(site);
            }
        }
        sites
    }

    fn site(&self, folder: &str) -> Site {
        let world = self.run.analyst.world;
        let fresh = work::is_fresh(self.run.shell, folder);
        let named = self.git_dir.as_ref().map(|word| self.path(word));
        let mut repo = match &named {
            Some(Some(git_dir)) => {
                Repo::at(git_dir, world).map(|repo| Repo { root: Some(folder.to_owned()), ..repo })
            }
            Some(None) => None,
            None => Repo::find(&world.real(folder).unwrap_or_else(|| folder.to_owned()), world),
        };
        let own = repo.as_ref().and_then(|repo| repo.root.clone());
        if let (Some(tree), Some(repo)) = (&self.work_tree, &mut repo) {
            repo.root = self.path(tree);
        }
        let root = repo.as_ref().and_then(|repo| repo.root.clone());
        let beside =
            |root: &String| Repo::find(root, world).is_none_or(|found| found.root.as_ref() != Some(root));
        let elsewhere =
            self.work_tree.is_some() && own != root || named.is_some() && root.as_ref().is_some_and(beside);
        Site { repo, fresh, elsewhere }
    }

    /// The one absolute path that a word stands for.
    pub(super) fn path(&self, word: &Word) -> Option<String> {
        match self.run.analyst.places(word, self.run.shell).as_slice() {
            [(place, _)] if !place.pattern => Some(place.path.clone()),
            _ => None,
        }
    }

    /// A path of a repository, made from the top of its work tree.
    pub(super) fn in_tree(&self, path: &str, like: &Word) -> Word {
        let root = self.sites().into_iter().find_map(|site| site.repo?.root);
        let relative = path.starts_with("./") || path.starts_with("../");
        match root.filter(|_| !relative) {
            Some(root) => Word::literal_at(&format!("{root}/{path}"), like.span),
            None => Word::literal_at(path, like.span),
        }
    }

    /// A pathspec without its magic; `None` for one that only leaves something out.
    pub(super) fn pathspec(&self, word: &Word) -> Option<Word> {
        let text = word.text.prefix();
        if text.starts_with(":!") || text.starts_with(":^") {
            return None;
        }
        let (top, path) = match text.strip_prefix(":(").and_then(|rest| rest.split_once(')')) {
            Some((magic, _)) if magic.contains("exclude") => return None,
            Some((magic, _)) => (magic.contains("top"), word.from(magic.len() + 3)),
            None if text.starts_with(":/") => (true, word.from(2)),
            None => (false, word.clone()),
        };
        Some(if top { self.in_tree(&path.shown(), &path) } else { path })
    }

    /// Does a word name a revision rather than a file? Git prefers revisions.
    pub(super) fn names_rev(&self, word: &Word) -> bool {
        let Some(name) = word.literal() else { return is_unknown_rev(word) };
        if matches!(name, "." | "..")
            || name.ends_with('/')
            || [":/", ":(", ":!", ":^"].iter().any(|magic| name.starts_with(magic))
        {
            return false;
        }
        let head =
            ["HEAD", "@", "-", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD"].contains(&name);
        if head
            || name.contains(['~', '^', ':'])
            || name.contains("@{")
            || name.contains("..") && name != ".." && !name.starts_with("../")
        {
            return true;
        }
        let world = self.run.analyst.world;
        if self.sites().iter().any(|site| site.repo.as_ref().is_some_and(|repo| repo.has_ref(name, world))) {
            return true;
        }
        self.path(word).is_none_or(|path| world.kind(&path) == FileKind::Missing)
    }

    /// Deletes or writes that git takes back itself count only in places that are protected.
    pub(super) fn is_protected(&self, word: &Word) -> bool {
        let places = self.run.analyst.places(word, self.run.shell);
        places.iter().any(|(place, _)| matches!(place.zone, Zone::AgentConfig | Zone::Secret))
    }

    pub(super) fn protected(&self, words: &[Word]) -> Vec<Word> {
        words.iter().filter(|word| self.is_protected(word)).cloned().collect()
    }

    /// Goes to a folder below the work tree that is not known by name.
    pub(super) fn enter_unknown_folder(&mut self) {
        use tollgate_shell::value::{Hole, HoleSource, Piece, Text};
        let root = self.sites().into_iter().find_map(|site| site.repo?.root);
        let mut text = Text::literal(&root.map(|root| format!("{root}/")).unwrap_or_default());
        text.push(Piece::Hole(Hole::nonempty(HoleSource::Output)));
        self.run.shell.set_cwd(&Value::from(text));
    }
}

/// Something unknown is a revision more often than a path, unless it ends like a file or is a pattern.
fn is_unknown_rev(word: &Word) -> bool {
    let end = word.text.suffix();
    !word.text.has_globs()
        && !end.ends_with('/')
        && !end.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// Is it, or does it lie below, a folder?
pub(super) fn lies_within(path: &str, folder: &str) -> bool {
    paths::within(path, folder)
}
