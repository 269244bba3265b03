//! A scratch home, and the commands of an owner run in it.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tollgate_agents::install::detect::installed;

pub const TOLLGATE: &str = env!("CARGO_BIN_EXE_tollgate");

pub struct Home {
    dir: tempfile::TempDir,
}

pub struct Ran {
    pub exit: i32,
    pub out: String,
}

impl Home {
    /// With a `~/.claude` and a project to stand in.
    pub fn new() -> Self {
        let home = Self::empty();
        fs::create_dir(home.path(".claude")).unwrap();
        home
    }

    pub fn empty() -> Self {
        let home = Self { dir: tempfile::Builder::new().prefix("tollgate-home-").tempdir().unwrap() };
        fs::create_dir(home.path("p")).unwrap();
        fs::create_dir(home.path("bin")).unwrap();
        home
    }

    pub fn with(settings: &str) -> Self {
        let home = Self::new();
        home.write(".claude/settings.json", settings);
        home
    }

    pub fn installed() -> Self {
        let home = Self::with("{}");
        let ran = home.run(&["init", "--yes"]);
        assert_eq!(ran.exit, 0, "{}", ran.out);
        home
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from} is not in {text}");
        fs::write(self.path(name), text.replace(from, to)).unwrap();
    }

    pub fn settings(&self) -> String {
        self.read(".claude/settings.json")
    }

    /// A program on the search path.
    pub fn program(&self, name: &str, script: &str) {
        self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(self.path(&format!("bin/{name}")), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A command in this home with a clean environment, away from any terminal.
    pub fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command.arg("--wait").arg(program).args(args).current_dir(self.path("p")).env_clear();
        command.env("HOME", self.dir.path());
        command.env("PATH", format!("{}:{}", self.path("bin").display(), system_programs()));
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        finish(&mut self.command(Path::new(TOLLGATE), args), b"")
    }

    pub fn run_with(&self, args: &[&str], name: &str, value: &str) -> Ran {
        finish(self.command(Path::new(TOLLGATE), args).env(name, value), b"")
    }

    /// An event of a real session, delivered as registered.
    pub fn event(&self, payload: &str) -> Ran {
        let dirs = [self.path(".config/tollgate"), self.path(".local/state/tollgate")];
        let [config, state] = dirs.map(|dir| dir.display().to_string());
        let args = ["hook", "claude-code", "PreToolUse", "--config", &config, "--state", &state];
        finish(&mut self.command(Path::new(TOLLGATE), &args), payload.as_bytes())
    }
}

/// The programs of this machine without its agents: a test finds those that it sets up.
fn system_programs() -> String {
    const SYSTEM: &str = "/usr/bin:/bin";
    let agents = |path: &str| installed(Path::new("/nonexistent"), path);
    if agents(SYSTEM).is_empty() {
        return SYSTEM.to_owned();
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = scratch.join("programs-without-agents");
    if !folder.is_dir() {
        let fresh = tempfile::tempdir_in(scratch).unwrap();
        for program in SYSTEM.split(':').flat_map(|dir| fs::read_dir(dir).unwrap()).map(Result::unwrap) {
            // `/bin` is `/usr/bin` nearly everywhere.
            let _ = symlink(program.path(), fresh.path().join(program.file_name()));
        }
        for agent in std::iter::from_fn(|| agents(&fresh.path().display().to_string()).pop()) {
            fs::remove_file(agent.program.unwrap()).unwrap();
        }
        // Another test may have been quicker.
        let _ = fs::rename(fresh.path(), &folder);
    }
    folder.display().to_string()
}

pub fn finish(command: &mut Command, input: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program may answer without reading all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { exit: output.status.code().unwrap_or(-1), out: text(&output.stdout) + &text(&output.stderr) }
}

pub const SESSION_CALL: &str = concat!(
    r#"{"session_id":"5122a393","transcript_path":"","cwd":"/","permission_mode":"default","#,
    r#""hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1"}"#
);
