//! What a person sees, at a speed at which it can be read.

use std::io::IsTerminal;
use std::thread::sleep;
use std::time::Duration;

use tollgate_model::Verdict;

use super::answer::Answer;
use super::scratch::Scratch;
use super::script::{Call, Step};
use crate::paint::{Paint, plain, wrap};
use crate::{out, report, table};

/// Where the gate's answers are indented to.
const INDENT: &str = "    ";

/// Lines are no longer than this, and no longer than the terminal is wide.
const COLUMNS: usize = 100;

/// After a call that passes, and after a text to read. All pauses of the demo add up to less than a minute.
const SHORT: Duration = Duration::from_millis(600);
const LONG: Duration = Duration::from_millis(2500);

/// The terminal, or whatever standard output is.
pub struct Screen {
    paint: Paint,
    pauses: bool,
    columns: usize,
    /// The scratch home, shown as `~`.
    home: String,
}

impl Screen {
    /// Pauses only on a terminal.
    pub fn new(fast: bool, scratch: &Scratch) -> Self {
        let terminal = std::io::stdout().is_terminal();
        Self {
            paint: Paint::for_stdout(),
            pauses: !fast && terminal,
            columns: if terminal { COLUMNS.min(table::width()) } else { COLUMNS },
            home: scratch.home().to_string_lossy().into_owned(),
        }
    }

    /// What this is.
    pub fn introduce(&self, scratch: &Scratch, git: bool) {
        out::line("A scripted agent works on a small project. Each of its calls goes through");
        out::line("`tollgate hook claude-code`, as in a real session; refused calls never run.");
        let home = scratch.home();
        out::line(
            &self.paint.dim(&format!("~ is the scratch home {}; it is removed at the end.", home.display())),
        );
        if !git {
            out::line("git not found; skipping the calls that need it.");
        }
        self.pause(LONG);
    }

    /// The heading of a part.
    pub fn title(&self, title: &str) {
        out::line("");
        report::heading(title);
        self.pause(SHORT);
    }

    /// A call, and the gate's answer in its own words.
    pub fn step(&self, step: &Step, shown: &str, answer: &Answer) {
        let (word, verdict) = match answer {
            Answer::Allowed if matches!(step.call, Call::Prompt(_)) => ("you", Verdict::Allow),
            Answer::Allowed => ("allow", Verdict::Allow),
            Answer::Saved(_) => ("save", Verdict::Save),
            Answer::Asked(_) => ("ask", Verdict::Ask),
            Answer::Denied(_) => ("deny", Verdict::Deny),
            Answer::Broken(_) => ("fault", Verdict::Deny),
        };
        let word = self.paint.verdict(verdict, &format!("{word:<5}"));
        out::line(&format!("  {word}  {:<22} {}", step.intent, shown));
        // The last line says how a person allows the call, which nobody does in the demo.
        let mut findings = answer.reason().lines().filter(|line| !line.starts_with("To allow it once"));
        let Some(first) = findings.next() else { return self.pause(SHORT) };
        let more = match findings.count() {
            0 => String::new(),
            1 => " (and 1 more finding)".to_owned(),
            more => format!(" (and {more} more findings)"),
        };
        self.indented(&(plain(&self.with_tilde(first)) + &more));
        self.pause(LONG);
    }

    /// A command of the demo's own, with part of its output.
    pub fn excerpt(&self, command: &str, lines: &[&str], whole: bool) {
        let mark = if whole { String::new() } else { self.paint.dim("  # excerpt") };
        out::line(&format!("  $ {command}{mark}"));
        for line in lines {
            out::line(&table::cut(&format!("  {}", plain(&self.with_tilde(line))), self.columns));
        }
        self.pause(LONG);
    }

    /// A line of its own.
    pub fn note(&self, text: &str) {
        out::line(&format!("  {text}"));
    }

    /// What to type next.
    pub fn next_steps(&self) {
        self.title("Next");
        for (command, does) in [
            ("tollgate init", "guard the agents on this machine"),
            ("tollgate explain 'rm -rf build'", "see what a command would do, and the answer"),
            ("tollgate --help", "all commands"),
        ] {
            out::line(&format!("  {command:<33}{}", self.paint.dim(does)));
        }
    }

    fn indented(&self, text: &str) {
        let lines = wrap(text, self.columns.saturating_sub(INDENT.len()));
        lines.iter().for_each(|line| out::line(&format!("{INDENT}{line}")));
    }

    fn with_tilde(&self, text: &str) -> String {
        text.replace(&self.home, "~")
    }

    fn pause(&self, time: Duration) {
        if self.pauses {
            sleep(time);
        }
    }
}
