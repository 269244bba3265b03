//! One span per call, in the trace of its session. A call is told once its end is known: its result, a refusal, or the
//! end of its turn. Until then it is remembered between deliveries.

use serde_json::{Map, Value, json};
use tollgate_store::{NO_RESULT, micros_of};

use crate::{gate_micros, project, rules, text, verdict};

/// How many calls and sessions are remembered; beyond that the oldest are forgotten.
const MOST: usize = 2000;

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Ran,
    Failed,
    Refused,
    NoResult,
}

/// The spans that these records complete.
pub(crate) fn spans(records: &[Value], memory: &mut Value) -> Vec<Value> {
    let mut open = take(memory, "open");
    let mut sessions = take(memory, "sessions");
    let mut found = Vec::new();
    for record in records.iter().filter(|record| !text(record, "session").is_empty()) {
        let session = session(record);
        if !sessions.contains_key(&session) {
            found.push(root(record, &session));
            sessions.insert(session.clone(), Value::Null);
        }
        let key = format!("{session}/{}", text(record, "id"));
        match text(record, "phase") {
            "pre-tool" if matches!(verdict(record), "deny" | "halt") => {
                found.push(span(record, Some(record), End::Refused));
            }
            "pre-tool" => drop(open.insert(key, call(record))),
            "permission" if !open.contains_key(&key) => drop(open.insert(key, call(record))),
            "post-tool" | "post-tool-fail" => {
                let end = if text(record, "phase") == "post-tool" { End::Ran } else { End::Failed };
                let begun = open.shift_remove(&key);
                found.push(span(begun.as_ref().unwrap_or(record), Some(record), end));
            }
            "permission-denied" | NO_RESULT => {
                let begun = open.shift_remove(&key);
                found.extend(begun.map(|begun| span(&begun, Some(record), End::NoResult)));
            }
            "stop" | "stop-error" | "subagent-stop" | "session-end" => {
                found.extend(
                    unanswered(&mut open, record).iter().map(|call| span(call, Some(record), End::NoResult)),
                );
            }
            _ => {}
        }
    }
    for kept in [&mut open, &mut sessions] {
        let over = kept.len().saturating_sub(MOST);
        let gone: Vec<String> = kept.keys().take(over).cloned().collect();
        gone.iter().for_each(|key| drop(kept.shift_remove(key)));
    }
    *memory = json!({"open": open, "sessions": sessions});
    found
}

/// The trace of a record's session.
pub(crate) fn trace(record: &Value) -> String {
    id(&session(record), 32)
}

/// Nanoseconds since 1970.
pub(crate) fn nanos(record: &Value) -> u64 {
    let micros = micros_of(text(record, "ts")).unwrap_or_default();
    u64::try_from(micros).unwrap_or_default().saturating_mul(1000)
}

fn take(memory: &mut Value, key: &str) -> Map<String, Value> {
    match memory.get_mut(key).map(Value::take) {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

fn session(record: &Value) -> String {
    format!("{}/{}", text(record, "agent"), text(record, "session"))
}

fn actor(record: &Value) -> &str {
    record.get("subagent").map_or("", |subagent| text(subagent, "id"))
}

/// What is remembered of a call: no input, so that the memory stays small.
fn call(record: &Value) -> Value {
    const KEPT: [&str; 15] = [
        "ts",
        "id",
        "agent",
        "session",
        "subagent",
        "tool",
        "verdict",
        "expressed",
        "findings",
        "us",
        "prompt_id",
        "workflow",
        "phase",
        "cwd",
        "project",
    ];
    let members = KEPT.iter().filter_map(|key| Some(((*key).to_owned(), record.get(*key)?.clone())));
    Value::Object(members.collect())
}

/// The calls whose turn ended with this record. A session's end is the end of all turns.
fn unanswered(open: &mut Map<String, Value>, record: &Value) -> Vec<Value> {
    let all = text(record, "phase") == "session-end";
    let ends = |call: &Value| session(call) == session(record) && (all || actor(call) == actor(record));
    let keys: Vec<String> = open.iter().filter(|(_, call)| ends(call)).map(|(key, _)| key.clone()).collect();
    keys.iter().filter_map(|key| open.shift_remove(key)).collect()
}

/// The span that those of a session's calls hang from. It marks the session's first record: when a session ends, many
/// agents never say.
fn root(record: &Value, session: &str) -> Value {
    let at = nanos(record).to_string();
    json!({
        "traceId": id(session, 32), "spanId": id(session, 16), "name": "session", "kind": 1,
        "startTimeUnixNano": at, "endTimeUnixNano": at, "status": {"code": 0},
        "attributes": [
            attribute("session.id", text(record, "session")), attribute("gen_ai.agent.name", text(record, "agent")),
        ],
    })
}

fn span(call: &Value, ended: Option<&Value>, end: End) -> Value {
    let last = ended.map_or(nanos(call), nanos);
    let took = ended.and_then(|ended| ended.get("took_ms")).and_then(Value::as_u64);
    let only_result = matches!(text(call, "phase"), "post-tool" | "post-tool-fail");
    let begin = match took.filter(|_| only_result) {
        Some(took) => last.saturating_sub(took.saturating_mul(1_000_000)),
        None => nanos(call).saturating_sub(gate_micros(call).saturating_mul(1000)),
    };
    let (code, outcome) = match end {
        End::Ran => (1, "ran"),
        End::Failed => (2, "failed"),
        End::Refused => (2, "refused"),
        End::NoResult => (0, "no result"),
    };
    let rules: Vec<&str> = rules(call).collect();
    let mut attributes = vec![
        attribute("session.id", text(call, "session")),
        attribute("gen_ai.agent.name", text(call, "agent")),
        attribute("gen_ai.operation.name", "execute_tool"),
        attribute("gen_ai.tool.name", text(call, "tool")),
        attribute("gen_ai.tool.call.id", text(call, "id")),
        attribute("tollgate.verdict", verdict(call)),
        attribute("tollgate.outcome", outcome),
        attribute("tollgate.rules", &rules.join(" ")),
        attribute("tollgate.subagent", actor(call)),
        attribute("tollgate.project", project(call)),
        attribute("tollgate.prompt_id", text(call, "prompt_id")),
        attribute_number("tollgate.gate_us", gate_micros(call)),
    ];
    let bytes = ended.and_then(|ended| ended.get("result_bytes")).and_then(Value::as_u64);
    attributes.extend(bytes.map(|bytes| attribute_number("tollgate.result_bytes", bytes)));
    json!({
        "traceId": trace(call), "spanId": id(&format!("{}/{}", session(call), text(call, "id")), 16),
        "parentSpanId": id(&session(call), 16), "name": format!("execute_tool {}", text(call, "tool")), "kind": 1,
        "startTimeUnixNano": begin.to_string(), "endTimeUnixNano": last.to_string(),
        "status": {"code": code}, "attributes": attributes,
    })
}

/// The same text has the same id, so that a span finds its session whoever delivers it.
pub(crate) fn id(text: &str, digits: usize) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(digits).collect()
}

/// A text as OTLP writes attributes.
pub(crate) fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn attribute_number(key: &str, value: u64) -> Value {
    json!({"key": key, "value": {"intValue": value.to_string()}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_result_is_one_span_however_its_end_is_told() {
        let record = |phase: &str, id: &str| json!({"ts": "2026-01-01T00:00:00.000000Z", "agent": "codex", "session": "s", "phase": phase, "id": id, "tool": "Bash"});
        let (pre, stop, closing) = (record("pre-tool", "a"), record("stop", "e2"), record(NO_RESULT, "a"));
        for rest in [vec![stop.clone()], vec![stop, closing.clone()], vec![closing]] {
            let mut memory = Value::Null;
            let found = spans(&[vec![pre.clone()], rest].concat(), &mut memory);
            let names: Vec<&str> = found.iter().map(|span| text(span, "name")).collect();
            assert_eq!(names, ["session", "execute_tool Bash"]);
            assert!(found[1].to_string().contains("no result"), "{}", found[1]);
            assert_eq!(memory["open"], json!({}));
        }
    }
}
