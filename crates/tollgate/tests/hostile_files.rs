//! Files that somebody put where the gate reads: pipes, devices, links, and far too many of them. They hold nothing up,
//! and a denial stays a denial.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::fs::{CWD, FileType, mknodat};
use support::{Scratch, answer};

/// Far below the deadline, after which every verdict would be a question.
const SOON: Duration = Duration::from_secs(3);

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    mknodat(CWD, path, FileType::Fifo, 0o600.into(), 0).unwrap();
}

#[track_caller]
fn still_denies(scratch: &Scratch) {
    let answer = scratch.bash("rm -rf ~");
    answer.denied();
    assert!(answer.says("root-delete"), "{} {}", answer.stdout, answer.stderr);
    assert!(answer.time < SOON, "{:?}", answer.time);
}

#[test]
fn f48_a_projects_workflow_file_that_is_no_file_loosens_nothing() {
    let kinds: [fn(&Path); 4] = [
        pipe,
        |path| symlink("/dev/stdin", path).unwrap(),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| std::fs::create_dir(path).unwrap(),
    ];
    for make in kinds {
        let scratch = Scratch::new();
        let file = scratch.project().join(".tollgate/workflows/x.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        make(&file);
        std::fs::write(scratch.project().join("tollgate.yaml"), "version: 1\nworkflows: [x]\n").unwrap();
        still_denies(&scratch);
        still_denies(&scratch);
    }
}

#[test]
fn f48_a_project_names_no_workflow_outside_of_itself() {
    let scratch = Scratch::new();
    pipe(&scratch.home().join("far/x.yaml"));
    for name in ["../far/x.yaml", "src/../../far/x.yaml", "/dev/stdin/x.yaml"] {
        let text = format!("version: 1\nworkflows: [\"{name}\"]\n");
        std::fs::write(scratch.project().join("tollgate.yaml"), text).unwrap();
        still_denies(&scratch);
        assert!(scratch.bash("rm -rf ~").says("outside of the project"), "{name}");
    }
}

#[test]
fn f48_thousands_of_hook_files_loosen_nothing() {
    let scratch = Scratch::new();
    let hooks = scratch.project().join(".tollgate/hooks");
    let first = hooks.join("0/hook.meta.yaml");
    std::fs::create_dir_all(first.parent().unwrap()).unwrap();
    let comment = "# nothing\n".repeat(9_000);
    std::fs::write(&first, format!("{comment}hooks: []\n")).unwrap();
    for number in 1..1_500 {
        let folder = hooks.join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        std::fs::hard_link(&first, folder.join("hook.meta.yaml")).unwrap();
    }
    std::fs::write(scratch.project().join("tollgate.yaml"), "version: 1\n").unwrap();
    still_denies(&scratch);
}

/// The user's own hook files are read within the same bounds; what is not read fails, and is told.
#[test]
fn f48_a_hook_file_that_is_not_read_fails_and_is_told() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\n");
    let file = scratch.config().join("hooks/big/hook.meta.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# nothing\n".repeat(40_000)).unwrap();
    still_denies(&scratch);
    assert_ne!(scratch.bash("ls").decision(), "none", "a guard that cannot be read has not agreed");
}

#[test]
fn f54_a_pipe_in_place_of_a_file_of_the_sinks_holds_nothing_up() {
    for name in ["sinks.lock", "sinks.json"] {
        let scratch = Scratch::new();
        let file = scratch.home().join("events.jsonl");
        scratch.policy(&format!("version: 1\nsinks: [{{ uses: jsonl, path: {} }}]\n", file.display()));
        std::fs::create_dir_all(scratch.state()).unwrap();
        std::fs::set_permissions(scratch.state(), std::fs::Permissions::from_mode(0o700)).unwrap();
        pipe(&scratch.state().join(name));
        still_denies(&scratch);
        let mut deliver = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        deliver.args(["deliver", "--config"]).arg(scratch.config()).arg("--state").arg(scratch.state());
        scratch.clean(&mut deliver);
        let delivered = answer(&mut deliver, b"");
        assert!(delivered.time < Duration::from_secs(8), "{name}: {:?}", delivered.time);
    }
}

#[test]
fn kept_reports_are_only_the_owners_to_read() {
    let scratch = Scratch::new();
    scratch.bash("ls").silent();
    let reports = scratch.state().join("reports");
    let mut save = Command::new("/bin/sh");
    save.args(["-c", "umask 0; exec \"$0\" report --save before", env!("CARGO_BIN_EXE_tollgate")]);
    scratch.clean(&mut save);
    let saved = answer(&mut save, b"");
    assert_eq!(saved.code, Some(0), "{} {}", saved.stdout, saved.stderr);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&reports), 0o700);
}

/// What the agent puts before the owner's folders in `PATH` does not answer for a guard.
#[test]
fn f52_the_owners_interpreter_runs_a_guard() {
    if support::is_missing("python3") {
        return;
    }
    let scratch = Scratch::new();
    scratch.policy(
        "version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: team, type: safety, path: team.py}\n",
    );
    let guard = "def process(hook_input, config=None, context=None):\n    return {'decision': 'block', 'reason': 'team'}\n";
    std::fs::write(scratch.config().join("team.py"), guard).unwrap();
    tollgate_store::keep_note(&scratch.state(), "programs-path", b"/usr/local/bin:/usr/bin:/bin").unwrap();
    let mark = scratch.home().join("ran");
    let planted = planted_python(&scratch.home().join(".cache/tools"), &mark);
    let payload = scratch.payload("Bash", serde_json::json!({"command": "ls"}));
    let mut hook = scratch.command(Some("PreToolUse"));
    hook.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", planted.display()));
    let answer = answer(&mut hook, &payload);
    assert!(!mark.exists(), "the agent's python3 ran");
    answer.denied();
    assert!(answer.says("team"), "{} {}", answer.stdout, answer.stderr);
}

/// A folder with a `python3` that leaves a mark and allows everything.
fn planted_python(folder: &Path, mark: &Path) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    let program = folder.join("python3");
    let text = format!("#!/bin/sh\necho yes > '{}'\ncat > /dev/null\necho '{{}}'\n", mark.display());
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_owned()
}

/// A `python3` of the project must not answer for a guard.
#[test]
fn f52_no_interpreter_of_the_workspace_runs_a_guard() {
    if support::is_missing("python3") {
        return;
    }
    let scratch = Scratch::new();
    scratch.policy(
        "version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: team, type: safety, path: team.py}\n",
    );
    let guard = "def process(hook_input, config=None, context=None):\n    return {'decision': 'block', 'reason': 'team'}\n";
    std::fs::write(scratch.config().join("team.py"), guard).unwrap();
    let mark = scratch.home().join("ran");
    planted_python(&scratch.project().join("tools"), &mark);
    let linked = scratch.home().join("linked");
    symlink(scratch.project().join("tools"), &linked).unwrap();
    let payload = scratch.payload("Bash", serde_json::json!({"command": "ls"}));
    for first in [scratch.project().join("tools"), linked, "tools".into(), "".into()] {
        let mut hook = scratch.command(Some("PreToolUse"));
        hook.env("PATH", format!("{}:/usr/bin:/bin", first.display()));
        let answer = answer(&mut hook, &payload);
        assert!(!mark.exists(), "{} ran", first.display());
        answer.denied();
        assert!(answer.says("team"), "{} {}", answer.stdout, answer.stderr);
    }
}
