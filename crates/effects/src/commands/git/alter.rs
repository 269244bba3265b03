//! Commands that change files of the work tree, whether or not anything is lost.

use super::super::uses::is_flag;
use super::Git;
use crate::word::Word;

/// Verbs that change whatever differs, with the words that make them only look or leave the files alone.
const WHOLE: &[(&str, &[&str])] = &[
    ("merge", &[]),
    ("rebase", &["--show-current-patch"]),
    ("pull", &["--dry-run"]),
    ("cherry-pick", &[]),
    ("revert", &[]),
    ("am", &["--show-current-patch"]),
    ("apply", &["--check", "--stat", "--numstat", "--summary", "--cached"]),
    ("stash", &["list", "show", "drop", "clear", "create", "store"]),
    ("clean", &["-n", "--dry-run"]),
    ("checkout-index", &[]),
    ("sparse-checkout", &["list"]),
    ("bisect", &["log", "visualize", "view", "terms", "help"]),
    ("submodule", &["status", "summary", "foreach", "init", "sync"]),
    ("read-tree", &[]),
    ("merge-index", &[]),
    ("subtree", &["split", "push"]),
    ("lfs", &["ls-files", "status", "env", "logs", "locks", "push", "fetch", "version", "install", "fsck"]),
    ("rerere", &["status", "diff", "remaining", "clear", "forget", "gc"]),
];

impl Git<'_, '_, '_> {
    /// Takes down which files the command changes.
    pub(super) fn alter(&mut self) {
        let targets = self.altered();
        for word in targets {
            self.run.analyst.alter(&word, false, self.run.shell);
        }
    }

    fn altered(&self) -> Vec<Word> {
        let has = |flags: &[&str]| self.args.iter().any(|word| flags.iter().any(|flag| is_flag(word, flag)));
        let operands = || self.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned();
        match self.verb.as_str() {
            "checkout" if self.args_after().is_some_and(|paths| !paths.is_empty()) => {
                self.args_after().unwrap_or_default().to_vec()
            }
            // A new branch where one stands changes no file.
            "checkout" | "switch" if has(&["-b", "-B", "-c", "-C", "--create", "--force-create"]) => {
                if operands().count() > 1 {
                    self.top()
                } else {
                    Vec::new()
                }
            }
            "checkout" | "switch" if self.args.is_empty() => Vec::new(),
            "checkout" | "switch" => self.top(),
            "restore" if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => Vec::new(),
            "restore" => operands().collect(),
            "reset" if has(&["--hard", "--merge", "--keep"]) => self.top(),
            "rm" if has(&["--cached", "-n", "--dry-run"]) => Vec::new(),
            "mv" if has(&["-n", "--dry-run"]) => Vec::new(),
            "rm" | "mv" => operands().collect(),
            "worktree" if operands().next().is_some_and(|verb| !verb.is("list") && !verb.is("prune")) => {
                operands().nth(1).into_iter().collect()
            }
            "clone" => operands()
                .nth(1)
                .or_else(|| operands().next().and_then(|from| named(&from)))
                .into_iter()
                .collect(),
            verb => match WHOLE.iter().find(|(name, _)| *name == verb) {
                Some((_, looks)) if !has(looks) => self.top(),
                _ => Vec::new(),
            },
        }
    }

    /// The top of the work tree, or the current folder where none is known.
    fn top(&self) -> Vec<Word> {
        let root = self.sites().into_iter().find_map(|site| site.repo?.root);
        vec![Word::literal_at(root.as_deref().unwrap_or("."), self.run.call.span)]
    }
}

/// The folder that a clone is put into when none is named.
fn named(from: &Word) -> Option<Word> {
    let name = from.literal()?.trim_end_matches('/').trim_end_matches(".git");
    let name = name.rsplit(['/', ':']).next().filter(|name| !name.is_empty())?;
    Some(Word::literal_at(name, from.span))
}
