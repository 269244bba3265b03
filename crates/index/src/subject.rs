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
    if record.text("agent") == Some("tollgate") {
        return owner(record);
    }
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

/// What an owner did, or Tollgate on its own.
fn owner(record: &Value) -> String {
    let text = |key: &str| record.text(key).unwrap_or_default();
    let exception = || {
        let part =
            |key: &str| record.get("exception").and_then(|one| one.text(key)).unwrap_or_default().to_owned();
        let rule = if part("rule").is_empty() {
            "every rule".to_owned()
        } else {
            format!("rule `{}`", part("rule"))
        };
        let about = if part("path").is_empty() { String::new() } else { format!(" for `{}`", part("path")) };
        let reason = if part("reason").is_empty() { String::new() } else { format!(": {}", part("reason")) };
        format!("{rule}{about}{reason}")
    };
    match text("event") {
        "approve" => format!("a person allowed the call {} once", text("of")),
        "allow" => format!("a person made an exception from {}", exception()),
        "exception-revoked" => format!("a person revoked the exception from {}", exception()),
        "wrong-pin" => format!("somebody typed a wrong PIN for `tollgate {}`", text("tool")),
        "observers" => format!("observers ran: {}", middleware(record)),
        "observer-fault" => format!("observers failed: {}", middleware(record)),
        "prune" => "older records were removed".to_owned(),
        event => event.to_owned(),
    }
}

fn middleware(record: &Value) -> String {
    let all = record.get("middleware").and_then(Value::as_list).unwrap_or_default();
    all.iter().filter_map(|one| one.text("id")).collect::<Vec<&str>>().join(", ")
}
