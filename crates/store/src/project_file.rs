//! The file that names a session's project, and the workflows that are under way in the session.

use std::time::{Duration, SystemTime};

use tollgate_model::json::{self, Value};

use crate::LogFault;
use crate::files::{Dir, File, How};
use crate::stamp::seconds;

/// The file's name in the folder of a session.
pub(crate) const NAME: &str = "project";
/// The longest project path that is kept.
pub(crate) const MAX_PROJECT: usize = 4 << 10;
/// The longest file of a project that is read: room for hundreds of workflows.
const MAX_FILE: usize = MAX_PROJECT + (32 << 10);
/// What stands between the project and the workflows that are under way. No line ends there, so that a file that was cut
/// short is known for one.
const LABEL: &str = "\u{1}";
/// A session in use is marked as such once in this time, so that it is not pruned.
const FRESH: Duration = Duration::from_hours(24);

/// What the file says.
pub(crate) enum Kept {
    /// It is not there.
    Nothing,
    /// The path, and the workflows that are under way.
    Whole(String, Option<Value>),
    /// Cut short by a crash of the machine: as good as nothing.
    Damaged,
}

/// Writes down beside the project which workflows are under way, where every event reads it anyway: one that is not
/// named there is not asked. A session without a project gets both at its first event.
pub(crate) fn label(dir: &Dir, workflows: Option<&Value>) -> Result<(), LogFault> {
    let Kept::Whole(path, _) = read_project(dir)? else { return Ok(()) };
    let text = labelled(&path, workflows).ok_or_else(|| dir.fault(rustix::io::Errno::FBIG, NAME))?;
    dir.put(NAME, text.as_bytes(), true).map(drop)
}

/// The file of a project. What would not be read back whole is none.
pub(crate) fn labelled(path: &str, workflows: Option<&Value>) -> Option<String> {
    let mut text = path.to_owned();
    if let Some(workflows) = workflows {
        text.push_str(LABEL);
        json::write(workflows, &mut text);
    }
    text.push('\n');
    (text.len() <= MAX_FILE).then_some(text)
}

/// Reads the file, and marks the session as in use.
pub(crate) fn read_project(dir: &Dir) -> Result<Kept, LogFault> {
    let Some((file, kept)) = kept_project(dir)? else { return Ok(Kept::Nothing) };
    if matches!(kept, Kept::Whole(..)) {
        refresh(&file);
    }
    Ok(kept)
}

/// Reads the file as it stands.
pub(crate) fn kept_project(dir: &Dir) -> Result<Option<(File, Kept)>, LogFault> {
    let Some(file) = dir.file(NAME, How::Read)? else { return Ok(None) };
    let bytes = file.whole(MAX_FILE + 1).map_err(|errno| dir.fault(errno, NAME))?;
    Ok(Some((file, whole(&bytes).unwrap_or(Kept::Damaged))))
}

fn whole(bytes: &[u8]) -> Option<Kept> {
    let text = std::str::from_utf8(bytes.strip_suffix(b"\n")?).ok()?;
    let (path, label) = text.split_once(LABEL).unwrap_or((text, ""));
    if path.is_empty() || path.len() > MAX_PROJECT {
        return None;
    }
    let workflows = match label {
        "" => None,
        label => Some(json::parse(label.as_bytes()).ok()?),
    };
    Some(Kept::Whole(path.to_owned(), workflows))
}

fn refresh(file: &File) {
    let now = SystemTime::now();
    if seconds(now) - file.changed > FRESH.as_secs() as i64 {
        let now = rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW };
        let _ = rustix::fs::futimens(
            &file.fd,
            &rustix::fs::Timestamps { last_access: now, last_modification: now },
        );
    }
}
