//! What the four APIs share when their request bodies are read.

use serde_json::Value;

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The person, or the client on behalf of a tool.
    User,
    /// The model's own earlier turns.
    Model,
    /// System and developer messages.
    System,
}

/// One message of a conversation, whatever the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// All of its text, results of tools included.
    pub text: String,
}

/// What a client sent back for one tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers, as the API names it.
    pub id: String,
    /// The text the model reads.
    pub text: String,
    /// Marked as a failure, where the API has such a mark.
    pub is_error: bool,
}

/// The keys under which the APIs put text that a model reads.
const TEXT_KEYS: [&str; 9] =
    ["text", "content", "output", "functionResponse", "response", "parts", "arguments", "result", "error"];

/// All text inside a message's content, joined by newlines.
pub fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(items) => join(items.iter().map(text_of)),
        Value::Object(fields) => join(TEXT_KEYS.iter().filter_map(|key| {
            let value = fields.get(*key)?;
            // A Gemini function response is an object of any shape, so its own keys are part of the text.
            Some(if *key == "response" && value.is_object() { value.to_string() } else { text_of(value) })
        })),
        _ => String::new(),
    }
}

/// The text under `key`, or nothing.
pub fn text_at(body: &Value, key: &str) -> String {
    body.get(key).map(text_of).unwrap_or_default()
}

/// The string under `key`, or an empty one.
pub fn str_at<'a>(body: &'a Value, key: &str) -> &'a str {
    body.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The array under `key`, or an empty one.
pub fn items<'a>(body: &'a Value, key: &str) -> &'a [Value] {
    body.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The smallest value that satisfies a JSON schema, for side requests that ask for structured output.
pub fn sample(schema: &Value) -> Value {
    let first_of = |key| items(schema, key).first();
    if let Some(value) = first_of("enum").or_else(|| schema.get("const")) {
        return value.clone();
    }
    if let Some(choice) = ["anyOf", "oneOf", "allOf"].into_iter().find_map(first_of) {
        return sample(choice);
    }
    match schema_type(schema).as_str() {
        "object" => sample_object(schema),
        "array" => Value::Array(Vec::new()),
        "number" | "integer" => schema.get("minimum").cloned().unwrap_or_else(|| 0.into()),
        "boolean" => Value::Bool(false),
        "null" => Value::Null,
        _ => Value::from("ok"),
    }
}

fn sample_object(schema: &Value) -> Value {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => properties.into_iter().flat_map(|p| p.keys().map(String::as_str)).collect(),
    };
    let field = |name: &str| sample(properties.and_then(|p| p.get(name)).unwrap_or(&Value::Null));
    Value::Object(required.into_iter().map(|name| (name.to_owned(), field(name))).collect())
}

/// Gemini writes types in capitals, and JSON Schema allows a list of them.
fn schema_type(schema: &Value) -> String {
    let named = match schema.get("type") {
        Some(Value::Array(types)) => types.first().and_then(Value::as_str),
        Some(other) => other.as_str(),
        None => schema.get("properties").map(|_| "object"),
    };
    named.unwrap_or_default().to_lowercase()
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_is_found_wherever_an_api_puts_it() {
        let check = |content: Value, text: &str| assert_eq!(text_of(&content), text, "{content}");
        check(json!("plain"), "plain");
        check(json!([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]), "a\nb");
        check(json!({"type": "tool_result", "content": [{"type": "text", "text": "in"}]}), "in");
        check(json!({"functionResponse": {"id": "1", "response": {"output": "x"}}}), r#"{"output":"x"}"#);
        check(json!(null), "");
    }

    #[test]
    fn a_sample_fits_its_schema() {
        let check = |schema: Value, value: Value| assert_eq!(sample(&schema), value, "{schema}");
        check(json!({"type": "string"}), json!("ok"));
        check(json!({"enum": ["b", "c"]}), json!("b"));
        check(json!({"const": 4}), json!(4));
        check(json!({"anyOf": [{"type": "null"}, {"type": "string"}]}), json!(null));
        check(json!({"type": ["boolean", "null"]}), json!(false));
        check(json!({"type": "INTEGER", "minimum": 3}), json!(3));
        check(json!({"type": "array", "items": {"type": "string"}}), json!([]));
        check(
            json!({"type": "object", "required": ["t"], "properties": {"t": {"type": "string"}, "u": {}}}),
            json!({"t": "ok"}),
        );
        check(json!({"properties": {"n": {"type": "number"}}}), json!({"n": 0}));
    }
}
