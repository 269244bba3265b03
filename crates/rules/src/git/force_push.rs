use tollgate_model::{Card, Case, EffectKind, Hit, Rewrite, Rule};

use crate::kit::{Words, first, rule};

use super::{branch_at, is_protected};

rule! {
    /// Blocks force pushing to a shared branch, and deleting one.
    ///
    /// Commits of other people would be lost.
    ///
    /// ## Instead
    /// Push to your own branch, and let the person merge it.
    pub struct ForcePush;
    id: "git-force-push", pack: Git, level: Deny,
    instead: ["git push origin HEAD:fix/parser"],
    examples: [
        hit Shell("git push -f origin main"),
        hit Shell("git push --force origin HEAD:main"),
        hit Shell("git push origin +master"),
        hit Shell("git push origin HEAD:+main"),
        hit Shell("git push origin :main"),
        hit Shell("git push --mirror backup"),
        hit Shell("git push -f --all"),
        hit Shell("git --no-pager -c a.b=c push --for origin refs/heads/release/1.0"),
        hit Shell("git push --force-with-lease --force origin main"),
        pass Shell("git push origin main"),
        pass Shell("git push -u origin feature/x"),
        pass Shell("git push -f"),
        pass Shell("git push --force-with-lease origin main"),
        pass Shell("git push --dry-run -f origin main"),
        pass Shell("echo git push -f origin main"),
    ],
}

impl Rule for ForcePush {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::HistoryRewrite {
                how: how @ (Rewrite::Forced | Rewrite::Deleted),
                remote,
                branch,
                ..
            } if is_protected(branch) => {
                let verb = if *how == Rewrite::Deleted { "deletes" } else { "overwrites" };
                Words::new(
                    format!("{verb} {}, which may lose commits of other people", branch_at(branch, remote)),
                    "push to your own branch (`git push origin HEAD:fix/parser`), and let the person merge it",
                )
            }
            _ => None,
        })
    }
}
