//! OpenTelemetry by HTTP with JSON: a span per call in the trace of its session, every record as a log, counters and
//! times as metrics.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};
use tollgate_store::micros_of;

use crate::{gate_micros, http, text, verdict};

pub(crate) fn send(
    endpoint: &str,
    headers: &[(String, String)],
    records: &[Value],
    end: Instant,
) -> Result<(), String> {
    let endpoint = endpoint.trim_end_matches('/');
    let scope = json!({"name": "tollgate"});
    let resource = json!({"attributes": [attribute("service.name", "tollgate")]});
    let spans = spans(records);
    let logs: Vec<Value> = records.iter().map(log).collect();
    let bodies = [
        (
            "v1/traces",
            !spans.is_empty(),
            json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}),
        ),
        (
            "v1/logs",
            !logs.is_empty(),
            json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": logs}]}]}),
        ),
        (
            "v1/metrics",
            !records.is_empty(),
            json!({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"scope": scope, "metrics": metrics(records)}]}]}),
        ),
    ];
    for (path, _, body) in bodies.iter().filter(|(_, wanted, _)| *wanted) {
        http::post(&format!("{endpoint}/{path}"), headers, &body.to_string(), end)?;
    }
    Ok(())
}

/// A call is known once its result is: the span goes from the gate's record to the result's, or to the refusal. A call
/// whose result is not in this delivery is a span of the gate's own time.
fn spans(records: &[Value]) -> Vec<Value> {
    let is_result = |record: &&Value| matches!(text(record, "phase"), "post-tool" | "post-tool-fail");
    let results: BTreeMap<(&str, &str), &Value> = records
        .iter()
        .filter(is_result)
        .map(|record| ((text(record, "session"), text(record, "id")), record))
        .collect();
    let calls = records.iter().filter(|record| text(record, "phase") == "pre-tool");
    calls.map(|call| span(call, results.get(&(text(call, "session"), text(call, "id"))).copied())).collect()
}

fn span(call: &Value, result: Option<&Value>) -> Value {
    let begin = nanos(call).saturating_sub(gate_micros(call) * 1000);
    let end = result.map_or(nanos(call), nanos);
    let failed = result.is_some_and(|result| text(result, "phase") == "post-tool-fail");
    let session = format!("{}/{}", text(call, "agent"), text(call, "session"));
    let rules = call.get("findings").and_then(Value::as_array).into_iter().flatten();
    let rules: Vec<&str> = rules.map(|finding| text(finding, "rule")).collect();
    json!({
        "traceId": id(&session, 32), "spanId": id(&format!("{session}/{}", text(call, "id")), 16),
        "parentSpanId": id(&session, 16), "name": text(call, "tool"), "kind": 1,
        "startTimeUnixNano": begin.to_string(), "endTimeUnixNano": end.to_string(),
        "status": {"code": if failed { 2 } else { 1 }},
        "attributes": [
            attribute("session.id", text(call, "session")), attribute("gen_ai.agent.name", text(call, "agent")),
            attribute("gen_ai.tool.name", text(call, "tool")), attribute("gen_ai.tool.call.id", text(call, "id")),
            attribute("tollgate.verdict", verdict(call)), attribute("tollgate.rules", &rules.join(" ")),
        ],
    })
}

fn log(record: &Value) -> Value {
    let (number, name) = match verdict(record) {
        "deny" | "halt" => (17, "ERROR"),
        "ask" => (13, "WARN"),
        _ => (9, "INFO"),
    };
    let session = format!("{}/{}", text(record, "agent"), text(record, "session"));
    json!({
        "timeUnixNano": nanos(record).to_string(), "severityNumber": number, "severityText": name,
        "traceId": id(&session, 32), "body": {"stringValue": record.to_string()},
        "attributes": [attribute("event.name", text(record, "event")), attribute("session.id", text(record, "session"))],
    })
}

fn metrics(records: &[Value]) -> Vec<Value> {
    let mut counts: BTreeMap<(&str, &str, &str), u64> = BTreeMap::new();
    for record in records.iter().filter(|record| text(record, "phase") == "pre-tool") {
        *counts.entry((text(record, "agent"), text(record, "tool"), verdict(record))).or_default() += 1;
    }
    let first = records.iter().map(nanos).min().unwrap_or_default().to_string();
    let last = records.iter().map(nanos).max().unwrap_or_default().to_string();
    let points: Vec<Value> = counts
        .iter()
        .map(|((agent, tool, verdict), count)| {
            json!({
                "startTimeUnixNano": first, "timeUnixNano": last, "asInt": count.to_string(),
                "attributes": [attribute("agent", agent), attribute("tool", tool), attribute("verdict", verdict)],
            })
        })
        .collect();
    // Temporality 1 is delta: each delivery counts its own records only.
    vec![
        json!({"name": "tollgate.calls", "unit": "1", "sum": {"aggregationTemporality": 1, "isMonotonic": true, "dataPoints": points}}),
    ]
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn nanos(record: &Value) -> u64 {
    let micros = micros_of(text(record, "ts")).unwrap_or_default();
    u64::try_from(micros).unwrap_or_default().saturating_mul(1000)
}

/// The same text has the same id, so that a span finds its session whoever delivers it.
fn id(text: &str, digits: usize) -> String {
    let step = |seed: u64| {
        let sum = text.bytes().fold(seed, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        (sum ^ (sum >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
    };
    let whole = format!("{:016x}{:016x}", step(0xcbf2_9ce4_8422_2325), step(0x8422_2325_cbf2_9ce4));
    whole.chars().take(digits).collect()
}
