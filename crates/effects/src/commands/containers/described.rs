//! Descriptions of containers: compose files and manifests of clusters.

use super::{Mount, infra, note_mount};
use crate::commands::Run;
use crate::word::Word;

/// What a description of containers asks for, by the lines that say so in compose files and in manifests: to be let out
/// of the container, or the machine's own folders.
pub(in crate::commands) fn described(run: &mut Run, text: &str) {
    let mut host_path = false;
    for line in text.lines() {
        let dense: String = line.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect();
        let entry = dense.trim_start_matches('-');
        let walls = ["privileged:true", "pid:host", "hostPID:true", "userns_mode:host"];
        if let Some(wall) = walls.iter().find(|wall| entry.split(['{', ',', '}']).any(|part| part == **wall))
        {
            infra(run, "unconfined", wall);
        }
        let mounts = entry.trim_start_matches("volumes:").split(['[', ',', ']']).filter_map(|mount| {
            let here = mount.trim_start_matches("source:").split(':').next()?;
            (mount.starts_with("source:") || mount.contains(":/")).then_some(here)
        });
        let named = entry.strip_prefix("path:").filter(|_| host_path);
        for here in
            mounts.chain(named).filter(|here| here.starts_with('/')).map(str::to_owned).collect::<Vec<_>>()
        {
            let mount = Mount { here: Word::literal_at(&here, run.call.span), there: here, read_only: false };
            note_mount(run, &mount);
        }
        host_path = entry.starts_with("hostPath:");
    }
}
