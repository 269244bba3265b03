use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks about a call that could not be understood in full. What could be understood was judged as well.
    ///
    /// ## Instead
    /// Split it into smaller, plainer commands.
    pub struct NotUnderstood;
    id: "not-understood", pack: Core, level: Ask,
    instead: ["npm run build"],
    examples: [
        hit Shell("$TOOL --flag"),
        hit Shell("/usr/bin/shre? -u notes"),
        pass Shell("git status"),
    ],
}

impl Rule for NotUnderstood {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Opaque { why } => Words::new(
                format!("cannot be understood in full: {why}"),
                "split it into smaller, plainer commands",
            ),
            _ => None,
        })
    }
}
