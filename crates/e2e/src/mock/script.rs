//! What the scripted model says, and in which conversation.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::Api;
use super::content::{Role, ToolResult, sample};

/// What the model says when its script has run out. A test that sees it has a script that is too short.
pub const EXHAUSTED: &str = "MOCK-SCRIPT-EXHAUSTED";

/// The conversation that a client's own prompt starts.
pub const MAIN: &str = "main";

/// Requests beside any conversation: titles, quota checks, anything that offers no tools or wants a schema.
pub const SIDE: &str = "side";

/// All that the model will say.
#[derive(Clone, Debug)]
pub struct Script {
    turns: Vec<Turn>,
    beside: Vec<Conversation>,
    side_text: String,
}

/// One answer of the model.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// What it says.
    pub text: String,
    /// Which tools it calls, in one batch.
    pub tools: Vec<ToolUse>,
    /// The stop reason, where it is not the usual one (in Anthropic's words).
    pub stop: Option<String>,
    /// How long it thinks.
    pub delay: Duration,
    /// Tokens it reports, in and out.
    pub usage: Option<(u64, u64)>,
    /// An error in place of an answer.
    pub error: Option<ApiError>,
}

/// One tool call of the model.
#[derive(Clone, Debug)]
pub struct ToolUse {
    /// The tool, as this client names it.
    pub name: String,
    /// Its input.
    pub input: Input,
    /// An OpenAI custom (free-form) tool, whose input is a string.
    pub custom: bool,
    /// An OpenAI namespace, where the client groups its tools.
    pub namespace: Option<String>,
}

/// A tool's input.
#[derive(Clone)]
pub enum Input {
    /// Known beforehand.
    Json(Value),
    /// Made from the results so far, for ids that the client invented.
    Built(Builder),
}

/// Makes a tool's input from the results that the client sent so far.
pub type Builder = Arc<dyn Fn(&[ToolResult]) -> Value + Send + Sync>;

/// An error answer.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The API's word for it.
    pub kind: String,
    /// The text.
    pub message: String,
}

/// Another conversation than the main one, told by what its requests look like: a subagent, say.
#[derive(Clone)]
pub struct Conversation {
    name: String,
    when: Arc<dyn Fn(&Facts) -> bool + Send + Sync>,
    turns: Vec<Turn>,
    repeat_last: bool,
}

/// What a request is recognised by.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The first user message.
    pub first: String,
    /// The last user message; results of tools count.
    pub last: String,
    /// All messages.
    pub any: String,
    /// The system prompt.
    pub system: String,
    /// The model asked for.
    pub model: String,
    /// Whether tools were offered.
    pub tools: bool,
}

impl Script {
    /// The main conversation, one turn per request.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Script {
        Script { turns: turns.into_iter().collect(), beside: Vec::new(), side_text: "ok".to_owned() }
    }

    /// Adds another conversation; the first that recognises a request answers it.
    pub fn beside(mut self, conversation: Conversation) -> Script {
        self.beside.push(conversation);
        self
    }

    /// What side requests are answered.
    pub fn side_text(mut self, text: &str) -> Script {
        self.side_text = text.to_owned();
        self
    }
}

impl Turn {
    /// Says a text and ends its turn.
    pub fn say(text: &str) -> Turn {
        Turn { text: text.to_owned(), ..Turn::default() }
    }

    /// Calls one tool.
    pub fn call(name: &str, input: Value) -> Turn {
        Turn::default().and(name, input)
    }

    /// Calls a tool with an input made from the results so far.
    pub fn call_with(name: &str, build: impl Fn(&[ToolResult]) -> Value + Send + Sync + 'static) -> Turn {
        Turn { tools: vec![ToolUse::new(name, Input::Built(Arc::new(build)))], ..Turn::default() }
    }

    /// Calls one more tool in the same batch.
    pub fn and(mut self, name: &str, input: Value) -> Turn {
        self.tools.push(ToolUse::new(name, Input::Json(input)));
        self
    }

    /// Waits before answering.
    pub fn after(mut self, delay: Duration) -> Turn {
        self.delay = delay;
        self
    }

    /// Fails with an HTTP status.
    pub fn fail(status: u16, kind: &str, message: &str) -> Turn {
        let error = ApiError { status, kind: kind.to_owned(), message: message.to_owned() };
        Turn { error: Some(error), ..Turn::default() }
    }
}

impl ToolUse {
    /// An ordinary function call.
    pub fn new(name: &str, input: Input) -> ToolUse {
        ToolUse { name: name.to_owned(), input, custom: false, namespace: None }
    }
}

impl Conversation {
    /// A conversation whose requests are those for which `when` holds.
    pub fn new(
        name: &str,
        when: impl Fn(&Facts) -> bool + Send + Sync + 'static,
        turns: impl IntoIterator<Item = Turn>,
    ) -> Conversation {
        let turns = turns.into_iter().collect();
        Conversation { name: name.to_owned(), when: Arc::new(when), turns, repeat_last: false }
    }

    /// Says the last turn again and again, in place of running out.
    pub fn repeat_last(mut self) -> Conversation {
        self.repeat_last = true;
        self
    }
}

impl Facts {
    pub(super) fn of(api: &dyn Api, model: &str, body: &Value) -> Facts {
        let messages = api.messages(body);
        let mut users = messages.iter().filter(|m| m.role == Role::User).map(|m| m.text.clone());
        let first = users.next().unwrap_or_default();
        let last = users.next_back().unwrap_or_else(|| first.clone());
        let any = messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n");
        let (system, tools) = (api.system(body), api.offers_tools(body));
        Facts { first, last, any, system, model: model.to_owned(), tools }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Json(value) => write!(f, "{value}"),
            Input::Built(_) => f.write_str("<built from the results>"),
        }
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation").field("name", &self.name).field("turns", &self.turns).finish()
    }
}

/// A turn made ready to be said: inputs built, ids given.
#[derive(Clone, Debug)]
pub struct Said {
    /// What the model says; never empty unless it calls tools.
    pub text: String,
    /// Its tool calls.
    pub calls: Vec<Call>,
    /// The stop reason, where it is not the usual one.
    pub stop: Option<String>,
    /// Tokens in and out.
    pub usage: (u64, u64),
}

/// One tool call, ready to be written.
#[derive(Clone, Debug)]
pub struct Call {
    /// A number no other call in this process has, in 16 hexadecimal digits.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its input.
    pub input: Value,
    /// See [`ToolUse::custom`].
    pub custom: bool,
    /// See [`ToolUse::namespace`].
    pub namespace: Option<String>,
}

impl Turn {
    pub(super) fn ready(&self, results: &[ToolResult]) -> Said {
        let calls: Vec<Call> = self.tools.iter().map(|tool| tool.ready(results)).collect();
        let silent = self.text.is_empty() && calls.is_empty();
        let text = if silent { "(empty)".to_owned() } else { self.text.clone() };
        Said { text, calls, stop: self.stop.clone(), usage: self.usage.unwrap_or((100, 20)) }
    }
}

impl ToolUse {
    fn ready(&self, results: &[ToolResult]) -> Call {
        let input = match &self.input {
            Input::Json(value) => value.clone(),
            Input::Built(build) => build(results),
        };
        let (name, namespace) = (self.name.clone(), self.namespace.clone());
        Call { id: fresh_id(), name, input, custom: self.custom, namespace }
    }
}

/// An id unique in this process.
pub(super) fn fresh_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The turn chosen for a request.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub conversation: String,
    pub turn: Turn,
}

/// Keeps the place in each conversation.
#[derive(Debug)]
pub(super) struct Player {
    script: Script,
    played: HashMap<String, usize>,
}

impl Player {
    pub fn new(script: Script) -> Player {
        Player { script, played: HashMap::new() }
    }

    pub fn choose(&mut self, api: &dyn Api, model: &str, body: &Value) -> Chosen {
        let facts = Facts::of(api, model, body);
        if let Some(conversation) = self.script.beside.iter().find(|c| (c.when)(&facts)) {
            return next(&mut self.played, &conversation.name, &conversation.turns, conversation.repeat_last);
        }
        if let Some(schema) = api.wanted_schema(body) {
            return side(&sample(schema).to_string());
        }
        if !facts.tools || body.get("max_tokens") == Some(&json!(1)) {
            return side(&self.script.side_text);
        }
        next(&mut self.played, MAIN, &self.script.turns, false)
    }
}

fn side(text: &str) -> Chosen {
    Chosen { conversation: SIDE.to_owned(), turn: Turn::say(text) }
}

fn next(played: &mut HashMap<String, usize>, name: &str, turns: &[Turn], repeat_last: bool) -> Chosen {
    let count = played.entry(name.to_owned()).or_default();
    let turn = turns.get(*count).or_else(|| turns.last().filter(|_| repeat_last));
    *count += 1;
    Chosen { conversation: name.to_owned(), turn: turn.cloned().unwrap_or_else(|| Turn::say(EXHAUSTED)) }
}
