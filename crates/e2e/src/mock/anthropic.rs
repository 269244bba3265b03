//! Anthropic Messages.

use serde_json::{Value, json};

use super::Api;
use super::content::{Message, Role, ToolResult, items, str_at, text_at, text_of};
use super::http::SseEvent;
use super::script::{Call, Said, fresh_id};

/// `POST /v1/messages`.
#[derive(Debug)]
pub struct Anthropic;

impl Api for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        items(body, "messages").iter().map(message).collect()
    }

    fn system(&self, body: &Value) -> String {
        text_at(body, "system")
    }

    fn offers_tools(&self, body: &Value) -> bool {
        !items(body, "tools").is_empty()
    }

    fn wanted_schema<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        body.pointer("/output_config/format/schema").or_else(|| body.pointer("/output_format/schema"))
    }

    fn tool_results(&self, body: &Value) -> Vec<ToolResult> {
        let blocks = items(body, "messages").iter().flat_map(|message| items(message, "content"));
        blocks.filter(|block| str_at(block, "type") == "tool_result").map(tool_result).collect()
    }

    fn reply(&self, model: &str, said: &Said) -> Value {
        let text = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
        let content: Vec<Value> = text.into_iter().chain(said.calls.iter().map(tool_use)).collect();
        let usual = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
        let (input, output) = said.usage;
        json!({
            "id": format!("msg_{}", fresh_id()), "type": "message", "role": "assistant", "model": model,
            "content": content, "stop_reason": said.stop.as_deref().unwrap_or(usual), "stop_sequence": null,
            "usage": {"input_tokens": input, "output_tokens": output,
                      "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    }

    fn events(&self, reply: &Value) -> Vec<SseEvent> {
        let mut head = reply.clone();
        if let Some(fields) = head.as_object_mut() {
            fields.insert("content".to_owned(), json!([]));
            fields.insert("stop_reason".to_owned(), Value::Null);
        }
        let mut data = vec![json!({"type": "message_start", "message": head})];
        data.extend(
            items(reply, "content").iter().enumerate().flat_map(|(index, block)| block_events(index, block)),
        );
        data.push(json!({
            "type": "message_delta", "usage": reply.get("usage"),
            "delta": {"stop_reason": reply.get("stop_reason"), "stop_sequence": null},
        }));
        data.push(json!({"type": "message_stop"}));
        data.iter().map(|data| SseEvent::named(str_at(data, "type"), data)).collect()
    }
}

fn message(message: &Value) -> Message {
    let role = match str_at(message, "role") {
        "user" => Role::User,
        "assistant" => Role::Model,
        _ => Role::System,
    };
    Message { role, text: text_at(message, "content") }
}

fn tool_result(block: &Value) -> ToolResult {
    ToolResult {
        id: str_at(block, "tool_use_id").to_owned(),
        text: text_of(block),
        is_error: block.get("is_error") == Some(&Value::Bool(true)),
    }
}

fn tool_use(call: &Call) -> Value {
    json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": call.input})
}

/// A block starts empty, comes in one piece, and stops.
fn block_events(index: usize, block: &Value) -> [Value; 3] {
    let mut empty = block.clone();
    let (field, nothing, delta) = if str_at(block, "type") == "text" {
        ("text", json!(""), json!({"type": "text_delta", "text": block.get("text")}))
    } else {
        let input = block.get("input").map(Value::to_string);
        ("input", json!({}), json!({"type": "input_json_delta", "partial_json": input}))
    };
    if let Some(fields) = empty.as_object_mut() {
        fields.insert(field.to_owned(), nothing);
    }
    [
        json!({"type": "content_block_start", "index": index, "content_block": empty}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ]
}
