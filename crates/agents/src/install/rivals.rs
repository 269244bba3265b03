//! Whether the gate alone decides about an agent's calls, or another hook has a say.

use std::path::{Path, PathBuf};

use super::doc::Doc;
use super::edit::groups;
use super::file::read_any;
use super::registration::runs_gate;
use super::setup::{Roots, Setup};
use crate::install::claude::settings::Scope;
use tollgate_model::Agent;
use tollgate_model::json::Value;

/// True when no other hook can be found that is asked about the same calls. Whatever cannot be read counts as one.
#[must_use]
pub fn alone(setup: &Setup, roots: &Roots) -> bool {
    let scopes = [Scope::User, Scope::Project];
    let mut files: Vec<PathBuf> = scopes.iter().filter_map(|scope| setup.file(roots, *scope)).collect();
    let mut folders = Vec::new();
    if setup.agent == Agent::QwenCode {
        files.extend(QWEN_SYSTEM.iter().map(PathBuf::from));
        let roots = [roots.home, roots.project];
        folders.extend(roots.iter().flat_map(|root| QWEN_ELSEWHERE.iter().map(move |dir| root.join(dir))));
    }
    files.iter().all(|file| only_ours(file, setup.decides)) && folders.iter().all(|dir| is_quiet(dir))
}

/// Settings of the whole machine.
const QWEN_SYSTEM: &[&str] = &["/etc/qwen-code/settings.json", "/etc/qwen-code/system-defaults.json"];

/// Extensions, subagents and skills may bring hooks of their own.
const QWEN_ELSEWHERE: &[&str] = &[".qwen/extensions", ".qwen/agents", ".qwen/skills"];

fn only_ours(file: &Path, event: &str) -> bool {
    let Ok(bytes) = read_any(file) else { return false };
    let Some(bytes) = bytes else { return true };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let Ok(doc) = Doc::parse(&text) else { return false };
    let settings = doc.value();
    let handlers = |group: &Value| group.get("hooks").and_then(Value::as_list).map(<[Value]>::to_vec);
    groups(&settings, event).iter().all(|group| handlers(group).is_some_and(|all| all.iter().all(runs_gate)))
}

/// No file in it speaks of the events at which calls are decided.
fn is_quiet(dir: &Path) -> bool {
    let mut left = MOST_FILES;
    quiet_below(dir, DEEPEST, &mut left)
}

/// More than anybody reads before a question; whoever has more is asked about nothing.
const MOST_FILES: usize = 500;
const DEEPEST: usize = 6;
const DECIDING: [&[u8]; 2] = [b"PreToolUse", b"BeforeTool"];

fn quiet_below(dir: &Path, depth: usize, left: &mut usize) -> bool {
    let entries = match std::fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
    };
    for entry in entries {
        let (Ok(entry), Some(fewer)) = (entry, left.checked_sub(1)) else { return false };
        *left = fewer;
        let path = entry.path();
        let quiet = match std::fs::metadata(&path) {
            Ok(meta) if meta.is_dir() => depth > 0 && quiet_below(&path, depth - 1, left),
            Ok(_) => read_any(&path).is_ok_and(|bytes| bytes.is_none_or(|bytes| !speaks(&bytes))),
            Err(_) => false,
        };
        if !quiet {
            return false;
        }
    }
    true
}

fn speaks(bytes: &[u8]) -> bool {
    DECIDING.iter().any(|word| bytes.windows(word.len()).any(|window| window == *word))
}
