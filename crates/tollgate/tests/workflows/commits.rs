//! What is committed is what git says, in real repositories of every kind.

use std::path::Path;
use std::process::Command;

use crate::team::{Team, blocked_if};

/// A shell script in a folder, with a name to commit under.
fn script(team: &Team, folder: &Path, text: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-ec", text]).current_dir(folder).env("HOME", team.scratch.home());
    for who in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b");
    }
    let done = shell.output().unwrap();
    assert!(done.status.success(), "{text}: {}", String::from_utf8_lossy(&done.stderr));
}

const REPOSITORY: &str = "git init -q && git add -A && git commit -qm a";
const LIBRARY: &str = "git init -q ../lib && cd ../lib && echo l > l && git add l && git commit -qm l";
const MODULE: &str =
    "git -c protocol.file.allow=always submodule --quiet add ../lib src/lib && git commit -qm s";

#[test]
fn what_is_committed_is_what_git_says() {
    for (name, steps, expected) in [
        ("clean", "true", true),
        ("untracked", "echo x > src/new.rs", false),
        ("untracked elsewhere", "echo x > other.txt", true),
        ("untracked in a folder of its own", "mkdir src/deep && echo x > src/deep/new.rs", false),
        ("an empty folder", "mkdir src/deep", true),
        ("modified", "echo x > src/a.rs", false),
        ("only touched", "touch src/a.rs", true),
        ("staged", "echo x > src/a.rs && git add -A", false),
        ("staged as new", "echo x > src/new.rs && git add -A", false),
        ("staged and undone", "echo x > src/a.rs && git add -A && git show HEAD:src/a.rs > src/a.rs", false),
        ("renamed", "git mv src/a.rs src/b.rs", false),
        ("renamed out of it", "git mv src/a.rs b.rs", false),
        ("renamed and committed", "git mv src/a.rs src/b.rs && git commit -qm r", true),
        ("deleted", "git rm -q src/a.rs", false),
        ("deleted by hand", "rm src/a.rs", false),
        ("executable", "chmod +x src/a.rs", false),
        ("committed", "echo x > src/a.rs && git add -A && git commit -qm x", true),
        (
            "ignored among others",
            "echo '*.log' > .gitignore && git add -A && git commit -qm i && echo x > src/a.log",
            true,
        ),
        (
            "unmerged",
            "git checkout -qb o && echo o > src/a.rs && git commit -qam o && git checkout -q - && echo m > src/a.rs && git commit -qam m && ! git merge -q o",
            false,
        ),
        ("a name with spaces and letters of all kinds", "printf x > 'src/ä b\"c.rs'", false),
        ("detached", "git checkout -q --detach", true),
        ("stashed", "echo x > src/a.rs && git stash -q", true),
        ("a dirty submodule", "echo x > src/lib/new.txt", false),
        ("a staged change in a submodule", "echo x > src/lib/l && git -C src/lib add l", false),
        ("a clean submodule", "true", true),
        ("a submodule that was moved on", "cd src/lib && echo x > n && git add n && git commit -qm n", false),
        ("no repository", "rm -rf .git", false),
        ("no repository and nothing to commit", "rm -rf .git src", true),
        ("a repository without a commit", "rm -rf .git && git init -q", false),
    ] {
        let team = Team::with("[code-review]");
        let project = team.scratch.project();
        team.write("src/a.rs", "fn a() {}\n");
        script(&team, &project, REPOSITORY);
        if name.contains("submodule") {
            script(&team, &project, LIBRARY);
            script(&team, &project, MODULE);
        }
        script(&team, &project, steps);
        let answer = team.prompt("/code-review");
        blocked_if(!expected, &answer, "Code not committed. Complete coding first.", name);
    }
}

/// A work tree beside the repository is asked about itself, not about the repository's own files.
#[test]
fn a_work_tree_beside_the_repository_is_asked_about_itself() {
    for (name, steps, expected) in [
        ("clean", "true", true),
        ("untracked", "echo x > src/new.rs", false),
        ("modified", "echo x > src/a.rs", false),
        ("staged", "echo x > src/a.rs && git add -A", false),
        ("renamed", "git mv src/a.rs src/b.rs", false),
        ("committed", "echo x > src/a.rs && git add -A && git commit -qm x", true),
        ("the repository's own files are dirty", "echo x > ../origin/src/a.rs", true),
    ] {
        let team = Team::with("[code-review]");
        let project = team.scratch.project();
        let origin = team.scratch.home().join("origin");
        std::fs::create_dir_all(origin.join("src")).unwrap();
        std::fs::write(origin.join("src/a.rs"), "fn a() {}\n").unwrap();
        script(&team, &origin, REPOSITORY);
        std::fs::remove_dir_all(&project).unwrap();
        script(&team, &origin, "git worktree add -q ../project -b work");
        script(&team, &project, steps);
        let answer = team.prompt("/code-review");
        blocked_if(!expected, &answer, "Code not committed. Complete coding first.", name);
    }
}

#[test]
fn a_repository_runs_nothing_when_it_is_asked() {
    let team = Team::with("[code-review]");
    let project = team.scratch.project();
    team.write("src/a.rs", "fn a() {}\n");
    script(&team, &project, REPOSITORY);
    let trap = "printf '#!/bin/sh\\ntouch ../ran\\n' > ../trap && chmod +x ../trap && git config core.fsmonitor \"$PWD/../trap\" \
        && git config filter.x.clean \"$PWD/../trap\" && echo '*.rs filter=x' > .gitattributes && echo x > src/a.rs";
    script(&team, &project, trap);
    assert!(team.prompt("/code-review").says("Code not committed"));
    assert!(!team.scratch.home().join("ran").exists());
}
