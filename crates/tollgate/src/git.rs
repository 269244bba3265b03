//! Git's answers about work trees, for verdicts that depend on what would be lost.
//!
//! Invariant: no code of the repository runs. Git is started from a fixed place with an empty environment, on a git
//! directory of our own whose configuration names no program, and is ended when it takes too long. What cannot be asked
//! so is answered with `None`.

mod private;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};

use private::PrivateDir;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use tollgate_model::World;
use tollgate_model::git::{Config, GitAsk, GitStatus, STATUS_LIMIT};

/// Where git is looked for. `PATH` belongs to the agent.
const PLACES: [&str; 6] = [
    "/usr/bin/git",
    "/usr/local/bin/git",
    "/opt/homebrew/bin/git",
    "/bin/git",
    "/run/current-system/sw/bin/git",
    "/home/linuxbrew/.linuxbrew/bin/git",
];

/// All the time that one event may spend on git.
const TIME: Duration = Duration::from_secs(2);

/// The most output that is read.
const OUTPUT: usize = 1 << 20;

/// Settings that keep git from running anything, and from needing much memory.
const SAFE: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.virtualFilesystem=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "core.pager=cat",
    "credential.helper=",
    "diff.external=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "safe.directory=*",
    "core.preloadIndex=false",
    "index.threads=1",
    "core.packedGitWindowSize=16m",
    "core.packedGitLimit=128m",
];

/// The user's settings without which git would see other changes than the user does.
const SHARED: [&str; 4] = ["core.autocrlf", "core.eol", "core.precomposeunicode", "core.trustctime"];

/// Git, as far as one event has asked it.
#[derive(Debug, Default)]
pub struct Git {
    statuses: RefCell<BTreeMap<(String, GitAsk), Option<GitStatus>>>,
    /// The git directory of our own for each work tree that was asked about.
    private: RefCell<BTreeMap<String, Option<Rc<PrivateDir>>>>,
    /// Where these are made.
    state: PathBuf,
    spent: Cell<Duration>,
}

impl Git {
    /// Git, with its own directories in a state directory.
    pub fn at(state: &Path) -> Self {
        Self { state: state.to_owned(), ..Self::default() }
    }

    /// What is not committed in a work tree.
    pub fn status(&self, root: &str, ask: &GitAsk, world: &dyn World) -> Option<GitStatus> {
        let key = (root.to_owned(), ask.clone());
        if let Some(known) = self.statuses.borrow().get(&key) {
            return known.clone();
        }
        let status = self.ask_status(root, ask, world);
        self.statuses.borrow_mut().insert(key, status.clone());
        status
    }

    /// How many commits only these refs reach.
    pub fn lone_commits(&self, root: &str, refs: &[String]) -> Option<usize> {
        let mut args = vec!["rev-list".to_owned(), "--count".to_owned()];
        args.extend(refs.iter().cloned());
        args.push("--not".to_owned());
        args.extend(refs.iter().map(|name| format!("--exclude={name}")));
        args.extend(["--glob=refs/*".to_owned(), "HEAD".to_owned(), "--".to_owned()]);
        self.count(root, &args)
    }

    /// How many commits no remote has.
    pub fn unpushed_commits(&self, root: &str) -> Option<usize> {
        let args =
            ["rev-list", "--count", "--glob=refs/heads/*", "--glob=refs/stash", "--not", "--remotes", "--"];
        self.count(root, &args.map(str::to_owned))
    }

    /// The contents that are in the index and not in the last commit; all of it where there is none.
    pub fn staged_objects(&self, root: &str) -> Option<Vec<String>> {
        let diff = ["diff-index", "--cached", "--raw", "--no-abbrev", "--no-renames", "-z", "HEAD", "--"];
        let listed = ["ls-files", "--stage", "-z"];
        let answer = self
            .run(root, &[], &diff.map(str::to_owned))
            .or_else(|| self.run(root, &[], &listed.map(str::to_owned)))
            .filter(|answer| !answer.cut)?;
        let text = String::from_utf8_lossy(&answer.bytes).into_owned();
        let is_object = |word: &&str| {
            matches!(word.len(), 40 | 64)
                && word.bytes().all(|byte| byte.is_ascii_hexdigit())
                && word.bytes().any(|byte| byte != b'0')
        };
        Some(text.split(['\0', ' ', '\t']).filter(is_object).map(str::to_owned).collect())
    }

    /// The files in which a commit differs from what is checked out.
    pub fn changed_since(&self, root: &str, revision: &str) -> Option<Vec<String>> {
        let revision = (!revision.starts_with('-')).then(|| format!("{revision}^{{commit}}"))?;
        let args = ["diff-tree", "-r", "--name-only", "--no-renames", "-z", "HEAD", &revision, "--"];
        let answer = self.run(root, &[], &args.map(str::to_owned)).filter(|answer| !answer.cut)?;
        // A name that is no text cannot be looked for.
        let text = String::from_utf8(answer.bytes).ok()?;
        Some(text.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    fn count(&self, root: &str, args: &[String]) -> Option<usize> {
        let answer = self.run(root, &[], args)?;
        String::from_utf8(answer.bytes).ok()?.trim().parse().ok()
    }

    fn ask_status(&self, root: &str, ask: &GitAsk, world: &dyn World) -> Option<GitStatus> {
        let Some(pathspecs) = pathspecs(root, &ask.paths) else { return Some(GitStatus::default()) };
        let settings = shared(world);
        let mut args: Vec<String> =
            ["status", "--porcelain=v2", "-z", "--no-renames"].map(str::to_owned).to_vec();
        // Which commit a submodule stands at is read from its files; nothing in it is run.
        args.push(format!("--ignore-submodules={}", if ask.modules { "dirty" } else { "all" }));
        args.push(format!(
            "--untracked-files={}",
            if ask.untracked || ask.ignored { "normal" } else { "no" }
        ));
        args.push(format!("--ignored={}", if ask.ignored { "traditional" } else { "no" }));
        args.push("--".to_owned());
        args.extend(pathspecs);
        let answer = self.run(root, &settings, &args)?;
        Some(parse(&answer))
    }

    /// Our own git directory for a work tree. To list a configuration starts nothing, whatever it says.
    fn private(&self, root: &str) -> Option<Rc<PrivateDir>> {
        if let Some(known) = self.private.borrow().get(root) {
            return known.clone();
        }
        let args = ["config", "--list", "-z", "--includes"].map(str::to_owned);
        let listed = self.start(root, None, &[], &args).filter(|answer| !answer.cut);
        let private = listed.and_then(|listed| PrivateDir::new(&self.state, Path::new(root), &listed.bytes));
        let private = private.map(Rc::new);
        self.private.borrow_mut().insert(root.to_owned(), private.clone());
        private
    }

    /// Asks git about a work tree.
    fn run(&self, root: &str, settings: &[String], args: &[String]) -> Option<Answer> {
        let private = self.private(root)?;
        self.start(root, Some(private.path()), settings, args)
    }

    /// Runs git in a folder, on the given git directory.
    fn start(
        &self,
        root: &str,
        git_dir: Option<&Path>,
        settings: &[String],
        args: &[String],
    ) -> Option<Answer> {
        let left = TIME.checked_sub(self.spent.get()).filter(|left| !left.is_zero())?;
        let git = program()?;
        let start = Instant::now();
        let mut command = command(git, root, settings, args);
        if let Some(git_dir) = git_dir {
            command.env("GIT_DIR", git_dir).env("GIT_WORK_TREE", root);
        }
        let answer = command.spawn().ok().and_then(|child| collect(child, start + left));
        self.spent.set(self.spent.get() + start.elapsed());
        answer
    }
}

/// The git that is asked.
pub fn program() -> Option<&'static Path> {
    PLACES.iter().map(Path::new).find(|path| path.is_file())
}

/// What git printed.
struct Answer {
    bytes: Vec<u8>,
    /// There was more than is read.
    cut: bool,
}

fn command(git: &Path, root: &str, settings: &[String], args: &[String]) -> Command {
    let mut command = Command::new(git);
    command.env_clear().current_dir(root).process_group(0);
    let environment = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("HOME", "/nonexistent"),
        ("XDG_CONFIG_HOME", "/nonexistent"),
        ("PATH", "/nonexistent"),
        ("LC_ALL", "C"),
    ];
    command.envs(environment).args(["--no-pager", "--no-optional-locks"]);
    for setting in SAFE.iter().map(OsString::from).chain(settings.iter().map(OsString::from)) {
        command.arg("-c").arg(setting);
    }
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Reads what a process prints until it ends, says too much, or takes too long; then it is gone, with all
/// that it started. `None` when it failed.
fn collect(mut child: Child, deadline: Instant) -> Option<Answer> {
    let read = child.stdout.take().and_then(|stdout| read(stdout, deadline));
    let whole = read.as_ref().is_some_and(|answer| !answer.cut);
    let ended = whole && wait(&mut child, deadline);
    if !ended {
        // The group outlives the process until it is waited for, so the id cannot belong to anything else.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let succeeded = child.wait().is_ok_and(|status| status.success());
    read.filter(|answer| answer.cut || succeeded)
}

fn read(mut stdout: ChildStdout, deadline: Instant) -> Option<Answer> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        let timeout =
            Timespec { tv_sec: i64::try_from(left.as_secs()).ok()?, tv_nsec: i64::from(left.subsec_nanos()) };
        let ready = poll(&mut [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::IN)], Some(&timeout));
        if ready == Ok(0) {
            return None;
        }
        let count = match stdout.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        bytes.extend_from_slice(buffer.get(..count)?);
        if count == 0 || bytes.len() > OUTPUT {
            return Some(Answer { bytes, cut: count > 0 });
        }
    }
}

/// A process that has closed its output ends at once, or something holds it.
fn wait(child: &mut Child, deadline: Instant) -> bool {
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
            Err(_) => return false,
        }
    }
    false
}

/// Settings of the user that only say what counts as a change.
fn shared(world: &dyn World) -> Vec<String> {
    let config = Config::of_user(world);
    let mut settings: Vec<String> =
        SHARED.iter().filter_map(|key| config.get(key).map(|value| format!("{key}={value}"))).collect();
    let ignored = config.get("core.excludesfile").map(|path| match path.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", world.home()),
        None => path.to_owned(),
    });
    let file = ignored.unwrap_or_else(|| format!("{}/.config/git/ignore", world.home()));
    settings.push(format!("core.excludesFile={file}"));
    settings
}

/// Paths as git takes them, from the top of the work tree; `None` when none of them lies in it.
fn pathspecs(root: &str, paths: &[String]) -> Option<Vec<String>> {
    let mut specs = Vec::new();
    for path in paths {
        let below = path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match below.map(|rest| rest.trim_matches('/')) {
            Some("") => return Some(Vec::new()),
            Some(rest) => {
                specs.push(format!(":(top,literal){rest}"));
                if rest.contains(['*', '?', '[']) {
                    specs.extend([format!(":(top){rest}"), format!(":(top){rest}/*")]);
                }
            }
            // A folder above the work tree, or a pattern of one, holds all of it.
            None if root.starts_with(path.trim_end_matches('/')) || path.contains('*') => {
                return Some(Vec::new());
            }
            None => {}
        }
    }
    (paths.is_empty() || !specs.is_empty()).then_some(specs)
}

/// `git status --porcelain=v2 -z`.
fn parse(answer: &Answer) -> GitStatus {
    let mut status = GitStatus { cut: answer.cut, ..GitStatus::default() };
    let mut records: Vec<&[u8]> = answer.bytes.split(|byte| *byte == 0).collect();
    // What follows the last zero is nothing, or a record that was cut off.
    records.pop();
    let mut records = records.into_iter();
    while let Some(record) = records.next() {
        let line = String::from_utf8_lossy(record);
        let mut fields = line.splitn(2, ' ');
        let (kind, rest) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        match kind {
            "?" => add(&mut status.untracked, rest, &mut status.cut),
            "!" => add(&mut status.ignored, rest, &mut status.cut),
            "1" => changed(&mut status, rest, 7),
            "2" => {
                changed(&mut status, rest, 8);
                records.next();
            }
            "u" => {
                let path = rest.splitn(10, ' ').nth(9).unwrap_or_default();
                add(&mut status.modified, path, &mut status.cut);
            }
            _ => {}
        }
    }
    status
}

/// An ordinary change: two letters, for the index and for the work tree, and after some fields the path. What
/// was only deleted is not lost.
fn changed(status: &mut GitStatus, rest: &str, fields: usize) {
    let mut letters = rest.chars();
    let (index, tree) = (letters.next(), letters.next());
    let path = rest.splitn(fields + 1, ' ').nth(fields).unwrap_or_default();
    let holds = |letter: Option<char>| !matches!(letter, Some('.' | 'D') | None);
    if holds(index) {
        add(&mut status.staged, path, &mut status.cut);
    }
    if index == Some('D') || tree == Some('D') {
        add(&mut status.deleted, path, &mut status.cut);
    }
    if holds(tree) {
        add(&mut status.modified, path, &mut status.cut);
    }
}

fn add(list: &mut Vec<String>, path: &str, cut: &mut bool) {
    if list.len() < STATUS_LIMIT {
        list.push(path.to_owned());
    } else {
        *cut = true;
    }
}

#[cfg(test)]
mod tests;
