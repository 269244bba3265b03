//! The hook saves before it answers: what calls really destroy comes back, and a hook that dies leaves no half snapshot.
//!
//! `UNDO_TREES=2000` tries more trees.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::panic,
    reason = "tests"
)]

mod support;
#[path = "../../undo/tests/support/mod.rs"]
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, is_missing};
use tollgate_undo::{Snapshot, Store};
use tree::{Random, picture};

const SESSION: &str = "5122a393-eb39-4719-8deb-297f5cd1e162";

/// Losses pass, so that what is saved can be seen. They are refused or asked about by their own levels.
const LOSSES_PASS: &str = "version: 1\nrules: {git-discard: note, git-branch-delete: note, git-stash-drop: note, \
    work-delete: note, work-file-delete: note, git-history-rewrite: note, outside-overwrite: note}\n";

/// The names in a generated tree are unusual, so that calls work on folders of plain names around it.
fn plant(scratch: &Scratch, random: &mut Random) {
    let project = scratch.project();
    for name in ["data", "other"] {
        std::fs::create_dir(project.join(name)).unwrap();
        tree::grow(&project.join(name), random);
    }
    std::fs::write(project.join("notes.txt"), "one line\ntwo lines\n").unwrap();
    std::fs::write(project.join("main.py"), "print('line')\n").unwrap();
    std::os::unix::fs::symlink("notes.txt", project.join("link")).unwrap();
}

/// Calls as agents make them: the tool, its input, and what really happens when it runs.
fn calls(project: &Path) -> Vec<(&'static str, Value, String)> {
    let shell = |text: &str| ("Bash", json!({"command": text}), text.to_owned());
    let notes = project.join("notes.txt");
    vec![
        shell("rm -rf data"),
        shell("rm notes.txt main.py"),
        shell("mv notes.txt moved.txt"),
        shell("mv data elsewhere"),
        shell("mv -f main.py notes.txt"),
        shell("echo gone > notes.txt"),
        shell("sed -i s/line/LINE/ notes.txt main.py"),
        shell("find data -type f -delete"),
        shell("truncate -s 0 notes.txt"),
        shell("rm link"),
        shell("cp main.py notes.txt"),
        shell("for f in notes.txt main.py; do rm \"$f\"; done"),
        shell("cd data && rm -rf ../other"),
        shell("rm *.txt"),
        shell("python3 -c 'import shutil; shutil.rmtree(\"data\")'"),
        shell("python3 -c 'open(\"notes.txt\", \"w\").write(\"gone\")'"),
        ("Write", json!({"file_path": notes, "content": "gone"}), "printf gone > notes.txt".to_owned()),
        (
            "Edit",
            json!({"file_path": notes, "old_string": "one", "new_string": "1"}),
            "sed -i s/one/1/ notes.txt".to_owned(),
        ),
    ]
}

fn run(scratch: &Scratch, text: &str) {
    let mut command = Command::new("/bin/bash");
    scratch.clean(&mut command);
    command.args(["-c", text]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().unwrap();
}

fn undo(scratch: &Scratch, words: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.arg("undo").args(words).env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", SESSION);
    answer(&mut command, b"")
}

fn last(scratch: &Scratch) -> Option<Snapshot> {
    Store::at(&scratch.state()).list().unwrap().into_iter().next()
}

#[test]
fn what_calls_destroy_comes_back() {
    let count = tree::trees(18);
    let mut number = 0;
    for seed in 0..count {
        let scratch = Scratch::new();
        scratch.policy(LOSSES_PASS);
        plant(&scratch, &mut Random::new(seed));
        let calls = calls(&scratch.project());
        let (tool, input, really) = &calls[usize::try_from(seed).unwrap() % calls.len()];
        let before = picture(&scratch.project());
        let said = scratch.tool(tool, input.clone());
        assert_ne!(said.decision(), "deny", "{really}: {}", said.stdout);
        run(&scratch, really);
        assert_ne!(picture(&scratch.project()), before, "tree {seed}: `{really}` changed nothing");
        let saved = last(&scratch).unwrap_or_else(|| panic!("tree {seed}: `{really}` saved nothing"));
        let restored = undo(&scratch, &["restore", &saved.id]);
        assert_eq!(restored.code, Some(0), "tree {seed}: {really}: {} {}", restored.stdout, restored.stderr);
        assert_eq!(different(&before, &picture(&scratch.project())), [], "tree {seed}: `{really}`");
        number += 1;
    }
    eprintln!("{number} trees destroyed and restored");
}

type Difference<'a> = (&'a OsString, Option<&'a String>, Option<&'a String>);

fn different<'a>(
    before: &'a BTreeMap<OsString, String>,
    after: &'a BTreeMap<OsString, String>,
) -> Vec<Difference<'a>> {
    let paths: BTreeSet<&OsString> = before.keys().chain(after.keys()).collect();
    let both = paths.into_iter().map(|path| (path, before.get(path), after.get(path)));
    both.filter(|(_, before, after)| before != after).collect()
}

#[test]
fn a_call_that_loses_nothing_opens_no_store() {
    let scratch = Scratch::new();
    for text in ["ls src", "cat README.md", "mkdir new", "echo x > new.txt", "grep -r readme ."] {
        scratch.bash(text);
    }
    scratch.tool("Write", json!({"file_path": scratch.project().join("made.txt"), "content": "x"}));
    assert!(!scratch.state().join("undo").exists());
}

#[test]
fn a_refused_call_is_not_saved() {
    let scratch = Scratch::new();
    scratch.bash("rm -rf ~").denied();
    assert!(!scratch.state().join("undo").exists());
}

#[test]
fn the_end_of_a_call_tells_its_changes_from_later_ones() {
    let scratch = Scratch::new();
    let readme = scratch.project().join("README.md");
    let input = json!({"file_path": readme, "content": "the call\n"});
    scratch.tool("Write", input.clone());
    std::fs::write(&readme, "the call\n").unwrap();
    let mut payload: Value = serde_json::from_slice(&scratch.payload("Write", input)).unwrap();
    payload["hook_event_name"] = "PostToolUse".into();
    payload["tool_response"] = json!({"success": true});
    scratch.hook("PostToolUse", payload.to_string().as_bytes());
    let id = last(&scratch).unwrap().id;
    assert_eq!(undo(&scratch, &["restore", &id, "--dry-run"]).code, Some(0));
    std::fs::write(&readme, "a person\n").unwrap();
    let refused = undo(&scratch, &["restore", &id]);
    assert!(refused.code == Some(1) && refused.says("after the call"), "{}", refused.stderr);
}

/// What git says of a repository, times and pins aside.
fn git_picture(scratch: &Scratch) -> BTreeMap<&'static str, String> {
    let asked: [(&str, &[&str]); 6] = [
        ("status", &["status", "--porcelain=v2", "--branch", "--ignored"]),
        ("refs", &["for-each-ref"]),
        ("stash", &["stash", "list"]),
        ("reflog", &["reflog", "show", "HEAD"]),
        ("staged", &["diff", "--cached"]),
        ("changed", &["diff"]),
    ];
    let ask = |args: &[&str]| {
        let output = scratch.git_command().args(args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines = text.lines().filter(|line| !line.contains("refs/tollgate/"));
        lines.collect::<Vec<_>>().join("\n")
    };
    asked.iter().map(|(name, args)| (*name, ask(args))).collect()
}

/// A repository with something of everything that is not in the last commit.
fn repository(scratch: &Scratch) {
    let write = |name: &str, text: &str| std::fs::write(scratch.project().join(name), text).unwrap();
    scratch.git(&["init", "-q"]);
    write(".gitignore", "ignored.txt\n");
    write("a.txt", "one\n");
    scratch.git(&["add", "."]);
    scratch.git(&["commit", "-qm", "first"]);
    scratch.git(&["branch", "side"]);
    write("a.txt", "two\n");
    scratch.git(&["commit", "-qam", "second"]);
    scratch.git(&["switch", "-q", "side"]);
    write("b.txt", "only here\n");
    scratch.git(&["add", "b.txt"]);
    scratch.git(&["commit", "-qm", "only on side"]);
    scratch.git(&["switch", "-q", "main"]);
    write("a.txt", "stashed\n");
    scratch.git(&["stash", "-q"]);
    write("a.txt", "staged\n");
    scratch.git(&["add", "a.txt"]);
    write("a.txt", "changed\n");
    write("new.txt", "untracked\n");
    write("ignored.txt", "ignored\n");
}

#[test]
fn lost_git_state_comes_back() {
    if is_missing("git") {
        return;
    }
    let calls = [
        "git reset --hard",
        "git checkout -- .",
        "git restore --staged --worktree a.txt",
        "git clean -fd",
        "git clean -fdx",
        "git stash drop",
        "git stash clear",
        "git branch -D side",
    ];
    for call in calls {
        let scratch = Scratch::new();
        scratch.policy(LOSSES_PASS);
        repository(&scratch);
        let (before, files) = (git_picture(&scratch), picture(&scratch.project().join("src")));
        let said = scratch.bash(call);
        assert_ne!(said.decision(), "deny", "{call}: {}", said.stdout);
        run(&scratch, call);
        assert_ne!(git_picture(&scratch), before, "`{call}` changed nothing");
        // Whatever git may prune is still there.
        run(&scratch, "git -c gc.pruneExpire=now gc -q");
        let saved = last(&scratch).unwrap_or_else(|| panic!("`{call}` saved nothing"));
        let restored = undo(&scratch, &["restore", &saved.id, "--force"]);
        assert_eq!(restored.code, Some(0), "{call}: {} {}", restored.stdout, restored.stderr);
        let expected: Vec<_> = before.iter().collect();
        let found = git_picture(&scratch);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "`{call}`");
        assert_eq!(picture(&scratch.project().join("src")), files);
        let sound = scratch.git_command().args(["fsck", "--no-dangling"]).output().unwrap();
        assert!(sound.status.success(), "{call}: {}", String::from_utf8_lossy(&sound.stderr));
    }
}

/// One call of a hook: its name, and how many calls of that name it is.
fn system_calls(scratch: &Scratch, payload: &[u8]) -> Option<Vec<(String, usize)>> {
    answer(&mut traced(scratch, &[]), payload);
    let trace = std::fs::read_to_string(scratch.home().join("trace")).unwrap_or_default();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    let mut is_main = false;
    for name in trace.lines().filter_map(|line| Some(line.split_once('(')?.0)) {
        // The first call of `main` looks at the standard streams. Before it nothing is written.
        is_main |= name == "poll";
        let nth = seen.entry(name).or_insert(0);
        *nth += 1;
        if is_main && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            calls.push((name.to_owned(), *nth));
        }
    }
    seen.contains_key("exit_group").then_some(calls)
}

fn traced(scratch: &Scratch, options: &[&str]) -> Command {
    let hook = scratch.command(Some("PreToolUse"));
    let mut command = Command::new("strace");
    command.args(["-qq", "-o"]).arg(scratch.home().join("trace")).args(options);
    command.arg("--").arg(hook.get_program()).args(hook.get_args());
    scratch.clean(&mut command);
    command
}

const DELETES: &str = "rm -rf data";

/// A project with something to delete, after a first event that made the state directory.
fn prepared() -> Scratch {
    let scratch = Scratch::new();
    let data = scratch.project().join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("large"), vec![b'x'; 100_000]).unwrap();
    std::fs::write(data.join("small"), "small").unwrap();
    scratch.bash("ls");
    scratch
}

/// Ends a hook at one system call. Returns whether its snapshot was in place by then, or what is wrong.
fn kill_at(scratch: &Scratch, name: &str, nth: usize) -> Result<bool, String> {
    let store = Store::at(&scratch.state());
    let known = store.list().unwrap().len();
    let inject = format!("inject={name}:signal=KILL:when={nth}");
    let payload = scratch.payload("Bash", json!({"command": DELETES}));
    let said = answer(&mut traced(scratch, &["-e", &format!("trace={name}"), "-e", &inject]), &payload);
    let saved = store.list().unwrap().len() > known;
    match said.code == Some(0) && !said.says("permissionDecision") && !saved {
        true => Err(format!("{name} {nth}: allowed, and nothing was saved: {}", said.stdout)),
        false => Ok(saved),
    }
}

/// Every snapshot of the store is whole, and the next call is saved and restored.
fn check_store(scratch: &Scratch) {
    let store = Store::at(&scratch.state());
    for snapshot in store.list().unwrap() {
        let plan = store.plan(&snapshot.id, &[]).unwrap();
        assert!(plan.steps.is_empty(), "{}: {:?}", snapshot.id, plan.steps);
    }
    let data = scratch.project().join("data");
    let before = picture(&data);
    scratch.bash(DELETES);
    std::fs::remove_dir_all(&data).unwrap();
    assert_eq!(undo(scratch, &["restore", &last(scratch).unwrap().id]).code, Some(0));
    assert_eq!(picture(&data), before);
}

#[test]
fn a_hook_that_is_killed_leaves_a_whole_snapshot_or_none() {
    if is_missing("strace") {
        return;
    }
    let payload = |scratch: &Scratch| scratch.payload("Bash", json!({"command": DELETES}));
    let first = prepared();
    let Some(calls) = system_calls(&first, &payload(&first)) else {
        eprintln!("left out: nothing can be traced here (ptrace is not permitted)");
        return;
    };
    assert!(calls.len() > 50, "only {} calls were seen", calls.len());
    let next = AtomicUsize::new(0);
    let whole = AtomicUsize::new(0);
    // A hook under `strace` waits most of its time.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let scratch = prepared();
                while let Some((name, nth)) = calls.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let saved = kill_at(&scratch, name, *nth).unwrap();
                    whole.fetch_add(usize::from(saved), Ordering::SeqCst);
                }
                check_store(&scratch);
            });
        }
    });
    eprintln!("killed at {} system calls; {whole:?} snapshots were whole by then", calls.len());
}
