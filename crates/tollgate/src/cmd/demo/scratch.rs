//! The scratch folder: a home with a project in it, and the environment for everything that runs there.
//!
//! A second process, the keeper, makes the folder and removes it when its standard input closes. That happens however the
//! demo ends: normally, with an error, by Ctrl-C, by `kill -9`, or because the reader of its output went away. The keeper
//! removes nothing but the folder it made itself, so it cannot be used to delete anything else.

use std::fs::{self, DirBuilder};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use rustix::fs::Mode;

use super::script;
use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::{git, out, program};

/// How long a program may take that the demo runs.
pub const LIMIT: Duration = Duration::from_secs(30);

/// The demo writes this to the keeper when nothing of it runs any more.
const DONE: &[u8] = b"done";
/// How long the folder must stay away: after a regular end, and after a kill, when a hook may still be at work.
const AFTER_END: Duration = Duration::from_millis(40);
const AFTER_KILL: Duration = Duration::from_secs(3);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// The keeper gives up after this many tries to remove the folder.
const TRIES: u32 = 10;

/// A scratch folder that lasts as long as this value.
pub struct Scratch {
    root: PathBuf,
    program: PathBuf,
    keeper: Child,
}

impl Scratch {
    /// Starts the keeper and waits until it has made the folder.
    pub fn make() -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find my own program file")?;
        let mut command = Command::new(&program);
        command.args(["demo", "--keep-scratch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a process group of its own: Ctrl-C must not end it.
        let mut keeper = command.process_group(0).spawn().context("cannot start my own program file")?;
        let mut path = String::new();
        if let Some(stdout) = keeper.stdout.take() {
            BufReader::new(stdout).read_line(&mut path).context("cannot read from the scratch keeper")?;
        }
        if path.is_empty() {
            let output = keeper.wait_with_output().context("cannot wait for the scratch keeper")?;
            let why = String::from_utf8_lossy(&output.stderr);
            bail!("cannot make a scratch folder: {}", why.trim().trim_start_matches("tollgate: "));
        }
        let scratch = Self { root: PathBuf::from(path.trim_end_matches('\n')), program, keeper };
        // Files must be readable for their owner whatever the umask is, and for nobody else.
        rustix::process::umask(Mode::RWXG | Mode::RWXO);
        Ok(scratch)
    }

    /// The scratch home directory.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The project that the agent works on.
    pub fn project(&self) -> PathBuf {
        self.home().join("app")
    }

    /// The user's policy.
    pub fn config(&self) -> PathBuf {
        self.home().join(".config/tollgate")
    }

    /// The log.
    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/tollgate")
    }

    /// Where a path of the script lies.
    pub fn path(&self, path: &str) -> PathBuf {
        match path.strip_prefix("~/") {
            Some(rest) => self.home().join(rest),
            None => self.project().join(path),
        }
    }

    /// Writes the project, its secrets, and the user's policy.
    pub fn fill(&self) -> anyhow::Result<()> {
        let config = self.config();
        for (path, text) in [
            (self.path(script::SOURCE), script::SOURCE_TEXT),
            (self.path(script::TEST), script::TEST_TEXT),
            (self.path(".gitignore"), ".env\n"),
            (self.path(".env"), "API_KEY=not-a-real-key\n"),
            (self.path("~/.ssh/id_rsa"), "not a real key\n"),
            (config.join("tollgate.yaml"), script::POLICY_TEXT),
            (config.join(script::WORKFLOW), script::WORKFLOW_TEXT),
        ] {
            let folder = path.parent().unwrap_or(&self.root);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&path, text))
                .with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }

    /// Makes the project a repository with one commit. False without a git that both the agent and the gate find.
    pub fn init_repository(&self) -> bool {
        let run = |args: &[&str]| {
            let mut command = self.command(Path::new("git"));
            let ran = program::run(command.args(args), b"", LIMIT);
            matches!(ran, Ok(Some(ran)) if ran.exit == Some(0))
        };
        git::program().is_some()
            && run(&["init", "-q", "--template="])
            // Without this, git would work on a repository that the scratch folder may lie in.
            && self.project().join(".git/HEAD").is_file()
            && run(&["add", "."])
            && run(&["commit", "-qm", "Start"])
    }

    /// A command in the project, with nothing of the user's environment but the search path.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project()).env("HOME", self.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_CEILING_DIRECTORIES", &self.root);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Tollgate demo");
            command.env(format!("GIT_{role}_EMAIL"), "demo@example.com");
        }
        command
    }

    /// This very program, in the project.
    pub fn tollgate(&self) -> Command {
        self.command(&self.program)
    }

    /// Removes the folder and says so if that fails.
    pub fn remove(mut self) -> anyhow::Result<()> {
        self.dismiss_keeper();
        if self.root.exists() {
            bail!("cannot remove the scratch folder `{}`", self.root.display());
        }
        Ok(())
    }

    /// The keeper removes the folder when its standard input closes.
    fn dismiss_keeper(&mut self) {
        if let Some(mut pipe) = self.keeper.stdin.take() {
            // Without it the keeper waits longer; it removes the folder all the same.
            let _ = pipe.write_all(DONE);
        }
        // Whether the folder is gone is looked at, not asked.
        let _ = self.keeper.wait();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.dismiss_keeper();
    }
}

/// The keeper: makes a folder, prints its path, and removes it when standard input closes.
pub fn keep() -> anyhow::Result<ExitCode> {
    let root = make_folder()?;
    out::line(&root.to_string_lossy());
    // An error means the same as the end: nobody is there any more.
    let mut word = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut word);
    let quiet = if word == DONE { AFTER_END } else { AFTER_KILL };
    Ok(if remove(&root, quiet) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Makes a new folder that only its owner can read, in the first place where that is possible.
fn make_folder() -> anyhow::Result<PathBuf> {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let mut faults = Vec::new();
    for place in places() {
        match make_folder_in(&place) {
            Ok(folder) => return Ok(folder),
            Err(error) => faults.push(format!("`{}`: {error}", place.display())),
        }
    }
    bail!("set TMPDIR to a folder that you can write ({})", faults.join("; "))
}

fn make_folder_in(place: &Path) -> std::io::Result<PathBuf> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = format!("tollgate-demo-{:x}{:x}", std::process::id(), since_epoch.subsec_micros());
    let folder = place.join(name);
    // Fails where something has that name already, also a symlink.
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

/// Where the folder may be made: a folder for temporary files, else where the state directory is or would be.
fn places() -> Vec<PathBuf> {
    let mut places = vec![std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let state = Dirs::find().map(|dirs| dirs.state);
    places
        .extend(state.and_then(|state| state.ancestors().find(|folder| folder.is_dir()).map(Path::to_owned)));
    let real = places.iter().filter_map(|place| place.canonicalize().ok());
    let mut usable: Vec<PathBuf> = real.filter(|place| is_usable(place)).collect();
    usable.dedup();
    usable
}

/// The path must fit into JSON and on one line, and the gate must take what lies there for files, not for devices.
fn is_usable(place: &Path) -> bool {
    let text = place.to_str();
    text.is_some_and(|text| !text.contains(char::is_control)) && !place.starts_with("/dev")
}

/// Removes the folder until it stays away: a hook that outlives the demo may make it again.
fn remove(root: &Path, quiet: Duration) -> bool {
    (0..TRIES).any(|_| {
        // What is in the way now may be gone at the next try.
        let _ = fs::remove_dir_all(root);
        stays_away(root, quiet)
    })
}

/// Looks for the folder for some time. False as soon as it is there.
fn stays_away(root: &Path, time: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < time {
        std::thread::sleep(BETWEEN_LOOKS);
        if root.exists() {
            return false;
        }
    }
    true
}
