//! The answer when no decision could be made. Works with nothing but the event's name and the environment, so that
//! it can be prepared before the payload is read.

use tollgate_model::{Event, Fault, FaultKind, OnFault, Reply, Verdict};

use crate::capability::{Ask, EventCapability};
use crate::say::Saying;
use crate::text::{cut, visible};
use crate::{Adapter, Payload};

const LONGEST_REASON: usize = 2_000;

/// Says that no decision could be made.
pub(crate) fn fault<A: Adapter + ?Sized>(
    adapter: &A,
    payload: &Payload,
    event: Option<&Event>,
    fault: &Fault,
    on_fault: OnFault,
) -> Reply {
    let Some(row) = event.map_or_else(|| told_row(adapter, payload), |event| Some(adapter.row(event))) else {
        return blind(adapter, fault, on_fault);
    };
    let verdict = match on_fault {
        _ if !row.phase.is_safety() => Verdict::Allow,
        OnFault::Allow => Verdict::Allow,
        OnFault::Ask => Verdict::Ask,
        OnFault::Deny => Verdict::Deny,
    };
    let attended = event.map_or_else(|| adapter.attended(payload), |event| event.attended);
    let mode = event.map_or("", |event| event.permission_mode.as_str());
    let text = text(fault, verdict);
    let unsaid = !verdict.refuses() || row.ask == Ask::Silence;
    let saying = Saying {
        metrics: &[],
        output: None,
        row,
        can_ask: adapter.can_ask(attended, mode),
        alone: false,
        verdict,
        message: if unsaid { text.clone() } else { String::new() },
        reason: text,
        code: "",
        context: String::new(),
        rewrite: None,
        approve: false,
    };
    saying.reply(adapter)
}

/// The event is not known, so that no answer would fit it but the one that fits all.
fn blind<A: Adapter + ?Sized>(adapter: &A, fault: &Fault, on_fault: OnFault) -> Reply {
    let verdict = if on_fault == OnFault::Allow { Verdict::Allow } else { Verdict::Deny };
    let reply = adapter.blind(verdict, &visible(&text(fault, verdict)));
    Reply { expressed: verdict, ..reply }
}

fn text(fault: &Fault, verdict: Verdict) -> String {
    let what = match fault.kind {
        FaultKind::Input => "the hook's input could not be read completely",
        FaultKind::Payload => "the hook's input could not be understood",
        FaultKind::Policy => "no policy could be loaded",
        FaultKind::Analysis => "the analysis failed",
        FaultKind::Deadline => "there was not enough time",
        FaultKind::Panic => "the gate itself failed",
    };
    let outcome =
        if verdict.refuses() { "could not decide about this call" } else { "let this call run unchecked" };
    let message = cut(fault.message.clone(), LONGEST_REASON);
    let detail = if message.is_empty() { String::new() } else { format!(" ({message})") };
    format!("Tollgate {outcome}: {what}{detail}. The user can find out more with `tollgate doctor`")
}

/// The row of the event that the command line and the payload agree on.
fn told_row<A: Adapter + ?Sized>(adapter: &A, payload: &Payload) -> Option<EventCapability> {
    let told = told_names(payload.bytes, adapter.event_key().as_bytes());
    let names: Vec<&[u8]> = payload.hint.map(str::as_bytes).into_iter().chain(told).collect();
    let (first, rest) = names.split_first()?;
    if rest.iter().any(|name| name != first) {
        return None;
    }
    adapter.profile().row(std::str::from_utf8(first).ok()?).copied()
}

/// The event names in a payload that is broken somewhere. Only the outermost object counts, since the arguments
/// of a tool may hold the same key.
fn told_names<'a>(bytes: &'a [u8], wanted: &[u8]) -> Vec<&'a [u8]> {
    let mut names = Vec::new();
    let (mut at, mut depth) = (0, 0_u32);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some((key, after)) = string(bytes, at) else { break };
                at = after;
                if depth == 1 && key == wanted {
                    names.extend(value(bytes, after).map(|(name, _)| name));
                }
            }
            _ => {}
        }
    }
    names
}

/// The string value after a key that ends at `at`.
fn value(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let colon = skip_space(bytes, at);
    let quote = skip_space(bytes, colon + 1);
    let found = bytes.get(colon) == Some(&b':') && bytes.get(quote) == Some(&b'"');
    if found { string(bytes, quote + 1) } else { None }
}

/// The text of a string whose first byte is at `start`, and where what follows it begins.
fn string(bytes: &[u8], start: usize) -> Option<(&[u8], usize)> {
    let mut at = start;
    loop {
        match bytes.get(at)? {
            b'"' => return Some((bytes.get(start..at)?, at + 1)),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
