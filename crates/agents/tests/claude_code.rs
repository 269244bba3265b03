//! Claude Code, against payloads recorded from the real client and a model of what that client obeys.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "claude_code/faults.rs"]
mod faults;
#[path = "claude_code/fixtures.rs"]
mod fixtures;
#[path = "claude_code/host.rs"]
mod host;
#[path = "claude_code/reading.rs"]
mod reading;
#[path = "claude_code/replies.rs"]
mod replies;
#[path = "claude_code/snapshots.rs"]
mod snapshots;
