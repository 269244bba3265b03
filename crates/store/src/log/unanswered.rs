//! Calls that a turn left without a result: each gets a record that says so, once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::SystemTime;

use tollgate_model::Record;
use tollgate_model::json::{self, Value};

use super::lock::Lock;
use super::parts::{self, CURRENT};
use super::{Appended, Log};
use crate::LogFault;
use crate::files::{Dir, How, read_at};

/// The phase of the record that closes a call.
pub const NO_RESULT: &str = "no-result";

/// How far back is looked for the turn's beginning, step by step. What is older stays open here; figures close it all
/// the same.
const WINDOWS: [u64; 3] = [64 << 10, 512 << 10, 4 << 20];
/// What the closing record has in common with its call.
const SHARED: [&str; 9] =
    ["subagent", "cwd", "project", "mode", "prompt_id", "transcript", "tool", "class", "workflow"];

impl Log {
    /// Closes the calls that a turn left without a result. `ended` is the record of the turn's end; any other closes
    /// nothing. Returns how many were closed.
    ///
    /// # Errors
    /// When the log cannot be read or written.
    pub fn close_turn(&self, ended: &Appended, now: SystemTime) -> Result<u64, LogFault> {
        let (Some(turn), Some(dir)) = (Turn::of(ended), Dir::open(&self.state)?) else { return Ok(0) };
        if turn.unanswered(&dir)?.is_empty() {
            return Ok(0);
        }
        let lock = Lock::take(&dir, self.limits.lock_wait)?;
        // Asked again: whoever had the lock before may have closed them.
        let records = turn.unanswered(&dir)?.into_values().map(|call| (turn.closing(&call), now));
        self.put_all((&dir, &lock), records)
    }
}

/// The end of a turn, as its record tells it.
struct Turn {
    record: Value,
    seq: u64,
    /// How the session's name stands in a line.
    needle: String,
}

impl Turn {
    fn of(ended: &Appended) -> Option<Self> {
        let record = json::parse(ended.line.as_bytes()).ok()?;
        let session = record.text("session").filter(|session| !session.is_empty())?;
        let mut needle = String::from("\"session\":");
        json::write(&session.into(), &mut needle);
        is_end(&record).then_some(Self { seq: ended.seq, needle, record })
    }

    /// The calls of this turn without a result, by number.
    fn unanswered(&self, dir: &Dir) -> Result<BTreeMap<u64, Value>, LogFault> {
        let mut seen = Seen::default();
        for window in WINDOWS {
            let (bytes, all) = recent(dir, window)?;
            seen = self.look(&bytes);
            if seen.begun || all {
                break;
            }
        }
        let open = seen.calls.into_values().flatten();
        Ok(open.filter_map(|call| Some((seq_of(&call)?, call))).collect())
    }

    /// Reads lines from the last back to the turn's beginning.
    fn look(&self, bytes: &[u8]) -> Seen {
        let mut seen = Seen::default();
        for line in bytes.rsplit(|byte| *byte == b'\n') {
            let ours = std::str::from_utf8(line).is_ok_and(|line| line.contains(&self.needle));
            let Some(record) = ours.then(|| json::parse(line).ok()).flatten() else { continue };
            if ["agent", "session"].iter().any(|key| record.text(key) != self.record.text(key)) {
                continue;
            }
            if self.begins_after(&record) {
                seen.begun = true;
                break;
            }
            seen.take(record, |call| self.concerns(call));
        }
        seen
    }

    /// Is this record older than everything in the turn?
    fn begins_after(&self, record: &Value) -> bool {
        let same = match self.record.text("phase") {
            Some("session-end") => record.text("phase") == Some("session-end"),
            _ => {
                actor(record) == actor(&self.record)
                    && (is_end(record) || record.text("phase") == Some("subagent-start"))
            }
        };
        same && seq_of(record).is_some_and(|seq| seq < self.seq)
    }

    /// A session's end is the end of all turns in it.
    fn concerns(&self, call: &Value) -> bool {
        self.record.text("phase") == Some("session-end") || actor(call) == actor(&self.record)
    }

    fn closing(&self, call: &Value) -> Record {
        let kept = |from: &Value, key: &str| Some((key.to_owned(), from.get(key)?.clone()));
        let mut fields: Vec<(String, Value)> =
            ["agent", "session", "event"].iter().filter_map(|key| kept(&self.record, key)).collect();
        fields.push(("phase".to_owned(), NO_RESULT.into()));
        fields.extend(SHARED.iter().filter_map(|key| kept(call, key)));
        fields.push(("call_seq".to_owned(), seq_of(call).unwrap_or_default().into()));
        fields.push(("why".to_owned(), "no result when its turn ended".into()));
        fields.extend(kept(&self.record, "gate"));
        Record { call: call.text("id").unwrap_or_default().to_owned(), fields }
    }
}

/// What the end of the log tells about calls: by id, `None` when it needs no closing.
#[derive(Default)]
struct Seen {
    calls: BTreeMap<String, Option<Value>>,
    begun: bool,
}

impl Seen {
    /// Takes a record in that is older than those before. A call is what was asked before its tool ran; a permission
    /// stands for it where the agent asks for nothing else.
    fn take(&mut self, record: Value, concerns: impl Fn(&Value) -> bool) {
        let id = record.text("id").unwrap_or_default().to_owned();
        match record.text("phase").unwrap_or_default() {
            "post-tool" | "post-tool-fail" | "permission-denied" | NO_RESULT => {
                drop(self.calls.insert(id, None))
            }
            "pre-tool" | "permission" => {
                let before = record.text("phase") == Some("pre-tool");
                let call = (concerns(&record) && !refused(&record)).then_some(record);
                match self.calls.entry(id) {
                    Entry::Vacant(place) => drop(place.insert(call)),
                    Entry::Occupied(mut place) if before && place.get().is_some() => {
                        drop(place.insert(call));
                    }
                    Entry::Occupied(_) => {}
                }
            }
            _ => {}
        }
    }
}

/// The last bytes of the log, and whether that is all there is. A part that is compressed is of another day.
fn recent(dir: &Dir, window: u64) -> Result<(Vec<u8>, bool), LogFault> {
    let names = [parts::list(dir)?.pop(), Some(CURRENT.to_owned())];
    let mut found = Vec::new();
    let (mut left, mut all) = (window, true);
    for name in names.into_iter().flatten().rev().filter(|name| !name.ends_with(parts::COMPRESSED)) {
        let Some(file) = dir.file(&name, How::Read)? else { continue };
        let start = file.size.saturating_sub(left);
        let length = usize::try_from(file.size - start).unwrap_or_default();
        let mut bytes = read_at(&file.fd, start, length).map_err(|errno| dir.fault(errno, &name))?;
        left -= (length as u64).min(left);
        all &= start == 0;
        bytes.append(&mut found);
        found = bytes;
    }
    Ok((found, all))
}

fn is_end(record: &Value) -> bool {
    matches!(record.text("phase"), Some("stop" | "stop-error" | "subagent-stop" | "session-end"))
}

/// The subagent's id; empty for the main agent.
fn actor(record: &Value) -> &str {
    record.get("subagent").and_then(|subagent| subagent.text("id")).unwrap_or_default()
}

fn refused(record: &Value) -> bool {
    let said = record.text("expressed").or_else(|| record.text("verdict"));
    matches!(said, Some("deny" | "halt"))
}

fn seq_of(record: &Value) -> Option<u64> {
    if let Some(Value::Number(text)) = record.get("seq") { text.parse().ok() } else { None }
}
