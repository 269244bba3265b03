//! The gate against git itself: each command is judged, then really run in a throw-away copy of a repository.
//! What git loses must not have passed in silence. What passes because it was saved is run in the project itself as well,
//! and `tollgate undo` must bring all of it back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::Scratch;

/// Each piece of work holds a word of its own, so that it can be found again wherever git puts it.
const WORK: [&str; 8] = [
    "WORK-staged",
    "WORK-modified",
    "WORK-restaged",
    "WORK-untracked",
    "WORK-folder",
    "WORK-ignored",
    "WORK-lone-commit",
    "WORK-stashed",
];

fn repository() -> Scratch {
    let scratch = Scratch::new();
    let write = |name: &str, content: &str| {
        let path = scratch.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let git = |args: &[&str]| assert!(run(&scratch.project(), &scratch, args), "git {args:?}");
    git(&["init", "-q", "-b", "main"]);
    fs::remove_dir_all(scratch.project().join(".git/hooks")).unwrap();
    for name in ["src/a", "src/b", "src/c", "src/d"] {
        write(name, "first\n");
    }
    write(".gitignore", "data/\n");
    for (name, content) in [("second", "second\n"), ("third", "third\n")] {
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", name]);
        write("src/d", content);
    }
    git(&["commit", "-q", "-am", "third"]);
    git(&["tag", "v1", "HEAD~1"]);
    git(&["checkout", "-q", "-b", "old"]);
    write("src/old", "WORK-lone-commit\n");
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "lone"]);
    git(&["checkout", "-q", "-b", "feature", "main"]);
    write("src/c", "WORK-stashed\n");
    git(&["stash", "-q"]);
    write("src/a", "WORK-modified\n");
    write("src/b", "WORK-staged\n");
    write("src/n", "WORK-restaged\n");
    git(&["add", "src/b", "src/n"]);
    write("new.txt", "WORK-untracked\n");
    write("draft/one", "WORK-folder\n");
    write("data/db", "WORK-ignored\n");
    scratch
}

fn run(folder: &Path, scratch: &Scratch, args: &[&str]) -> bool {
    let mut command = scratch.git_command();
    command.args(args).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

/// The words that can still be found: in the files, in the index, or in a commit or stash that has a name.
fn found(folder: &Path, scratch: &Scratch) -> BTreeSet<&'static str> {
    let script = "{ find . -path ./.git -prune -o -type f -print0 | xargs -0 cat
        git rev-list --objects --all --indexed-objects $(git log -g --format=%H refs/stash 2>/dev/null) | cut -d' ' -f1 | git cat-file --batch
        git ls-files -u | cut -d' ' -f2 | git cat-file --batch; } 2>/dev/null";
    let mut command = Command::new("/bin/sh");
    scratch.clean(&mut command);
    let output = command.args(["-c", script]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    WORK.into_iter().filter(|word| text.contains(word)).collect()
}

/// Runs a command in a copy of the project; the work that was lost.
fn lost(command: &str, scratch: &Scratch) -> Vec<&'static str> {
    let copy: PathBuf = scratch.home().join("copy");
    let _ = fs::remove_dir_all(&copy);
    assert!(Command::new("cp").arg("-a").arg(scratch.project()).arg(&copy).status().unwrap().success());
    let mut shell = Command::new("/bin/bash");
    scratch.clean(&mut shell);
    for (name, value) in [("NAME", "a"), ("EMAIL", "a@b.test")] {
        shell.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    shell
        .args(["-c", command])
        .current_dir(&copy)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.env("GIT_EDITOR", "true").status().unwrap();
    let after = found(&copy, scratch);
    WORK.into_iter().filter(|word| !after.contains(word)).collect()
}

/// Commands that may lose work, in the forms that git takes them.
const LOSING: &[&str] = &[
    "reset --hard",
    "reset --hard HEAD~1",
    "reset -q --har",
    "reset --merge",
    "reset --keep HEAD~1",
    "reset",
    "reset --soft HEAD~1",
    "reset src/b",
    "reset HEAD~1 -- src/b",
    "checkout .",
    "checkout -- .",
    "checkout -- src/a",
    "checkout src/a src/b",
    "checkout HEAD .",
    "checkout HEAD~1 -- src",
    "checkout HEAD -- src/n",
    "checkout main",
    "checkout -f main",
    "checkout -f",
    "checkout old",
    "checkout -B old",
    "checkout -B old main",
    "checkout -b fresh",
    "checkout --orphan fresh",
    "checkout -m main",
    "checkout -- '*'",
    "checkout -- ':/'",
    "checkout -- ':(glob)**'",
    "checkout -- ':!src/b' .",
    "checkout v1 -- .",
    "checkout --detach",
    "checkout stash -- src/c",
    "checkout -f -- src",
    "restore .",
    "restore --staged .",
    "restore -SW .",
    "restore -s HEAD~1 .",
    "restore -W src/a",
    "restore --worktree --staged src",
    "restore --source=HEAD --staged src",
    "restore -s HEAD -SW src/n",
    "restore src/b",
    "switch main",
    "switch -f main",
    "switch --discard-changes main",
    "switch -C old",
    "switch -C old main",
    "switch -c fresh",
    "switch --detach",
    "clean",
    "clean -f",
    "clean -fd",
    "clean -fdx",
    "clean -fX",
    "clean -n",
    "clean -nfdx",
    "clean -fd src",
    "clean -fd draft",
    "clean -f -e new.txt",
    "clean -fdx -e data -e draft -e new.txt",
    "clean -f -- new.txt",
    "rm -f src/a",
    "rm -rf .",
    "rm --cached src/a",
    "rm -r src",
    "rm src/c",
    "rm -f --cached src/n",
    "rm -f src/n",
    "mv -f src/c src/a",
    "mv src/a src/z",
    "checkout-index -f -a",
    "checkout-index -a",
    "checkout-index -f src/a",
    "read-tree -u --reset HEAD",
    "read-tree -m -u HEAD",
    "read-tree HEAD",
    "stash drop",
    "stash clear",
    "stash pop",
    "stash -- src/a",
    "stash push -S",
    "branch -D old",
    "branch -d old",
    "branch -M old",
    "branch -f old main",
    "branch -m old other",
    "branch -C old",
    "branch -f main old",
    "tag -d v1",
    "tag -f v1",
    "update-ref -d refs/heads/old",
    "update-ref refs/heads/old main",
    "symbolic-ref HEAD refs/heads/main",
    "merge main",
    "merge old",
    "rebase main",
    "rebase --autostash old",
    "cherry-pick old",
    "commit -m x",
    "commit -am x",
    "add -A",
    "gc",
    "gc --prune=now",
    "worktree add ../copy-tree",
    "apply --index /dev/null",
    "sparse-checkout set docs",
    "bisect start",
    "stash branch fresh",
];

/// Commands that keep work, or seem to.
const KEEPING: &[&str] = &[
    "stash",
    "stash -u",
    "stash -a",
    "stash push -k",
    "stash -- src/a",
    "commit -m x",
    "commit -am x",
    "add -A && git commit -m x",
    "add src && git commit -m x",
    "add . && git stash",
    "stash -u && git stash pop",
    "stash --nonsense",
];

const AFTER: &[&str] =
    &["reset --hard", "clean -fdx", "checkout -- .", "checkout -f main", "stash drop", "stash clear"];

/// Denied though git would refuse by itself, or keeps more than is told: what is not asked of git.
const CAUTIOUS: &[&str] =
    &["reset --merge", "checkout HEAD -- src/n", "stash -- src/a &&", "add src && git commit"];

fn check(commands: &[String]) {
    let scratch = repository();
    assert_eq!(
        found(&scratch.project(), &scratch).len(),
        WORK.len(),
        "the repository holds all the work at first"
    );
    let mut wrong = Vec::new();
    let (mut losing, mut saved) = (0, 0);
    for command in commands {
        let lost = lost(command, &scratch);
        losing += usize::from(!lost.is_empty());
        let said = scratch.bash(command);
        let decision = said.decision();
        if said.saved_as().is_some() {
            scratch.saved(command);
            saved += 1;
        } else if !lost.is_empty() && decision == "none" {
            wrong.push(format!("{command}: silent, and lost {lost:?}"));
        }
        let cautious = command.contains("||") || CAUTIOUS.iter().any(|part| command.contains(part));
        if lost.is_empty() && decision == "deny" && !cautious {
            wrong.push(format!("{command}: denied, and nothing was lost"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), commands.len(), wrong.join("\n"));
    eprintln!("{losing} of {} commands lose something, {saved} were saved and restored", commands.len());
    assert!(losing > 10, "only {losing} commands lose anything, so the test shows little");
}

#[test]
fn no_single_command_loses_work_in_silence() {
    let globals = ["", "-C . ", "--no-pager -c a.b=c ", "--git-dir=.git --work-tree=. "];
    let plain = LOSING
        .iter()
        .enumerate()
        .map(|(at, command)| format!("git {}{command}", globals[at % globals.len()]));
    check(&plain.collect::<Vec<_>>());
}

#[test]
fn no_pair_of_commands_loses_work_in_silence() {
    let joins = ["&&", ";", "||"];
    let pairs = KEEPING.iter().flat_map(|keep| AFTER.iter().map(move |lose| (keep, lose)));
    let commands = pairs
        .enumerate()
        .map(|(at, (keep, lose))| format!("git {keep} {} git {lose}", joins[at % joins.len()]));
    check(&commands.collect::<Vec<_>>());
}
