//! Every agent but Claude Code, against payloads recorded from the real clients and models of what those obey.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "agents/documented.rs"]
mod documented;
#[path = "agents/fixtures.rs"]
mod fixtures;
#[path = "agents/hosts.rs"]
mod hosts;
#[path = "agents/lawful.rs"]
mod lawful;
#[path = "agents/reading.rs"]
mod reading;
#[path = "agents/snapshots.rs"]
mod snapshots;
