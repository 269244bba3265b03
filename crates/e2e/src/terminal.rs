//! A client in a terminal, with somebody at its keys.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};

/// A program in a terminal of `script`'s, ended when dropped.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    screen: PathBuf,
}

impl Terminal {
    /// Starts a command in a terminal; what it shows goes to a file in `folder`.
    pub fn start(command: &Command, folder: &Path) -> Result<Terminal> {
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
        let screen = folder.join("screen.txt");
        let mut script = Command::new("script");
        // A terminal without a size would be one without lines.
        script.args(["-qfec", &format!("stty cols 120 rows 50; exec {}", line.join(" ")), "/dev/null"]);
        script.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        script.current_dir(command.get_current_dir().unwrap_or(folder)).process_group(0);
        script.stdin(Stdio::piped()).stdout(File::create(&screen)?).stderr(Stdio::null());
        let child = script.spawn().context("`script` does not start; it is part of util-linux")?;
        Ok(Terminal { child, screen })
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        let keyboard = self.child.stdin.as_mut().context("the terminal has no keyboard")?;
        keyboard.write_all(keys.as_bytes())?;
        Ok(keyboard.flush()?)
    }

    /// Everything that was ever shown, without colours and cursor movements.
    pub fn shown(&self) -> String {
        plain(
            &fs::read(&self.screen)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .unwrap_or_default(),
        )
    }

    /// Waits until something is so. False when its time is up.
    pub fn wait(&self, limit: Duration, is_so: impl Fn(&Terminal) -> bool) -> bool {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if is_so(self) {
                return true;
            }
            thread::sleep(Duration::from_millis(100));
        }
        is_so(self)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Text without escape sequences.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match characters.next() {
            Some('[') => drop(characters.by_ref().find(|c| ('@'..='~').contains(c))),
            Some(']') => drop(characters.by_ref().find(|c| matches!(c, '\u{7}' | '\\'))),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_reach_the_program_and_colours_do_not_show() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let mut shell = Command::new("sh");
        shell.args(["-c", "printf '\\033[1mname?\\033[0m '; read name; echo \"<$name> it's $(tput cols)\""]);
        shell.env("PATH", "/usr/bin:/bin").env("TERM", "xterm");
        let mut terminal = Terminal::start(&shell, folder.path())?;
        let limit = Duration::from_secs(10);
        assert!(terminal.wait(limit, |t| t.shown().contains("name? ")), "{}", terminal.shown());
        terminal.press("ann\n")?;
        assert!(terminal.wait(limit, |t| t.shown().contains("<ann> it's 120")), "{}", terminal.shown());
        Ok(())
    }
}
