use crate::Phase;
use crate::agent::Agent;
use crate::json::Value;

/// What happened, in no agent's terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Who sent it.
    pub agent: Agent,
    /// The agent's own name of the event.
    pub name: String,
    /// The agent's session id, as given; hashed before it names a file.
    pub session: String,
    /// Who acts: the main agent or a subagent.
    pub actor: Actor,
    /// Working directory, absolute; empty when not given.
    pub cwd: String,
    /// The agent's own project folder, when it names one.
    pub project: Option<String>,
    /// The agent's transcript file.
    pub transcript: Option<String>,
    /// The agent's permission mode, in its own words.
    pub permission_mode: String,
    /// Is a person there to be asked?
    pub attended: Attended,
    /// What it belongs to, for the record only.
    pub trace: Trace,
    /// What it is.
    pub kind: Kind,
}

/// What an event belongs to. No rule looks at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The agent's id of the prompt that led here; empty when it gives none.
    pub prompt: String,
    /// How long the tool ran, as the agent says.
    pub took_ms: Option<u64>,
    /// The agent's version, where it tells a hook; empty otherwise.
    pub version: String,
}

impl Event {
    /// An event of which no more is known: the main agent's, in a session without a name, with a person there.
    #[must_use]
    pub fn of(agent: Agent, name: &str, cwd: &str, kind: Kind) -> Self {
        Self {
            agent,
            name: name.to_owned(),
            session: String::new(),
            actor: Actor::Main,
            cwd: cwd.to_owned(),
            project: None,
            transcript: None,
            permission_mode: String::new(),
            attended: Attended::Yes,
            trace: Trace::default(),
            kind,
        }
    }

    /// The tool call that is about to happen, when this event asks about one.
    #[must_use]
    pub fn pending(&self) -> Option<&ToolUse> {
        match &self.kind {
            Kind::PreTool(tool) | Kind::Permission(tool) => Some(tool),
            _ => None,
        }
    }

    /// The tool call the event is about, before or after.
    #[must_use]
    pub fn tool(&self) -> Option<&ToolUse> {
        match &self.kind {
            Kind::PreTool(tool)
            | Kind::Permission(tool)
            | Kind::PermissionDenied { tool, .. }
            | Kind::PostTool { tool, .. }
            | Kind::PostToolFail { tool, .. } => Some(tool),
            _ => None,
        }
    }

    /// Its place in an agent's life.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.kind.phase()
    }
}

/// Who acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Actor {
    /// The agent a person talks to.
    #[default]
    Main,
    /// One that it started.
    Subagent {
        /// Its id.
        id: String,
        /// Its type.
        kind: String,
    },
}

/// Is a person there to be asked?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attended {
    /// The agent says so.
    Yes,
    /// The agent says not.
    No,
    /// The agent does not say.
    #[default]
    Unknown,
}

/// The kinds of events.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A session starts, resumes, or goes on after a compaction.
    SessionStart {
        /// `startup`, `resume`, `clear`, `compact`, …
        source: String,
    },
    /// A session ends.
    SessionEnd {
        /// Why.
        reason: String,
    },
    /// A person's prompt.
    Prompt {
        /// Its text.
        text: String,
    },
    /// A slash command or prompt template expands.
    Expand {
        /// Its name.
        command: String,
        /// Its arguments.
        args: String,
        /// The text it becomes.
        text: String,
    },
    /// A tool is about to run.
    PreTool(ToolUse),
    /// The agent would ask a person about a tool call.
    Permission(ToolUse),
    /// The agent itself refused a tool call.
    PermissionDenied {
        /// The call.
        tool: ToolUse,
        /// Why.
        reason: String,
    },
    /// A tool has run.
    PostTool {
        /// The call.
        tool: ToolUse,
        /// What it gave back.
        response: Value,
    },
    /// A tool failed.
    PostToolFail {
        /// The call.
        tool: ToolUse,
        /// What it said.
        error: String,
    },
    /// A batch of calls has run.
    PostBatch(Vec<ToolUse>),
    /// The agent tells a person something.
    Notification {
        /// Its type.
        topic: String,
        /// Its text.
        message: String,
    },
    /// The agent is about to end its turn.
    Stop {
        /// The agent goes on because a stop was refused; none when it does not say.
        again: Option<bool>,
        /// The last message.
        message: String,
    },
    /// A turn ended by an error.
    StopError {
        /// The error.
        error: String,
    },
    /// A subagent starts.
    SubagentStart,
    /// A subagent is about to end.
    SubagentStop {
        /// It goes on because a stop was refused; none when the agent does not say.
        again: Option<bool>,
        /// The last message.
        message: String,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// `manual` or `auto`.
        trigger: String,
    },
    /// It was.
    PostCompact {
        /// `manual` or `auto`.
        trigger: String,
    },
    /// The agent's configuration changed on disk.
    ConfigChange {
        /// Which layer.
        source: String,
        /// Which file.
        path: Option<String>,
    },
    /// Anything else, known or unknown: logged, never judged.
    Other,
}

impl Kind {
    /// Its place in an agent's life.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self {
            Self::SessionStart { .. } => Phase::SessionStart,
            Self::SessionEnd { .. } => Phase::SessionEnd,
            Self::Prompt { .. } => Phase::Prompt,
            Self::Expand { .. } => Phase::Expand,
            Self::PreTool(_) => Phase::PreTool,
            Self::Permission(_) => Phase::Permission,
            Self::PermissionDenied { .. } => Phase::PermissionDenied,
            Self::PostTool { .. } => Phase::PostTool,
            Self::PostToolFail { .. } => Phase::PostToolFail,
            Self::PostBatch(_) => Phase::PostBatch,
            Self::Notification { .. } => Phase::Notification,
            Self::Stop { .. } => Phase::Stop,
            Self::StopError { .. } => Phase::StopError,
            Self::SubagentStart => Phase::SubagentStart,
            Self::SubagentStop { .. } => Phase::SubagentStop,
            Self::PreCompact { .. } => Phase::PreCompact,
            Self::PostCompact { .. } => Phase::PostCompact,
            Self::ConfigChange { .. } => Phase::ConfigChange,
            Self::Other => Phase::Other,
        }
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// The agent's id of the call; empty when it gives none.
    pub id: String,
    /// The agent's name of the tool.
    pub name: String,
    /// What is to be done, in no agent's terms.
    pub call: ToolCall,
    /// The input as the agent gave it.
    pub input: Value,
}

/// Which shell reads a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// bash, sh, zsh.
    #[default]
    Posix,
    /// PowerShell.
    PowerShell,
}

/// A tool call in no agent's terms.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCall {
    /// A command line.
    Shell {
        /// Its text.
        command: String,
        /// Who reads it.
        dialect: Dialect,
        /// A working directory of its own.
        cwd: Option<String>,
        /// The agent asks for its sandbox to be off.
        sandbox_off: bool,
    },
    /// Files to read.
    Read {
        /// Which.
        paths: Vec<String>,
    },
    /// A whole file to write.
    Write {
        /// Which.
        path: String,
        /// What goes in.
        content: String,
    },
    /// A file to change.
    Edit {
        /// Which.
        path: String,
        /// What is replaced by what.
        edits: Vec<Replacement>,
    },
    /// A file to delete.
    Delete {
        /// Which.
        path: String,
    },
    /// A patch over several files, in the agent's patch language.
    Patch {
        /// Its text.
        text: String,
    },
    /// A search through file contents or names.
    Search {
        /// What for.
        pattern: String,
        /// Where; empty means the working directory.
        path: String,
        /// Which files.
        glob: Option<String>,
        /// Contents or names.
        scope: SearchScope,
    },
    /// A page of the web.
    Fetch {
        /// Its address.
        url: String,
    },
    /// A search of the web.
    WebSearch {
        /// What for.
        query: String,
    },
    /// Another agent to start.
    Spawn {
        /// Its type.
        agent: String,
        /// What it is told.
        prompt: String,
    },
    /// A slash command or skill.
    Command {
        /// Its name.
        name: String,
        /// Its arguments.
        args: String,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
    },
    /// Any other tool, judged by the shape of its input.
    Other,
}

impl ToolCall {
    /// A command line of a POSIX shell, in the event's own folder.
    #[must_use]
    pub fn shell(command: impl Into<String>) -> Self {
        Self::Shell { command: command.into(), dialect: Dialect::Posix, cwd: None, sandbox_off: false }
    }

    /// The class of the call.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Shell { .. } => "shell",
            Self::Read { .. } => "read",
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Delete { .. } => "delete",
            Self::Patch { .. } => "patch",
            Self::Search { .. } => "search",
            Self::Fetch { .. } => "fetch",
            Self::WebSearch { .. } => "web-search",
            Self::Spawn { .. } => "spawn",
            Self::Command { .. } => "command",
            Self::Mcp { .. } => "mcp",
            Self::Other => "other",
        }
    }
}

/// What a search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchScope {
    /// What is in the files.
    Contents,
    /// What they are called.
    Names,
}

/// One replacement in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text taken out; empty when something is only put in.
    pub old: String,
    /// The text put in.
    pub new: String,
}
