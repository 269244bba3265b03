//! Running another program with a limit, and knowing our own.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tollgate_agents::install::detect::{is_executable, on_path};

/// What a program did.
pub struct Ran {
    /// Its exit code; none when a signal ended it.
    pub exit: Option<i32>,
    /// What it printed, at most 1 MiB.
    pub stdout: String,
    /// What it complained about, at most 1 MiB.
    pub stderr: String,
    /// From its start until it was gone.
    pub took: Duration,
}

/// Can a program of this name be started from here?
pub fn is_on_path(name: &str) -> bool {
    on_path(name, &std::env::var("PATH").unwrap_or_default()).is_some()
}

/// Runs a program on some input. None: it took longer than the limit and was ended.
pub fn run(command: &mut Command, input: &[u8], limit: Duration) -> io::Result<Option<Ran>> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    if let Some(mut pipe) = child.stdin.take() {
        // A program may answer without reading all of it.
        let _ = pipe.write_all(input);
    }
    let left = |start: Instant| limit.saturating_sub(start.elapsed());
    let texts = stdout.recv_timeout(left(start)).and_then(|out| Ok((out, stderr.recv_timeout(left(start))?)));
    match (texts, ended(&mut child, start, limit)?) {
        (Ok((stdout, stderr)), Some(exit)) => Ok(Some(Ran { exit, stdout, stderr, took: start.elapsed() })),
        _ => {
            child.kill()?;
            child.wait()?;
            Ok(None)
        }
    }
}

/// The path under which this program can be found again. The one on the search path comes first: it stays
/// the same when a package manager puts a new version behind it.
pub fn own() -> anyhow::Result<PathBuf> {
    let real = std::env::current_exe().context("cannot find my own program file")?;
    if !is_executable(&real) {
        bail!("my own program file `{}` is gone; install Tollgate again", real.display());
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let named =
        on_path("tollgate", &path).filter(|named| named.canonicalize().ok() == real.canonicalize().ok());
    let program = named.unwrap_or(real);
    if program.file_name().is_none_or(|name| name != "tollgate") {
        bail!(
            "`{}` must be called `tollgate`, so that it is known again in settings files",
            program.display()
        );
    }
    Ok(program)
}

const MOST_OUTPUT: u64 = 1 << 20;

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before an error still counts.
            let _ = pipe.take(MOST_OUTPUT).read_to_end(&mut bytes);
        }
        // Nobody listens any more after the limit.
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn ended(child: &mut Child, start: Instant, limit: Duration) -> io::Result<Option<Option<i32>>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.code()));
        }
        if start.elapsed() >= limit {
            return Ok(None);
        }
        thread::sleep(Duration::from_micros(200));
    }
}
