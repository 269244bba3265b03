//! The workflows that are on: found, checked, and kept compiled.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tollgate_policy::{Beside, Built, Health, Layer, Policy, SourceFile, WorkflowUse};
use tollgate_workflow::{FINGERPRINT, Flow, Index, PRESETS, Watch, preset};

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
        self.cached(policy, "flows", |uses| self.build(uses))
    }

    /// What they have to be asked, without the workflows themselves.
    pub fn watch(&self, policy: &Policy) -> Watch {
        self.cached(policy, "watch", |uses| Watch::of(&self.build(uses).flows))
    }

    fn cached<T: Default + Serialize + DeserializeOwned>(
        &self,
        policy: &Policy,
        what: &str,
        build: impl FnOnce(&[WorkflowUse]) -> T,
    ) -> T {
        if policy.workflows.is_empty() {
            return T::default();
        }
        let key = self.key(policy, what);
        tollgate_policy::cached(self.state, key.as_bytes(), &self.files(policy), || build(&policy.workflows))
    }

    /// All that the workflows depend on besides their files.
    fn key(&self, policy: &Policy, what: &str) -> String {
        let mut key = format!("{what} {FINGERPRINT} {} {}", self.config.display(), self.project);
        for one in policy.workflows.iter() {
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
        let idle = all.flows.iter().filter_map(|flow| flow.never_starts(&all.flows)).collect::<Vec<_>>();
        all.notices.extend(idle);
        all
    }

    fn build_one(&self, one: &WorkflowUse) -> Result<Flow, String> {
        let file = self.file(one);
        if !one.trusted && leads_out(&one.name) {
            return Err(told(
                one,
                &format!("a project's workflow `{}` lies outside of the project", one.name),
            ));
        }
        let (shown, text) = match (read_workflow(&file), preset(&one.name)) {
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

impl Beside for Places<'_> {
    fn files(&self, policy: &Policy) -> Vec<PathBuf> {
        policy.workflows.iter().map(|one| self.file(one)).collect()
    }

    /// What every event needs to know of the workflows. What is wrong with one is told like a fault of the policy.
    fn build(&self, policy: &Policy) -> Built {
        let Flows { flows, notices } = self.build(&policy.workflows);
        let source = |path: PathBuf| {
            let real = path.canonicalize().ok()?;
            Some(SourceFile { path, real, layer: Layer::Project, health: Health::Good })
        };
        let sources = self.files(policy).into_iter().filter_map(source).collect();
        Built { bytes: Index::of(&Watch::of(&flows)).into_bytes(), notices, sources }
    }

    fn believes(&self, bytes: &[u8]) -> bool {
        Index::is_own(bytes)
    }
}

/// The largest workflow file that is read.
const BIGGEST: usize = 1 << 20;

fn read_workflow(file: &Path) -> std::io::Result<String> {
    tollgate_policy::read_text(file, BIGGEST)
}

/// Does a name lead out of the folder that it is relative to?
fn leads_out(name: &str) -> bool {
    name.starts_with('/') || name.split('/').any(|part| part == "..")
}

fn told(one: &WorkflowUse, what: &str) -> String {
    format!("{what} ({}:{}:{})", one.file, one.place.0, one.place.1)
}
