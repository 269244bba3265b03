//! Which agents are on this machine.

use std::path::{Path, PathBuf};

/// An agent that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The agent's name on Tollgate's command line.
    pub agent: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its program, if it is on the search path.
    pub program: Option<PathBuf>,
    /// Its settings directory, if it is there.
    pub settings: Option<PathBuf>,
}

/// The agents that have a program on the search path, or where installers put it in the user's home, or a
/// settings directory there.
#[must_use]
pub fn installed(home: &Path, path: &str) -> Vec<Installed> {
    let own: Vec<String> = OWN_BIN.iter().map(|dir| home.join(dir).display().to_string()).collect();
    let path = format!("{path}:{}", own.join(":"));
    let found = KNOWN.iter().map(|known| Installed {
        agent: known.agent,
        title: known.title,
        program: known.programs.iter().find_map(|name| on_path(name, &path)),
        settings: Some(home.join(known.settings)).filter(|dir| dir.is_dir()),
    });
    found.filter(|agent| agent.program.is_some() || agent.settings.is_some()).collect()
}

/// The first executable file of that name on a search path. Relative entries do not count: they mean
/// something else in each directory.
#[must_use]
pub fn on_path(name: &str, path: &str) -> Option<PathBuf> {
    let dirs = path.split(':').map(Path::new).filter(|dir| dir.is_absolute());
    dirs.map(|dir| dir.join(name)).find(|file| is_executable(file))
}

/// May this file be started?
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

struct Known {
    agent: &'static str,
    title: &'static str,
    programs: &'static [&'static str],
    settings: &'static str,
}

const OWN_BIN: &[&str] = &[".local/bin", ".claude/local", ".npm-global/bin", ".bun/bin"];

const KNOWN: &[Known] = &[
    Known { agent: "claude-code", title: "Claude Code", programs: &["claude"], settings: ".claude" },
    Known { agent: "codex", title: "Codex", programs: &["codex"], settings: ".codex" },
    Known { agent: "gemini-cli", title: "Gemini CLI", programs: &["gemini"], settings: ".gemini" },
    Known { agent: "cursor", title: "Cursor", programs: &["cursor-agent", "cursor"], settings: ".cursor" },
    Known { agent: "copilot-cli", title: "Copilot CLI", programs: &["copilot"], settings: ".copilot" },
    Known { agent: "opencode", title: "OpenCode", programs: &["opencode"], settings: ".config/opencode" },
    Known { agent: "qwen-code", title: "Qwen Code", programs: &["qwen"], settings: ".qwen" },
    Known { agent: "droid", title: "Factory Droid", programs: &["droid"], settings: ".factory" },
    Known { agent: "auggie", title: "Auggie", programs: &["auggie"], settings: ".augment" },
    Known { agent: "windsurf", title: "Windsurf", programs: &["windsurf"], settings: ".codeium/windsurf" },
    Known { agent: "kiro", title: "Kiro", programs: &["kiro-cli"], settings: ".kiro" },
    Known { agent: "cline", title: "Cline", programs: &["cline"], settings: ".cline" },
    Known { agent: "kilo", title: "Kilo Code", programs: &["kilo", "kilocode"], settings: ".config/kilo" },
    Known { agent: "amp", title: "Amp", programs: &["amp"], settings: ".config/amp" },
];
