//! A PostgreSQL of one's own, in a temporary directory, for the demonstration, for measurements and for tests.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long PostgreSQL may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes of a temporary folder that leave room for the name of a socket below it.
const SHORT: usize = 60;

/// A running PostgreSQL that ends with this value, and with the process at the latest. It listens on a socket in its own
/// folder and on no network, and lets in whoever can reach that folder: its owner.
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    owner: Option<(u32, u32)>,
    safe: bool,
    process: Option<Child>,
}

impl Postgres {
    /// Makes and starts one. With `safe`, it keeps what it acknowledged in a power cut, at the cost of time.
    ///
    /// # Errors
    /// When PostgreSQL is not installed, or does not start.
    pub fn start(safe: bool) -> anyhow::Result<Self> {
        // The path of a socket has at most 107 bytes, so not below a long `TMPDIR`.
        let temporary = std::env::temp_dir();
        let short = temporary.as_os_str().len() <= SHORT;
        let place = if short { temporary } else { PathBuf::from("/tmp") };
        let folder = tempfile::Builder::new().prefix("tollgate-pg-").tempdir_in(place)?;
        let owner = if rustix::process::geteuid().is_root() { Some(postgres_user()?) } else { None };
        if let Some((user, group)) = owner {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group))?;
        }
        let mut server = Self { folder, programs: programs()?, owner, safe, process: None };
        let data = server.data();
        let mut command = server.command("initdb");
        command.args([
            "--no-sync",
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
            "-D",
        ]);
        let made = command.arg(data).output().context("initdb")?;
        if !made.status.success() {
            bail!("initdb failed: {}", String::from_utf8_lossy(&made.stderr).trim());
        }
        server.run()?;
        Ok(server)
    }

    /// Where to connect to.
    #[must_use]
    pub fn url(&self) -> String {
        let folder = self.folder.path().display().to_string().replace('\\', "\\\\").replace('\'', "\\'");
        format!("host='{folder}' user=postgres dbname=postgres")
    }

    /// Ends it at once, as a crash does, and starts it again.
    ///
    /// # Errors
    /// When it does not start.
    pub fn crash_and_restart(&mut self) -> anyhow::Result<()> {
        // Its other processes notice and end; the new one waits for them by the lock in its folder.
        self.end(Signal::QUIT);
        self.run()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command.current_dir(self.folder.path()).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        command.stdin(Stdio::null());
        command
    }

    fn run(&mut self) -> anyhow::Result<()> {
        // `setpriv` lets PostgreSQL end with the thread that started it, should that be killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "INT"]);
        if let Some((user, group)) = self.owner {
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        }
        command.arg(self.programs.join("postgres")).arg("-D").arg(self.data());
        command.arg("-k").arg(self.folder.path());
        let fast = ["fsync=off", "full_page_writes=off"];
        let settings =
            ["listen_addresses=", "max_connections=100", "shared_buffers=256MB", "max_wal_size=4GB"];
        let settings = settings.iter().chain(if self.safe { &[][..] } else { &fast[..] });
        for setting in settings {
            command.args(["-c", setting]);
        }
        let log = std::fs::File::options().create(true).append(true).open(self.folder.path().join("log"))?;
        command.current_dir(self.folder.path()).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.process = Some(command.spawn().context("setpriv")?);
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            let mut asked = self.command("pg_isready");
            asked.arg("-q").arg("-h").arg(self.folder.path());
            if asked.status()?.success() {
                return Ok(());
            }
            let ended = self.process.as_mut().map_or(Ok(None), Child::try_wait)?.is_some();
            if ended || Instant::now() > end {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                bail!("PostgreSQL does not start: {}", log.lines().last().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn end(&mut self, signal: Signal) {
        let Some(mut process) = self.process.take() else { return };
        if let Some(id) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(id, signal);
        }
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if !matches!(process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = process.kill();
        let _ = process.wait();
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.end(Signal::INT);
    }
}

/// The newest PostgreSQL of Debian's packages, else the one on the path.
fn programs() -> anyhow::Result<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let found = versions
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .max();
    let on_path = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).find(|folder| folder.join("initdb").exists())
    };
    found
        .map(|(_, folder)| folder)
        .or_else(on_path)
        .context("PostgreSQL is not installed: apt-get install postgresql")
}

/// PostgreSQL refuses to run as root.
fn postgres_user() -> anyhow::Result<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd")?;
    let line = users.lines().find_map(|line| line.strip_prefix("postgres:"));
    let mut fields = line.context("there is no user `postgres`")?.split(':').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse().ok());
    number().zip(number()).context("the user `postgres` cannot be read")
}
