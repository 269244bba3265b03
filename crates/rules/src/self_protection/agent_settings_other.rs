use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before changing other settings of a coding agent, such as its model or its theme.
    ///
    /// ## Instead
    /// Tell the person which setting should change, and why.
    pub struct AgentSettingsOther;
    id: "agent-settings-other", pack: SelfProtection, level: Ask,
    person: "Only the person may change the settings of an agent.",
    examples: [
        hit Write("~/.claude/settings.json\n{\"model\":\"opus\"}"),
        hit Shell("echo '{\"theme\":\"dark\"}' > .claude/settings.local.json"),
        hit Shell("echo {} > .claude/settings.local.json"),
        hit Write("~/.codex/config.toml\nmodel = \"x\"\n"),
        hit Shell("chmod +x .claude/hooks/format.sh"),
        hit Shell("claude mcp add x -- npx y"),
        hit Shell("gemini extensions install ./x"),
        pass Shell("gemini extensions list"),
        hit Write(".gemini/settings.json\n{\"ui\":{\"theme\":\"x\"}}"),
        pass Write("~/.claude/settings.json\n{}"),
        pass Write("config/settings.json\n{\"model\":\"x\"}"),
        pass Shell("cat ~/.codex/config.toml"),
        pass Shell("chmod +x scripts/format.sh"),
        pass Write(".claude/agents/reviewer.md"),
        pass Write("CLAUDE.md"),
    ],
}

impl Rule for AgentSettingsOther {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::AgentSettings, how } => Words::new(
                format!("changes settings of a coding agent: {how}"),
                "tell the person which setting should change, and why",
            ),
            _ => None,
        })
    }
}
