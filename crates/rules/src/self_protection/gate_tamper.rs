use tollgate_model::phrase::AGENT_CONTROL;
use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Stops an agent from touching Tollgate: its files, its commands for owners, its variables.
    ///
    /// ## Instead
    /// Ask the person. They can change the policy in their own editor and terminal.
    pub struct GateTamper;
    id: "gate-tamper", pack: SelfProtection, level: Deny, unsure: Deny,
    person: "the gate is the person's to change",
    examples: [
        hit Shell("tollgate uninstall --yes"),
        hit Shell("rm -rf ~/.config/tollgate"),
        hit Shell("TOLLGATE_MODE=off ls"),
        hit Write("~/.config/tollgate/tollgate.yaml"),
        hit Shell("tollgate hook claude-code PreToolUse < x.json"),
        hit Shell("pkill -9 tollgate"),
        hit Shell("kill -STOP $(pgrep -f tollgate)"),
        hit Shell("sudo systemctl stop tollgate.service"),
        pass Shell("tollgate explain ls"),
        pass Shell("kill $(pgrep -f webpack)"),
        pass Shell("tollgate check tollgate.yaml"),
        pass Shell("cat ~/.config/tollgate/tollgate.yaml"),
    ],
}

impl Rule for GateTamper {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Tamper { what } if !what.starts_with(AGENT_CONTROL) => {
                Words::new(format!("touches {what}"), "ask the person; this is theirs to change")
            }
            _ => None,
        })
    }
}
