//! What a record is about, in a few words.

use tollgate_model::json::{self, Value};

/// What a record is about: the command, path or address of its call, or what its event says.
#[must_use]
pub fn subject(record: &Value) -> String {
    const INPUT: [&str; 10] = [
        "command",
        "cmd",
        "file_path",
        "path",
        "notebook_path",
        "url",
        "query",
        "pattern",
        "prompt",
        "description",
    ];
    const EVENT: [&str; 8] = ["fault", "prompt", "command", "error", "text", "why", "source", "trigger"];
    let from = |value: &Value, keys: &[&str]| keys.iter().find_map(|key| value.text(key)).map(str::to_owned);
    if let Some(input) = record.get("input") {
        return from(input, &INPUT).unwrap_or_else(|| {
            let mut text = String::new();
            json::write(input, &mut text);
            text
        });
    }
    from(record, &EVENT).unwrap_or_default()
}
