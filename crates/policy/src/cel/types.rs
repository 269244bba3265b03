//! What a condition may name, and of what type that is.

use tollgate_model::EffectKind;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Known only when an event is there.
    Dyn,
    /// Only `null`.
    Null,
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A whole number that is not below zero.
    UInt,
    /// Another number.
    Double,
    /// Any text.
    Text,
    /// A text that is one of these.
    Word(&'static [&'static str]),
    /// Bytes.
    Bytes,
    /// A moment.
    Moment,
    /// A span of time.
    Span,
    /// A list of such values.
    List(Box<Type>),
    /// A map of such keys to such values.
    Map(Box<(Type, Type)>),
    /// Something with these fields.
    Object(&'static str),
    /// A list without elements.
    Empty,
}

/// A field: its name, its type, and what it is.
pub type Field = (&'static str, Type, &'static str);

/// The names that a condition may begin with, and what each is.
pub const ROOTS: [(&str, &str); 6] = [
    ("event", "what happened"),
    ("call", "the tool call, as the agent gave it"),
    ("effect", "one thing that the call would do: the rule is asked about each of them"),
    ("effects", "all that the call would do, as a list"),
    ("facts", "the machine"),
    ("state", "what workflows remember: `state.plan.phase`"),
];

/// The fields of an object.
#[must_use]
pub fn fields(of: &str) -> Vec<Field> {
    match of {
        "event" => event(),
        "call" => call(),
        "effect" => effect(),
        "facts" => facts(),
        _ => Vec::new(),
    }
}

fn event() -> Vec<Field> {
    vec![
        ("phase", Type::Word(&PHASES), "when in the agent's life it happened"),
        ("agent", Type::Word(&AGENTS), "which agent sent it"),
        ("session", Type::Text, "the agent's session id"),
        ("cwd", Type::Text, "the working directory"),
        ("subagent", Type::Text, "the type of the subagent that acts; empty for the main agent"),
        ("mode", Type::Text, "the agent's permission mode, in its own words"),
        ("attended", Type::Word(&["yes", "no", "unknown"]), "whether a person is there to be asked"),
        ("prompt", Type::Text, "the person's prompt, at the phase `prompt`"),
    ]
}

fn call() -> Vec<Field> {
    vec![
        ("tool", Type::Text, "the agent's name of the tool: `Bash`"),
        ("class", Type::Word(&CLASSES), "what kind of call it is, whatever the agent calls it"),
        ("text", Type::Text, "the command, the path, the address or what else the call is about"),
        ("paths", texts(), "the files that a file tool names"),
        ("server", Type::Text, "the MCP server"),
        ("input", Type::Dyn, "the input as the agent gave it: `call.input.timeout`"),
    ]
}

fn effect() -> Vec<Field> {
    vec![
        ("kind", Type::Word(&EffectKind::NAMES), "what kind of effect it is"),
        ("certainty", Type::Word(&["certain", "possible", "budget"]), "how certain it is"),
        ("text", Type::Text, "the effect in words, as `tollgate explain` shows it"),
        ("path", Type::Text, "the file: absolute, links followed"),
        ("zone", Type::Word(&ZONES), "what kind of place that is"),
        ("recursive", Type::Bool, "with everything below it"),
        ("mode", Type::Word(&["overwrite", "append", "edit"]), "of a `write`: how"),
        ("content", Type::Text, "of a `write`: what goes in, where that is known"),
        ("to", Type::Text, "of a `permission`: the mode or owner"),
        ("program", Type::Text, "of an `exec`: the program, without its directory"),
        ("argv", texts(), "of an `exec`: all its words"),
        ("source", Type::Word(&SOURCES), "of an `exec`: where its code comes from"),
        ("host", Type::Text, "of a `net`: to whom"),
        ("direction", Type::Word(&["in", "out"]), "of a `net`: which way"),
        ("carries", texts(), "of a `net`: what it sends"),
        ("operation", Type::Text, "of a `work-loss`, `history-rewrite`, `infra` or `database`"),
        ("lost", texts(), "of a `work-loss`: what"),
        ("remote", Type::Text, "of a `history-rewrite`: where"),
        ("branch", Type::Text, "of a `history-rewrite`: which"),
        ("target", Type::Text, "of a `publish`, `infra` or `process`: where, to what, whom"),
        ("manager", Type::Text, "of an `install`: by which"),
        ("package", Type::Text, "of an `install`: what"),
        ("tool", Type::Text, "of an `infra`: by which"),
        ("object", Type::Text, "of a `database`: what"),
        ("signal", Type::Text, "of a `process`: which"),
        ("what", Type::Text, "of a `tamper`, `weaken`, `private`, `persist`, `privilege` or `opaque`"),
        ("names", texts(), "of an `env-read`: which; none means all"),
        ("agent", Type::Text, "of a `spawn`: its type"),
    ]
}

fn facts() -> Vec<Field> {
    vec![
        ("project", Type::Text, "the session's project"),
        ("home", Type::Text, "the home directory"),
        ("branch", Type::Text, "the branch that is checked out in the project; empty when there is none"),
    ]
}

fn texts() -> Type {
    Type::List(Box::new(Type::Text))
}

const ZONES: [&str; 8] =
    ["unknown", "temp", "workspace", "other-project", "home", "system", "agent-config", "secret"];
const SOURCES: [&str; 5] = ["literal", "file", "downloaded", "decoded", "variable"];
const CLASSES: [&str; 13] = [
    "shell",
    "read",
    "write",
    "edit",
    "delete",
    "patch",
    "search",
    "fetch",
    "web-search",
    "spawn",
    "command",
    "mcp",
    "other",
];
const PHASES: [&str; 19] = [
    "session-start",
    "session-end",
    "prompt",
    "expand",
    "pre-tool",
    "permission",
    "permission-denied",
    "post-tool",
    "post-tool-fail",
    "post-batch",
    "notification",
    "stop",
    "stop-error",
    "subagent-start",
    "subagent-stop",
    "pre-compact",
    "post-compact",
    "config-change",
    "other",
];
const AGENTS: [&str; 15] = [
    "claude-code",
    "codex",
    "gemini-cli",
    "cursor",
    "copilot-cli",
    "opencode",
    "qwen-code",
    "droid",
    "auggie",
    "windsurf",
    "kiro",
    "cline",
    "kilo",
    "amp",
    "generic",
];

impl Type {
    /// For messages: "a text".
    pub(super) fn told(&self) -> String {
        match self {
            Self::Dyn => "a value".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Int => "a whole number".to_owned(),
            Self::UInt => "a number with `u`".to_owned(),
            Self::Bytes => "bytes".to_owned(),
            Self::Moment => "a timestamp".to_owned(),
            Self::Span => "a duration".to_owned(),
            Self::Map(_) => "a map".to_owned(),
            Self::Double => "a number".to_owned(),
            Self::Text | Self::Word(_) => "a text".to_owned(),
            Self::Empty | Self::List(_) => "a list".to_owned(),
            Self::Object(name) => format!("the whole `{name}`"),
        }
    }

    /// The type of what is of one or of the other.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (Self::Text | Self::Word(_), Self::Text | Self::Word(_)) => Self::Text,
            (Self::Empty, list @ Self::List(_)) | (list @ Self::List(_), Self::Empty) => list,
            (Self::List(a), Self::List(b)) => Self::List(Box::new(a.join(*b))),
            (Self::Map(a), Self::Map(b)) => Self::Map(Box::new((a.0.join(b.0), a.1.join(b.1)))),
            _ => Self::Dyn,
        }
    }

    /// Can a value of this type equal one of the other?
    pub(super) fn may_equal(&self, other: &Self) -> bool {
        let class = |one: &Self| match one {
            Self::Dyn => 0,
            Self::Null => 1,
            Self::Bool => 2,
            Self::Int | Self::UInt | Self::Double => 3,
            Self::Text | Self::Word(_) => 4,
            Self::Empty | Self::List(_) => 5,
            Self::Object(_) => 6,
            Self::Bytes => 7,
            Self::Moment => 8,
            Self::Span => 9,
            Self::Map(_) => 10,
        };
        match (self, other) {
            (Self::Object(_), _) | (_, Self::Object(_)) => false,
            (Self::Dyn, _) | (_, Self::Dyn) => true,
            (Self::List(a), Self::List(b)) => a.may_equal(b),
            (Self::Map(a), Self::Map(b)) => a.0.may_equal(&b.0) && a.1.may_equal(&b.1),
            (a, b) => class(a) == class(b),
        }
    }

    /// May it be a text, a number and so on? `Dyn` may be anything.
    pub(super) fn is(&self, wanted: &Self) -> bool {
        !matches!(self, Self::Object(_)) && self.may_equal(wanted)
    }

    /// The type of a list's elements or a map's keys; none when it is neither.
    pub(super) fn element(&self) -> Option<Self> {
        match self {
            Self::List(element) => Some((**element).clone()),
            Self::Map(entry) => Some(entry.0.clone()),
            Self::Empty | Self::Dyn => Some(Self::Dyn),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AGENTS, PHASES};
    use crate::settings::PROVIDERS;

    #[test]
    fn names_are_those_of_the_model() {
        assert_eq!(PHASES, tollgate_model::Phase::ALL.map(tollgate_model::Phase::name));
        let known: std::collections::BTreeSet<&str> = PROVIDERS.iter().map(|(_, agent)| *agent).collect();
        let ours: std::collections::BTreeSet<&str> = AGENTS.into_iter().chain(["tollgate"]).collect();
        assert_eq!(ours, known);
    }
}
