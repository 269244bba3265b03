//! Incidents of the last days that the log holds: calls over which the gate failed, and wrong PINs.

use std::path::Path;

use tollgate_model::json::Value;
use tollgate_store::Log;

use crate::report::Line;
use crate::{pin, when};
use tollgate_model::is_canary;

const DAYS: i64 = 7;

/// What to look at; nothing when nothing happened.
pub fn lines(state: &Path) -> Vec<Line> {
    failures(state).into_iter().chain(wrong_pins(state)).collect()
}

fn failures(state: &Path) -> Option<Line> {
    let since = when::now() - DAYS * when::DAY;
    let entries = Log::at(state).records();
    let failed = entries.filter_map(|entry| entry.value()).filter(|record| is_failure(record, since));
    let (mut count, mut last) = (0_usize, None);
    for record in failed {
        count += 1;
        last = Some(record);
    }
    let last = last?;
    let text = |key: &str| last.text(key).unwrap_or_default().to_owned();
    let calls = if count == 1 { "call" } else { "calls" };
    let what = format!(
        "last {DAYS} days: the gate failed over {count} {calls}; the last one at {}: {}",
        text("ts"),
        text("message")
    );
    Some(Line::yellow(what, "tollgate log --json | grep '\"fault\"'"))
}

/// Did the gate itself fail? Unreadable input is the agent's failure, and is told where it happens.
fn is_failure(record: &Value, since: i64) -> bool {
    matches!(record.text("fault"), Some("panic" | "deadline" | "analysis"))
        && !is_canary(record.text("session"))
        && record.text("ts").and_then(tollgate_store::micros_of).is_some_and(|at| at >= since)
}

fn wrong_pins(state: &Path) -> Option<Line> {
    let told = pin::wrong_tries(state)?;
    Some(Line::yellow(
        told,
        "if that was not you, look at `tollgate log` and set another PIN: tollgate init --pin",
    ))
}
