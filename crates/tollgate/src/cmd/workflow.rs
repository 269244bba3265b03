//! `tollgate workflow`: which workflows are on, how they stand, and a person's hand on them.

mod gaps;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::json;
use tollgate_model::{Change, State};
use tollgate_policy::{Policy, WorkflowUse};
use tollgate_workflow::{Flow, PRESETS, STOPPED, Scope, Watch, beginning, preset};

use crate::dirs::{self, Dirs, MANAGED};
use crate::exit::ExitCode;
use crate::flows::{Flows, Places};
use crate::listing::Output;
use crate::{exceptions, out, owner, terminal};

use super::state::Target;
use gaps::Against;

/// Arguments of `tollgate workflow`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// List active workflows and presets
    List {
        #[command(flatten)]
        output: Output,
    },
    /// Show the phase of each workflow
    Status {
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        target: Target,
    },
    /// Start a workflow (in your terminal)
    Start {
        /// Workflow name
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Stop a workflow (in your terminal)
    Stop {
        /// Workflow name
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Reset a workflow (in your terminal)
    Reset {
        /// Workflow name
        name: String,
        #[command(flatten)]
        target: Target,
    },
    /// Copy a preset into a file that you can edit
    Eject {
        /// Preset name
        name: String,
        /// Write it into the project
        #[arg(long)]
        project: bool,
    },
    /// Draw a workflow
    Graph {
        /// Workflow name
        name: String,
        /// Print Mermaid
        #[arg(long)]
        mermaid: bool,
    },
    /// Check workflow files for mistakes
    Check {
        /// Workflow file [default: all that are active here]
        file: Option<PathBuf>,
        /// Also list what this agent cannot enforce
        #[arg(long)]
        agent: Option<String>,
    },
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let here = Here::find()?;
    match &args.verb {
        Verb::List { output } => here.list(*output),
        Verb::Status { output, target } => here.status(*output, target),
        Verb::Start { name, target } => here.change(name, target, "start"),
        Verb::Stop { name, target } => here.change(name, target, "stop"),
        Verb::Reset { name, target } => here.change(name, target, "reset"),
        Verb::Eject { name, project } => here.eject(name, *project),
        Verb::Graph { name, mermaid } => here.graph(name, *mermaid),
        Verb::Check { file, agent } => here.check(file.as_deref(), agent.as_deref()),
    }
}

/// The workflows of the folder that a person stands in.
pub struct Here {
    pub dirs: Dirs,
    pub project: String,
    policy: Policy,
    flows: Flows,
}

impl Here {
    pub fn find() -> anyhow::Result<Self> {
        let dirs = Dirs::find().context("no home directory")?;
        let cwd = std::env::current_dir().context("the working directory is gone")?;
        let last = tollgate_store::last_project(&dirs.state, &cwd).map(PathBuf::from);
        let root = last.as_deref().unwrap_or_else(|| dirs::repository(&cwd));
        let request = tollgate_policy::Request {
            managed_dir: Path::new(MANAGED),
            config_dir: &dirs.config,
            state_dir: &dirs.state,
            project: Some(root),
            built: None,
            cwd: &cwd,
        };
        let policy = tollgate_policy::load(&request, &tollgate_rules::Rules).policy;
        let project = root.to_string_lossy().into_owned();
        let flows = Places { config: &dirs.config, state: &dirs.state, project: &project }.load(&policy);
        Ok(Self { dirs, project, policy, flows })
    }

    /// What is wrong with the workflows that are on.
    pub fn notices(&self) -> &[String] {
        &self.flows.notices
    }

    /// What is wrong with workflows that a policy file would switch on here.
    pub fn notices_of(&self, uses: Vec<WorkflowUse>) -> Vec<String> {
        let mut policy = Policy::builtin();
        policy.workflows = uses.into();
        self.places().load(&policy).notices
    }

    fn places(&self) -> Places<'_> {
        Places { config: &self.dirs.config, state: &self.dirs.state, project: &self.project }
    }

    fn list(&self, output: Output) -> anyhow::Result<ExitCode> {
        let off: Vec<Flow> = PRESETS
            .iter()
            .filter(|preset| self.flows.flows.iter().all(|flow| flow.name != preset.name))
            .map(|preset| {
                tollgate_workflow::read(preset.name, preset.text, preset.name, &Default::default()).0
            })
            .collect();
        let all =
            self.flows.flows.iter().map(|flow| (true, flow)).chain(off.iter().map(|flow| (false, flow)));
        let row = |(on, flow): (bool, &Flow)| json!({"name": flow.name, "on": on, "about": flow.about, "file": flow.file});
        if output.is_text() {
            all.for_each(|(on, flow)| {
                out::line(&format!("{:<4}{:<18}{}", if on { "on" } else { "" }, flow.name, flow.about));
            });
        } else {
            output.print(&all.map(row).collect::<Vec<_>>());
        }
        self.flows.notices.iter().for_each(|notice| out::error(&format!("tollgate: {notice}")));
        Ok(ExitCode::from(u8::from(!self.flows.notices.is_empty())))
    }

    /// Exit 1 when a workflow is on and none is active, so that a script can ask.
    fn status(&self, output: Output, target: &Target) -> anyhow::Result<ExitCode> {
        let mut rows = Vec::new();
        for flow in &self.flows.flows {
            let state = self.state(target, flow.scope)?;
            let status = match flow.is_active(&state) {
                true => "active",
                false if flow.is_stopped(&state) => "stopped",
                false => "not active",
            };
            let phase =
                Some(state.text(&flow.name, "phase")).filter(|phase| !phase.is_empty() && status == "active");
            rows.push(json!({"name": flow.name, "status": status, "phase": phase}));
        }
        if !output.is_text() {
            output.print(&rows);
        } else if rows.is_empty() {
            out::line(
                "No workflow is on here. To switch one on, write `workflows: [plan]` in a policy file.",
            );
        }
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        for row in rows.iter().filter(|_| output.is_text()) {
            let phase = text(row, "phase");
            let phase = if phase.is_empty() { phase } else { format!(", phase {phase}") };
            out::line(&format!("{:<18}{}{phase}", text(row, "name"), text(row, "status")));
        }
        let idle = !rows.is_empty() && rows.iter().all(|row| row["status"] != "active");
        Ok(ExitCode::from(u8::from(idle)))
    }

    fn change(&self, name: &str, target: &Target, verb: &str) -> anyhow::Result<ExitCode> {
        let flow = self.flow(name)?;
        let (state, project) = (self.dirs.state.as_path(), self.project.as_str());
        confirm(&format!("workflow {verb}"), &format!("{verb} workflow `{name}` here?"))?;
        if verb == "start" {
            for other in self.flows.flows.iter().filter(|other| flow.start.ends.contains(&other.name)) {
                if self.state(target, other.scope)?.is(&other.name, "is_active") {
                    target.change(state, project, other.scope, &[ended(other)])?;
                }
            }
        }
        let changes = match verb {
            "start" => beginning(flow, &target.named(state, project, Scope::Session)?, exceptions::now()),
            "stop" => vec![ended(flow), stopped(flow)],
            _ => vec![Change::Clear { space: flow.name.clone() }],
        };
        target.change(state, project, flow.scope, &changes)?;
        out::line(&format!("Done: {verb} {name}."));
        Ok(ExitCode::SUCCESS)
    }

    /// The state of a scope, without what is forgotten by now.
    pub fn state(&self, target: &Target, scope: Scope) -> anyhow::Result<State> {
        let mut state = target.read(&self.dirs.state, &self.project, scope)?;
        let watch = Watch::of(&self.flows.flows);
        state.expire(exceptions::now(), |name| watch.life(name));
        Ok(state)
    }

    /// The scope that a workflow's name means; a namespace of no workflow is the session's.
    pub fn scope_of(&self, name: &str) -> Scope {
        let flow = self.flows.flows.iter().find(|flow| flow.name == name);
        flow.map(|flow| flow.scope).unwrap_or_default()
    }

    fn eject(&self, name: &str, project: bool) -> anyhow::Result<ExitCode> {
        let Some(preset) = preset(name) else {
            let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            bail!("unknown preset `{name}`; {}", tollgate_policy::hint(name, &names));
        };
        let named = self.policy.workflows.iter().find(|one| one.name == name);
        let own = !project && named.is_some_and(|one| one.trusted);
        let file = self.places().ejected(name, own);
        if file.symlink_metadata().is_ok() {
            bail!("`{}` is already there", file.display());
        }
        let folder = file.parent().context("no folder")?;
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        std::fs::write(&file, preset.text).with_context(|| format!("cannot write `{}`", file.display()))?;
        out::line(&file.display().to_string());
        if named.is_none() {
            out::line(&format!("Switch it on with `workflows: [{name}]` in a policy file."));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn graph(&self, name: &str, mermaid: bool) -> anyhow::Result<ExitCode> {
        let on = self.flows.flows.iter().find(|flow| flow.name == name).cloned();
        let from_preset = || {
            preset(name).map(|one| tollgate_workflow::read(one.name, one.text, name, &Default::default()).0)
        };
        let Some(flow) = on.or_else(from_preset) else {
            bail!("unknown workflow `{name}`; see `tollgate workflow list`")
        };
        out::text(&if mermaid {
            tollgate_workflow::mermaid(&flow)
        } else {
            tollgate_workflow::terminal(&flow)
        });
        Ok(ExitCode::SUCCESS)
    }

    fn check(&self, file: Option<&Path>, agent: Option<&str>) -> anyhow::Result<ExitCode> {
        let mut wrong = false;
        let mut flows = self.flows.flows.clone();
        if let Some(file) = file {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let shown = file.display().to_string();
            let (flow, problems) = tollgate_workflow::read(&shown, &text, &stem, &Default::default());
            let idle = flow.never_starts(&self.flows.flows).filter(|_| problems.is_empty());
            wrong = !problems.is_empty() || idle.is_some();
            out::text(&tollgate_policy::render(&problems, &text, false));
            idle.iter().for_each(|idle| out::line(idle));
            flows = vec![flow];
        } else {
            wrong |= !self.flows.notices.is_empty();
            self.flows.notices.iter().for_each(|notice| out::line(notice));
        }
        let against = agent.map(Against::named).transpose()?;
        against.and_then(Against::remark).iter().for_each(|remark| out::line(remark));
        let mut whole = flows.len();
        for flow in &flows {
            let gaps = against.map(|against| against.gaps(flow)).unwrap_or_default();
            whole -= usize::from(!gaps.is_empty());
            gaps.iter().for_each(|gap| out::line(gap));
        }
        match flows.len() - whole {
            0 if wrong => {}
            0 => out::line(&format!("{whole} workflows: fine")),
            gaps => out::line(&format!("{gaps} of {} workflows are not enforced in full there", flows.len())),
        }
        wrong |= whole < flows.len();
        Ok(ExitCode::from(u8::from(wrong)))
    }

    fn flow(&self, name: &str) -> anyhow::Result<&Flow> {
        let names: Vec<&str> = self.flows.flows.iter().map(|flow| flow.name.as_str()).collect();
        let broken = self.flows.notices.iter().find(|notice| notice.contains(&format!("workflow `{name}`")));
        self.flows.flows.iter().find(|flow| flow.name == name).with_context(|| {
            if let Some(broken) = broken {
                broken.clone()
            } else if names.is_empty() {
                format!("workflow `{name}` is not on here; no workflow is")
            } else {
                format!("workflow `{name}` is not on here; {}", tollgate_policy::hint(name, &names))
            }
        })
    }
}

/// Only a person, on a terminal.
pub fn confirm(command: &str, question: &str) -> anyhow::Result<()> {
    owner::admit(command)?;
    match terminal::confirm(question) {
        None => bail!("`tollgate {command}` needs a terminal, so that a person decides"),
        Some(false) => bail!("nothing was changed"),
        Some(true) => Ok(()),
    }
}

/// Switches off the gates of a workflow that are asked although it is not active, too.
fn stopped(flow: &Flow) -> Change {
    Change::Set { space: flow.name.clone(), key: STOPPED.to_owned(), value: true.into() }
}

fn ended(flow: &Flow) -> Change {
    Change::Set { space: flow.name.clone(), key: "is_active".to_owned(), value: false.into() }
}
