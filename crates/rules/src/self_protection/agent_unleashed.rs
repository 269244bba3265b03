use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before starting another coding agent with its approvals turned off.
    ///
    /// ## Instead
    /// Start it without that option, or allow only the tools that it needs.
    pub struct AgentUnleashed;
    id: "agent-unleashed", pack: SelfProtection, level: Ask,
    instead: ["claude -p 'run the tests' --allowedTools Read"],
    examples: [
        hit Shell("claude --dangerously-skip-permissions -p 'x'"),
        hit Shell("claude -p x --permission-mode=bypassPermissions"),
        hit Shell("nohup codex --yolo 'x' &"),
        hit Shell("codex exec -s danger-full-access x"),
        hit Shell("codex exec -c approval_policy=\"never\" -c sandbox_mode=danger-full-access x"),
        hit Shell("gemini -y -p x"),
        hit Shell("cursor-agent --force -p x"),
        hit Shell("copilot -p x --allow-all-tools"),
        hit Shell("droid exec --auto high x"),
        hit Shell("timeout 60 aider --yes-always"),
        pass Shell("claude -p 'what does --dangerously-skip-permissions do'"),
        pass Shell("codex exec 'run the tests'"),
        pass Shell("codex exec --full-auto 'run the tests'"),
        pass Shell("gemini -p 'x'"),
        pass Shell("claude --version"),
        pass Shell("claude -p x --permission-mode plan"),
        pass Shell("grep -r -- --yolo docs"),
        pass Shell("droid exec --auto low x"),
    ],
}

impl Rule for AgentUnleashed {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::AgentApprovals, how } => Words::new(
                format!("starts a coding agent without approvals: {how}"),
                "start it without that option, or allow only the tools that it needs",
            ),
            _ => None,
        })
    }
}
