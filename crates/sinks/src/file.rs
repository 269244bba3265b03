//! Lines at the end of a file, which may lie in a workspace that others write: no link is followed anywhere on the
//! way that we make, and nothing but a regular file with one name is written.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde_json::{Value, json};

use crate::{Trouble, project, text, verdict};

/// Records in a line each: in one file, or in each project's own where the path is relative.
pub(crate) fn write(
    path: &Path,
    records: &[&Value],
    line: impl Fn(&Value) -> Option<String>,
) -> Result<(), Trouble> {
    if path.is_absolute() {
        return append(path, records.iter().filter_map(|record| line(record)));
    }
    let mut files: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for record in records {
        let project = project(record);
        // A record of no project has nowhere to go.
        if project.starts_with('/') {
            files.entry(Path::new(project).join(path)).or_default().extend(line(record));
        }
    }
    let mut outcome = Ok(());
    for (file, lines) in files {
        // One project that is gone or closed must not hold the others up.
        if let Err(trouble) = append(&file, lines.into_iter()) {
            outcome = Err(Trouble::lost(trouble.why));
        }
    }
    outcome
}

/// The analytics line of hand-written handlers.
pub(crate) fn analytics(record: &Value) -> Option<String> {
    let handler = match text(record, "phase") {
        "pre-tool" => "pre-tool-use",
        "post-tool" | "post-tool-fail" => "post-tool-use",
        "prompt" => "user-prompt",
        "" => return None,
        phase => phase,
    };
    let decision = match verdict(record) {
        "deny" | "halt" => "block",
        "ask" => "ask",
        _ => "allow",
    };
    let findings = record.get("findings").and_then(Value::as_array);
    let reason = findings.and_then(|all| all.first()).map(|finding| text(finding, "what"));
    let event = if handler == "pre-tool-use" { "hook_decision" } else { "hook_event" };
    let mut line = json!({
        "timestamp": text(record, "ts"), "event_type": event, "handler": handler, "tool_name": record.get("tool"),
        "decision": decision, "reason": reason, "tool_use_id": record.get("id"), "session_id": record.get("session"),
    });
    // Other events are numbered in the log as well, but that is no call of a tool.
    if text(record, "tool").is_empty()
        && let Some(members) = line.as_object_mut()
    {
        members.remove("tool_use_id");
    }
    Some(line.to_string())
}

/// Appends lines with one write.
fn append(path: &Path, lines: impl Iterator<Item = String>) -> Result<(), Trouble> {
    let mut bytes = String::new();
    for line in lines {
        bytes.push_str(&line);
        bytes.push('\n');
    }
    if bytes.is_empty() {
        return Ok(());
    }
    let told = |errno: Errno| Trouble::later(format!("`{}`: {errno}", path.display()));
    let file = open(path).map_err(told)?;
    let stat = rustix::fs::fstat(&file).map_err(told)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 {
        return Err(Trouble::later(format!(
            "`{}` is no plain file with one name; it is left alone",
            path.display()
        )));
    }
    let mut rest = bytes.as_bytes();
    while !rest.is_empty() {
        let count = rustix::io::retry_on_intr(|| rustix::io::write(&file, rest)).map_err(told)?;
        rest = rest.get(count..).unwrap_or_default();
    }
    Ok(())
}

/// Walks down folder by folder. The folders above the last three are the user's own; below, where a workspace may
/// hold anything, each is opened without following a link, and made when missing.
fn open(path: &Path) -> Result<OwnedFd, Errno> {
    let names: Vec<&std::ffi::OsStr> = path
        .components()
        .filter_map(|part| if let Component::Normal(name) = part { Some(name) } else { None })
        .collect();
    let depth = path.components().count().saturating_sub(1).min(3);
    let mut base = path;
    for _ in 0..depth {
        base = base.parent().ok_or(Errno::INVAL)?;
    }
    let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
    let folder = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut at = rustix::fs::openat(CWD, base, folder, Mode::empty())?;
    let below = names.get(names.len().saturating_sub(depth)..).unwrap_or_default();
    let (last, folders) = below.split_last().ok_or(Errno::INVAL)?;
    for name in folders {
        match rustix::fs::mkdirat(&at, *name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        at = rustix::fs::openat(&at, *name, folder | OFlags::NOFOLLOW, Mode::empty())?;
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    rustix::fs::openat(&at, *last, flags | OFlags::CLOEXEC | OFlags::NOCTTY, Mode::RUSR | Mode::WUSR)
}
