use tollgate_model::{Card, Case, EffectKind, Hit, ProcessAction, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks shutting down or restarting the machine.
    ///
    /// ## Instead
    /// Tell the person that a restart is needed.
    pub struct MachinePower;
    id: "machine-power", pack: Core, level: Deny,
    person: "A restart ends the session and every other program.",
    examples: [
        hit Shell("shutdown -h now"),
        hit Shell("sudo reboot"),
        pass Shell("shutdown -c"),
        pass Shell("aws ec2 run-instances --instance-initiated-shutdown-behavior stop"),
    ],
}

impl Rule for MachinePower {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Process { action: ProcessAction::Power, .. } => {
                Words::new("shuts down or restarts the machine", "tell the person that a restart is needed")
            }
            _ => None,
        })
    }
}
