/// A coding agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// Google's Gemini CLI.
    GeminiCli,
    /// Cursor.
    Cursor,
    /// GitHub's Copilot CLI.
    CopilotCli,
    /// OpenCode.
    OpenCode,
    /// Alibaba's Qwen Code.
    QwenCode,
    /// Factory's Droid.
    Droid,
    /// Augment's Auggie.
    Auggie,
    /// Windsurf.
    Windsurf,
    /// Kiro, and Amazon Q before it.
    Kiro,
    /// Cline.
    Cline,
    /// Kilo Code.
    Kilo,
    /// Sourcegraph's Amp.
    Amp,
    /// Any host that speaks our own JSON.
    Generic,
}

impl Agent {
    /// Its name on the command line and in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
            Self::CopilotCli => "copilot-cli",
            Self::OpenCode => "opencode",
            Self::QwenCode => "qwen-code",
            Self::Droid => "droid",
            Self::Auggie => "auggie",
            Self::Windsurf => "windsurf",
            Self::Kiro => "kiro",
            Self::Cline => "cline",
            Self::Kilo => "kilo",
            Self::Amp => "amp",
            Self::Generic => "generic",
        }
    }
}
