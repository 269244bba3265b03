//! Command lines for what a tool is asked to do.

use tollgate_model::json::Value;

/// The command that starts a container with what the call asks for.
pub(super) fn container(input: &Value) -> Vec<String> {
    let mut words = vec!["docker".to_owned(), "run".to_owned()];
    settings(input, &mut words);
    // The engine's own interface keeps what is of the machine in a part of its own.
    for key in ["host_config", "HostConfig", "hostConfig", "options", "config", "Config"] {
        if let Some(inner) = input.get(key) {
            settings(inner, &mut words);
            ["HostConfig", "host_config", "hostConfig"]
                .iter()
                .filter_map(|key| inner.get(key))
                .for_each(|inner| settings(inner, &mut words));
        }
    }
    let config = input.get("config").or_else(|| input.get("Config"));
    let find = |keys: &[&str]| {
        [Some(input), config].into_iter().flatten().find_map(|map| keys.iter().find_map(|key| map.get(key)))
    };
    let mut command = find(&["entrypoint", "Entrypoint"]).map(words_of).unwrap_or_default();
    if !command.is_empty() {
        words.extend(["--entrypoint".to_owned(), command.remove(0)]);
    }
    let image = find(&["image", "Image", "imageName", "image_name"]).and_then(Value::as_str);
    words.push(image.unwrap_or_default().to_owned());
    words.extend(command);
    words.extend(find(&["command", "Cmd", "cmd", "args"]).map(words_of).unwrap_or_default());
    words
}

/// A command as a list, or as a line that is split as the engine does.
fn words_of(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(line) => split(line),
        _ => Vec::new(),
    }
}

/// The words of a line, with quotes and backslashes taken as shells do.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', None | Some('"')) => {
                word.get_or_insert_default().extend(letters.next());
            }
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// What a container is given of the machine, as options.
fn settings(input: &Value, words: &mut Vec<String>) {
    for (key, value) in input.as_map().unwrap_or_default() {
        let key: String =
            key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        match (key.as_str(), value) {
            ("privileged", Value::Bool(true)) => words.push("--privileged".to_owned()),
            ("volumes" | "binds" | "mounts" | "bindmounts", _) => mounts(value, words),
            ("devices", Value::List(items)) => many(items, "--device", words),
            ("capadd", Value::List(items)) => many(items, "--cap-add", words),
            ("securityopt", Value::List(items)) => many(items, "--security-opt", words),
            ("volumesfrom", Value::List(items)) => many(items, "--volumes-from", words),
            ("pidmode" | "pid", Value::String(mode)) => words.push(format!("--pid={mode}")),
            ("networkmode" | "network", Value::String(mode)) => words.push(format!("--network={mode}")),
            ("ipcmode" | "ipc", Value::String(mode)) => words.push(format!("--ipc={mode}")),
            ("usernsmode" | "userns", Value::String(mode)) => words.push(format!("--userns={mode}")),
            ("workingdir" | "workdir", Value::String(folder)) => {
                words.extend(["-w".to_owned(), folder.clone()]);
            }
            _ => {}
        }
    }
}

fn many(items: &[Value], option: &str, words: &mut Vec<String>) {
    for item in items.iter().filter_map(Value::as_str) {
        words.extend([option.to_owned(), item.to_owned()]);
    }
}

/// `["/a:/b:ro"]`, `{"/a": {"bind": "/b", "mode": "ro"}}`, `{"/a": "/b"}`, `[{"source": "/a", "target": "/b"}]`.
fn mounts(value: &Value, words: &mut Vec<String>) {
    let mode = |map: &Value| {
        let read_only = ["read_only", "readOnly", "ReadOnly", "readonly"]
            .iter()
            .any(|key| matches!(map.get(key), Some(Value::Bool(true))));
        if read_only || matches!(map.text("mode"), Some("ro")) { ":ro" } else { "" }
    };
    match value {
        Value::Map(members) => {
            for (here, spec) in members {
                match spec {
                    Value::String(there) => words.extend(["-v".to_owned(), format!("{here}:{there}")]),
                    spec => {
                        let there = ["bind", "target", "destination"].iter().find_map(|key| spec.text(key));
                        let text = format!("{here}:{}{}", there.unwrap_or("/mnt"), mode(spec));
                        words.extend(["-v".to_owned(), text]);
                    }
                }
            }
        }
        Value::List(items) => {
            for item in items {
                let part = |keys: &[&str]| keys.iter().find_map(|key| item.text(key));
                let here = part(&["source", "Source", "src", "host", "hostPath", "host_path", "from"]);
                let there = part(&[
                    "target",
                    "Target",
                    "dst",
                    "destination",
                    "container",
                    "containerPath",
                    "container_path",
                    "to",
                ]);
                match (item.as_str(), here, there) {
                    (Some(text), ..) if text.contains('=') && !text.contains(':') => {
                        words.extend(["--mount".to_owned(), text.to_owned()]);
                    }
                    (Some(text), ..) => words.extend(["-v".to_owned(), text.to_owned()]),
                    (None, Some(here), there) => {
                        let text = format!("{here}:{}{}", there.unwrap_or("/mnt"), mode(item));
                        words.extend(["-v".to_owned(), text]);
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Switches that are on become options, texts become operands.
/// With `has_parts`, what is to be done is a word of its own: `git stash drop`.
pub(super) fn flags(input: &Value, folder: Option<&str>, has_parts: bool) -> Vec<String> {
    let mut options = Vec::new();
    let mut operands = Vec::new();
    let part = has_parts.then(|| part_of(input)).flatten();
    options.extend(part.and_then(|key| input.text(key)).map(str::to_owned));
    for (key, value) in input.as_map().unwrap_or_default() {
        match value {
            Value::Bool(true) => options.push(format!("--{}", dashed(key))),
            Value::String(_) if Some(key.as_str()) == part => {}
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

/// The argument that says which part of a command is meant. Of several, one that does more than look.
fn part_of(input: &Value) -> Option<&'static str> {
    let looks = |key: &&str| matches!(input.text(key), Some("list" | "show" | "get" | "status" | "view"));
    let given =
        ["mode", "action", "operation", "subcommand"].into_iter().filter(|key| input.text(key).is_some());
    given.clone().find(|key| !looks(key)).or_else(|| given.clone().next())
}

pub(super) fn dashed(key: &str) -> String {
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
