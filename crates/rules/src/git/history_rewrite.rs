use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before rewriting local history or emptying the reflog.
    ///
    /// The reflog keeps lost commits for a while.
    ///
    /// ## Instead
    /// Make new commits on top, and keep the reflog.
    pub struct HistoryRewrite;
    id: "git-history-rewrite", pack: Git, level: Ask,
    instead: ["git revert --no-edit HEAD"],
    examples: [
        hit Shell("git filter-branch --tree-filter 'rm -f big.bin' HEAD"),
        hit Shell("git filter-repo --path src"),
        hit Shell("git reflog expire --expire=now --all"),
        hit Shell("git gc --prune=now"),
        hit Shell("git -c gc.pruneExpire=now gc"),
        hit Shell("git update-ref -d refs/heads/main"),
        hit Shell("git prune"),
        pass Shell("git gc"),
        pass Shell("git reflog"),
        pass Shell("git rebase main"),
        pass Shell("git commit --amend --no-edit"),
        pass Shell("git prune -n"),
        pass Shell("git filter-repo --analyze"),
    ],
}

impl Rule for HistoryRewrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::HistoryRewrite { how: Rewrite::Local, operation, .. } => Words::new(
                format!("permanently rewrites local history (`{operation}`)"),
                "make new commits on top: `git revert --no-edit HEAD`",
            ),
            _ => None,
        })
    }
}
