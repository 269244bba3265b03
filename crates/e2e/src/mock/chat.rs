//! OpenAI chat completions.

use serde_json::{Value, json};

use super::Api;
use super::content::{Message, Role, ToolResult, items, str_at, text_at};
use super::http::SseEvent;
use super::script::{Call, Said, fresh_id};

/// `POST /v1/chat/completions`.
#[derive(Debug)]
pub struct Chat;

impl Api for Chat {
    fn name(&self) -> &'static str {
        "chat"
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        items(body, "messages").iter().map(message).collect()
    }

    fn system(&self, body: &Value) -> String {
        let said = self.messages(body).into_iter().filter(|m| m.role == Role::System).map(|m| m.text);
        said.collect::<Vec<_>>().join("\n")
    }

    fn offers_tools(&self, body: &Value) -> bool {
        !items(body, "tools").is_empty()
    }

    fn wanted_schema<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        body.pointer("/response_format/json_schema/schema")
    }

    fn tool_results(&self, body: &Value) -> Vec<ToolResult> {
        let results = items(body, "messages").iter().filter(|message| str_at(message, "role") == "tool");
        let result = |message: &Value| ToolResult {
            id: str_at(message, "tool_call_id").to_owned(),
            text: text_at(message, "content"),
            is_error: false,
        };
        results.map(result).collect()
    }

    fn reply(&self, model: &str, said: &Said) -> Value {
        let mut message = json!({"role": "assistant", "content": null});
        if let Some(fields) = message.as_object_mut() {
            if !said.text.is_empty() {
                fields.insert("content".to_owned(), json!(said.text));
            }
            if !said.calls.is_empty() {
                let calls: Vec<Value> = said.calls.iter().enumerate().map(tool_call).collect();
                fields.insert("tool_calls".to_owned(), json!(calls));
            }
        }
        let finish = if said.calls.is_empty() { "stop" } else { "tool_calls" };
        let (read, written) = said.usage;
        json!({
            "id": format!("chatcmpl-{}", fresh_id()), "object": "chat.completion", "created": 1_700_000_000,
            "model": model, "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
        })
    }

    fn events(&self, reply: &Value) -> Vec<SseEvent> {
        let mut delta = reply.pointer("/choices/0/message").cloned().unwrap_or_default();
        if let Some(fields) = delta.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        let finish = reply.pointer("/choices/0/finish_reason");
        let choice = |delta: Value, finish| json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        let opening = json!({"role": "assistant", "content": ""});
        let usage = reply.get("usage");
        let mut events: Vec<SseEvent> = [
            chunk(reply, choice(opening, None), None),
            chunk(reply, choice(delta, None), None),
            chunk(reply, choice(json!({}), finish), None),
            chunk(reply, json!([]), usage),
        ]
        .iter()
        .map(SseEvent::plain)
        .collect();
        events.push(SseEvent { name: None, data: "[DONE]".to_owned() });
        events
    }
}

fn message(message: &Value) -> Message {
    let role = match str_at(message, "role") {
        "user" | "tool" => Role::User,
        "assistant" => Role::Model,
        _ => Role::System,
    };
    Message { role, text: text_at(message, "content") }
}

fn tool_call((index, call): (usize, &Call)) -> Value {
    json!({"index": index, "id": format!("call_{}", call.id), "type": "function",
           "function": {"name": call.name, "arguments": call.input.to_string()}})
}

fn chunk(reply: &Value, choices: Value, usage: Option<&Value>) -> Value {
    let mut chunk = json!({
        "id": reply.get("id"), "object": "chat.completion.chunk", "created": reply.get("created"),
        "model": reply.get("model"), "choices": choices,
    });
    if let (Some(fields), Some(usage)) = (chunk.as_object_mut(), usage) {
        fields.insert("usage".to_owned(), usage.clone());
    }
    chunk
}
