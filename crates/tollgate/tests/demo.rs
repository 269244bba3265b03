//! `tollgate demo`: what it shows, what it leaves behind, and what it depends on.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use support::{Answer, Scratch, answer, in_terminal, start_with, steady};

/// A user with a policy that refuses nothing, a project that is no repository, and a folder for temporary files.
struct User {
    scratch: Scratch,
}

impl User {
    fn new() -> Self {
        let scratch = Scratch::new();
        scratch.policy("version: 1\nmode: observe\n");
        std::fs::write(scratch.project().join("tollgate.yaml"), "version: 1\nmod: broken\n").unwrap();
        let user = Self { scratch };
        std::fs::create_dir(user.temp()).unwrap();
        user
    }

    /// Beside the home, so that the home can be compared as a whole.
    fn temp(&self) -> PathBuf {
        self.scratch.home().with_file_name("temp")
    }

    fn demo(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(["demo", "--fast"]);
        self.scratch.clean(&mut command);
        command.env("TMPDIR", self.temp());
        command
    }

    /// What is left of the demo in the folder for temporary files.
    fn left(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.temp()).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// A folder with this as the only program.
    fn path_with(&self, name: &str, script: &str) -> PathBuf {
        let folder = self.scratch.home().with_file_name("bin");
        std::fs::create_dir(&folder).unwrap();
        if !name.is_empty() {
            std::fs::write(folder.join(name), script).unwrap();
            std::fs::set_permissions(folder.join(name), PermissionsExt::from_mode(0o755)).unwrap();
        }
        folder
    }
}

#[track_caller]
fn succeeds(answer: &Answer) {
    assert_eq!((answer.stderr.as_str(), answer.code), ("", Some(0)), "{}", answer.stdout);
}

/// Every file below a folder, with its text.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.insert(path.clone(), Vec::new());
            all.extend(files(&path));
        } else {
            all.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    all
}

/// `TOLLGATE_DEMO_WRITE=1` records the transcript anew.
#[test]
fn the_transcript_is_as_recorded() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/demo.txt");
    let user = User::new();
    let shown = answer(&mut user.demo(), b"");
    succeeds(&shown);
    let transcript = steady(&shown.stdout) + "\n";
    if std::env::var_os("TOLLGATE_DEMO_WRITE").is_some() {
        std::fs::write(recorded, &transcript).unwrap();
    }
    assert_eq!(transcript, std::fs::read_to_string(recorded).unwrap());
}

#[test]
fn undo_has_a_demo_of_its_own() {
    let user = User::new();
    let shown = answer(user.demo().arg("undo"), b"");
    succeeds(&shown);
    assert_eq!(shown.stdout.matches("  save   ").count(), 2, "{}", shown.stdout);
    assert!(shown.says("[root-delete]"), "{}", shown.stdout);
    if !shown.says("left out: this kernel cannot limit commands") {
        assert!(shown.says("  ok\n") && shown.says("~/.ssh/id_rsa: Permission denied"), "{}", shown.stdout);
    }
    assert_eq!(user.left(), Vec::<PathBuf>::new());
    let without = answer(user.demo().arg("undo").env("PATH", user.path_with("", "")), b"");
    assert_eq!((without.code, without.stdout.as_str()), (Some(2), ""));
    assert!(without.stderr.contains("git not found"), "{}", without.stderr);
}

#[test]
fn nothing_of_the_users_is_read_or_written_and_nothing_is_left() {
    let user = User::new();
    let home = user.scratch.home();
    let before = files(&home);
    let mut demo = user.demo();
    demo.env("XDG_CONFIG_HOME", home.join(".config")).env("XDG_STATE_HOME", home.join("xdg-state"));
    demo.env("GIT_DIR", home.join("elsewhere")).env("GIT_AUTHOR_NAME", "");
    // The user's policy refuses nothing: a demo that read it would not succeed.
    succeeds(&answer(&mut demo, b""));
    assert_eq!(files(&home), before);
    assert_eq!(user.left(), Vec::<PathBuf>::new());
}

#[test]
fn git_is_not_needed() {
    let user = User::new();
    let shown = answer(user.demo().env("PATH", user.path_with("", "")), b"");
    succeeds(&shown);
    assert!(shown.says("git not found"), "{}", shown.stdout);
    assert!(!shown.says("git reset") && shown.says("[root-delete]"), "{}", shown.stdout);
    assert_eq!(user.left(), Vec::<PathBuf>::new());
}

/// The tests' folder lies in a repository, which a git that makes none would find.
#[test]
fn a_git_that_makes_no_repository_is_not_used() {
    let user = User::new();
    let calls = user.scratch.home().with_file_name("calls");
    let script = format!("#!/bin/sh\necho \"$1\" >> '{}'\n", calls.display());
    let shown = answer(user.demo().env("PATH", user.path_with("git", &script)), b"");
    succeeds(&shown);
    assert!(shown.says("git not found"), "{}", shown.stdout);
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "init\n");
}

#[test]
fn a_home_is_not_needed() {
    let user = User::new();
    succeeds(&answer(user.demo().env_remove("HOME"), b""));
    succeeds(&answer(user.demo().env("HOME", "/dev/null/home"), b""));
    assert_eq!(user.left(), Vec::<PathBuf>::new());
}

#[test]
fn a_missing_folder_for_temporary_files_is_replaced_by_another() {
    let user = User::new();
    succeeds(&answer(user.demo().env("TMPDIR", "/dev/null/temp"), b""));
}

#[test]
fn any_umask_will_do() {
    for umask in ["000", "777"] {
        let user = User::new();
        let demo = user.demo();
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(format!("umask {umask}; exec \"$0\" demo --fast")).arg(demo.get_program());
        user.scratch.clean(&mut shell);
        succeeds(&answer(shell.env("TMPDIR", user.temp()), b""));
        assert_eq!(user.left(), Vec::<PathBuf>::new());
    }
}

/// With a git that commits nothing, work is lost where the script expects a clean tree.
#[test]
fn an_unexpected_answer_is_told_and_ends_with_1() {
    let user = User::new();
    let path = user.path_with("git", "#!/bin/sh\n[ \"$1\" = commit ] || exec /usr/bin/git \"$@\"\n");
    let shown = answer(user.demo().env("PATH", path), b"");
    assert_eq!(shown.code, Some(1), "{}", shown.stdout);
    assert!(
        shown.stderr.contains("$ git reset --hard: expected allow, the answer was save"),
        "{}",
        shown.stderr
    );
    assert_eq!(user.left(), Vec::<PathBuf>::new());
}

#[test]
fn nothing_is_left_when_it_is_interrupted_killed_or_not_listened_to() {
    let interrupt = |pid: Pid| kill_process_group(pid, Signal::INT).unwrap();
    let kill = |pid: Pid| kill_process(pid, Signal::KILL).unwrap();
    for end in [&interrupt as &dyn Fn(Pid), &kill, &|_| ()] {
        let user = User::new();
        let mut child = start_with(user.demo().process_group(0));
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("1.") {
            line.clear();
            assert!(stdout.read_line(&mut line).unwrap() > 0, "it ended too early");
        }
        assert_eq!(user.left().len(), 1);
        end(Pid::from_child(&child));
        drop(stdout);
        child.wait().unwrap();
        let start = Instant::now();
        while !user.left().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(10), "{:?}", user.left());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Elsewhere there is none: see the transcript.
#[test]
fn there_is_colour_on_a_terminal() {
    let user = User::new();
    assert!(in_terminal(&user.scratch, "demo --fast", "").says("\x1b[1;31mdeny"));
}
