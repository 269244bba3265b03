//! Owner commands are for people: they refuse to run inside an agent, and ask for the owner's PIN if there is one.
//!
//! The gate already denies such a call; this is the second lock. It looks at the processes above this one and
//! at the marks that agents leave in the environment of what they start. Inside a terminal multiplexer, where an agent can
//! type as well as a person, only a PIN tells the two apart.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::bail;

use crate::{multiplexer, pin, program};

/// Lets the owner pass: no agent may be behind this command, and the PIN is asked for where one is set.
pub fn admit(command: &str) -> anyhow::Result<()> {
    refuse_agents(command)?;
    refuse_multiplexers(command, false)?;
    pin::ask(command)
}

/// Lets `init` pass. Where Tollgate was never used (`first`) it needs no PIN inside a multiplexer: nobody can have set one,
/// and there is nothing yet that it could loosen.
pub fn admit_init(first: bool) -> anyhow::Result<()> {
    refuse_agents("init")?;
    refuse_multiplexers("init", first && !pin::was_used())?;
    pin::ask("init")
}

fn refuse_multiplexers(command: &str, first: bool) -> anyhow::Result<()> {
    let above = multiplexer_above(parent());
    let Some(name) = above.map(|(_, name)| name).or_else(multiplexer::in_environment) else { return Ok(()) };
    if !first && !pin::is_set()? {
        bail!(
            "`tollgate {command}` needs a PIN inside {name}, and none is set: any program of yours can type into {name}. \
             Open a terminal outside {name} and type `tollgate init --pin`; then type this command again"
        );
    }
    match above.and_then(|(pid, _)| changed_place(pid)) {
        Some(variable) => bail!(
            "`{variable}` is not what it was when {name} started, and decides which PIN is asked for. \
             Type `tollgate {command}` in a terminal outside {name}"
        ),
        None => Ok(()),
    }
}

/// A variable that says where the PIN is and changed since a process of this user started. Otherwise whoever types into a
/// multiplexer could bring a PIN of their own.
fn changed_place(pid: i32) -> Option<&'static str> {
    let owner = std::fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let before = |name: &str| {
        let value = |entry: &[u8]| Some(entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?.to_vec());
        environment.split(|byte| *byte == 0).find_map(value)
    };
    let changed = |name: &&str| before(name) != std::env::var_os(name).map(OsStringExt::into_vec);
    (owner == rustix::process::getuid().as_raw())
        .then(|| ["HOME", "XDG_STATE_HOME"].into_iter().find(changed))?
}

/// What shows that a coding agent is behind this command, if one is.
pub fn agent_sign() -> Option<String> {
    let mark = MARKS.iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    match mark {
        Some(name) => Some(format!("`{name}` is set")),
        None => agent_above(parent()),
    }
}

/// The session of the agent behind this command, as far as it tells its commands.
pub fn agent_session() -> Option<String> {
    const NAMES: [&str; 4] =
        ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_SESSION_ID", "QWEN_CODE_SESSION_ID"];
    NAMES.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Refuses to run for a coding agent.
pub fn refuse_agents(command: &str) -> anyhow::Result<()> {
    match agent_sign() {
        Some(sign) => bail!(
            "`tollgate {command}` is for people, and this looks like a coding agent's shell ({sign}); \
             run it in a terminal of your own"
        ),
        None => Ok(()),
    }
}

/// Set by agents for what they start. Variables that an editor's terminal also has are not in the list.
const MARKS: &[&str] = &[
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_MANAGED_BY_NPM",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "QWEN_CODE",
    "QWEN_CODE_SESSION_ID",
    "CURSOR_AGENT",
    "COPILOT_CLI",
    "COPILOT_CLI_BINARY_VERSION",
    "OPENCODE",
    "AUGMENT_AGENT",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
];

const PROGRAMS: &[&str] = &[
    "aider",
    "amp",
    "auggie",
    "claude",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "goose",
    "kilo",
    "kilocode",
    "kiro-cli",
    "opencode",
    "qwen",
];

/// Parts of the path of an agent's program or script, where its name alone says nothing.
const HOMES: &[&str] = &[
    "/@anthropic-ai/claude-code",
    "/claude/versions/",
    "/@openai/codex",
    "/@google/gemini-cli",
    "/@github/copilot",
    "/@qwen-code/qwen-code",
    "/opencode-ai/",
    "/@augmentcode/auggie",
    "/@sourcegraph/amp",
    "/@kilocode/cli",
];

const INTERPRETERS: &[&str] = &["node", "bun", "deno", "python", "python3"];

/// A running program.
#[derive(Debug, PartialEq, Eq)]
struct Process {
    parent: i32,
    name: String,
    words: Vec<String>,
}

fn parent() -> i32 {
    rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get())
}

/// A process and all above it, each with its number.
fn lineage(first: i32) -> impl Iterator<Item = (i32, Process)> {
    let with_number = |pid: i32| Process::of(pid).map(|process| (pid, process));
    // The limit ends the walk should the tree change under it into a loop.
    std::iter::successors(with_number(first), move |(_, process)| with_number(process.parent)).take(200)
}

fn agent_above(pid: i32) -> Option<String> {
    lineage(pid).find_map(|(pid, process)| {
        let running = process.agent().map(|agent| format!("`{agent}` is running it, process {pid}"));
        // What started all this may have been an agent, whatever was taken out of the environment since.
        running.or_else(|| Some(format!("`{}` was set where process {pid} started", marked(pid)?)))
    })
}

fn multiplexer_above(pid: i32) -> Option<(i32, &'static str)> {
    lineage(pid).find_map(|(pid, process)| {
        let first = process.words.first().map_or("", |word| base(word));
        let names = [process.name.as_str(), first];
        Some((pid, names.into_iter().find_map(multiplexer::by_process_name)?))
    })
}

/// An agent's mark in the environment that a process was started with. None where that cannot be read.
fn marked(pid: i32) -> Option<&'static str> {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    let names = environment.split(|byte| *byte == 0).filter_map(|entry| {
        let at = entry.iter().position(|byte| *byte == b'=')?;
        entry.split_at_checked(at).filter(|(_, value)| value.len() > 1).map(|(name, _)| name)
    });
    let names: Vec<&[u8]> = names.collect();
    MARKS.iter().find(|mark| names.contains(&mark.as_bytes())).copied()
}

impl Process {
    fn of(pid: i32) -> Option<Self> {
        if pid <= 0 {
            return None;
        }
        if Path::new("/proc/self/stat").exists() { Self::from_proc(pid) } else { Self::from_ps(pid) }
    }

    fn from_proc(pid: i32) -> Option<Self> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words = words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut process = Self::from_stat(&String::from_utf8_lossy(&stat))?;
        process.words = words.collect();
        Some(process)
    }

    /// `PID (NAME) STATE PARENT …`, where NAME may hold anything.
    fn from_stat(stat: &str) -> Option<Self> {
        let (before, after) = stat.rsplit_once(')')?;
        let (_, name) = before.split_once('(')?;
        let parent = after.split_whitespace().nth(1)?.parse().ok()?;
        Some(Self { parent, name: name.to_owned(), words: Vec::new() })
    }

    fn from_ps(pid: i32) -> Option<Self> {
        let mut ps = Command::new("/bin/ps");
        ps.args(["-ww", "-o", "ppid=,args=", "-p", &pid.to_string()]);
        let ran = program::run(&mut ps, b"", Duration::from_secs(2)).ok()??;
        let mut words = ran.stdout.split_whitespace();
        let parent = words.next()?.parse().ok()?;
        let words: Vec<String> = words.map(str::to_owned).collect();
        Some(Self { parent, name: String::new(), words })
    }

    /// The agent that this is, if it is one.
    fn agent(&self) -> Option<&str> {
        let first = self.words.first().map_or("", String::as_str);
        let script = self.words.get(1).map_or("", String::as_str);
        let interpreted = INTERPRETERS.contains(&base(first));
        let names = [self.name.as_str(), base(first), if interpreted { base(script) } else { "" }];
        let known = |name: &str| PROGRAMS.iter().find(|program| **program == name).copied();
        names.into_iter().find_map(known).or_else(|| {
            let paths = [first, if interpreted { script } else { "" }];
            HOMES.iter().find(|part| paths.iter().any(|path| path.contains(**part))).copied()
        })
    }
}

/// The last part of a path, without a script's ending.
fn base(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    [".js", ".mjs", ".cjs", ".py"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_name_script_or_path() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("claude", &["claude", "-p", "hi"], true),
            ("node", &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"], true),
            ("2.1.325", &["/home/u/.local/share/claude/versions/2.1.325"], true),
            ("MainThread", &["/usr/bin/node", "/usr/bin/gemini"], true),
            ("python3", &["/usr/bin/python3", "/opt/venv/bin/aider.py"], true),
            ("codex", &["codex"], true),
            ("bash", &["-bash"], false),
            ("vim", &["vim", "claude"], false),
            ("bash", &["bash", "/home/u/claude/build.sh"], false),
            ("cursor", &["/usr/share/cursor/cursor"], false),
            ("node", &["node", "/srv/app/server.js"], false),
            ("sshd", &[], false),
        ];
        for (name, words, expected) in cases {
            let words = words.iter().map(|&word| word.to_owned()).collect();
            let process = Process { parent: 1, name: (*name).to_owned(), words };
            assert_eq!(process.agent().is_some(), *expected, "{process:?}");
        }
    }

    #[test]
    fn tests_start_without_the_marks() {
        let runner = include_str!("../../../.cargo/run-test");
        for mark in MARKS {
            assert!(runner.split_whitespace().any(|word| word == *mark), "`.cargo/run-test` keeps {mark}");
        }
    }

    #[test]
    fn stat_lines_with_any_name_are_read() {
        let parent = |stat: &str| Process::from_stat(stat).map(|process| (process.parent, process.name));
        assert_eq!(parent("12 (bash) S 7 12 12 0"), Some((7, "bash".into())));
        assert_eq!(parent("12 (a) S 99 (b) R 7 12"), Some((7, "a) S 99 (b".into())));
        assert_eq!(parent("nonsense"), None);
    }
}
