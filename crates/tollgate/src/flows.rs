//! The workflows that are on: found, checked, and kept compiled.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollgate_policy::{Health, Layer, Policy, SourceFile, WorkflowUse};
use tollgate_workflow::{FINGERPRINT, Flow, PRESETS, Watch, preset};

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

/// What must be known of the workflows at every event.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Watching {
    /// What they have to be asked.
    pub watch: Watch,
    /// What is wrong with others.
    pub notices: Vec<String>,
    /// They were compiled for this event.
    #[serde(skip)]
    pub fresh: bool,
    /// The files that were read, with links followed: they are the gate's own.
    own: Vec<(PathBuf, PathBuf)>,
}

impl Watching {
    /// The files that were read, as sources of the policy.
    pub fn own(&self) -> impl Iterator<Item = SourceFile> {
        self.own.iter().map(|(path, real)| SourceFile {
            path: path.clone(),
            real: real.clone(),
            layer: Layer::Project,
            health: Health::Good,
        })
    }
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
        self.cached(policy, "flows", |uses, _| self.build(uses))
    }

    /// What must be known of them at every event, without the workflows themselves.
    pub fn watch(&self, policy: &Policy) -> Watching {
        self.cached(policy, "watch", |uses, files| {
            let Flows { flows, notices } = self.build(uses);
            let real = |file: &PathBuf| Some((file.clone(), file.canonicalize().ok()?));
            let own = files.iter().filter_map(real).collect();
            Watching { watch: Watch::of(&flows), notices, fresh: true, own }
        })
    }

    fn cached<T: Default + Serialize + DeserializeOwned>(
        &self,
        policy: &Policy,
        what: &str,
        build: impl FnOnce(&[WorkflowUse], &[PathBuf]) -> T,
    ) -> T {
        if policy.workflows.is_empty() {
            return T::default();
        }
        let files: Vec<PathBuf> = policy.workflows.iter().map(|one| self.file(one)).collect();
        let key = self.key(policy, what);
        tollgate_policy::cached(self.state, key.as_bytes(), &files, || build(&policy.workflows, &files))
    }

    /// All that the workflows depend on besides their files.
    fn key(&self, policy: &Policy, what: &str) -> String {
        let mut key = format!("{what} {FINGERPRINT} {} {}", self.config.display(), self.project);
        for one in &policy.workflows {
            let (line, column) = one.place;
            for text in [&one.name, &one.folder, &one.file] {
                key.push('\0');
                key.push_str(text);
            }
            key.push_str(&format!("\0{line}:{column}{}", u8::from(one.trusted)));
            for (name, values) in &one.options {
                key.push_str("\0\0");
                key.push_str(name);
                for value in values {
                    key.push('\0');
                    key.push_str(value);
                }
            }
        }
        key
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
