//! Counters and timers by UDP: sent and forgotten. Names hold only what statsd takes.

use std::net::{ToSocketAddrs, UdpSocket};

use serde_json::Value;

use crate::{Trouble, gate_micros, rules, text, verdict};

/// What fits into one packet on any network.
const PACKET: usize = 1400;

pub(crate) fn send(address: &str, prefix: &str, records: &[Value]) -> Result<(), Trouble> {
    let told = |error: std::io::Error| format!("statsd at `{address}`: {error}");
    let later = |error| Trouble::later(told(error));
    let target = address.to_socket_addrs().map_err(later)?.next();
    let target = target.ok_or_else(|| Trouble::later(format!("statsd at `{address}`: no such address")))?;
    let from = if target.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
    let socket = UdpSocket::bind(from).map_err(later)?;
    socket.set_nonblocking(true).map_err(later)?;
    let lines = records.iter().flat_map(|record| metrics(prefix, record));
    for packet in packets(lines) {
        // What was sent before is counted there already: this is not tried again.
        socket.send_to(packet.as_bytes(), target).map_err(|error| Trouble::lost(told(error)))?;
    }
    Ok(())
}

/// Lines, as many together as fit.
fn packets(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut packets: Vec<String> = Vec::new();
    for line in lines {
        match packets.last_mut().filter(|packet| packet.len() + line.len() < PACKET) {
            Some(packet) => {
                packet.push('\n');
                packet.push_str(&line);
            }
            None => packets.push(line),
        }
    }
    packets
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
    lines.extend(rules(record).map(|rule| format!("{prefix}.{agent}.rules.{}:1|c", part(rule))));
    lines
}
