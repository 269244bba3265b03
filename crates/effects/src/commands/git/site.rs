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
    /// The files are this call's own: there is nothing among them yet to lose.
    pub fresh: bool,
    /// So are its branches, its stash and its logs. A further work tree shares those of its repository.
    pub new_history: bool,
    /// Where the files lie, as far as that is known.
    pub folder: Option<String>,
    /// The work tree is not the repository's own.
    pub elsewhere: bool,
}

impl Site {
    /// A repository that was there before this call, or is not known.
    pub(super) fn of(repo: Option<Repo>) -> Self {
        let folder = repo.as_ref().and_then(|repo| repo.root.clone());
        Self { repo, fresh: false, new_history: false, folder, elsewhere: false }
    }

    fn is_like(&self, other: &Self) -> bool {
        (&self.repo, self.fresh, self.new_history) == (&other.repo, other.fresh, other.new_history)
    }
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
                None => Site::of(None),
            };
            if !sites.iter().any(|known| known.is_like(&site)) {
                sites.push(site);
            }
        }
        sites
    }

    fn site(&self, folder: &str) -> Site {
        let world = self.run.analyst.world;
        let shell = &*self.run.shell;
        let named = self.git_dir.as_ref().map(|word| self.path(word));
        let tree = self.work_tree.as_ref().map_or_else(|| Some(folder.to_owned()), |tree| self.path(tree));
        let new_history = self.is_new_history(folder);
        // A repository that is named brings its own index.
        let fresh = tree.as_deref().is_some_and(|tree| work::is_fresh(shell, tree))
            && (named.is_none() || new_history);
        let shared = work::shared(shell, folder).filter(|_| named.is_none());
        let mut repo = match &named {
            None if shared.is_some() => shared.and_then(|common| Repo::at(&common, world)),
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
        Site { repo, fresh, new_history, folder: tree, elsewhere }
    }

    /// Does this call make what holds the branches, the stash and the logs?
    fn is_new_history(&self, folder: &str) -> bool {
        let new = |path: Option<String>| path.is_some_and(|path| work::is_new(self.run.shell, &path));
        let common = super::variable(self.run, "GIT_COMMON_DIR");
        match common.as_ref().or(self.git_dir.as_ref()) {
            Some(word) => new(self.path(word)),
            None => new(Some(folder.to_owned())),
        }
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
