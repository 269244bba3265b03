//! The agents' own transcripts on this machine.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tollgate_agents::transcript::{Reader, Told};
use tollgate_model::Agent;

/// The deepest folder that is looked into.
const DEPTH: usize = 8;
/// No line of a transcript that holds a call is longer.
const MAX_LINE: u64 = 64 << 20;

/// One transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Whose.
    pub agent: Agent,
    /// Where.
    pub path: PathBuf,
    /// How large; a link is as large as its own text.
    pub size: u64,
    /// When it was last written, in microseconds since 1970.
    pub changed: i64,
}

/// Where each agent keeps its transcripts, below the home directory, and what their names begin with.
const PLACES: [(Agent, &str, &str); 4] = [
    (Agent::ClaudeCode, ".claude/projects", ""),
    (Agent::Codex, ".codex/sessions", "rollout-"),
    (Agent::GeminiCli, ".gemini/tmp", "session-"),
    (Agent::QwenCode, ".qwen/projects", ""),
];

/// All transcripts below a home directory. Links are found, and not followed: reading one tells so.
pub fn find(home: &Path) -> Vec<Transcript> {
    let mut found = Vec::new();
    for (agent, folder, prefix) in PLACES {
        walk(&home.join(folder), DEPTH, &mut |path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(prefix) && name.ends_with(".jsonl") {
                found.extend(one(agent, path));
            }
        });
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// Reads a transcript; `each` gets what it tells, in order. A line that is being written is left for later.
pub fn read(transcript: &Transcript, mut each: impl FnMut(Told)) -> std::io::Result<()> {
    use std::io::Read;
    if transcript.path.symlink_metadata()?.is_symlink() {
        return Err(std::io::Error::other("a link, which was not followed"));
    }
    let mut lines = BufReader::with_capacity(256 << 10, File::open(&transcript.path)?);
    let mut reader = Reader::new(transcript.agent);
    let mut line = Vec::new();
    loop {
        line.clear();
        if lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        reader.line(line.trim_ascii_end()).into_iter().for_each(&mut each);
    }
}

fn one(agent: Agent, path: &Path) -> Option<Transcript> {
    let meta = path.symlink_metadata().ok().filter(|meta| meta.is_file() || meta.is_symlink())?;
    let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let changed = i64::try_from(changed.as_micros()).ok()?;
    Some(Transcript { agent, path: path.to_owned(), size: meta.len(), changed })
}

fn walk(folder: &Path, depth: usize, each: &mut dyn FnMut(&Path)) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => walk(&entry.path(), depth - 1, each),
            Ok(kind) if kind.is_file() || kind.is_symlink() => each(&entry.path()),
            _ => {}
        }
    }
}
