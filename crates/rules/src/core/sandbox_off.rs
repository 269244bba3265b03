use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before running a command outside the agent's sandbox.
    ///
    /// ## Instead
    /// Run it inside the sandbox, and tell the person what does not work there.
    pub struct SandboxOff;
    id: "sandbox-off", pack: Core, level: Ask,
    person: "Only the person may turn the sandbox off.",
    examples: [
        hit Unsandboxed("ls"),
        hit Unsandboxed("npm test"),
        pass Shell("ls"),
        pass Shell("echo dangerouslyDisableSandbox"),
    ],
}

impl Rule for SandboxOff {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::AgentSandbox, .. } => Words::new(
                "runs outside the agent's sandbox",
                "run it inside the sandbox, and tell the person what does not work there",
            ),
            _ => None,
        })
    }
}
