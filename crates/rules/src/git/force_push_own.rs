use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

use super::{branch_at, is_protected};

rule! {
    /// Asks before force pushing to a branch that is not known to be shared.
    ///
    /// ## Instead
    /// Use `git push --force-with-lease`, which stops if somebody else has pushed.
    pub struct ForcePushOwn;
    id: "git-force-push-own", pack: Git, level: Ask,
    instead: ["git push --force-with-lease origin feature/x"],
    examples: [
        hit Shell("git push -f"),
        hit Shell("git push --force origin feature/x"),
        hit Shell("git push origin +HEAD"),
        hit Shell("git push -f origin refs/tags/v1"),
        pass Shell("git push --force-with-lease"),
        pass Shell("git push origin feature/x"),
        pass Shell("git push -f origin main"),
    ],
}

impl Rule for ForcePushOwn {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::HistoryRewrite { how: Rewrite::Forced, remote, branch, .. }
                if !is_protected(branch) =>
            {
                Words::new(
                    format!(
                        "overwrites {}, with all commits that were pushed to it since",
                        branch_at(branch, remote)
                    ),
                    "use `git push --force-with-lease`, which stops if somebody else has pushed",
                )
            }
            _ => None,
        })
    }
}
