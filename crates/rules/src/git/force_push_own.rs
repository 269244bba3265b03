use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

use super::{branch_at, is_protected};

rule! {
    /// Asks before a forced push to a branch that nobody is known to build on.
    ///
    /// ## Instead
    /// `git push --force-with-lease`, which stops when somebody else has pushed.
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
                    format!("overwrites {}, whatever has been pushed to it since", branch_at(branch, remote)),
                    "`git push --force-with-lease`, which stops when somebody else has pushed",
                )
            }
            _ => None,
        })
    }
}
