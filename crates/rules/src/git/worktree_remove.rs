use tollgate_model::{Card, Case, EffectKind, Hit, Loss, Rule};

use crate::kit::{Words, first, listed, rule};

rule! {
    /// Asks before a work tree goes with work in it that is not committed.
    ///
    /// ## Instead
    /// `git worktree remove` without `--force`, which refuses while there is something to lose.
    pub struct WorktreeRemove;
    id: "git-worktree-remove", pack: Git, level: Save, otherwise: Ask,
    instead: ["git worktree remove ../tree"],
    examples: [
        hit Shell("git worktree remove --force ../tree"),
        hit Shell("git worktree remove -f /home/user/nowhere"),
        pass Shell("git worktree remove ../tree"),
        pass Shell("git worktree prune"),
        pass Shell("git worktree add ../fix main"),
    ],
}

impl Rule for WorktreeRemove {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::WorkLoss { kind: Loss::WorkTree, operation, lost, .. } => {
                let lost = if lost.is_empty() { "perhaps".to_owned() } else { listed(lost) };
                Words::new(
                    format!("removes a work tree with what is not committed in it: {lost} (`{operation}`)"),
                    "`git worktree remove` without `--force`, which refuses while there is something to lose",
                )
            }
            _ => None,
        })
    }
}
