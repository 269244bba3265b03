use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use tollgate_model::StillWorld;

/// A repository with one commit: `src/a`, `src/b`, `.gitignore` for `*.o` and `build/`.
struct Repository {
    folder: tempfile::TempDir,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.write("src/a", "1\n");
        repository.write("src/b", "1\n");
        repository.write(".gitignore", "*.o\nbuild/\n");
        repository.commit("first");
        repository
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn text(&self) -> String {
        self.root().to_str().unwrap().to_owned()
    }

    /// A git command that sees nothing of this machine: no configuration, and an identity of its own.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/local/bin")
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .current_dir(self.root());
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.test"]).args(args);
        command
    }

    fn git(&self, args: &[&str]) {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn ask(&self, paths: &[&str]) -> GitStatus {
        let paths = paths.iter().map(|path| format!("{}/{path}", self.text())).collect();
        let ask = GitAsk { paths, untracked: true, ignored: true, ..GitAsk::default() };
        Git::default().status(&self.text(), &ask, &StillWorld::default()).expect("an answer")
    }
}

#[track_caller]
fn check(found: &GitStatus, staged: &[&str], modified: &[&str], untracked: &[&str], ignored: &[&str]) {
    assert_eq!((&found.staged[..], &found.modified[..]), (&owned(staged)[..], &owned(modified)[..]));
    assert_eq!((&found.untracked[..], &found.ignored[..]), (&owned(untracked)[..], &owned(ignored)[..]));
    assert!(!found.cut);
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_clean_tree_has_nothing_to_lose() {
    let repository = Repository::new();
    assert!(repository.ask(&[]).is_empty());
}

#[test]
fn every_kind_of_work_is_told_apart() {
    let repository = Repository::new();
    repository.write("src/a", "2\n");
    repository.write("src/b", "2\n");
    repository.git(&["add", "src/b"]);
    repository.write("new/sub/file", "x");
    repository.write("odd name\n\u{e9}", "x");
    repository.write("x.o", "x");
    repository.write("build/1", "x");
    check(&repository.ask(&[]), &["src/b"], &["src/a"], &["new/", "odd name\n\u{e9}"], &["build/", "x.o"]);
    repository.write("src/b", "3\n");
    check(&repository.ask(&["src"]), &["src/b"], &["src/a", "src/b"], &[], &[]);
}

#[test]
fn a_part_is_asked_by_path_and_by_pattern() {
    let repository = Repository::new();
    for name in ["src/a", "new/sub/file", "new/other", "a[1].txt", "build/1", "deep/er/x.txt"] {
        repository.write(name, "changed\n");
    }
    check(&repository.ask(&["src/a"]), &[], &["src/a"], &[], &[]);
    check(&repository.ask(&["src/b"]), &[], &[], &[], &[]);
    check(&repository.ask(&["new/sub"]), &[], &[], &["new/sub/"], &[]);
    check(&repository.ask(&["build/1"]), &[], &[], &[], &["build/"]);
    check(&repository.ask(&["s*c"]), &[], &["src/a"], &[], &[]);
    check(&repository.ask(&["*.txt"]), &[], &[], &["a[1].txt", "deep/er/x.txt"], &[]);
    check(&repository.ask(&["a[1].txt"]), &[], &[], &["a[1].txt"], &[]);
    check(&repository.ask(&["../elsewhere"]), &[], &[], &[], &[]);
}

#[test]
fn what_is_only_deleted_is_not_lost_and_conflicts_are_work() {
    let repository = Repository::new();
    fs::remove_file(repository.root().join("src/a")).unwrap();
    repository.git(&["rm", "-q", "src/b"]);
    check(&repository.ask(&[]), &[], &[], &[], &[]);

    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "other"]);
    repository.write("src/a", "other\n");
    repository.commit("other");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("src/a", "main\n");
    repository.commit("main");
    let merge = repository.command(&["merge", "-q", "other"]).output().unwrap();
    let said = String::from_utf8_lossy(&merge.stdout).into_owned();
    assert!(!merge.status.success() && said.contains("CONFLICT"), "{merge:?}");
    check(&repository.ask(&[]), &[], &["src/a"], &[], &[]);
}

#[test]
fn commits_without_another_name_are_counted() {
    let repository = Repository::new();
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write("src/c", "1");
    repository.commit("one");
    repository.write("src/c", "2");
    repository.commit("two");
    repository.git(&["checkout", "-q", "main"]);
    let lone = |refs: &[&str]| Git::default().lone_commits(&repository.text(), &owned(refs));
    assert_eq!(lone(&["refs/heads/side"]), Some(2));
    assert_eq!(Git::default().unpushed_commits(&repository.text()), Some(3));
    repository.git(&["branch", "copy", "side"]);
    assert_eq!(lone(&["refs/heads/side"]), Some(0));
    assert_eq!(lone(&["refs/heads/side", "refs/heads/copy"]), Some(2));
    repository.git(&["tag", "kept", "side~1"]);
    assert_eq!(lone(&["refs/heads/side", "refs/heads/copy"]), Some(1));
    assert_eq!(lone(&["refs/heads/none"]), None);
}

#[test]
fn no_repository_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().to_str().unwrap();
    assert_eq!(Git::default().status(text, &GitAsk::default(), &StillWorld::default()), None);
    assert_eq!(Git::default().status("/no/such/folder", &GitAsk::default(), &StillWorld::default()), None);
}

#[test]
fn the_user_s_ignored_files_are_ignored() {
    let repository = Repository::new();
    let home = tempfile::tempdir().unwrap();
    let ignore = home.path().join("ignore");
    fs::write(&ignore, "*.idea\n").unwrap();
    repository.write("x.idea", "x");
    let config = format!("[core]\nexcludesfile = {}\n[core]\nfsmonitor = /bin/false\n", ignore.display());
    let files = [("/h/.gitconfig".to_owned(), tollgate_model::StillFile::File(config.into_bytes()))];
    let world = StillWorld { home: "/h".into(), files: files.into(), ..StillWorld::default() };
    let ask = GitAsk { untracked: true, ..GitAsk::default() };
    let status = Git::default().status(&repository.text(), &ask, &world).unwrap();
    assert_eq!(status.untracked, Vec::<String>::new());
}

/// Every way by which a repository can make git run something, each leaving a mark when it runs.
fn plant(root: &Path, mark: &Path) {
    let hooks = root.join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let code = format!("#!/bin/sh\ntouch {}/$(basename \"$0\").$$\ncat\n", mark.display());
    for name in [
        "pre-commit",
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
        "evil",
    ] {
        let file = hooks.join(name);
        fs::write(&file, &code).unwrap();
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let evil = hooks.join("evil");
    let evil = evil.display();
    let more = root.join(".git/more");
    fs::write(&more, format!("[filter \"included\"]\nclean = {evil}\nrequired = true\n")).unwrap();
    let config = format!(
        "[core]\nfsmonitor = {evil}\nhooksPath = {hooks}\npager = {evil}\neditor = {evil}\nsshCommand = {evil}\nattributesFile = {attributes}\n\
         [include]\npath = {more}\n[includeIf \"onbranch:main\"]\npath = {more}\n\
         [filter \"plain\"]\nclean = {evil}\nsmudge = {evil}\nrequired = true\n\
         [filter \"long.name with blanks\"]\nprocess = {evil}\nclean = {evil}\n\
         [diff]\nexternal = {evil}\n[diff \"d\"]\ncommand = {evil}\ntextconv = {evil}\n\
         [alias]\nstatus = !{evil}\nrev-list = !{evil}\nconfig = !{evil}\n\
         [pager]\nstatus = {evil}\nconfig = {evil}\n[credential]\nhelper = !{evil}\n\
         [remote \"origin\"]\nurl = ext::{evil}\npromisor = true\nuploadpack = {evil}\n[protocol \"ext\"]\nallow = always\n[uploadpack]\npackObjectsHook = {evil}\n",
        hooks = hooks.display(),
        attributes = root.join(".git/attributes").display(),
        more = more.display(),
    );
    let file = root.join(".git/config");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{before}{config}")).unwrap();
    fs::write(
        root.join(".gitattributes"),
        "src/a filter=plain diff=d\nsrc/b filter=included\nsrc/c filter=none\n",
    )
    .unwrap();
    fs::write(root.join(".git/attributes"), "*.x filter=plain\n").unwrap();
    fs::write(root.join(".git/info/attributes"), "src/d filter=\"long.name with blanks\"\n").unwrap();
}

#[test]
fn f43_nothing_of_the_repository_runs() {
    let repository = Repository::new();
    for name in ["src/c", "src/d", "e.x"] {
        repository.write(name, "1\n");
    }
    repository.commit("more");
    let marks = tempfile::tempdir().unwrap();
    plant(&repository.root(), marks.path());
    // Same size, other content and time: git has to read the files, which is when it filters.
    for name in ["src/a", "src/b", "src/c", "src/d", "e.x"] {
        repository.write(name, "2\n");
    }
    let status = repository.ask(&[]);
    assert_eq!(status.modified, owned(&["e.x", "src/a", "src/b", "src/c", "src/d"]));
    let git = Git::default();
    assert_eq!(git.lone_commits(&repository.text(), &owned(&["refs/heads/main"])), Some(0));
    assert_eq!(git.unpushed_commits(&repository.text()), Some(2));
    let left: Vec<_> = fs::read_dir(marks.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
    // The traps are real: plain git runs them.
    let _ = repository.command(&["status"]).output();
    assert!(
        fs::read_dir(marks.path()).unwrap().count() > 0,
        "the planted code never runs, so the test shows nothing"
    );
}

#[test]
fn f43_a_filter_with_an_odd_name_does_not_run() {
    let repository = Repository::new();
    let marks = tempfile::tempdir().unwrap();
    let config = repository.root().join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{before}[filter \"a=b\"]\nclean = touch {}/ran\n", marks.path().display()))
        .unwrap();
    repository.write(".gitattributes", "src/a filter=a=b\n");
    repository.write("src/a", "2\n");
    assert_eq!(repository.ask(&["src"]).modified, owned(&["src/a"]));
    assert_eq!(fs::read_dir(marks.path()).unwrap().count(), 0);
}

/// A third of the calls ran what was planted while git was being asked.
#[test]
fn f43_what_is_planted_meanwhile_does_not_run() {
    let repository = Repository::new();
    let marks = tempfile::tempdir().unwrap();
    let more = repository.root().join(".git/more");
    let config = repository.root().join(".git/config");
    let before = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{before}[include]\npath = {}\n", more.display())).unwrap();
    repository.write(".gitattributes", "src/* filter=planted\n");
    let evil = format!("touch {}/ran", marks.path().display());
    let planted = format!("[filter \"planted\"]\nclean = {evil}; cat\n[core]\nfsmonitor = {evil}\n");
    let end = Instant::now() + Duration::from_secs(2);
    let answers = std::thread::scope(|scope| {
        scope.spawn(|| {
            while Instant::now() < end {
                for text in ["", planted.as_str()] {
                    let _ = fs::write(&more, text);
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
        });
        let mut answers = 0;
        while Instant::now() < end {
            repository.write("src/a", &format!("{}\n", answers % 10));
            let status =
                Git::default().status(&repository.text(), &GitAsk::default(), &StillWorld::default());
            answers += usize::from(status.is_some());
        }
        answers
    });
    assert!(answers > 5, "{answers}");
    assert_eq!(fs::read_dir(marks.path()).unwrap().count(), 0, "planted code ran");
    fs::write(&more, &planted).unwrap();
    repository.write("src/a", "other\n");
    let _ = repository.command(&["status"]).output();
    assert!(fs::read_dir(marks.path()).unwrap().count() > 0, "the trap is real: plain git runs it");
}

/// What our own git directory links to is all that an answer needs: split index, linked work trees, sparse checkout.
#[test]
fn unusual_repositories_are_read_through_our_own_directory() {
    let repository = Repository::new();
    repository.git(&["update-index", "--split-index"]);
    repository.write("src/a", "2\n");
    assert_eq!(repository.ask(&[]).modified, owned(&["src/a"]));
    let beside = tempfile::tempdir().unwrap();
    let tree = beside.path().canonicalize().unwrap().join("tree");
    repository.git(&["worktree", "add", "-q", "-b", "other", tree.to_str().unwrap()]);
    fs::write(tree.join("src/b"), "3\n").unwrap();
    let ask = GitAsk { untracked: true, ..GitAsk::default() };
    let git = Git::default();
    let status = git.status(tree.to_str().unwrap(), &ask, &StillWorld::default()).unwrap();
    assert_eq!((status.modified, status.untracked), (owned(&["src/b"]), Vec::new()));
    assert_eq!(git.lone_commits(tree.to_str().unwrap(), &owned(&["refs/heads/other"])), Some(0));
}

#[test]
fn nothing_of_our_own_directory_is_left_behind() {
    let repository = Repository::new();
    let state = tempfile::tempdir().unwrap();
    let git = Git::at(state.path());
    assert!(git.status(&repository.text(), &GitAsk::default(), &StillWorld::default()).is_some());
    let count = || fs::read_dir(state.path().join("git")).unwrap().count();
    assert_eq!(count(), 1);
    drop(git);
    assert_eq!(count(), 0);
    assert!(repository.root().join(".git/objects").is_dir(), "links are not followed");
}

#[test]
fn f43_time_and_output_are_bounded() {
    let repository = Repository::new();
    for at in 0..1200 {
        repository.write(&format!("many-{at:04}-{}", "x".repeat(40)), "");
    }
    let status = repository.ask(&[]);
    assert!(status.cut && status.untracked.len() == STATUS_LIMIT, "{}", status.untracked.len());
    let git = Git::default();
    git.spent.set(TIME);
    assert_eq!(git.status(&repository.text(), &GitAsk::default(), &StillWorld::default()), None);
    let slow = Command::new("/bin/sh")
        .args(["-c", "sleep 30 & sleep 30"])
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let (group, start) = (Pid::from_child(&slow), Instant::now());
    assert!(collect(slow, start + Duration::from_millis(100)).is_none());
    assert!(start.elapsed() < Duration::from_secs(2));
    // The whole group is gone, or going.
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        rustix::process::test_kill_process_group(group).is_err()
    });
    assert!(gone, "a process of the group still runs");
}

#[test]
fn a_linked_work_tree_is_asked_as_its_own() {
    let repository = Repository::new();
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().canonicalize().unwrap().join("tree");
    repository.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    fs::write(tree.join("src/a"), "2\n").unwrap();
    let ask = GitAsk { untracked: true, ..GitAsk::default() };
    let status = Git::default().status(tree.to_str().unwrap(), &ask, &StillWorld::default()).unwrap();
    assert_eq!(status.modified, owned(&["src/a"]));
    assert!(repository.ask(&[]).is_empty());
}
