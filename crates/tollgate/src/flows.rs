//! The workflows that are on: found, checked, and kept compiled.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tollgate_policy::{Health, Layer, Policy, SourceFile, WorkflowUse};
use tollgate_workflow::{FINGERPRINT, Flow, PRESETS, preset};

/// Workflow files of a project, below it; a person's own are in `workflows/` of the configuration.
pub const FOLDER: &str = ".tollgate/workflows";

/// The workflows that are on, and what must be told about them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Flows {
    /// The workflows.
    pub flows: Vec<Flow>,
    /// What is wrong with others.
    pub notices: Vec<String>,
}

/// Where workflows are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The user's configuration.
    pub config: &'a Path,
    /// The state directory.
    pub state: &'a Path,
    /// The session's project.
    pub project: &'a str,
}

impl Places<'_> {
    /// The workflows of a policy. Never fails: a workflow that is broken is told and left out.
    pub fn load(&self, policy: &Policy) -> Flows {
        if policy.workflows.is_empty() {
            return Flows::default();
        }
        let files: Vec<PathBuf> = policy.workflows.iter().map(|one| self.file(one)).collect();
        let key = format!("{FINGERPRINT} {files:?} {:?}", policy.workflows);
        tollgate_policy::cached(self.state, key.as_bytes(), &files, || self.build(&policy.workflows))
    }

    /// The files that were read, which are the gate's own.
    pub fn own(&self, policy: &Policy) -> Vec<SourceFile> {
        let files = policy.workflows.iter().map(|one| self.file(one)).filter(|file| file.is_file());
        let source = |path: PathBuf| SourceFile {
            real: path.canonicalize().unwrap_or_else(|_| path.clone()),
            path,
            layer: Layer::Project,
            health: Health::Good,
        };
        files.map(source).collect()
    }

    /// Where the file of a workflow is, or would be.
    pub fn file(&self, one: &WorkflowUse) -> PathBuf {
        let name = one.name.as_str();
        if name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml") {
            return Path::new(&one.folder).join(name);
        }
        self.ejected(name, one.trusted)
    }

    /// Where `eject` puts a preset: beside the policy that names it, so that a project cannot change what its user
    /// has chosen.
    pub fn ejected(&self, name: &str, own: bool) -> PathBuf {
        let folder = if own { self.config.join("workflows") } else { Path::new(self.project).join(FOLDER) };
        folder.join(format!("{name}.yaml"))
    }

    fn build(&self, uses: &[WorkflowUse]) -> Flows {
        let mut all = Flows::default();
        for one in uses {
            match self.build_one(one) {
                Ok(flow) if all.flows.iter().any(|other| other.name == flow.name) => {
                    all.notices.push(told(one, &format!("a second workflow `{}`", flow.name)));
                }
                Ok(flow) => all.flows.push(flow),
                Err(why) => all.notices.push(why),
            }
        }
        all
    }

    fn build_one(&self, one: &WorkflowUse) -> Result<Flow, String> {
        let file = self.file(one);
        let (shown, text) = match (std::fs::read_to_string(&file), preset(&one.name)) {
            (Ok(text), _) => (file.display().to_string(), text),
            (Err(error), _) if file.exists() => {
                return Err(told(one, &format!("`{}` cannot be read: {error}", file.display())));
            }
            (Err(_), Some(preset)) => (format!("preset:{}", preset.name), preset.text.to_owned()),
            (Err(_), None) => {
                let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                let hint = tollgate_policy::hint(&one.name, &names);
                return Err(told(one, &format!("unknown workflow `{}`; {hint}", one.name)));
            }
        };
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let (mut flow, problems) = tollgate_workflow::read(&shown, &text, &stem, &one.options);
        flow.trusted = one.trusted;
        match problems.first() {
            Some(first) => Err(format!("workflow `{}` is broken and off: {first}", one.name)),
            None => Ok(flow),
        }
    }
}

fn told(one: &WorkflowUse, what: &str) -> String {
    format!("{what} ({}:{}:{})", one.file, one.place.0, one.place.1)
}
