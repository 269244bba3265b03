//! OpenTelemetry by HTTP with JSON: spans, every record as a log, counts and times as metrics.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use crate::spans::{attribute, id, nanos, spans, trace};
use crate::{Address, Signal, Trouble, gate_micros, http, project, rules, text, verdict};

pub(crate) fn send(
    signal: Signal,
    to: &Address,
    records: &[Value],
    memory: &mut Value,
    end: Instant,
) -> Result<(), Trouble> {
    let scope = json!({"name": "tollgate", "version": env!("CARGO_PKG_VERSION")});
    let resource = json!({"attributes": resource(records)});
    let (items, body) = match signal {
        Signal::Traces => {
            let spans = spans(records, memory);
            (
                spans.len(),
                json!({"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": spans}]}]}),
            )
        }
        Signal::Logs => {
            let logs: Vec<Value> = records.iter().map(log).collect();
            (
                logs.len(),
                json!({"resourceLogs": [{"resource": resource, "scopeLogs": [{"scope": scope, "logRecords": logs}]}]}),
            )
        }
        Signal::Metrics => {
            let metrics = metrics(records);
            (
                metrics.len(),
                json!({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"scope": scope, "metrics": metrics}]}]}),
            )
        }
    };
    if items == 0 {
        return Ok(());
    }
    http::post(to, &format!("v1/{}", signal.name()), &body.to_string(), end)
}

/// Who sends: the machine and the user that the newest record names. Both together are one instance of the service.
fn resource(records: &[Value]) -> Vec<Value> {
    let mut found = vec![attribute("service.name", "tollgate")];
    let named = records.iter().rev().find(|record| !text(record, "host").is_empty());
    if let Some(record) = named {
        let (host, user) = (text(record, "host"), text(record, "user"));
        found.push(attribute("service.instance.id", &id(&format!("{host}/{user}"), 32)));
        found.push(attribute("host.name", host));
        found.push(attribute("user.name", user));
    }
    found
}

fn log(record: &Value) -> Value {
    let (number, name) = match verdict(record) {
        "deny" | "halt" => (17, "ERROR"),
        "ask" => (13, "WARN"),
        _ => (9, "INFO"),
    };
    json!({
        "timeUnixNano": nanos(record).to_string(), "severityNumber": number, "severityText": name,
        "traceId": trace(record), "body": {"stringValue": record.to_string()},
        "attributes": [attribute("event.name", text(record, "event")), attribute("session.id", text(record, "session")),
            attribute("tollgate.project", project(record))],
    })
}

/// Bounds of the buckets in which the gate's time is counted, in milliseconds.
const BOUNDS: [f64; 9] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];

fn metrics(records: &[Value]) -> Vec<Value> {
    let calls = || records.iter().filter(|record| text(record, "phase") == "pre-tool");
    if calls().next().is_none() {
        return Vec::new();
    }
    let first = records.iter().map(nanos).min().unwrap_or_default().to_string();
    let last = records.iter().map(nanos).max().unwrap_or_default().to_string();
    let mut counts: BTreeMap<[&str; 4], u64> = BTreeMap::new();
    let mut fires: BTreeMap<[&str; 2], u64> = BTreeMap::new();
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for record in calls() {
        let agent = text(record, "agent");
        *counts.entry([agent, text(record, "tool"), verdict(record), project(record)]).or_default() += 1;
        rules(record).for_each(|rule| *fires.entry([agent, rule]).or_default() += 1);
        times.entry(agent).or_default().push(gate_micros(record) as f64 / 1000.0);
    }
    let point = |names: &[&str], values: &[&str], count: u64| {
        let attributes: Vec<Value> =
            names.iter().zip(values).map(|(name, value)| attribute(name, value)).collect();
        json!({"startTimeUnixNano": first, "timeUnixNano": last, "asInt": count.to_string(), "attributes": attributes})
    };
    let called: Vec<Value> = counts
        .iter()
        .map(|(key, count)| point(&["agent", "tool", "verdict", "project"], key, *count))
        .collect();
    let fired: Vec<Value> = fires.iter().map(|(key, count)| point(&["agent", "rule"], key, *count)).collect();
    let gate: Vec<Value> =
        times.iter().map(|(agent, times)| histogram(agent, times, &first, &last)).collect();
    // Temporality 1 is delta: each delivery counts its own records only.
    let sum = |points| json!({"aggregationTemporality": 1, "isMonotonic": true, "dataPoints": points});
    let mut found = vec![
        json!({"name": "tollgate.calls", "unit": "{call}", "sum": sum(called)}),
        json!({"name": "tollgate.gate", "unit": "ms", "histogram": {"aggregationTemporality": 1, "dataPoints": gate}}),
    ];
    if !fired.is_empty() {
        found.push(json!({"name": "tollgate.rules", "unit": "{hit}", "sum": sum(fired)}));
    }
    found
}

fn histogram(agent: &str, times: &[f64], first: &str, last: &str) -> Value {
    let mut counts = [0_u64; BOUNDS.len() + 1];
    for time in times {
        let bucket = BOUNDS.iter().position(|bound| time <= bound).unwrap_or(BOUNDS.len());
        counts.iter_mut().skip(bucket).take(1).for_each(|count| *count += 1);
    }
    json!({
        "startTimeUnixNano": first, "timeUnixNano": last, "attributes": [attribute("agent", agent)],
        "count": times.len().to_string(), "sum": times.iter().sum::<f64>(), "explicitBounds": BOUNDS,
        "bucketCounts": counts.map(|count| count.to_string()),
    })
}
