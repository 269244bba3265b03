use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

use super::{branch_at, is_protected};

rule! {
    /// Asks before rewriting the history of a shared branch with a lease.
    ///
    /// ## Instead
    /// Push to your own branch, and let the person merge it.
    pub struct LeasePush;
    id: "git-lease-push", pack: Git, level: Ask,
    instead: ["git push origin HEAD:fix/parser"],
    examples: [
        hit Shell("git push --force-with-lease origin main"),
        hit Shell("git push --force-with-lease=main:abc123 origin HEAD:refs/heads/master"),
        pass Shell("git push --force-with-lease"),
        pass Shell("git push --force-with-lease origin feature/x"),
        pass Shell("git push origin main"),
    ],
}

impl Rule for LeasePush {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::HistoryRewrite { how: Rewrite::Leased, remote, branch, .. }
                if is_protected(branch) =>
            {
                Words::new(
                    format!("rewrites the history of {}", branch_at(branch, remote)),
                    "push to your own branch (`git push origin HEAD:fix/parser`), and let the person merge it",
                )
            }
            _ => None,
        })
    }
}
