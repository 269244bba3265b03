//! Proof of life at the start of a session: how many calls of the last days passed the gate.
//!
//! Reading transcripts may take long, so that another process does it. What it finds in a moment is told now, the rest
//! at the next start.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tollgate_model::{Event, Kind};
use tollgate_store::{LogFault, keep_note, read_note};

use crate::when;
use tollgate_model::is_canary;

const NAME: &str = "life";
/// How long the start of a session is held up.
const MOMENT: Duration = Duration::from_millis(150);
/// What is told is about these days, and no older than them.
pub const DAYS: i64 = 7;

/// What to tell at an event. Only a session that a person just began has something to hear.
pub fn told(event: &Event, state: &Path) -> Option<String> {
    let Kind::SessionStart { source } = &event.kind else { return None };
    if matches!(source.as_str(), "compact" | "clear") || is_canary(Some(&event.session)) {
        return None;
    }
    look(state);
    let text = String::from_utf8(read_note(state, NAME, 4096).ok()??).ok()?;
    let (at, line) = text.trim_end().split_once(' ')?;
    let fresh = at.parse::<i64>().is_ok_and(|at| when::now() - at < DAYS * when::DAY);
    (fresh && !line.is_empty()).then(|| format!("tollgate: {line}"))
}

/// Keeps what was found for those who ask next.
pub fn keep(state: &Path, line: &str) -> Result<(), LogFault> {
    keep_note(state, NAME, format!("{} {line}\n", when::now()).as_bytes())
}

/// Starts whoever reads the transcripts, and waits for a moment.
fn look(state: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg("alive").arg(state).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return };
    let end = Instant::now() + MOMENT;
    while Instant::now() < end && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(2));
    }
}
