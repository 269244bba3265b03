//! `tollgate suggest`: what the past says about the policy, as a diff. Changes nothing.

pub mod diff;
mod edit;
mod past;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Value, json};
use tollgate_agents::install::registration::quoted;
use tollgate_model::{Exemption, Level};
use tollgate_policy::{FILE_NAME, Layer, Policy, Severity};
use tollgate_rules::Rules;

use super::{figures, replay};
use crate::dirs::{self, Dirs, MANAGED};
use crate::exit::ExitCode;
use crate::report::shown;
use crate::table;
use crate::{out, when};

/// Arguments of `tollgate suggest`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    past: figures::Past,
    /// Print one JSON object per suggestion
    #[arg(long)]
    json: bool,
}

/// One change to the policy, and what speaks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Suggestion {
    change: Change,
    /// How many questions and refusals it would have spared.
    spares: u64,
    /// They were refusals.
    refused: bool,
    why: String,
    /// Some of the calls that it is about.
    examples: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    /// Another level for a rule.
    Level { rule: String, from: Level, to: Level },
    /// Exceptions from a rule, for exactly the commands or files that a person let pass.
    Allow { rule: String, exceptions: Vec<Exemption> },
    /// `approve: read-only`.
    ReadOnly,
}

/// Suggests. Exit 1 when there is something to suggest.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let state = args.past.state()?;
    let index = args.past.index()?;
    let present = replay::present(&dirs, &state);
    let past = past::Past { index: &index, scope: args.past.scope()?, state: &state, policy: &present };
    let found = past.suggestions(&replay::Still::of(&dirs, &state))?;
    let file = PolicyFile::read(&dirs.config.join(FILE_NAME))?;
    if !file.is_valid(file.start()) {
        bail!(
            "`{}` has mistakes, and a diff would be to nothing; `tollgate check` shows them",
            file.path.display()
        );
    }
    let plan = Plan::of(&file, found, &present, &state)?;
    if args.json {
        plan.made.iter().chain(&plan.unmade).for_each(|one| out::line(&one.value().to_string()));
    } else {
        plan.print(&file, past.span()?);
    }
    let nothing = plan.made.is_empty() && plan.unmade.is_empty();
    Ok(if nothing { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The user's policy file; empty when there is none.
struct PolicyFile {
    path: PathBuf,
    text: Option<String>,
}

impl PolicyFile {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
            }
        };
        Ok(Self { path: path.to_owned(), text })
    }

    /// What changes are made to.
    fn start(&self) -> &str {
        self.text.as_deref().unwrap_or("version: 1\n")
    }

    fn is_valid(&self, text: &str) -> bool {
        let problems = tollgate_policy::check(&self.path, text, Layer::User, &Rules);
        !problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

/// The suggestions, and the file that they make.
struct Plan {
    after: String,
    made: Vec<Suggestion>,
    /// Those that the user's file cannot bring about, or that it could not be edited for.
    unmade: Vec<Suggestion>,
}

impl Plan {
    /// Makes one change after the other. One stays only if the file is still valid with it, and the policy then says
    /// what it should: a managed file may hold against it.
    fn of(file: &PolicyFile, found: Vec<Suggestion>, present: &Policy, state: &Path) -> anyhow::Result<Self> {
        let mut plan = Self { after: file.start().to_owned(), made: Vec::new(), unmade: Vec::new() };
        for suggestion in found {
            let edited = edit::made(&plan.after, &suggestion.change).filter(|text| file.is_valid(text));
            let policy = |text: &String| replay::laid(text, Some(Path::new(MANAGED)), state);
            let policy = edited.as_ref().map(policy).transpose()?;
            match edited.filter(|_| policy.is_some_and(|policy| suggestion.change.is_in(&policy, present))) {
                Some(text) => {
                    plan.after = text;
                    plan.made.push(suggestion);
                }
                None => plan.unmade.push(suggestion),
            }
        }
        Ok(plan)
    }

    fn print(&self, file: &PolicyFile, span: Option<(i64, i64)>) {
        let days = span.map_or(String::new(), |(from, to)| days(from, to.saturating_sub(1)));
        if self.made.is_empty() && self.unmade.is_empty() {
            out::line(&format!(
                "Nothing to suggest{days}: no rule was set aside at least {} times and never held to.",
                past::ENOUGH
            ));
            return;
        }
        let spares: u64 = self.made.iter().map(|one| one.spares).sum();
        out::line(&format!("# What the calls{days} say about the policy."));
        self.made.iter().for_each(Suggestion::print);
        if !self.unmade.is_empty() {
            out::line(
                "#\n# Not in the diff: another file holds the rule, or yours could not be edited for it.",
            );
            self.unmade.iter().for_each(Suggestion::print);
        }
        if self.made.is_empty() {
            return;
        }
        let folder = file.path.parent().unwrap_or(Path::new("/"));
        let refused = self.made.iter().any(|one| one.refused);
        let what = if refused { "question or refusal" } else { "question" };
        out::line(&format!("#\n# {} would have been spared. If you agree:", table::counted(spares, what)));
        if !folder.is_dir() {
            out::line(&format!("#   mkdir -p {}", word(folder)));
        }
        out::line(&format!("#   tollgate suggest | patch -d {} -p1 && tollgate check", word(folder)));
        out::text(&diff::unified(FILE_NAME, file.text.as_deref(), &self.after));
    }
}

/// A path as a word for the shell, short where it is in the home directory.
fn word(path: &Path) -> String {
    let below = dirs::home().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    match below.map(|below| quoted(&below.to_string_lossy())) {
        Some(below) if !below.starts_with('\'') => format!("~/{below}"),
        _ => quoted(&path.to_string_lossy()),
    }
}

fn days(from: i64, to: i64) -> String {
    match (when::date(from), when::date(to)) {
        (from, to) if from == to => format!(" of {from}"),
        (from, to) => format!(" from {from} to {to}"),
    }
}

impl Change {
    /// Does a policy say so, where the present one does not?
    fn is_in(&self, policy: &Policy, present: &Policy) -> bool {
        match self {
            Self::Level { rule, to, .. } => {
                past::level(policy, rule) == Some(*to) && past::level(present, rule) != Some(*to)
            }
            Self::Allow { exceptions, .. } => exceptions.iter().all(|one| policy.allow.contains(one)),
            Self::ReadOnly => policy.approve == tollgate_model::Approve::ReadOnly,
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Level { rule, from, to } => {
                format!("{rule}: {} → {}, in every project", from.name(), to.name())
            }
            Self::Allow { rule, exceptions } if exceptions.len() == 1 => format!("{rule}: an exception"),
            Self::Allow { rule, exceptions } => format!("{rule}: {} exceptions", exceptions.len()),
            Self::ReadOnly => "approve: read-only".to_owned(),
        }
    }
}

impl Suggestion {
    fn print(&self) {
        let width = table::width().saturating_sub(6);
        out::line(&format!("#\n# {}", self.change.told()));
        table::wrap(&self.why, width).iter().for_each(|line| out::line(&format!("#   {line}")));
        for example in &self.examples {
            out::line(&format!("#     {}", table::cut(&shown(example), width)));
        }
    }

    fn value(&self) -> Value {
        let mut value = match &self.change {
            Change::Level { rule, from, to } => {
                json!({"change": "level", "rule": rule, "from": from.name(), "to": to.name()})
            }
            Change::Allow { rule, exceptions } => {
                let each = |one: &Exemption| json!({"command": one.command.join(" "), "path": one.path, "project": one.project});
                json!({"change": "allow", "rule": rule, "exceptions": exceptions.iter().map(each).collect::<Vec<_>>()})
            }
            Change::ReadOnly => json!({"change": "approve", "to": "read-only"}),
        };
        if let Some(members) = value.as_object_mut() {
            members.insert("spares".into(), self.spares.into());
            members.insert("why".into(), self.why.as_str().into());
            members.insert("examples".into(), json!(self.examples));
        }
        value
    }
}
