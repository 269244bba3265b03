//! `tollgate state`: what workflows remember, for people to read and change.

use std::path::Path;

use anyhow::{Context, bail};
use tollgate_model::json::{self, Value, object};
use tollgate_model::{Change, State};
use tollgate_store::{Whose, change_state, read_state};
use tollgate_workflow::Scope;

use crate::exit::ExitCode;
use crate::out;

use super::workflow::{Here, confirm};

/// Arguments of `tollgate state`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// Print one value: `plan.is_active`
    Get {
        /// Workflow and key
        key: String,
        #[command(flatten)]
        target: Target,
    },
    /// Set a value (in your terminal)
    Set {
        /// Workflow and key
        key: String,
        /// The value
        value: String,
        #[command(flatten)]
        target: Target,
    },
    /// List all values
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        target: Target,
    },
    /// Clear the values of a workflow (in your terminal)
    Clear {
        /// Workflow
        space: String,
        #[command(flatten)]
        target: Target,
    },
}

/// Whose state is meant.
#[derive(clap::Args, Debug)]
pub struct Target {
    /// Session [default: the latest of this project]
    #[arg(long)]
    session: Option<String>,
    /// Agent of the session
    #[arg(long, default_value = "claude-code")]
    agent: String,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let here = Here::find()?;
    match &args.verb {
        Verb::Get { key, target } => {
            let (space, key) = split(key)?;
            let state = here.state(target, here.scope_of(space))?;
            let Some(value) = state.get(space, key) else { return Ok(ExitCode::from(1)) };
            out::line(&shown(value));
            Ok(ExitCode::SUCCESS)
        }
        Verb::Set { key, value, target } => {
            let (space, key) = split(key)?;
            confirm("state set", &format!("Set `{space}.{key}` to `{value}`?"))?;
            let value = json::parse(value.as_bytes()).unwrap_or_else(|_| value.as_str().into());
            let change = Change::Set { space: space.to_owned(), key: key.to_owned(), value };
            target.change(&here.dirs.state, &here.project, here.scope_of(space), &[change])?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::List { json, target } => list(*json, target, &here),
        Verb::Clear { space, target } => {
            confirm("state clear", &format!("Forget all of `{space}`?"))?;
            let change = Change::Clear { space: space.clone() };
            target.change(&here.dirs.state, &here.project, here.scope_of(space), &[change])?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl Target {
    /// The state of a scope.
    pub fn read(&self, state: &Path, project: &str, scope: Scope) -> anyhow::Result<State> {
        let session = self.named(state, project, scope)?;
        let held = read_state(state, self.whose(&session, project, scope))?;
        held.told.iter().for_each(|told| out::error(&format!("tollgate: {told}")));
        Ok(held.state)
    }

    /// Changes the state of a scope.
    pub fn change(
        &self,
        state: &Path,
        project: &str,
        scope: Scope,
        changes: &[Change],
    ) -> anyhow::Result<()> {
        let session = self.named(state, project, scope)?;
        if scope == Scope::Session && session.is_empty() {
            bail!("no session is known here; name one with `--session`");
        }
        change_state(state, self.whose(&session, project, scope), changes)?;
        Ok(())
    }

    fn whose<'a>(&'a self, session: &'a str, project: &'a str, scope: Scope) -> Whose<'a> {
        match scope {
            Scope::Session => Whose::Session { agent: &self.agent, session },
            Scope::Project => Whose::Project(project),
        }
    }

    /// The named session, else the one that the log saw last below this project.
    pub fn named(&self, state: &Path, project: &str, scope: Scope) -> anyhow::Result<String> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let mut last = String::new();
        if scope == Scope::Project {
            return Ok(last);
        }
        for entry in tollgate_store::Log::at(state).records() {
            let Some(record) = entry.value() else { continue };
            let text = |key: &str| record.text(key).unwrap_or_default();
            let below = Path::new(text("cwd")).starts_with(project);
            if below && text("agent") == self.agent && !text("session").is_empty() {
                last = text("session").to_owned();
            }
        }
        Ok(last)
    }
}

fn list(as_json: bool, target: &Target, here: &Here) -> anyhow::Result<ExitCode> {
    for scope in [Scope::Session, Scope::Project] {
        for (space, key, value) in here.state(target, scope)?.all() {
            let name = format!("{space}.{key}");
            out::line(&match as_json {
                true => written(&object([("key", name.into()), ("value", value.clone())])),
                false => format!("{name}: {}", shown(value)),
            });
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn split(key: &str) -> anyhow::Result<(&str, &str)> {
    key.split_once('.').with_context(|| format!("`{key}` names no value; write `plan.is_active`"))
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => crate::report::shown(text),
        other => written(other),
    }
}

fn written(value: &Value) -> String {
    let mut text = String::new();
    json::write(value, &mut text);
    text
}
