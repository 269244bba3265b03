use tollgate_model::{Card, Case, Hit, Rule, Zone};

use crate::kit::{Words, changed, first, rule, shown};

rule! {
    /// Stops an agent from changing the settings, hooks and permissions of coding agents, its own above all.
    ///
    /// ## Instead
    /// Tell the person which setting should change and why.
    pub struct AgentSettingsChange;
    id: "agent-settings-change", pack: SelfProtection, level: Deny, unsure: Deny,
    examples: [
        hit Write("~/.claude/settings.json"),
        hit Shell("echo {} > .claude/settings.local.json"),
        hit Shell("perl -pi -e s/ask/allow/ .claude/settings.json; cp x .cursor/hooks.json"),
        pass Read("~/.claude/settings.json"),
        pass Write(".claude/commands/review.md"),
        pass Write("src/settings.json"),
    ],
}

impl Rule for AgentSettingsChange {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| {
            let place = changed(&effect.kind).filter(|place| place.zone == Zone::AgentConfig)?;
            Words::new(
                format!("changes {}, the settings of a coding agent", shown(place)),
                "tell the person which setting should change and why",
            )
        })
    }
}
