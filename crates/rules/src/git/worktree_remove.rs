use tollgate_model::{Card, Case, EffectKind, Hit, Loss, Rule};

use crate::kit::{Words, first, listed, rule};

rule! {
    /// Asks before removing a worktree that contains uncommitted work.
    ///
    /// ## Instead
    /// Run `git worktree remove` without `--force`. It refuses if work would be lost.
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
                let lost = if lost.is_empty() { "unknown files".to_owned() } else { listed(lost) };
                Words::new(
                    format!("removes a worktree with uncommitted work: {lost} (`{operation}`)"),
                    "run `git worktree remove` without `--force`. It refuses if work would be lost",
                )
            }
            _ => None,
        })
    }
}
