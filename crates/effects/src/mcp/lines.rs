//! Command lines for what a tool is asked to do.

use tollgate_model::json::Value;

/// The command that starts a container with what the call asks for.
pub(super) fn container(input: &Value) -> Vec<String> {
    let mut words = vec!["docker".to_owned(), "run".to_owned()];
    if matches!(input.get("privileged"), Some(Value::Bool(true))) {
        words.push("--privileged".to_owned());
    }
    for (key, option) in [("volumes", "-v"), ("binds", "-v"), ("mounts", "--mount"), ("devices", "--device")]
    {
        let values = input.get(key).and_then(Value::as_list).unwrap_or_default();
        for value in values.iter().filter_map(Value::as_str) {
            words.extend([option.to_owned(), value.to_owned()]);
        }
    }
    words.push(input.text("image").unwrap_or_default().to_owned());
    match input.get("command") {
        Some(Value::List(command)) => {
            words.extend(command.iter().filter_map(Value::as_str).map(str::to_owned))
        }
        Some(Value::String(command)) => words.extend(command.split_whitespace().map(str::to_owned)),
        _ => {}
    }
    words
}

/// Switches that are on become options, texts become operands.
pub(super) fn flags(input: &Value, folder: Option<&str>) -> Vec<String> {
    let mut options = Vec::new();
    let mut operands = Vec::new();
    for (key, value) in input.as_map().unwrap_or_default() {
        match value {
            Value::Bool(true) => options.push(format!("--{}", dashed(key))),
            Value::String(text) if Some(text.as_str()) == folder || text.is_empty() => {}
            Value::String(text) if matches!(key.as_str(), "mode" | "reset_mode") => {
                options.push(format!("--{text}"))
            }
            Value::String(text) if matches!(key.as_str(), "message" | "commitMessage") => {
                options.push(format!("--message={text}"))
            }
            Value::String(text) if matches!(key.as_str(), "namespace" | "context" | "output") => {
                options.push(format!("--{key}={text}"))
            }
            Value::String(text) => operands.push(text.clone()),
            Value::List(values) => {
                operands.extend(values.iter().filter_map(Value::as_str).map(str::to_owned))
            }
            _ => {}
        }
    }
    options.extend(operands);
    options
}

fn dashed(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        match c {
            '_' => out.push('-'),
            c if c.is_ascii_uppercase() => out.extend(['-', c.to_ascii_lowercase()]),
            c => out.push(c),
        }
    }
    out
}
