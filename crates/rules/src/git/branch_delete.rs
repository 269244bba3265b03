use tollgate_model::{Card, Case, EffectKind, Hit, Loss, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before deleting a branch or tag with commits that exist nowhere else.
    ///
    /// ## Instead
    /// Merge or push the branch first. `git branch -d` deletes only merged branches.
    pub struct BranchDelete;
    id: "git-branch-delete", pack: Git, level: Save, otherwise: Ask,
    instead: ["git branch -d merged"],
    examples: [
        hit Shell("git branch -D old"),
        hit Shell("git branch --delete --force old"),
        hit Shell("git checkout -B old main"),
        hit Shell("git branch | grep -v main | xargs git branch -D"),
        pass Shell("git branch -d old"),
        pass Shell("git branch -D merged"),
        pass Shell("git branch -D gone"),
        pass Shell("git branch --list"),
        pass Shell("git branch -m fix"),
    ],
}

impl Rule for BranchDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::WorkLoss { kind: Loss::Commits, operation, lost, .. } => {
                let lost = if lost.is_empty() { "unknown commits".to_owned() } else { lost.join(", ") };
                Words::new(
                    format!("deletes the only reference to commits: {lost} (`{operation}`)"),
                    "merge or push the branch first. `git branch -d` deletes only merged branches",
                )
            }
            _ => None,
        })
    }
}
