//! Claude Code 2.1.325: `capability` says what each of its events honours, `tools` understands its tools, `say`
//! writes what it obeys.

mod capability;
mod say;
mod tools;

use tollgate_model::json::Value;
use tollgate_model::{Agent, Attended, Decision, Event, Fault, Kind, Reply, Verdict};

use crate::capability::{Deny, EventCapability};
use crate::cursor::Cursor;
use crate::install::claude::{EXEC_FORM_SINCE, ON_FAILURE_SINCE};
use crate::read::{self, Keys, Reader};
use crate::{Adapter, Change, Payload, Profile, Said};

/// The adapter of Claude Code.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

static PROFILE: Profile = Profile {
    changes: CHANGES,
    ..Profile::proven(Agent::ClaudeCode, "Claude Code", "2.1.325", capability::TABLE)
};

/// Seen of older versions; only 2.1.325 is driven.
const CHANGES: &[Change] = &[
    Change {
        since: EXEC_FORM_SINCE,
        before: "it starts hooks only through a shell, which the gate's entries are not made for",
        opens: true,
    },
    Change { since: ON_FAILURE_SINCE, before: "a hook that fails lets the call run", opens: true },
];

impl Adapter for ClaudeCode {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn read(&self, payload: &Payload) -> Result<Event, Fault> {
        let top = read::object(payload.bytes, PROFILE.title)?;
        if top.get("cursor_version").is_some() {
            return Cursor.read(&Payload { hint: None, ..*payload });
        }
        let reader = Reader { profile: &PROFILE, keys: &Keys::SNAKE, tools: tools::call };
        let event = reader.read_value(top, payload.hint)?;
        let project = (payload.env)("CLAUDE_PROJECT_DIR").filter(|path| !path.is_empty());
        Ok(Event { project, attended: self.attended(payload), ..event })
    }

    /// Cursor runs the hooks in Claude Code's settings as well, with payloads of its own.
    fn reply(&self, event: &Event, decision: &Decision) -> Reply {
        match event.agent {
            Agent::Cursor => Cursor.reply(event, decision),
            _ => crate::say::decision(self, event, decision),
        }
    }

    fn ended(&self, event: &Event) -> Option<(i32, String)> {
        ended(event)
    }

    fn tells_end(&self) -> bool {
        true
    }

    /// A change of the managed settings is announced, but cannot be blocked.
    fn row(&self, event: &Event) -> EventCapability {
        let row = PROFILE.row(&event.name).copied().unwrap_or(EventCapability::UNKNOWN);
        match &event.kind {
            Kind::ConfigChange { source, .. } if source == "policy_settings" => {
                EventCapability { deny: Deny::Never, ..row }
            }
            _ => row,
        }
    }

    /// Whether Claude Code says that a person is there.
    fn attended(&self, payload: &Payload) -> Attended {
        match (payload.env)("CLAUDE_CODE_SESSION_ATTENDED").as_deref() {
            Some("1") => Attended::Yes,
            Some("0") => Attended::No,
            _ => Attended::Unknown,
        }
    }

    /// The mode `dontAsk` refuses instead of asking.
    fn can_ask(&self, attended: Attended, permission_mode: &str) -> bool {
        attended != Attended::No && permission_mode != "dontAsk"
    }

    fn write(&self, said: &Said) -> Reply {
        say::write(said)
    }

    fn blind(&self, verdict: Verdict, text: &str) -> Reply {
        crate::blind_claude_like(verdict, text)
    }
}

/// One row per event of Claude Code 2.1.325.
#[must_use]
pub fn capabilities() -> &'static [EventCapability] {
    capability::TABLE
}

/// What a command came to: Claude Code tells a success with its output, a failure as `Exit code N` before it.
fn ended(event: &Event) -> Option<(i32, String)> {
    match &event.kind {
        Kind::PostTool { response, .. } => {
            let stopped = response.get("interrupted").and_then(Value::as_bool).unwrap_or_default();
            if stopped || response.get("backgroundTaskId").is_some() {
                return None;
            }
            let (out, err) = (response.text("stdout")?, response.text("stderr").unwrap_or_default());
            Some((0, format!("{out}\n{err}")))
        }
        Kind::PostToolFail { error, .. } => {
            let (code, output) = error.strip_prefix("Exit code ")?.split_once('\n').unwrap_or((error, ""));
            Some((code.trim().parse().ok()?, output.to_owned()))
        }
        _ => None,
    }
}
