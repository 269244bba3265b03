//! One `dist` for all tests, and scratch homes in which packages are installed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::UNIX_EPOCH;

use serde_json::{Value, json};

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The packages, made from the binary under test. Each test is a process of its own: the first one makes them, the others
/// wait for it.
pub fn dist() -> PathBuf {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging");
    fs::create_dir_all(&base).unwrap();
    let lock = File::create(base.join("lock")).unwrap();
    lock.lock().unwrap();
    let binary = binary();
    let made_from = format!("{}\n{}\n", stamp(&binary), stamp(Path::new(env!("CARGO_BIN_EXE_packaging"))));
    let (dist, mark) = (base.join("dist"), base.join("made-from"));
    if fs::read_to_string(&mark).ok().as_deref() == Some(&made_from) {
        return dist;
    }
    let _ = fs::remove_file(&mark);
    let small = base.join("tollgate");
    fs::copy(&binary, &small).unwrap();
    // Most of a debug binary is debug information. Packing that four times is slow, and tests nothing.
    let _ = Command::new("strip").arg(&small).status();
    make(&small, &dist, |command| command);
    fs::write(&mark, made_from).unwrap();
    dist
}

/// Runs the packaging program.
pub fn make(binary: &Path, out: &Path, settings: impl Fn(&mut Command) -> &mut Command) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_packaging"));
    command.arg("--binary").arg(binary).arg("--out").arg(out);
    // The time of a commit is that of the checkout, which may be none.
    command.env("SOURCE_DATE_EPOCH", "1700000000").env("CARGO_NET_OFFLINE", "true");
    done(settings(&mut command));
}

/// The binary under test: `TOLLGATE_BIN`, else the debug binary. Each run of nextest asks cargo for it once.
pub fn binary() -> PathBuf {
    if let Some(named) = std::env::var_os("TOLLGATE_BIN") {
        return named.into();
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = File::create(scratch.join("packaging-run.lock")).unwrap();
    lock.lock().unwrap();
    let (run, mark) = (std::env::var("NEXTEST_RUN_ID").ok(), scratch.join("packaging-run"));
    if run.is_none() || fs::read_to_string(&mark).ok() != run {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        done(cargo.args(["build", "--quiet", "--locked", "--offline", "-p", "tollgate"]).current_dir(root()));
        fs::write(&mark, run.unwrap_or_default()).unwrap();
    }
    scratch.parent().unwrap().join("debug/tollgate")
}

fn stamp(path: &Path) -> String {
    let meta = fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let time = meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
    format!("{} {} {}", path.display(), meta.len(), time.as_nanos())
}

/// A file of the dist whose name starts and ends like this.
pub fn package(start: &str, end: &str) -> PathBuf {
    let dist = dist();
    let names = fs::read_dir(&dist).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let found: Vec<&String> =
        names.iter().filter(|name| name.starts_with(start) && name.ends_with(end)).collect();
    assert_eq!(found.len(), 1, "{start}…{end} in {names:?}");
    dist.join(found[0])
}

/// A folder of its own with a home and a project in it. It lies outside the folders for temporary files, so that it is
/// judged as a home.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scratch");
        fs::create_dir_all(&base).unwrap();
        let folder = tempfile::Builder::new().prefix("package-").tempdir_in(base).unwrap();
        let scratch = Self(folder);
        fs::create_dir_all(scratch.project()).unwrap();
        scratch
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// A program with this home and nothing else of the machine's environment.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        command.env("npm_config_cache", self.path().join("npm")).current_dir(self.project());
        command
    }

    /// What a hook answers to a shell command.
    pub fn ask(&self, command: &mut Command, text: &str) -> Answer {
        let payload = json!({
            "session_id": "5122a393-eb39-4719-8deb-297f5cd1e162", "transcript_path": "/x/t.jsonl",
            "cwd": self.project(), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": text}, "tool_use_id": "toolu_01",
        });
        command.env("CLAUDE_PROJECT_DIR", self.project()).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        answer(command, payload.to_string().as_bytes())
    }

    /// The installed program is of this version and guards: one call is refused, one passes in silence.
    pub fn guards(&self, start: impl Fn() -> Command) {
        let version = done(start().arg("--version"));
        assert_eq!(version.trim(), format!("tollgate {VERSION}"));
        self.answers(|| {
            let mut command = start();
            command.args(["hook", "claude-code", "PreToolUse"]);
            command
        });
    }

    /// A hook that refuses one call and lets one pass.
    pub fn answers(&self, hook: impl Fn() -> Command) {
        let refused = self.ask(&mut hook(), "rm -rf ~");
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains("[root-delete]"), "{refused:?}");
        let value: Value = serde_json::from_str(&refused.stdout).unwrap();
        assert_eq!(value["hookSpecificOutput"]["permissionDecision"], "deny", "{refused:?}");
        let passed = self.ask(&mut hook(), "ls src");
        assert_eq!((passed.code, passed.stdout.as_str(), passed.stderr.as_str()), (Some(0), "", ""));
    }
}

#[derive(Debug)]
pub struct Answer {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn answer(command: &mut Command, input: &[u8]) -> Answer {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program may answer before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Answer { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// Runs a program that has to succeed; what it printed.
#[track_caller]
pub fn done(command: &mut Command) -> String {
    let shown = format!("{command:?}");
    let answer = answer(command, b"");
    assert_eq!(answer.code, Some(0), "{shown}\n{}\n{}", answer.stdout, answer.stderr);
    answer.stdout
}

/// Is the program there? If not, says what is left out.
pub fn is_there(program: &str, what: &str) -> bool {
    let scratch = Scratch::new();
    let probe =
        scratch.command(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let there = probe.is_ok_and(|status| status.success());
    if !there {
        println!("left out: {what} ({program} is not installed)");
    }
    there
}

/// The files of a compressed tar archive: mode and content by path.
pub fn untar(path: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(File::open(path).unwrap()));
    let mut files = BTreeMap::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
        assert_eq!(header.mtime().unwrap(), 1_700_000_000);
        let (mode, path) = (header.mode().unwrap(), entry.path().unwrap().display().to_string());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(path, (mode, bytes));
    }
    files
}
