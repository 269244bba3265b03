//! Gemini's generateContent and streamGenerateContent.

use serde_json::{Value, json};

use super::Api;
use super::content::{Message, Role, ToolResult, items, str_at, text_at, text_of};
use super::http::SseEvent;
use super::script::{Said, fresh_id};

/// `POST /v1beta/models/MODEL:streamGenerateContent`.
#[derive(Debug)]
pub struct Gemini;

impl Api for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn messages(&self, body: &Value) -> Vec<Message> {
        let message = |content: &Value| {
            let role = if str_at(content, "role") == "model" { Role::Model } else { Role::User };
            Message { role, text: text_at(content, "parts") }
        };
        items(body, "contents").iter().map(message).collect()
    }

    fn system(&self, body: &Value) -> String {
        let system = body.get("systemInstruction").or_else(|| body.get("system_instruction"));
        system.map(text_of).unwrap_or_default()
    }

    fn offers_tools(&self, body: &Value) -> bool {
        items(body, "tools").iter().any(|tool| !items(tool, "functionDeclarations").is_empty())
    }

    fn wanted_schema<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        let wanted = |key| body.pointer(key);
        wanted("/generationConfig/responseJsonSchema").or_else(|| wanted("/generationConfig/responseSchema"))
    }

    fn tool_results(&self, body: &Value) -> Vec<ToolResult> {
        let parts = items(body, "contents").iter().flat_map(|content| items(content, "parts"));
        parts.filter_map(|part| part.get("functionResponse")).map(tool_result).collect()
    }

    fn reply(&self, model: &str, said: &Said) -> Value {
        let text = (!said.text.is_empty()).then(|| json!({"text": said.text}));
        let calls = said.calls.iter().map(|c| json!({"functionCall": {"name": c.name, "args": c.input}}));
        let parts: Vec<Value> = text.into_iter().chain(calls).collect();
        let (read, written) = said.usage;
        json!({
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": read, "candidatesTokenCount": written,
                              "totalTokenCount": read + written},
            "modelVersion": model, "responseId": fresh_id(),
        })
    }

    fn events(&self, reply: &Value) -> Vec<SseEvent> {
        vec![SseEvent::plain(reply)]
    }
}

fn tool_result(response: &Value) -> ToolResult {
    let answer = response.get("response").cloned().unwrap_or_default();
    let text = text_of(&answer);
    ToolResult {
        id: str_at(response, "id").to_owned(),
        text: if text.is_empty() { answer.to_string() } else { text },
        is_error: answer.get("error").is_some(),
    }
}
