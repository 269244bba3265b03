//! Commands that the demo runs at its end: what happened, and what limits do.

use anyhow::Context;

use super::agent::SESSION;
use super::scratch::{LIMIT, Scratch};
use super::screen::Screen;
use crate::program;

/// The last part of a demo.
pub struct End {
    /// The heading.
    pub title: &'static str,
    /// What is shown.
    pub commands: &'static [Lookback],
    needs_limits: bool,
}

/// What happened, from the log.
pub const LOG: End = End { title: "6. Every event is logged", commands: COMMANDS, needs_limits: false };

/// A command with limits.
pub const LIMITS: End =
    End { title: "4. A command that nobody has read gets limits", commands: LIMITED, needs_limits: true };

impl End {
    /// Why its commands cannot be shown here.
    pub fn missing(&self) -> Option<&'static str> {
        let is_missing = self.needs_limits && !tollgate_contain::probe().is_enough();
        is_missing.then_some("left out: this kernel cannot limit commands (Linux 6.2 with Landlock can)")
    }
}

/// A command, and the part of its output that is shown.
pub struct Lookback {
    words: &'static [&'static str],
    /// The command as a person types it.
    typed: &'static str,
    exit: i32,
    /// Show from the first line that begins with this; from the first line where none does.
    from: &'static str,
    /// Show so many lines.
    lines: usize,
}

/// `explain` is asked about a call that was not made: it needs no agent.
const COMMANDS: &[Lookback] = &[
    Lookback {
        words: &["log", "--verdict", "deny", "-n", "3"],
        typed: "tollgate log --verdict deny -n 3",
        exit: 0,
        from: "",
        lines: 3,
    },
    Lookback { words: &["stats"], typed: "tollgate stats", exit: 0, from: "  calls ", lines: 3 },
    Lookback {
        words: &["report", "--session", SESSION],
        typed: "tollgate report --session demo",
        exit: 0,
        from: "Tools",
        lines: 3,
    },
    Lookback {
        words: &["explain", "npm publish"],
        typed: "tollgate explain 'npm publish'",
        exit: 1,
        from: "",
        lines: 5,
    },
];

/// The project's tests work inside the limits, and a secret cannot be read.
const LIMITED: &[Lookback] = &[
    Lookback {
        words: &["run", "--no-net", "--", "/bin/sh", "tests/run.sh"],
        typed: "tollgate run --no-net -- /bin/sh tests/run.sh",
        exit: 0,
        from: "",
        lines: 1,
    },
    Lookback {
        words: &["run", "--", "/bin/sh", "-c", "cat ~/.ssh/id_rsa 2>&1"],
        typed: "tollgate run -- /bin/sh -c 'cat ~/.ssh/id_rsa 2>&1'",
        exit: 1,
        from: "",
        lines: 1,
    },
];

impl Lookback {
    /// Runs the command and shows part of its output. Says what was not as expected.
    pub fn show(&self, scratch: &Scratch, screen: &Screen) -> anyhow::Result<Option<String>> {
        let mut command = scratch.tollgate();
        // As wide as the page that the demo writes on.
        command.env("COLUMNS", "98");
        let ran =
            program::run(command.args(self.words), b"", LIMIT).context("cannot start my own program file")?;
        let Some(ran) = ran else {
            return Ok(Some(format!("`{}`: no answer within {} s", self.typed, LIMIT.as_secs())));
        };
        let lines: Vec<&str> = ran.stdout.lines().filter(|line| !line.trim().is_empty()).collect();
        let first = lines.iter().position(|line| line.starts_with(self.from)).unwrap_or(0);
        let shown: Vec<&str> = lines.iter().copied().skip(first).take(self.lines).collect();
        screen.excerpt(self.typed, &shown, shown.len() == lines.len());
        if ran.exit == Some(self.exit) && !lines.is_empty() {
            return Ok(None);
        }
        Ok(Some(format!("`{}`: exit code {:?}, {}", self.typed, ran.exit, ran.stderr.trim())))
    }
}
