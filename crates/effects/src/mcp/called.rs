//! What goes with a command that a tool runs: its environment, its standard input, and the language of a script.

use tollgate_model::json::Value;

use super::fields::Field;
use super::names::{Tool, Verb};
use super::shaped::names_code;
use super::{Given, LINES, LONGEST, argv, database, pieces, spoken, supposed, texts_of};
use crate::carriers::quoted;
use crate::commands::is_command;
use crate::tools::Hands;

/// How many variables a call may set.
const VARIABLES: usize = 128;

/// Sets the variables that a call gives to what it runs on this machine.
pub(super) fn environment(hands: &mut Hands, tool: &Tool, input: &Value) {
    let elsewhere = ["docker", "podman", "container", "kubernetes", "kubectl", "k8s", "helm"];
    let runs = tool.verb == Verb::Run || tool.is_shell || tool.is_terminal;
    if !runs || tool.is_remote || elsewhere.iter().any(|word| tool.has(word)) {
        return;
    }
    let keys = ["env", "environment", "envs", "envVars", "env_vars", "environmentVariables", "variables"];
    let Some(given) = keys.iter().find_map(|key| input.get(key)) else { return };
    let pairs: Vec<(String, String)> = match given {
        Value::Map(members) => {
            members.iter().filter_map(|(name, value)| Some((name.clone(), plain(value)?))).collect()
        }
        Value::List(items) => items.iter().filter_map(one).collect(),
        _ => return,
    };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let pairs = pairs.iter().filter(|(name, _)| is_name(name)).take(VARIABLES);
    let words: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", quoted(value))).collect();
    if !words.is_empty() {
        hands.run_here(&format!("export {}", words.join(" ")));
    }
}

fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) | Value::Number(text) => Some(text.clone()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    }
}

/// `"NAME=value"`, or `{"name": …, "value": …}`.
fn one(item: &Value) -> Option<(String, String)> {
    if let Some((name, value)) = item.as_str().and_then(|text| text.split_once('=')) {
        return Some((name.to_owned(), value.to_owned()));
    }
    let name = item.text("name").or_else(|| item.text("key"))?;
    Some((name.to_owned(), item.get("value").and_then(plain)?))
}

/// Commands of the steps of a call: a program with its arguments, or lists of words.
pub(super) fn inner_commands(hands: &mut Hands, tool: &Tool, input: &Value) {
    let mut maps = Vec::new();
    spoken::collect(input, 0, &mut maps);
    for map in maps.into_iter().skip(1).take(LINES) {
        let has_args = ["args", "arguments", "argv"].iter().any(|key| map.get(key).is_some());
        if let Some(words) = argv(map).filter(|_| has_args) {
            commanded(hands, tool, map, &words);
        }
    }
    // Lines that follow each other are one script.
    for (key, value) in input.as_map().unwrap_or_default() {
        if Field::of(key) == Field::Shell && key != "command" && is_lines(Some(value)) && !tool.is_browser {
            hands.run(&texts_of(value.as_list().unwrap_or_default()).join("\n"));
        }
    }
    let lists = ["commands", "cmds", "command", "cmd"].iter().filter_map(|key| input.get(key)?.as_list());
    for words in lists.flatten().take(LINES).filter_map(Value::as_list).map(texts_of) {
        hands.run_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Is it a list of lines, one of which moves to another folder or sets something for the others?
pub(super) fn is_lines(value: Option<&Value>) -> bool {
    let Some(Value::List(items)) = value else { return false };
    let moves = |item: &Value| {
        let first = item.as_str().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
        matches!(first, "cd" | "pushd" | "export" | "set" | "source" | ".") || first.contains('=')
    };
    items.len() > 1 && items.iter().all(|item| item.as_str().is_some()) && items.iter().any(moves)
}

/// Is it a list of words of one command, and not one of lines? A program stands first, and what follows is no command.
pub(super) fn is_vector(value: Option<&Value>) -> bool {
    let Some(Value::List(items)) = value else { return false };
    let is_line = |item: &Value| {
        let first = item.as_str().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
        matches!(first, "cd" | "export" | "set" | "source" | ".")
            || is_command(first.rsplit('/').next().unwrap_or_default())
    };
    let program = items.first().is_some_and(|first| {
        is_line(first) && first.as_str().is_some_and(|text| !text.contains(char::is_whitespace))
    });
    program && items.len() > 1 && !items.iter().all(is_line)
}

/// Runs the command of a call, with what it reads.
pub(super) fn commanded(hands: &mut Hands, tool: &Tool, input: &Value, words: &[String]) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (words.as_slice(), stdin(tool, input)) {
        ([line], None) => hands.run(&tool.completed(line)),
        ([line], Some(text)) => hands.run(&fed(&tool.completed(line), text)),
        (words, Some(text)) => {
            hands.run(&fed(&line(&tool.completed_words(words, input)), text));
        }
        (words, None) => {
            let words = tool.completed_words(words, input);
            hands.run_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}

/// What a command reads, where the call says so.
pub(super) fn stdin<'v>(tool: &Tool, input: &'v Value) -> Option<&'v str> {
    // What types into a terminal does so whatever else it names.
    let program = ["command", "cmd", "program", "executable"].iter().find_map(|key| input.get(key))?;
    let first = match program {
        Value::List(words) => words.first().and_then(Value::as_str),
        other => other.as_str().and_then(|line| line.split_whitespace().next()),
    };
    let is_program = first.is_some_and(|first| is_command(first.rsplit('/').next().unwrap_or_default()));
    if tool.types || !is_program {
        return None;
    }
    let text = ["stdin", "input", "stdin_data", "stdinData"].iter().find_map(|key| input.text(key))?;
    Some(text).filter(|text| text.len() <= LONGEST)
}

/// A command line with what it reads.
pub(super) fn fed(line: &str, text: &str) -> String {
    let mut end = "TOLLGATE_END".to_owned();
    while text.lines().any(|line| line == end) {
        end.push('_');
    }
    format!("{{ {line}\n}} <<'{end}'\n{text}\n{end}\n")
}

/// Words as a line of shell.
pub(super) fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Runs a script that is no shell text, by what the tool is. True when it was one.
pub(super) fn script(hands: &mut Hands, tool: &Tool, input: &Value, given: &Given) -> bool {
    let is_script = matches!(given.key, "script" | "lua" | "lua_script") || names_code(given.key);
    if !is_script || tool.is_shell || tool.is_browser {
        return false;
    }
    let has = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let text = given.text;
    if has(&["redis", "valkey", "keydb"]) {
        let mut words = vec!["redis-cli", "eval", text, "0"];
        let args = ["args", "argv", "keys"].iter().filter_map(|key| input.get(key)?.as_list()).flatten();
        words.extend(args.filter_map(Value::as_str));
        hands.run_words(&words);
    } else if has(&["mongo", "mongodb"]) {
        hands.run_words(&["mongosh", "--eval", text]);
    } else if has(&["applescript", "osascript"]) {
        hands.run_words(&["osascript", "-e", text]);
    } else if has(&["lua"]) {
        hands.run_words(&["lua", "-e", text]);
    } else if tool.is_database {
        database(hands, text);
    } else if input.get("language").or_else(|| input.get("lang")).is_some()
        || tool.language.is_some_and(|said| said != "bash")
    {
        hands.run_pieces(pieces(tool, input, given));
    } else {
        return false;
    }
    // It may be shell text all the same.
    let first = text.split_whitespace().next().unwrap_or_default();
    if is_command(first.rsplit('/').next().unwrap_or_default()) {
        supposed(hands, text);
    }
    true
}
