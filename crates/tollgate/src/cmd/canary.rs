//! `tollgate canary`: proves a registered gate by starting it as the agent would, with one call that must be
//! refused and one that must pass. Canary calls only ask; nothing is run.

use crate::exit::ExitCode;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use tollgate_agents::install::canary;
use tollgate_agents::install::claude::canary::{Answer, Command, payload, read_answer};
use tollgate_agents::install::claude::settings::{Layer, Places};
use tollgate_agents::install::claude::{Registration, Version};
use tollgate_agents::install::detect::{Installed, installed};
use tollgate_agents::install::setup::Roots;
use tollgate_model::{Agent, CANARY_SESSION, is_canary};
use tollgate_store::Log;

use super::guard::Guard;
use super::init::lasting_place;

use crate::dirs::Dirs;
use crate::listing::Output;
use crate::program;
use crate::report::{Light, Line, heading};
use crate::versions::{self, Versions};

/// Arguments of `tollgate canary`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Also test through Claude Code (needs a login, costs tokens)
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    output: Output,
}

/// Proves every registration that applies here. Exit 1 when one does not hold.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let stage = Stage::here()?;
    let others: Vec<(Guard, Command)> = Guard::registered(&stage);
    let mut all = Vec::new();
    let mut rows = Vec::new();
    let mut tell = |title: &str, lines: Vec<Line>| {
        if args.output.is_text() {
            heading(title);
            lines.iter().for_each(Line::print);
        }
        rows.extend(lines.iter().map(|line| line.value(title)));
        all.extend(lines);
    };
    let skipped = stage.skipped();
    if !skipped.is_empty() {
        tell("Claude Code", skipped.clone());
    }
    match stage.registered().first() {
        None if !skipped.is_empty() => {}
        None if others.is_empty() || args.live => {
            tell(
                "Claude Code",
                vec![Line::red("Tollgate is not registered with Claude Code", "tollgate init")],
            );
        }
        None => {}
        Some(command) => {
            let mut lines = stage.prove(Agent::ClaudeCode, command);
            lines.extend(args.live.then(|| stage.prove_live(command)));
            tell("Claude Code", lines);
        }
    }
    for (guard, command) in &others {
        tell(guard.profile.title, stage.prove(guard.setup.agent, command));
    }
    if !args.output.is_text() {
        args.output.print(&rows);
    }
    Ok(exit_code(&all))
}

/// 1 when a line is red.
pub fn exit_code(lines: &[Line]) -> ExitCode {
    let red = lines.iter().any(|line| line.light == Light::Red);
    if red { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

/// Where a canary sings: whose home, which project, which settings.
pub struct Stage {
    /// Tollgate's directories.
    pub dirs: Dirs,
    /// The working directory.
    pub cwd: PathBuf,
    /// Claude Code's settings.
    pub places: Places,
    /// The session that canary calls say they belong to.
    session: String,
    /// The versions of the installed agents, once somebody asks.
    versions: OnceCell<Versions>,
}

impl Stage {
    /// The user's home and the working directory.
    pub fn here() -> anyhow::Result<Self> {
        let dirs = Dirs::find().context("no home directory; set HOME to yours")?;
        let cwd = std::env::current_dir().context("the working directory is gone; change to another")?;
        let moved = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        let places = Places::new(&dirs.home, &project(&cwd), moved);
        Ok(Self {
            dirs,
            cwd,
            places,
            session: format!("{CANARY_SESSION}{}", stamp()),
            versions: OnceCell::new(),
        })
    }

    /// The agents on this machine.
    pub fn agents(&self) -> Vec<Installed> {
        installed(&self.dirs.home, &std::env::var("PATH").unwrap_or_default())
    }

    /// The version of an agent on this machine. The first question asks all agents.
    pub fn version(&self, program: &Path) -> Option<Version> {
        let all = || self.agents().into_iter().filter_map(|agent| agent.program).collect::<Vec<PathBuf>>();
        self.versions.get_or_init(|| versions::read(&all(), &self.dirs.state)).get(program).copied()
    }

    /// Claude Code, if it is on this machine.
    pub fn claude(&self) -> Option<Installed> {
        self.agents().into_iter().find(|agent| agent.agent == "claude-code")
    }

    /// The settings files with the gate in them that Claude Code skips as a whole.
    pub fn skipped(&self) -> Vec<Line> {
        let layers = self.places.layers().into_iter();
        let with_gate = layers.filter(|layer| Command::registered(&layer.value).is_some());
        let line = |layer: Layer| {
            layer.ignored.as_ref().map(|why| Line::red(why.clone(), super::init::repair_advice(&layer)))
        };
        with_gate.filter_map(line).collect()
    }

    /// The commands that are registered in the settings that apply here, each once. A file that Claude Code skips
    /// registers nothing.
    pub fn registered(&self) -> Vec<Command> {
        let mut commands = Vec::new();
        for layer in self.places.layers().iter().filter(|layer| layer.ignored.is_none()) {
            commands.extend(Command::registered(&layer.value).filter(|command| !commands.contains(command)));
        }
        commands
    }

    /// Starts a registered command with calls that must be refused and one that must pass.
    pub fn prove(&self, agent: Agent, command: &Command) -> Vec<Line> {
        let refused = self.prove_refusal(agent, command);
        if refused.light == Light::Red {
            return vec![refused];
        }
        vec![refused, self.prove_pass(agent, command)]
    }

    /// What agents are to be told to start.
    pub fn registration(&self) -> anyhow::Result<Registration> {
        Ok(Registration {
            command: text(&lasting_place(&program::own()?, &self.dirs.home))?,
            config: text(&self.dirs.config)?,
            state: text(&self.dirs.state)?,
        })
    }

    /// The directories that agents' settings are in.
    pub fn roots(&self) -> Roots<'_> {
        let env: &dyn Fn(&str) -> Option<PathBuf> = &|name| std::env::var_os(name).map(PathBuf::from);
        Roots { home: &self.dirs.home, project: &self.places.project, env }
    }

    /// Lets Claude Code itself make a call that is harmless but refused, and looks for it in the log.
    pub fn prove_live(&self, command: &Command) -> Line {
        let Some(claude) = self.claude().and_then(|claude| claude.program) else {
            return Line::red(
                "`claude` is not on the search path",
                "npm install -g @anthropic-ai/claude-code",
            );
        };
        let log = Log::at(Path::new(command.option("--state").unwrap_or_default()));
        let before = log.head().map_or(0, |head| head.seq);
        let nonce = &self.session;
        let prompt = format!(
            "Run exactly this shell command with your Bash tool, once, and then stop, whatever happens: {LIVE} # {nonce}"
        );
        let mut host = std::process::Command::new(claude);
        host.args(["-p", &prompt]).current_dir(&self.cwd);
        let said = match program::run(&mut host, b"", LIVE_LIMIT) {
            Ok(Some(ran)) => format!("{}{}", ran.stdout, ran.stderr),
            Ok(None) => format!("nothing within {} s", LIVE_LIMIT.as_secs()),
            Err(error) => error.to_string(),
        };
        live_line(&log, before, nonce, &said)
    }

    fn prove_refusal(&self, agent: Agent, command: &Command) -> Line {
        let mut passed = Vec::new();
        for shell in MUST_BE_REFUSED {
            match self.ask(agent, command, shell) {
                Ok((Answer::Refused(_), took)) if passed.is_empty() => {
                    return Line::green(format!("`{shell}` is refused ({})", shown_time(took)));
                }
                Ok((Answer::Refused(_), took)) => {
                    return Line::yellow(
                        format!(
                            "your policy lets `{}` pass; `{shell}` is refused ({})",
                            passed.join("`, `"),
                            shown_time(took)
                        ),
                        format!("to see why: tollgate explain '{}'", passed.join(" ")),
                    );
                }
                Ok((Answer::Passed, _)) => passed.push(*shell),
                Ok((Answer::Broken(why), _)) => return broken(command, &why),
                Err(why) => return broken(command, &why),
            }
        }
        let what = format!("the gate lets everything pass: `{}`", passed.join("`, `"));
        Line::red(what, "tollgate check, then tollgate init")
    }

    fn prove_pass(&self, agent: Agent, command: &Command) -> Line {
        match self.ask(agent, command, MUST_PASS) {
            Ok((Answer::Passed, took)) if took > SLOW => Line::yellow(
                format!("`{MUST_PASS}` passes, but only after {}", shown_time(took)),
                "on a busy machine try again: tollgate canary",
            ),
            Ok((Answer::Passed, took)) => Line::green(format!("`{MUST_PASS}` passes ({})", shown_time(took))),
            Ok((Answer::Refused(why), _)) => Line::yellow(
                format!("`{MUST_PASS}` is refused as well: {why}"),
                format!("to see why: tollgate explain '{MUST_PASS}'"),
            ),
            Ok((Answer::Broken(why), _)) => broken(command, &why),
            Err(why) => broken(command, &why),
        }
    }

    /// Starts the command as the agent does: in the session's directory, with the agent's marks in the environment.
    fn ask(&self, agent: Agent, command: &Command, shell: &str) -> Result<(Answer, Duration), String> {
        let session = &self.session;
        let cwd = self.cwd.to_string_lossy();
        let claude = agent == Agent::ClaudeCode;
        let input = if claude {
            payload(session, &format!("{session}-call"), &cwd, shell)
        } else {
            canary::payload(agent, session, &cwd, shell)
        };
        let mut process = std::process::Command::new(&command.program);
        process.args(&command.args).current_dir(&self.cwd).env_clear();
        process.env("HOME", &self.dirs.home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        if claude {
            process.env("CLAUDE_PROJECT_DIR", &self.places.project).env("CLAUDECODE", "1");
            process.env("CLAUDE_CODE_SESSION_ID", session).env("CLAUDE_CODE_SESSION_ATTENDED", "1");
        }
        let read = |ran: &program::Ran| match claude {
            true => read_answer(ran.exit, &ran.stdout, &ran.stderr),
            false => canary::read_answer(agent, ran.exit, &ran.stdout, &ran.stderr),
        };
        match program::run(&mut process, input.as_bytes(), command.timeout) {
            Ok(Some(ran)) => Ok((read(&ran), ran.took)),
            Ok(None) => Err(format!("no answer within {} s", command.timeout.as_secs())),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The first that is refused proves the gate. A policy may let the first pass, but nothing opens the second.
const MUST_BE_REFUSED: &[&str] = &["rm -rf ~", "tollgate uninstall --yes"];
const MUST_PASS: &str = "ls";
const SLOW: Duration = Duration::from_secs(1);
/// Changes nothing should it really run.
const LIVE: &str = "tollgate uninstall --dry-run";
const LIVE_LIMIT: Duration = Duration::from_secs(180);

/// The nearest directory that Claude Code has settings in, or that is a repository, else the directory itself.
pub fn project(cwd: &Path) -> PathBuf {
    let marked = |dir: &&Path| dir.join(".claude").is_dir() || dir.join(".git").exists();
    let home = crate::dirs::home();
    let below_home = cwd.ancestors().take_while(|dir| Some(*dir) != home.as_deref());
    below_home.into_iter().find(marked).unwrap_or(cwd).to_owned()
}

fn live_line(log: &Log, before: u64, nonce: &str, said: &str) -> Line {
    let mut fired = false;
    for entry in log.records().filter(|entry| entry.seq > before) {
        let Some(record) = entry.value() else { continue };
        fired |= record.text("agent") == Some("claude-code") && !is_canary(record.text("session"));
        if record.text("event") == Some("PreToolUse") && entry.line.contains(nonce) {
            return match record.text("verdict") {
                Some("deny" | "ask" | "halt") => {
                    Line::green("Claude Code asked the gate, and the call was refused")
                }
                _ => Line::red("Claude Code asked the gate, but the call passed", "tollgate check"),
            };
        }
    }
    let said: String = said.trim().chars().take(160).collect();
    if fired {
        let what = format!("Claude Code's hooks fire, but the model did not make the call; it said: {said}");
        return Line::yellow(what, "try again: tollgate canary --live");
    }
    Line::red(format!("Claude Code ran without asking the gate; it said: {said}"), "tollgate doctor")
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path
        .to_str()
        .with_context(|| format!("`{}` is not UTF-8, which settings files cannot hold", path.display()))?;
    Ok(text.to_owned())
}

fn broken(command: &Command, why: &str) -> Line {
    Line::red(format!("`{}` does not answer as a gate: {why}", command.program), "tollgate init")
}

fn shown_time(took: Duration) -> String {
    match took.as_millis() {
        0 => "under 1 ms".to_owned(),
        ms if ms < 1000 => format!("{ms} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}

fn stamp() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    format!("{}-{time}", std::process::id())
}
