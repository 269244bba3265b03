//! What goes with a command that a tool runs: its environment, its standard input, and the language of a script.

use tollgate_model::json::Value;

use super::names::{Tool, Verb};
use super::{Given, LONGEST, database, pieces};
use crate::content::Piece;
use crate::languages::Language;
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

/// What a command reads, where the call says so.
pub(super) fn stdin(input: &Value) -> Option<&str> {
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

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Runs a script that is no shell text, by what the tool is. True when it was one.
pub(super) fn script(hands: &mut Hands, tool: &Tool, input: &Value, given: &Given) -> bool {
    if !matches!(given.key, "script" | "code" | "lua" | "lua_script") || tool.is_shell {
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
    } else if input.get("language").or_else(|| input.get("lang")).is_some() {
        hands.run_pieces(pieces(tool, input, given));
    } else if let Some(language) = tool.language.filter(|said| *said != "bash").and_then(Language::of) {
        hands.run_pieces(vec![Piece::Language(language, text.to_owned())]);
    } else {
        return false;
    }
    true
}
