//! A scratch home with a project, and the hook run in it as Claude Code runs it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod contain;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub struct Scratch {
    folder: tempfile::TempDir,
}

pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
    pub time: Duration,
}

impl Scratch {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("tollgate-test-").tempdir_in(base()).unwrap();
        let scratch = Self { folder };
        std::fs::create_dir_all(scratch.project().join("src")).unwrap();
        std::fs::create_dir_all(scratch.home().join(".ssh")).unwrap();
        std::fs::write(scratch.home().join(".ssh/id_rsa"), "PRIVATE-KEY-MATERIAL").unwrap();
        std::fs::write(scratch.project().join("README.md"), "# readme\n").unwrap();
        scratch
    }

    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/tollgate")
    }

    pub fn config(&self) -> PathBuf {
        self.home().join(".config/tollgate")
    }

    pub fn policy(&self, text: &str) {
        std::fs::create_dir_all(self.config()).unwrap();
        std::fs::write(self.config().join("tollgate.yaml"), text).unwrap();
    }

    /// The hook's command line, with a clean environment.
    pub fn command(&self, event: Option<&str>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(["hook", "claude-code"]).args(event);
        command.arg("--config").arg(self.config()).arg("--state").arg(self.state());
        self.clean(&mut command);
        command
    }

    pub fn clean(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.home()).env("PATH", "/usr/bin:/bin").current_dir(self.project());
        command.env("CLAUDE_PROJECT_DIR", self.project()).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    }

    /// Git in the project, with an identity of its own and no configuration of this machine.
    pub fn git_command(&self) -> Command {
        let mut command = Command::new("git");
        self.clean(&mut command);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("PATH", "/usr/bin:/bin:/usr/local/bin");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.test", "-c", "init.defaultBranch=main"]);
        command
    }

    pub fn git(&self, args: &[&str]) {
        let output = self.git_command().args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub fn hook(&self, event: &str, payload: &[u8]) -> Answer {
        answer(&mut self.command(Some(event)), payload)
    }

    pub fn payload(&self, tool: &str, input: Value) -> Vec<u8> {
        json!({
            "session_id": "5122a393-eb39-4719-8deb-297f5cd1e162", "transcript_path": "/x/t.jsonl",
            "cwd": self.project(), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_01",
        })
        .to_string()
        .into_bytes()
    }

    pub fn bash(&self, text: &str) -> Answer {
        self.hook("PreToolUse", &self.payload("Bash", json!({"command": text})))
    }

    pub fn tool(&self, tool: &str, input: Value) -> Answer {
        self.hook("PreToolUse", &self.payload(tool, input))
    }

    pub fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.state().join("events.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Is a program that a test runs missing? `cargo xtask test` installs it; plain `cargo test` leaves the test out and says so.
pub fn is_missing(program: &str) -> bool {
    let missing =
        !["/usr/bin", "/bin", "/usr/local/bin"].iter().any(|dir| Path::new(dir).join(program).exists());
    if missing {
        eprintln!("left out: `{program}` is not installed (`cargo xtask test` installs it)");
    }
    missing
}

/// Outside the temporary directories, so that a scratch home is judged as a home.
fn base() -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scratch");
    std::fs::create_dir_all(&base).unwrap();
    base
}

/// A command as a person types it in a terminal of their own, with what they type after it.
pub fn in_terminal(scratch: &Scratch, args: &str, typed: &str) -> Answer {
    let mut command = Command::new("script");
    command.args(["-qec", &format!("{} {args}", env!("CARGO_BIN_EXE_tollgate")), "/dev/null"]);
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
    answer(&mut command, typed.as_bytes())
}

/// A text without what differs from run to run: the scratch folder of `tollgate demo`, and the times of log lines.
pub fn steady(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.split(' ').map(steady_word).collect::<Vec<_>>().join(" ");
        // How much git keeps beside the files depends on its version.
        match line.split_once(": saved ").and_then(|(start, rest)| Some((start, rest.split_once(" as ")?.1)))
        {
            Some((start, rest)) => format!("{start}: saved […] as {rest}"),
            None => line,
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn steady_word(word: &str) -> String {
    let shape: String = word.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    if let Some((_, rest)) = word.split_once("u-").filter(|(start, id)| start.is_empty() && id.len() >= 4) {
        let end = if rest.ends_with(';') { ";" } else { "" };
        return format!("u-[…]{end}");
    }
    match (shape.as_str(), word.split_once("/tollgate-demo-")) {
        ("##-##" | "##:##" | "##:##:##", _) => "[…]".to_owned(),
        (_, Some((_, rest))) => {
            format!("/tmp/tollgate-demo-[…]/{}", rest.split_once('/').unwrap_or_default().1)
        }
        _ => word.to_owned(),
    }
}

pub fn answer(command: &mut Command, payload: &[u8]) -> Answer {
    let start = Instant::now();
    let mut child = start_with(command);
    let mut stdin = child.stdin.take().unwrap();
    let payload = payload.to_vec();
    let writer = std::thread::spawn(move || {
        // The hook may have answered before it read everything.
        let _ = stdin.write_all(&payload);
    });
    let answer = finish(child, start);
    writer.join().unwrap();
    answer
}

pub fn start_with(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn finish(child: Child, start: Instant) -> Answer {
    let output = child.wait_with_output().unwrap();
    Answer {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code(),
        time: start.elapsed(),
    }
}

impl Answer {
    /// The decision that Claude Code 2.1.325 reads from this answer: `deny`, `ask`, `allow`, or `none`.
    pub fn decision(&self) -> String {
        if self.code == Some(2) {
            assert!(!self.stderr.is_empty(), "exit 2 without a reason");
            return "deny".into();
        }
        assert_eq!(self.code, Some(0), "stdout {:?} stderr {:?}", self.stdout, self.stderr);
        if self.stdout.is_empty() {
            return "none".into();
        }
        let value: Value = serde_json::from_str(&self.stdout).unwrap();
        let output = &value["hookSpecificOutput"];
        match output["permissionDecision"].as_str() {
            Some(decision) => {
                assert_eq!(output["hookEventName"], "PreToolUse");
                assert!(!output["permissionDecisionReason"].as_str().unwrap().is_empty());
                decision.to_owned()
            }
            None => "none".into(),
        }
    }

    #[track_caller]
    pub fn refused(&self) -> &Self {
        let decision = self.decision();
        assert!(matches!(decision.as_str(), "deny" | "ask"), "{decision}: {} {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn denied(&self) -> &Self {
        assert_eq!(self.decision(), "deny", "{} {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn silent(&self) -> &Self {
        assert_eq!((self.stdout.as_str(), self.stderr.as_str(), self.code), ("", "", Some(0)));
        self
    }

    /// It passes, and nothing is said but, perhaps, what middlewares measured, which Claude Code ignores.
    #[track_caller]
    pub fn quiet(&self) -> &Self {
        assert_eq!((self.stderr.as_str(), self.code), ("", Some(0)), "{}", self.stdout);
        if self.stdout.is_empty() {
            return self;
        }
        let said: Value = serde_json::from_str(&self.stdout).unwrap();
        let metrics = &said["hookSpecificOutput"]["metrics"];
        let expected = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "metrics": metrics}});
        assert!(metrics.is_object() && said == expected, "{}", self.stdout);
        self
    }

    pub fn says(&self, text: &str) -> bool {
        self.stdout.contains(text) || self.stderr.contains(text)
    }
}

/// What is in a folder: every path below it with what it holds, and what git says of it where it is a repository.
fn everything(scratch: &Scratch, folder: &Path) -> std::collections::BTreeMap<PathBuf, String> {
    let mut all = std::collections::BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let held = if metadata.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
            waiting.extend(entries.filter(|path| !path.ends_with(".git")));
            String::from("folder")
        } else if metadata.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).unwrap().display())
        } else if metadata.is_file() {
            String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
        } else {
            format!("{:?}", metadata.file_type())
        };
        all.insert(path, format!("{:o} {held}", std::os::unix::fs::MetadataExt::mode(&metadata)));
    }
    let asked: [&[&str]; 6] = [
        &["status", "--porcelain=v2", "--branch", "--ignored"],
        &["for-each-ref", "--exclude=refs/tollgate"],
        &["stash", "list"],
        &["worktree", "list"],
        &["diff", "--cached"],
        &["diff"],
    ];
    for words in asked {
        let output = scratch.git_command().args(words).current_dir(folder).output().unwrap();
        all.insert(words.join(" ").into(), String::from_utf8_lossy(&output.stdout).into_owned());
    }
    all
}

impl Scratch {
    /// A call that is let through because it was saved: it really runs, and `tollgate undo` takes it back.
    #[track_caller]
    pub fn saved(&self, text: &str) -> Answer {
        self.saved_with_undo(text, |_| ())
    }

    /// The same, with something done between the call and its undoing.
    #[track_caller]
    pub fn saved_with_undo(&self, text: &str, between: impl Fn(&Self)) -> Answer {
        let before = everything(self, &self.project());
        let said = self.bash(text);
        assert_eq!(said.decision(), "none", "{text}: {} {}", said.stdout, said.stderr);
        let id = said.saved_as().unwrap_or_else(|| panic!("{text}: nothing was saved: {}", said.stdout));
        let record = self.log().into_iter().rev().find(|record| record["phase"] == "pre-tool").unwrap();
        assert_eq!(record["verdict"], "save", "{text}");
        assert_eq!(record["undo"]["id"], id.as_str(), "{text}");
        let mut shell = Command::new("/bin/bash");
        self.clean(&mut shell);
        shell.args(["-c", text]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        shell.status().unwrap();
        between(self);
        let mut undo = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        self.clean(&mut undo);
        undo.env("CLAUDECODE", "1")
            .env("CLAUDE_CODE_SESSION_ID", session_of(&self.payload("Bash", json!({}))));
        let restored = answer(undo.args(["undo", "restore", &id, "--force"]), b"");
        assert_eq!(restored.code, Some(0), "{text}: {} {}", restored.stdout, restored.stderr);
        let after = everything(self, &self.project());
        for path in before.keys().chain(after.keys()) {
            assert_eq!(after.get(path), before.get(path), "{text}: {} is not as it was", path.display());
        }
        said
    }
}

fn session_of(payload: &[u8]) -> String {
    let value: Value = serde_json::from_slice(payload).unwrap();
    value["session_id"].as_str().unwrap().to_owned()
}

impl Answer {
    /// The snapshot that the answer tells the model of.
    pub fn saved_as(&self) -> Option<String> {
        let value: Value = serde_json::from_str(&self.stdout).ok()?;
        let told = value["hookSpecificOutput"]["additionalContext"].as_str()?.to_owned();
        assert!(value["systemMessage"].as_str()?.contains("To restore: tollgate undo u-"), "{value}");
        Some(told.split("tollgate undo ").nth(1)?.lines().next()?.to_owned())
    }
}
