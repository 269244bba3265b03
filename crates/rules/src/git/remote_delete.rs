use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

use super::branch_at;

rule! {
    /// Asks before deleting a branch or tag of a remote.
    ///
    /// ## Instead
    /// Leave that to the person, or to the merge of the branch.
    pub struct RemoteDelete;
    id: "git-remote-delete", pack: Git, level: Ask,
    person: "Other people may still work on the branch.",
    examples: [
        hit Shell("git push origin --delete feature/y"),
        hit Shell("git push origin :feature/y"),
        hit Shell("git push -d origin refs/tags/v1"),
        hit Shell("git push --prune origin"),
        pass Shell("git push origin feature/x"),
        pass Shell("git branch -d feature/y"),
        pass Shell("git fetch --prune"),
        pass Shell("git remote prune origin"),
    ],
}

impl Rule for RemoteDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::HistoryRewrite { how: Rewrite::Deleted, remote, branch, .. } => Words::new(
                format!("deletes {}", branch_at(branch, remote)),
                "leave that to the person, or to the merge of the branch",
            ),
            _ => None,
        })
    }
}
