use tollgate_model::{Card, Case, EffectKind, Hit, Loss, Rule};

use crate::kit::{Words, first, listed, rule};

rule! {
    /// Asks before deleting stashed work.
    ///
    /// ## Instead
    /// Apply it with `git stash pop`, or keep it on a branch with `git stash branch kept`.
    pub struct StashDrop;
    id: "git-stash-drop", pack: Git, level: Save, otherwise: Ask,
    instead: ["git stash pop"],
    examples: [
        hit Shell("git stash drop"),
        hit Shell("git stash clear"),
        hit Shell("git stash && git stash drop"),
        pass Shell("git stash"),
        pass Shell("git stash pop"),
        pass Shell("git stash list"),
        pass Shell("git stash drop stash@{7}"),
    ],
}

impl Rule for StashDrop {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::WorkLoss { kind: Loss::Stash, operation, lost, .. } => {
                let lost = if lost.is_empty() { "stashed work".to_owned() } else { listed(lost) };
                Words::new(
                    format!("deletes {lost} (`{operation}`)"),
                    "apply it with `git stash pop`, or keep it on a branch with `git stash branch kept`",
                )
            }
            _ => None,
        })
    }
}
