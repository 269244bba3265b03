//! State directories, records, and the test binary run as other processes.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use tollgate_model::Record;
use tollgate_model::json::{Value, object};
use tollgate_store::{Appended, Limits, Log, LogFault, Verification};

/// A state directory that does not exist yet, and the log in it.
pub struct Scene {
    pub root: TempDir,
    pub state: PathBuf,
    pub log: Log,
}

impl Scene {
    pub fn new() -> Self {
        Self::with_parts(Limits::default().part)
    }

    /// With parts of that many bytes.
    pub fn with_parts(part: u64) -> Self {
        let root = tempfile::tempdir().unwrap();
        let state = root.path().join("state");
        let log = Log::at(&state).limits(Limits { part, ..Limits::default() });
        Self { root, state, log }
    }

    pub fn append(&self, text: &str) -> Result<Appended, LogFault> {
        self.log.append(&record(text), now())
    }

    pub fn fill(&self, count: usize) {
        for index in 0..count {
            self.append(&format!("echo {index}")).unwrap();
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.state.join(name)
    }

    pub fn current(&self) -> Vec<u8> {
        std::fs::read(self.path("events.jsonl")).unwrap()
    }

    pub fn verify(&self) -> Verification {
        self.log.verify()
    }

    /// Nothing but what a crash may leave, and that many records.
    pub fn assert_sound(&self, records: u64) {
        let seen = self.verify();
        assert!(seen.is_sound(), "{}", told(&seen));
        assert_eq!(seen.records, records, "{}", told(&seen));
    }
}

pub fn told(seen: &Verification) -> String {
    seen.troubles.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// 2026-01-01.
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_767_225_600)
}

/// The record of a refused command.
pub fn record(command: &str) -> Record {
    call("toolu_1", "session", "pre-tool", command)
}

pub fn call(id: &str, session: &str, phase: &str, command: &str) -> Record {
    let fields = [
        ("agent", "claude-code".into()),
        ("session", session.into()),
        ("event", "PreToolUse".into()),
        ("phase", phase.into()),
        ("tool", "Bash".into()),
        ("input", object([("command", command.into())])),
        ("verdict", "deny".into()),
    ];
    with_fields(id, fields.into_iter())
}

pub fn with_fields<'f>(id: &str, fields: impl Iterator<Item = (&'f str, Value)>) -> Record {
    Record { call: id.to_owned(), fields: fields.map(|(name, value)| (name.to_owned(), value)).collect() }
}

/// All bytes of all files below a directory, with their paths.
pub fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found
}

/// This test binary as another process: `Role::run` is what it does.
pub fn process(role: &str, state: &Path, argument: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    dress(&mut command, role, state, argument);
    command
}

/// The same behind a shell that sets limits first.
pub fn limited(limits: &str, role: &str, state: &Path, argument: &str) -> Command {
    let mut command = Command::new("bash");
    command.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]).arg(std::env::current_exe().unwrap());
    dress(&mut command, role, state, argument);
    command
}

pub fn dress(command: &mut Command, role: &str, state: &Path, argument: &str) {
    command.args(["--exact", "support::other_process", "--ignored", "--nocapture", "--quiet"]);
    command.env("STORE_ROLE", role).env("STORE_STATE", state).env("STORE_ARGUMENT", argument);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
}

/// What a process printed in lines `@…`, once it has ended.
pub fn said(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.strip_prefix('@')).map(str::to_owned).collect()
}

#[test]
#[ignore = "run by other tests as a process of its own"]
fn other_process() {
    let Ok(role) = std::env::var("STORE_ROLE") else { return };
    let state = PathBuf::from(std::env::var("STORE_STATE").unwrap());
    let argument = std::env::var("STORE_ARGUMENT").unwrap();
    match role.as_str() {
        "append" => appends(&state, &argument, usize::MAX),
        "crowd" => {
            // All start when the parent closes its end.
            let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0]);
            appends(&state, &argument, 20);
        }
        "once" => appends(&state, &argument, 1),
        "hold" => hold(&state),
        "project" => {
            let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0]);
            let project = tollgate_store::session_project(&state, "codex", "s", || argument.clone());
            println!("\n@{} {}", project.first, project.path);
        }
        other => panic!("no role {other}"),
    }
}

/// Appends with parts of `part` bytes, and tells the number of each record once it is kept.
fn appends(state: &Path, part: &str, count: usize) {
    // Unoptimised, each record takes ten times as long, and so does a crowd.
    let lock_wait = Limits::default().lock_wait * if cfg!(debug_assertions) { 10 } else { 1 };
    let log = Log::at(state).limits(Limits { part: part.parse().unwrap(), lock_wait });
    for _ in 0..count {
        match log.append(&record("git push --force"), now()) {
            Ok(appended) => println!("\n@{}", appended.seq),
            Err(fault) => {
                println!("\n@fault {fault:?}");
                return;
            }
        }
    }
}

/// Takes the lock and stops.
fn hold(state: &Path) {
    let head = std::fs::OpenOptions::new().read(true).write(true).open(state.join("head")).unwrap();
    rustix::fs::flock(&head, rustix::fs::FlockOperation::LockExclusive).unwrap();
    println!("\n@held");
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP).unwrap();
    // The other threads may be stopped first.
    std::thread::sleep(std::time::Duration::from_secs(3600));
}
