//! Running a program to its end, or to ours.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How a program ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its exit code; none when a signal ended it, ours included.
    pub code: Option<i32>,
    /// Whether it was still running when its time was up.
    pub timed_out: bool,
    /// What it wrote.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// How long it ran.
    pub took: Duration,
}

/// Runs a command in a process group of its own, which is killed when the time is up.
///
/// The output goes through files in `folder`, as a pipe would stay open for as long as any grandchild lives.
pub fn run(command: &mut Command, timeout: Duration, folder: &Path) -> io::Result<Finished> {
    let (out, err) = (folder.join("stdout.txt"), folder.join("stderr.txt"));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?).process_group(0);
    let started = Instant::now();
    let mut child = command.spawn()?;
    let (code, timed_out) = wait(&mut child, started + timeout)?;
    Ok(Finished { code, timed_out, stdout: read(&out)?, stderr: read(&err)?, took: started.elapsed() })
}

/// Kills every process whose `HOME` is the given folder: what a client left behind in sessions of its own.
///
/// A process shows no environment at the moment it starts a program, and may be born behind the search, so the
/// search ends when it has found nothing twice.
pub fn reap(home: &Path) {
    let mark = format!("HOME={}", home.display()).into_bytes();
    let mut quiet = 0;
    while quiet < 2 {
        quiet = if kill_marked(&mark) == 0 { quiet + 1 } else { 0 };
        thread::sleep(Duration::from_millis(10));
    }
}

/// How many processes with this variable were found and killed.
fn kill_marked(mark: &[u8]) -> usize {
    let Ok(entries) = fs::read_dir("/proc") else { return 0 };
    let marked = entries.flatten().filter_map(|entry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        let environ = fs::read(entry.path().join("environ")).ok()?;
        environ.split(|byte| *byte == 0).any(|variable| variable == mark).then_some(pid)
    });
    marked.filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count()
}

fn wait(child: &mut Child, deadline: Instant) -> io::Result<(Option<i32>, bool)> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), false));
        }
        if Instant::now() >= deadline {
            kill_process_group(Pid::from_child(child), Signal::KILL)?;
            child.wait()?;
            return Ok((None, true));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a process with this number is still at work; one that waits to be collected is not.
    fn lives(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
    }

    fn dies(pid: &str) -> bool {
        (0..200).any(|_| {
            thread::sleep(Duration::from_millis(10));
            !lives(pid)
        })
    }

    #[test]
    fn a_group_is_killed_when_its_time_is_up() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 600 & echo $!; wait"]);
        let finished = run(&mut shell, Duration::from_millis(300), folder.path())?;
        assert!(finished.timed_out && finished.code.is_none(), "{finished:?}");
        assert!(finished.took < Duration::from_secs(10), "{finished:?}");
        assert!(dies(finished.stdout.trim()), "{finished:?}");
        Ok(())
    }

    #[test]
    fn what_left_the_group_is_found_by_its_home() -> io::Result<()> {
        let (home, other) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let leave = |home: &Path| -> io::Result<String> {
            let mut shell = Command::new("setsid");
            shell.args(["--wait", "sh", "-c", "sleep 600 & echo $!"]).env("HOME", home);
            let finished = run(&mut shell, Duration::from_secs(10), home)?;
            assert!(finished.code == Some(0) && !finished.stdout.is_empty(), "{finished:?}");
            Ok(finished.stdout.trim().to_owned())
        };
        let (mine, theirs) = (leave(home.path())?, leave(other.path())?);
        assert!(lives(&mine) && lives(&theirs));
        reap(home.path());
        assert!(dies(&mine) && lives(&theirs));
        reap(other.path());
        assert!(dies(&theirs));
        Ok(())
    }
}
