//! A scripted model server on loopback: standard library only, one thread per connection.
//!
//! It speaks Anthropic Messages, OpenAI Responses, chat completions and Gemini, answers `{}` to whatever
//! else a client asks of it, and refuses to be a way out when a client takes it for its proxy.

mod anthropic;
mod chat;
mod content;
mod gemini;
mod http;
mod responses;
mod script;

use std::fmt;
use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

pub use anthropic::Anthropic;
pub use chat::Chat;
pub use content::{Message, Role, ToolResult};
pub use gemini::Gemini;
pub use http::SseEvent;
pub use responses::Responses;
pub use script::{
    ApiError, Builder, Call, Conversation, EXHAUSTED, Facts, Input, MAIN, SIDE, Said, Script, ToolUse, Turn,
};

use http::{Incoming, read_request, write_events, write_json};
use script::Player;

/// One model API: how its requests are read and its answers written.
pub trait Api: fmt::Debug + Sync {
    /// A short name for records.
    fn name(&self) -> &'static str;
    /// The conversation so far.
    fn messages(&self, body: &Value) -> Vec<Message>;
    /// The system prompt.
    fn system(&self, body: &Value) -> String;
    /// Whether the model may call tools.
    fn offers_tools(&self, body: &Value) -> bool;
    /// The JSON schema that the answer must fit, where one is asked for.
    fn wanted_schema<'a>(&self, body: &'a Value) -> Option<&'a Value>;
    /// What the client sent back for the calls so far, oldest first.
    fn tool_results(&self, body: &Value) -> Vec<ToolResult>;
    /// The answer as one object.
    fn reply(&self, model: &str, said: &Said) -> Value;
    /// The same answer as a stream.
    fn events(&self, reply: &Value) -> Vec<SseEvent>;
}

/// The server. It stops when dropped.
#[derive(Debug)]
pub struct MockModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

/// One request that a client made.
#[derive(Clone, Debug)]
pub struct Request {
    /// `POST`, `GET`, `CONNECT`, …
    pub method: String,
    /// The target, query included; a host where the client wanted out.
    pub target: String,
    /// The API, where it is a request to the model.
    pub api: Option<&'static dyn Api>,
    /// The conversation it belongs to: [`MAIN`], [`SIDE`] or a name from the script.
    pub conversation: String,
    /// The JSON body, or what there was as a string.
    pub body: Value,
    /// The client wanted to leave the machine, and was refused.
    pub outside: bool,
}

impl MockModel {
    /// Starts on a free port of 127.0.0.1.
    pub fn start(script: Script) -> io::Result<MockModel> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            player: Mutex::new(Player::new(script)),
            requests: Mutex::new(Vec::new()),
            closing: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let accepting = thread::spawn(move || accept(&listener, &for_thread));
        Ok(MockModel { address, shared, accepting: Some(accepting) })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Starts another script from its beginning; the requests so far stay.
    pub fn play(&self, script: Script) {
        *lock(&self.shared.player) = Player::new(script);
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        // The accepting thread sleeps in the kernel; a connection wakes it.
        if TcpStream::connect(self.address).is_ok()
            && let Some(thread) = self.accepting.take()
        {
            let _ = thread.join();
        }
    }
}

impl Request {
    /// What the client sent back for the tool calls of this conversation.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.api.map(|api| api.tool_results(&self.body)).unwrap_or_default()
    }

    /// Whether any text of the request, keys and values alike, holds `needle`.
    pub fn contains(&self, needle: &str) -> bool {
        holds(&self.body, needle)
    }
}

/// Looks at the strings themselves: in the encoded body a quote or newline would hide a match.
fn holds(value: &Value, needle: &str) -> bool {
    match value {
        Value::String(text) => text.contains(needle),
        Value::Array(items) => items.iter().any(|item| holds(item, needle)),
        Value::Object(fields) => fields.iter().any(|(key, item)| key.contains(needle) || holds(item, needle)),
        _ => false,
    }
}

#[derive(Debug)]
struct Shared {
    player: Mutex<Player>,
    requests: Mutex<Vec<Request>>,
    closing: AtomicBool,
}

/// What a request is for.
enum Route {
    Model { api: &'static dyn Api, model: String, stream: bool },
    Fixed(Value),
    Outside,
    Encoded,
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closing.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(stream) = stream {
            let shared = Arc::clone(shared);
            // A client that breaks off in the middle is no fault of the server.
            thread::spawn(move || serve(stream, &shared).is_ok());
        }
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(600)))?;
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(incoming) = read_request(&mut stream)? {
        let close = incoming.header("connection").is_some_and(|v| v.eq_ignore_ascii_case("close"));
        let streamed = answer(stream.get_mut(), &incoming, shared)?;
        if close || streamed {
            return Ok(());
        }
    }
    Ok(())
}

/// Answers one request; true when the answer ends with the connection.
fn answer(stream: &mut TcpStream, incoming: &Incoming, shared: &Shared) -> io::Result<bool> {
    let text = String::from_utf8_lossy(&incoming.body);
    let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.as_ref()));
    let head_only = incoming.method == "HEAD";
    match route(incoming, &body) {
        Route::Model { api, model, stream: streamed } => {
            return play(stream, shared, incoming, body, Asked { api, model, streamed });
        }
        Route::Fixed(reply) => {
            shared.record(incoming, None, SIDE, body);
            write_json(stream, 200, &reply, head_only)?;
        }
        Route::Outside => {
            shared.record(incoming, None, SIDE, body);
            write_json(stream, 403, &error_body("mock_no_way_out", "this machine is offline"), head_only)?;
        }
        Route::Encoded => {
            shared.record(incoming, None, SIDE, body);
            write_json(stream, 415, &error_body("mock_encoding", "send the body as it is"), head_only)?;
        }
    }
    Ok(false)
}

struct Asked {
    api: &'static dyn Api,
    model: String,
    streamed: bool,
}

fn play(
    stream: &mut TcpStream,
    shared: &Shared,
    incoming: &Incoming,
    body: Value,
    asked: Asked,
) -> io::Result<bool> {
    let Asked { api, model, streamed } = asked;
    let chosen = lock(&shared.player).choose(api, &model, &body);
    let said = chosen.turn.ready(&api.tool_results(&body));
    // Recorded before the answer is out, so that a client that ends at once has left its last request.
    shared.record(incoming, Some(api), &chosen.conversation, body);
    thread::sleep(chosen.turn.delay);
    if let Some(error) = &chosen.turn.error {
        write_json(stream, error.status, &error_body(&error.kind, &error.message), false)?;
        return Ok(false);
    }
    let reply = api.reply(&model, &said);
    if !streamed {
        write_json(stream, 200, &reply, false)?;
        return Ok(false);
    }
    write_events(stream, &api.events(&reply))?;
    Ok(true)
}

fn route(incoming: &Incoming, body: &Value) -> Route {
    if incoming.method == "CONNECT" || !incoming.target.starts_with('/') {
        return Route::Outside;
    }
    if incoming.header("content-encoding").is_some_and(|v| v != "identity") {
        return Route::Encoded;
    }
    let path = incoming.path();
    if incoming.method == "POST"
        && let Some(route) = route_post(path, body)
    {
        return route;
    }
    if path.ends_with("/models") {
        let model =
            json!({"id": "mock-model", "object": "model", "type": "model", "display_name": "mock-model"});
        return Route::Fixed(json!({"object": "list", "data": [model], "models": [], "has_more": false}));
    }
    Route::Fixed(json!({}))
}

fn route_post(path: &str, body: &Value) -> Option<Route> {
    let model = content::str_at(body, "model").to_owned();
    let stream = body.get("stream") == Some(&Value::Bool(true));
    let play = |api: &'static dyn Api| Some(Route::Model { api, model: model.clone(), stream });
    if path.ends_with("/messages/count_tokens") {
        return Some(Route::Fixed(json!({"input_tokens": 100})));
    }
    if path.ends_with("/messages") {
        return play(&Anthropic);
    }
    if path.ends_with("/responses/compact") {
        let text = json!({"type": "input_text", "text": "MOCK-COMPACTED"});
        return Some(Route::Fixed(
            json!({"output": [{"type": "message", "role": "user", "content": [text]}]}),
        ));
    }
    if path.ends_with("/responses") {
        return play(&Responses);
    }
    if path.ends_with("/chat/completions") {
        return play(&Chat);
    }
    route_gemini(path)
}

fn route_gemini(path: &str) -> Option<Route> {
    let (model, method) = path.rsplit('/').next()?.split_once(':')?;
    let play = |stream| Some(Route::Model { api: &Gemini, model: model.to_owned(), stream });
    match method {
        "countTokens" => Some(Route::Fixed(json!({"totalTokens": 100}))),
        "generateContent" => play(false),
        "streamGenerateContent" => play(true),
        _ => None,
    }
}

/// One shape that all four clients read as an error.
fn error_body(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message, "code": kind, "status": kind}})
}

impl Shared {
    fn record(&self, incoming: &Incoming, api: Option<&'static dyn Api>, conversation: &str, body: Value) {
        let outside = incoming.method == "CONNECT" || !incoming.target.starts_with('/');
        lock(&self.requests).push(Request {
            method: incoming.method.clone(),
            target: incoming.target.clone(),
            api,
            conversation: conversation.to_owned(),
            body,
            outside,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
