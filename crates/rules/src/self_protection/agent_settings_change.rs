use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Tampered};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks changing what controls coding agents: hooks, permissions, environment and servers in their settings, and session records.
    ///
    /// ## Instead
    /// Tell the person which setting should change, and why.
    pub struct AgentSettingsChange;
    id: "agent-settings-change", pack: SelfProtection, level: Deny,
    person: "Only the person may set the limits of an agent.",
    examples: [
        hit Write("~/.claude/settings.json\n{\"hooks\":{}}"),
        hit Write(".claude/settings.local.json\n{\"permissions\":{\"allow\":[\"Bash\"]}}"),
        hit Shell("echo '{\"env\":{\"A\":\"1\"}}' > .claude/settings.local.json"),
        hit Shell("perl -pi -e s/ask/allow/ .claude/settings.json; cp x .cursor/hooks.json"),
        hit Shell("jq 'del(.hooks)' ~/.claude/settings.json | sponge ~/.claude/settings.json"),
        hit Shell("rm ~/.claude/settings.json"),
        hit Shell("chmod 000 ~/.claude/settings.json"),
        hit Shell("mv .cursor/hooks.json /tmp/x"),
        hit Write(".mcp.json\n{\"mcpServers\":{\"x\":{\"command\":\"x\"}}}"),
        hit Write("~/.codex/config.toml\napproval_policy = \"never\"\n"),
        hit Write(".claude/hooks/guard.sh"),
        hit Write("~/.claude/projects/x/1.jsonl"),
        hit Write(".vscode/settings.json\n{\"chat.tools.autoApprove\":true}"),
        hit Shell("claude -p hi --settings '{\"disableAllHooks\":true}'"),
        hit Patch("*** Begin Patch\n*** Delete File: .claude/settings.json\n*** End Patch"),
        pass Read("~/.claude/settings.json"),
        pass Write(".claude/commands/review.md"),
        pass Write("src/settings.json"),
        pass Write("/tmp/x/.claude/settings.json\n{\"hooks\":{}}"),
        pass Write(".vscode/settings.json\n{\"editor.tabSize\":4}"),
        pass Shell("claude mcp list"),
        pass Shell("claude -p 'fix the settings'"),
        pass Shell("cat .claude/settings.json | jq .hooks"),
        pass Write("~/.claude/settings.json\n{\"model\":\"opus\"}"),
    ],
}

impl Rule for AgentSettingsChange {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Tamper { target: Tampered::AgentControl, what } => Words::new(
                format!("changes the controls of a coding agent: {what}"),
                "tell the person which setting should change, and why",
            ),
            _ => None,
        })
    }
}
