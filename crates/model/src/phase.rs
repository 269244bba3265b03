//! Kinds of events, by name.

/// A kind of event without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the kind of the same name")]
pub enum Phase {
    SessionStart,
    SessionEnd,
    Prompt,
    Expand,
    PreTool,
    Permission,
    PermissionDenied,
    PostTool,
    PostToolFail,
    PostBatch,
    Notification,
    Stop,
    StopError,
    SubagentStart,
    SubagentStop,
    PreCompact,
    PostCompact,
    ConfigChange,
    Other,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 19] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::Prompt,
        Self::Expand,
        Self::PreTool,
        Self::Permission,
        Self::PermissionDenied,
        Self::PostTool,
        Self::PostToolFail,
        Self::PostBatch,
        Self::Notification,
        Self::Stop,
        Self::StopError,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::PreCompact,
        Self::PostCompact,
        Self::ConfigChange,
        Self::Other,
    ];

    /// The phase of a name, ours or the one most agents use, in any way of writing it: `pre-tool`,
    /// `PreToolUse`, `pre_tool_use`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
        let name = plain(name);
        let common = match name.as_str() {
            "pretooluse" => Some(Self::PreTool),
            "posttooluse" => Some(Self::PostTool),
            "posttoolusefailure" => Some(Self::PostToolFail),
            "posttoolbatch" => Some(Self::PostBatch),
            "permissionrequest" => Some(Self::Permission),
            "userprompt" | "userpromptsubmit" => Some(Self::Prompt),
            "userpromptexpansion" => Some(Self::Expand),
            "stopfailure" => Some(Self::StopError),
            _ => None,
        };
        common.or_else(|| Self::ALL.into_iter().find(|phase| plain(phase.name()) == name))
    }

    /// A fault here must not let anything run: a tool call is waiting for the answer.
    #[must_use]
    pub fn is_safety(self) -> bool {
        matches!(self, Self::PreTool | Self::Permission)
    }

    /// Its name in the log and in policy files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::SessionEnd => "session-end",
            Self::Prompt => "prompt",
            Self::Expand => "expand",
            Self::PreTool => "pre-tool",
            Self::Permission => "permission",
            Self::PermissionDenied => "permission-denied",
            Self::PostTool => "post-tool",
            Self::PostToolFail => "post-tool-fail",
            Self::PostBatch => "post-batch",
            Self::Notification => "notification",
            Self::Stop => "stop",
            Self::StopError => "stop-error",
            Self::SubagentStart => "subagent-start",
            Self::SubagentStop => "subagent-stop",
            Self::PreCompact => "pre-compact",
            Self::PostCompact => "post-compact",
            Self::ConfigChange => "config-change",
            Self::Other => "other",
        }
    }
}
