//! Other work trees of a repository.

use tollgate_model::Loss;
use tollgate_model::git::Repo;
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Text;

use super::lose::Doomed;
use super::site::Site;
use super::{Git, Verb, work};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[("worktree", worktree)];

fn worktree(git: &mut Git) -> Outcome {
    let spec = "f,force d,detach b= B= checkout no-checkout guess-remote no-guess-remote track no-track lock reason= \
        orphan q,quiet porcelain v,verbose z n,dry-run expire= relative-paths no-relative-paths";
    let options = git.options(spec);
    let Some((verb, rest)) = options.operands.split_first() else { return git.run.derived() };
    match verb.shown().as_str() {
        "remove" if options.has("f") => {
            for folder in rest {
                git.lose_work_tree("git worktree remove --force", folder, Loss::WorkTree);
            }
        }
        "add" => {
            if let Some(folder) = rest.first() {
                let shared = git.shared_history();
                git.target_folder(folder, &shared);
            }
            if let Some(branch) = options.value("B").cloned() {
                git.overwrite_branch("git worktree add -B", &branch, rest.get(1..).unwrap_or_default());
            }
        }
        "move" => {
            if let [old, new] = rest
                && let (Some(old), Some(new)) = (git.path(old), git.path(new))
            {
                git.run.analyst.links.moved(&new, &Text::literal(&old));
            }
        }
        _ => {}
    }
    git.run.derived()
}

impl Git<'_, '_, '_> {
    /// What a further work tree shares: the folder of the repository, unless this call makes it.
    fn shared_history(&self) -> work::History {
        match self.sites().as_slice() {
            sites if !sites.is_empty() && sites.iter().all(|site| site.new_history) => work::History::Own,
            [Site { repo: Some(repo), .. }] => work::History::Of(repo.common_dir.clone()),
            _ => work::History::Unknown,
        }
    }

    /// Loses everything in another work tree that is not committed.
    pub(super) fn lose_work_tree(&mut self, operation: &str, folder: &Word, kind: Loss) {
        let world = self.run.analyst.world;
        let path = self.path(folder);
        // One that this call has made holds what this call put there.
        if path.as_deref().is_some_and(|path| work::is_fresh(self.run.shell, path)) {
            return;
        }
        let repo = path.as_deref().and_then(|path| Repo::find(path, world));
        let own = repo.filter(|repo| repo.root.is_some() && repo.root == path);
        let doomed = Doomed { kind, untracked: true, ..Doomed::tracked(operation) };
        self.lose_at(&Site::of(own), &doomed);
    }
}
