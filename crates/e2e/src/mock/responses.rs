//! OpenAI Responses.

use serde_json::{Value, json};

use super::Api;
use super::content::{Message, Role, ToolResult, items, str_at, text_at};
use super::http::SseEvent;
use super::script::{Call, Said, fresh_id};

/// `POST /v1/responses`.
#[derive(Debug)]
pub struct Responses;

impl Api for Responses {
    fn name(&self) -> &'static str {
        "responses"
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        match body.get("input") {
            Some(Value::String(text)) => vec![Message { role: Role::User, text: text.clone() }],
            _ => items(body, "input").iter().map(message).collect(),
        }
    }

    fn system(&self, body: &Value) -> String {
        text_at(body, "instructions")
    }

    /// Codex's code mode offers its tools as an input item.
    fn offers_tools(&self, body: &Value) -> bool {
        let as_item = |item: &Value| str_at(item, "type") == "additional_tools";
        !items(body, "tools").is_empty() || items(body, "input").iter().any(as_item)
    }

    fn wanted_schema<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        body.pointer("/text/format/schema")
    }

    fn tool_results(&self, body: &Value) -> Vec<ToolResult> {
        let results = items(body, "input").iter().filter(|item| str_at(item, "type").ends_with("_output"));
        let result = |item: &Value| ToolResult {
            id: str_at(item, "call_id").to_owned(),
            text: text_at(item, "output"),
            is_error: false,
        };
        results.map(result).collect()
    }

    fn reply(&self, model: &str, said: &Said) -> Value {
        let text = (!said.text.is_empty()).then(|| output_message(&said.text));
        let output: Vec<Value> = text.into_iter().chain(said.calls.iter().map(output_call)).collect();
        let (read, written) = said.usage;
        json!({
            "id": format!("resp_{}", fresh_id()), "object": "response", "created_at": 1_700_000_000,
            "status": "completed", "model": model, "output": output,
            "usage": {"input_tokens": read, "input_tokens_details": {"cached_tokens": 0},
                      "output_tokens": written, "output_tokens_details": {"reasoning_tokens": 0},
                      "total_tokens": read + written},
        })
    }

    fn events(&self, reply: &Value) -> Vec<SseEvent> {
        let begun =
            with(reply, [("status", json!("in_progress")), ("output", json!([])), ("usage", Value::Null)]);
        let mut data = vec![json!({"type": "response.created", "response": begun})];
        data.extend(
            items(reply, "output").iter().enumerate().flat_map(|(index, item)| item_events(index, item)),
        );
        data.push(json!({"type": "response.completed", "response": reply}));
        let numbered = data.iter().zip(1..).map(|(data, n)| with(data, [("sequence_number", json!(n))]));
        numbered.map(|data| SseEvent::named(str_at(&data, "type"), &data)).collect()
    }
}

fn message(item: &Value) -> Message {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    if kind.ends_with("_output") {
        return Message { role: Role::User, text: text_at(item, "output") };
    }
    if kind != "message" {
        return Message { role: Role::Model, text: String::new() };
    }
    let role = match str_at(item, "role") {
        "user" => Role::User,
        "assistant" => Role::Model,
        _ => Role::System,
    };
    Message { role, text: text_at(item, "content") }
}

fn output_message(text: &str) -> Value {
    json!({
        "type": "message", "id": format!("msg_{}", fresh_id()), "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    })
}

fn output_call(call: &Call) -> Value {
    let call_id = format!("call_{}", call.id);
    let item = if call.custom {
        json!({"type": "custom_tool_call", "id": format!("ctc_{}", call.id), "call_id": call_id,
               "name": call.name, "input": call.input, "status": "completed"})
    } else {
        json!({"type": "function_call", "id": format!("fc_{}", call.id), "call_id": call_id,
               "name": call.name, "arguments": call.input.to_string(), "status": "completed"})
    };
    match &call.namespace {
        Some(namespace) => with(&item, [("namespace", json!(namespace))]),
        None => item,
    }
}

fn item_events(index: usize, item: &Value) -> Vec<Value> {
    let mut begun = with(item, [("status", json!("in_progress"))]);
    let text = item.pointer("/content/0/text");
    if text.is_some() {
        begun = with(&begun, [("content", json!([]))]);
    }
    let delta = text.map(|text| {
        json!({"type": "response.output_text.delta", "output_index": index, "content_index": 0,
               "item_id": item.get("id"), "delta": text})
    });
    let added = json!({"type": "response.output_item.added", "output_index": index, "item": begun});
    let done = json!({"type": "response.output_item.done", "output_index": index, "item": item});
    [Some(added), delta, Some(done)].into_iter().flatten().collect()
}

fn with<const N: usize>(object: &Value, fields: [(&str, Value); N]) -> Value {
    let mut object = object.clone();
    if let Some(map) = object.as_object_mut() {
        map.extend(fields.map(|(key, value)| (key.to_owned(), value)));
    }
    object
}
