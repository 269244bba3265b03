use tollgate_model::{Card, Case, EffectKind, Hit, Loss, Rule};

use crate::kit::{Words, first, listed, rule};

rule! {
    /// Blocks git commands that overwrite or delete uncommitted work.
    ///
    /// Git is asked first. A command that loses nothing is allowed.
    ///
    /// ## Instead
    /// Run `git stash -u` first, or commit. Then run the command again.
    pub struct Discard;
    id: "git-discard", pack: Git, level: Save, otherwise: Deny,
    instead: ["git stash -u"],
    examples: [
        hit Shell("git reset --hard"),
        hit Shell("git -C . reset -q --hard @{u}"),
        hit Shell("git checkout -- src/a.rs"),
        hit Shell("git checkout ."),
        hit Shell("git restore src"),
        hit Shell("git switch -f main"),
        hit Shell("git clean -fd"),
        hit Shell("git checkout-index -f -a"),
        hit Shell("git stash || git reset --hard"),
        hit Shell("git -C /elsewhere reset --hard"),
        pass Shell("git stash -u && git reset --hard"),
        pass Shell("git add -A && git commit -m wip && git reset --hard main"),
        pass Shell("git checkout -- src/old.rs"),
        pass Shell("git restore --staged ."),
        pass Shell("git reset --soft HEAD~1"),
        pass Shell("git clean -nd"),
        pass Shell("git checkout main"),
        pass Shell("git switch -c fix"),
        pass Shell("git commit -m 'git reset --hard'"),
    ],
}

impl Rule for Discard {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::WorkLoss { kind: Loss::Files, operation, lost, .. } => {
                Words::new(what(operation, lost), instead(operation))
            }
            _ => None,
        })
    }
}

fn what(operation: &str, lost: &[String]) -> String {
    if lost.is_empty() {
        return format!("loses uncommitted work (`{operation}`); git could not list it");
    }
    format!("loses uncommitted work: {} (`{operation}`)", listed(lost))
}

fn instead(operation: &str) -> &'static str {
    match operation {
        "git clean" => {
            "run `git stash -u` first (`git stash -a` includes ignored files), or name the paths to delete"
        }
        _ => "run `git stash -u` first, then run the command again",
    }
}
