//! One client in one scratch home, talking to one scripted model.

use std::cell::RefCell;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::capture::{self, Answers, Captured};
use crate::claude::{self, Hook};
use crate::client::workspace;
use crate::driver::Driver;
use crate::mock::{MAIN, MockModel, Request, Script, ToolResult, Turn};
use crate::process::{self, Finished};
use crate::scratch::Scratch;
use crate::terminal::Terminal;

/// A client ready to be run, as often as wanted, in the same home and project.
#[derive(Debug)]
pub struct Run {
    scratch: Scratch,
    mock: MockModel,
    driver: &'static dyn Driver,
    program: PathBuf,
    seen: RefCell<usize>,
}

/// One start of the client.
#[derive(Clone, Debug)]
pub struct Session {
    /// What the model says.
    pub script: Script,
    /// What the person says.
    pub prompt: String,
    /// More arguments for the client.
    pub arguments: Vec<String>,
    /// Skip the client's own permission prompts.
    pub unattended: bool,
    /// When the client is killed.
    pub timeout: Duration,
}

/// What came of one start.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How the client ended.
    pub finished: Finished,
    /// Every request it made, oldest first.
    pub requests: Vec<Request>,
}

impl Run {
    /// Installs the client if need be, and makes a fresh home and project for it.
    pub fn new(driver: &'static dyn Driver) -> Result<Run> {
        let program = driver.client()?.install()?;
        let scratch = Scratch::new()?;
        let mock = MockModel::start(Script::new([]))?;
        driver.configure(&scratch, &mock.url())?;
        Ok(Run { scratch, mock, driver, program, seen: RefCell::new(0) })
    }

    /// How the client is driven.
    pub fn driver(&self) -> &'static dyn Driver {
        self.driver
    }

    /// The home and project.
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// Lets Tollgate's own installer register its hooks in the scratch home.
    pub fn installed_by(&self, tollgate: &Path) -> Result<()> {
        self.tollgate(tollgate, &["init"])
    }

    /// The same, and the hooks that are there are taken into the gate's own pipeline.
    pub fn adopted_by(&self, tollgate: &Path) -> Result<()> {
        self.tollgate(tollgate, &["init", "--adopt"])
    }

    /// Lets Tollgate take its hooks out again.
    pub fn uninstalled_by(&self, tollgate: &Path) -> Result<()> {
        self.tollgate(tollgate, &["uninstall"])
    }

    /// Lets Tollgate's own installer register a program in place of the gate, which records how it is called and
    /// answers as told: `recorder` is the recording hook.
    pub fn recorded_by(&self, tollgate: &Path, recorder: &str) -> Result<()> {
        let gate = self.scratch.root().join("bin/tollgate");
        fs::create_dir_all(self.scratch.root().join("bin"))?;
        // By a program of its own: while this process has it open for writing, a process that another thread starts
        // would hold it open too, and nobody could run it.
        let copied = Command::new("cp").arg(tollgate).arg(&gate).status()?;
        ensure!(copied.success(), "`{}` cannot be copied", tollgate.display());
        self.installed_by(&gate)?;
        fs::remove_file(&gate)?;
        let path = |name: &str| self.scratch.root().join(name).display().to_string();
        let (records, answers) = (path("records.jsonl"), path("answers.json"));
        // The installed words are `hook AGENT EVENT …`.
        fs::write(&gate, format!("#!/bin/sh\nexec {recorder} {records} {answers} \"$3\"\n"))?;
        Ok(fs::set_permissions(&gate, fs::Permissions::from_mode(0o755))?)
    }

    /// Registers hooks by hand.
    pub fn register(&self, hooks: &[Hook]) -> Result<()> {
        claude::register(&self.scratch, hooks)
    }

    /// Command and arguments of the recording hook for an event, to be registered in any form.
    pub fn capture_hook(&self, event: &str, program: &str) -> Hook {
        let path = |name: &str| self.scratch.root().join(name).display().to_string();
        Hook::guarded(event, program, vec![path("records.jsonl"), path("answers.json"), event.to_owned()])
    }

    /// Tells the recording hook what to answer.
    pub fn answers(&self, answers: &Answers) -> Result<()> {
        Ok(fs::write(self.scratch.root().join("answers.json"), serde_json::to_string(answers)?)?)
    }

    /// All calls that the recording hook got.
    pub fn captured(&self) -> Result<Vec<Captured>> {
        capture::read(&self.scratch.root().join("records.jsonl"))
    }

    /// How long ago the recording hook was called last.
    pub fn last_captured(&self) -> Option<Duration> {
        let records = fs::metadata(self.scratch.root().join("records.jsonl")).ok()?;
        records.modified().ok()?.elapsed().ok()
    }

    /// Starts the client in a terminal, and leaves it to the caller.
    pub fn in_terminal(&self, script: Script) -> Result<Terminal> {
        let session = Session::from(script);
        self.mock.play(session.script);
        let mut command = self.scratch.command(&self.program);
        command.args(self.driver.terminal_arguments(&session.prompt));
        command.envs(self.driver.environment(&self.scratch, &self.mock.url())).envs(self.no_way_out());
        // It would keep a client from drawing anything.
        command.env_remove("CI");
        Terminal::start(&command, self.scratch.root())
    }

    /// Starts the client and waits for its end.
    pub fn go(&self, session: impl Into<Session>) -> Result<Outcome> {
        let session = session.into();
        self.mock.play(session.script);
        let mut command = self.scratch.command(&self.program);
        command.args(self.driver.arguments(&session.prompt, session.unattended)).args(&session.arguments);
        command.envs(self.driver.environment(&self.scratch, &self.mock.url())).envs(self.no_way_out());
        let finished = process::run(&mut command, session.timeout, self.scratch.root())
            .with_context(|| format!("`{}` does not start", self.program.display()))?;
        let mut requests = self.mock.requests();
        let requests = requests.split_off(self.seen.replace(requests.len()));
        Ok(Outcome { finished, requests })
    }

    /// Whatever is not on loopback goes to the model as its proxy, which refuses it and remembers.
    fn no_way_out(&self) -> [(&'static str, String); 6] {
        let (proxy, local) = (self.mock.url(), "127.0.0.1,localhost".to_owned());
        [
            ("HTTP_PROXY", proxy.clone()),
            ("HTTPS_PROXY", proxy.clone()),
            ("http_proxy", proxy.clone()),
            ("https_proxy", proxy),
            ("NO_PROXY", local.clone()),
            ("no_proxy", local),
        ]
    }

    fn tollgate(&self, tollgate: &Path, words: &[&str]) -> Result<()> {
        let agent = self.driver.client()?.agent;
        let mut command = self.scratch.command(tollgate);
        command.args(words).args(["--agent", agent, "--yes"]);
        let done = process::run(&mut command, Duration::from_secs(60), self.scratch.root())?;
        ensure!(done.code == Some(0), "tollgate {words:?} failed: {done:?}");
        Ok(())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        process::reap(&self.scratch.home());
    }
}

impl From<Script> for Session {
    fn from(script: Script) -> Session {
        Session {
            script,
            prompt: "PROMPT-MARK please go on".to_owned(),
            arguments: Vec::new(),
            unattended: true,
            timeout: Duration::from_secs(240),
        }
    }
}

impl<const N: usize> From<[Turn; N]> for Session {
    fn from(turns: [Turn; N]) -> Session {
        Script::new(turns).into()
    }
}

impl Outcome {
    /// The requests of one conversation.
    pub fn conversation<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a Request> {
        self.requests.iter().filter(move |request| request.conversation == name)
    }

    /// The results of the main conversation's tool calls, as its last request has them.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.conversation(MAIN).next_back().map(Request::tool_results).unwrap_or_default()
    }

    /// Whether any request, of any conversation, holds the text.
    pub fn model_contains(&self, needle: &str) -> bool {
        self.requests.iter().any(|request| request.contains(needle))
    }

    /// Where the client wanted to go outside the machine.
    pub fn outside(&self) -> Vec<&str> {
        self.requests.iter().filter(|r| r.outside).map(|r| r.target.as_str()).collect()
    }
}

/// What one wants to see when a test fails.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finished { code, timed_out, stdout, stderr, took } = &self.finished;
        writeln!(f, "exit {code:?}, timed out: {timed_out}, {took:?}\nstdout: {stdout}\nstderr: {stderr}")?;
        for request in &self.requests {
            writeln!(f, "{} {} ({})", request.method, request.target, request.conversation)?;
        }
        for result in self.tool_results() {
            writeln!(
                f,
                "{} {}: {}",
                result.id,
                if result.is_error { "error" } else { "result" },
                result.text
            )?;
        }
        Ok(())
    }
}

/// The gate under test: `TOLLGATE_BIN`, or else what was built last.
pub fn tollgate_binary() -> Result<PathBuf> {
    if let Some(path) = env::var_os("TOLLGATE_BIN") {
        return Ok(path.into());
    }
    let built = ["target/release/tollgate", "target/debug/tollgate"].map(|path| workspace().join(path));
    let age = |path: &PathBuf| {
        fs::metadata(path).and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let newest = built.into_iter().filter(|path| path.exists()).max_by_key(age);
    newest.context("no tollgate binary; run `cargo xtask e2e`, or set TOLLGATE_BIN")
}
