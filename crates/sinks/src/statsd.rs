//! Counters and timers by UDP: sent and forgotten. Names hold only what statsd takes.

use std::net::{ToSocketAddrs, UdpSocket};

use serde_json::Value;

use crate::{gate_micros, text, verdict};

/// What fits into one packet on any network.
const PACKET: usize = 1400;

pub(crate) fn send(address: &str, prefix: &str, records: &[Value]) -> Result<(), String> {
    let told = |error: std::io::Error| format!("statsd at `{address}`: {error}");
    let target = address.to_socket_addrs().map_err(told)?.next();
    let target = target.ok_or_else(|| format!("statsd at `{address}`: no such address"))?;
    let from = if target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(from).map_err(told)?;
    socket.set_nonblocking(true).map_err(told)?;
    let mut packet = String::new();
    for line in records.iter().flat_map(|record| metrics(prefix, record)) {
        if !packet.is_empty() && packet.len() + line.len() + 1 > PACKET {
            socket.send_to(packet.as_bytes(), target).map_err(told)?;
            packet.clear();
        }
        if !packet.is_empty() {
            packet.push('\n');
        }
        packet.push_str(&line);
    }
    if !packet.is_empty() {
        socket.send_to(packet.as_bytes(), target).map_err(told)?;
    }
    Ok(())
}

fn metrics(prefix: &str, record: &Value) -> Vec<String> {
    let part = |text: &str| -> String {
        let plain =
            text.chars().take(64).map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' });
        plain.collect()
    };
    let agent = part(text(record, "agent"));
    let mut lines = vec![format!("{prefix}.{agent}.events.{}:1|c", part(text(record, "phase")))];
    if text(record, "phase") == "pre-tool" {
        let (tool, verdict) = (part(text(record, "tool")), part(verdict(record)));
        lines.push(format!("{prefix}.{agent}.calls.{tool}.{verdict}:1|c"));
        lines.push(format!("{prefix}.{agent}.gate:{}|ms", gate_micros(record) as f64 / 1000.0));
    }
    if let Some(took) = record.get("took_ms").and_then(Value::as_u64) {
        lines.push(format!("{prefix}.{agent}.ran.{}:{took}|ms", part(text(record, "tool"))));
    }
    for finding in record.get("findings").and_then(Value::as_array).into_iter().flatten() {
        lines.push(format!("{prefix}.{agent}.rules.{}:1|c", part(text(finding, "rule"))));
    }
    lines
}
