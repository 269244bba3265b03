//! Calls that name what they do in one argument and what it is done to in others: `{"operation": "delete_bucket", …}`,
//! `{"method": "DELETE", "path": …}`, `{"command": {"dropDatabase": 1}}`, a tool within a tool.

use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, InfraTool};

use super::Given;
use super::called::fed;
use super::names::{Tool, Verb};
use crate::openings::clouds;
use crate::tools::Hands;
use crate::url::{Url, is_this_machine};

/// How many maps of a call are looked at, and how deep.
const MAPS: usize = 64;
const DEPTH: u32 = 6;

/// Arguments that say what is to be done.
const KEYS: &[&str] = &[
    "operation",
    "op",
    "action",
    "method",
    "api",
    "apiName",
    "api_name",
    "function",
    "functionName",
    "verb",
    "command",
    "cmd",
    "operationName",
    "operation_name",
];

/// What the words in arguments say that a call does.
pub(super) fn effects(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given]) {
    let mut maps = Vec::new();
    collect(input, 0, &mut maps);
    for map in maps {
        for said in KEYS.iter().filter_map(|key| map.text(key)).filter(|said| is_name(said)) {
            let spoken = Tool::new(&tool.words.join(" "), said);
            if spoken.verb == Verb::Delete
                && let Some(target) = spoken.named_away(map).filter(|_| tool.verb != Verb::Delete)
            {
                let (tool, operation) = (tool.server.clone(), "delete".to_owned());
                hands.push(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target });
            }
            if let Some((operation, object)) = spoken.database(map) {
                hands.push(EffectKind::Database { operation, object });
            }
        }
        if tool.has("mongo") || tool.has("mongodb") {
            documents(hands, map);
        }
    }
    statements(hands, tool, input, texts);
    described(hands, tool, input);
    requested(hands, input, texts);
}

/// The tool that a call is for, with its arguments, when another tool only passes it on.
pub(super) fn inner(input: &Value) -> Option<(&str, &Value)> {
    let name = ["tool_name", "toolName", "tool"]
        .iter()
        .find_map(|key| input.text(key))
        .filter(|name| is_name(name))?;
    let keys = ["arguments", "args", "params", "parameters", "input", "tool_input", "toolInput"];
    let given = keys.iter().filter_map(|key| input.get(key)).find(|given| given.as_map().is_some())?;
    Some((name, given))
}

pub(super) fn collect<'v>(value: &'v Value, depth: u32, maps: &mut Vec<&'v Value>) {
    if depth > DEPTH || maps.len() >= MAPS {
        return;
    }
    match value {
        Value::Map(members) => {
            maps.push(value);
            members.iter().for_each(|(_, member)| collect(member, depth + 1, maps));
        }
        Value::List(items) => items.iter().take(MAPS).for_each(|item| collect(item, depth + 1, maps)),
        _ => {}
    }
}

fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    !text.is_empty() && text.len() <= 64 && text.chars().all(part)
}

/// A command for a database of documents, as the map that it is sent as.
fn documents(hands: &mut Hands, map: &Value) {
    let mut lost = |operation: &str, object: String| {
        hands.push(EffectKind::Database { operation: operation.to_owned(), object });
    };
    if map.get("dropDatabase").is_some() {
        lost("drop-database", "`dropDatabase`".to_owned());
    }
    if let Some(name) = map.text("drop") {
        lost("drop", format!("`{name}`"));
    }
    if let Some((operation, name)) = crate::documents::commanded(map) {
        lost(operation, format!("`{name}`"));
    }
}

/// The fields of a mutation that take something away: `mutation { volumeDelete(…) }`.
fn mutation(hands: &mut Hands, tool: &Tool, input: &Value, text: &str) {
    let text = text.trim_start();
    let Some((head, fields)) = text.split_once('{').filter(|(head, _)| !head.contains("subscription")) else {
        return;
    };
    if !head.split(|c: char| !c.is_alphanumeric()).any(|word| word == "mutation") {
        return;
    }
    let calls = fields.split('(').filter_map(|before| {
        before.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
    });
    for name in calls.filter(|name| is_name(name)).take(MAPS) {
        let spoken = Tool::new(&tool.words.join(" "), name);
        if spoken.verb == Verb::Delete
            && let Some(target) = spoken.named_away(input)
        {
            let (tool, operation) = (tool.server.clone(), "delete".to_owned());
            hands.push(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target });
        }
    }
}

/// Requests that a timer of a cloud is to send.
fn planned(hands: &mut Hands, text: &str) {
    for words in clouds::planned(text).take(MAPS) {
        hands.run_words(&words.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

/// Statements of databases that speak no SQL.
fn statements(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given]) {
    let keeps = |words: &[&str]| words.iter().any(|word| tool.has(word));
    for given in texts.iter().filter(|given| given.text.len() < 64 * 1024) {
        let text = given.text.trim();
        mutation(hands, tool, input, text);
        planned(hands, text);
        if keeps(&["mongo", "mongodb"]) && text.starts_with("db.") {
            hands.run_words(&["mongosh", "--eval", text]);
        }
        let upper = text.to_ascii_uppercase();
        let narrow = upper.contains("WHERE") || upper.contains('{') || upper.contains(':');
        if keeps(&["neo4j", "cypher", "memgraph", "graph"]) && upper.contains("DETACH DELETE") && !narrow {
            let (operation, object) = ("delete-all".to_owned(), "every node".to_owned());
            hands.push(EffectKind::Database { operation, object });
        }
    }
}

/// Descriptions of what a cluster or an engine is to run, as texts or as maps.
fn described(hands: &mut Hands, tool: &Tool, input: &Value) {
    let has = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let starts = has(&["apply", "create", "run", "update", "replace", "up", "start", "deploy", "patch"]);
    let (program, marks) = if has(&["kubernetes", "kubectl", "k8s"]) {
        ("kubectl apply -f -", ["kind", "spec"])
    } else if has(&["compose"]) {
        ("docker compose -f - up", ["services", "services"])
    } else if has(&["ansible", "playbook"]) {
        ("ansible-playbook /dev/stdin", ["hosts:", "tasks:"])
    } else {
        return;
    };
    for (_, value) in input.as_map().unwrap_or_default().iter().filter(|_| starts) {
        let text = match value {
            Value::String(text) if marks.iter().all(|mark| text.contains(mark)) => text.clone(),
            Value::Map(_) if marks.iter().any(|mark| value.get(mark).is_some()) => {
                let mut text = String::new();
                json::write(value, &mut text);
                text
            }
            _ => continue,
        };
        hands.run(&fed(program, &text));
    }
}

/// A request by its method and its path, for a service that the tool knows.
fn requested(hands: &mut Hands, input: &Value, texts: &[Given]) {
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.text(key)).unwrap_or_default().to_owned();
    let method = text(&["method", "httpMethod", "http_method", "verb"]).to_ascii_uppercase();
    let path = text(&["path", "endpoint", "url", "uri", "route"]);
    let here =
        texts.iter().any(|given| given.text.contains("://") && is_this_machine(&Url::parse(given.text).host));
    let tests = path.split(['/', '-', '_']).any(|part| part.starts_with("test"));
    if !path.starts_with('/') || here || tests {
        return;
    }
    let all = path.contains("_delete_by_query") && texts_hold(input, "match_all");
    if method == "DELETE" || method == "POST" && all {
        let (tool, operation) = (InfraTool::WebRequest, method);
        hands.push(EffectKind::Infra { tool, operation, target: path });
    }
}

/// Is there a member of this name anywhere, or a text with it?
fn texts_hold(input: &Value, name: &str) -> bool {
    let mut maps = Vec::new();
    collect(input, 0, &mut maps);
    let members = maps.iter().flat_map(|map| map.as_map().unwrap_or_default());
    members
        .into_iter()
        .any(|(key, value)| key == name || value.as_str().is_some_and(|text| text.contains(name)))
}
