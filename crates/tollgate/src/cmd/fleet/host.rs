//! This machine as the courier asks about it.

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use tollgate_courier::{Machine, Observed};
use tollgate_fleet_protocol::{Agent, System};
use tollgate_policy::{FILE_NAME, Layer, Policy, Request, Severity, check, check_hooks};
use tollgate_rules::Rules;
use tollgate_store::Log;

use crate::cmd::canary::Stage;
use crate::cmd::guard::Guard;
use crate::cmd::replay::{Baseline, Judges, Still, Written};
use crate::dirs::{Dirs, MANAGED};

/// So many records are judged by an observed policy between two looks at the log.
const PIECE: usize = 500;

/// This machine.
pub struct Host {
    config: PathBuf,
    state: PathBuf,
}

impl Host {
    pub fn new(config: &Path, state: &Path) -> Self {
        Self { config: config.to_owned(), state: state.to_owned() }
    }

    /// The policy of user and machine, with this managed layer, or with the one in force.
    fn policy(&self, managed: Option<&Path>) -> Policy {
        // Without a state directory no policy of the fleet is found, and nothing is remembered.
        let nowhere = self.state.join("fleet/nowhere");
        let request = Request {
            managed_dir: managed.unwrap_or(Path::new(MANAGED)),
            config_dir: &self.config,
            state_dir: if managed.is_some() { &nowhere } else { &self.state },
            project: None,
            built: None,
            cwd: &self.config,
        };
        tollgate_policy::look(&request, &Rules).policy
    }
}

impl Machine for Host {
    fn system(&self) -> System {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        System {
            host,
            user: user(),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            gate: env!("CARGO_PKG_VERSION").to_owned(),
            instance: instance(),
        }
    }

    fn agents(&self) -> Vec<Agent> {
        let Ok(stage) = Stage::here() else { return Vec::new() };
        let mut guarded: Vec<&str> =
            Guard::registered(&stage).iter().map(|(guard, _)| guard.name()).collect();
        guarded.extend((!stage.registered().is_empty()).then_some("claude-code"));
        let agent = |name: &str| {
            let guarded = guarded.contains(&name);
            Agent { name: name.to_owned(), version: String::new(), guarded }
        };
        stage.agents().iter().map(|found| agent(found.agent)).collect()
    }

    fn check_policy(&self, folder: &Path) -> Result<(), String> {
        let file = folder.join(FILE_NAME);
        let text =
            tollgate_policy::read_text(&file, 1 << 20).map_err(|error| format!("{FILE_NAME}: {error}"))?;
        let problems = check(&file, &text, Layer::Managed, &Rules);
        let named = |text: String| text.replace(&format!("{}/", folder.display()), "");
        if let Some(problem) = problems.iter().find(|problem| problem.severity == Severity::Error) {
            return Err(named(problem.to_string()));
        }
        match check_hooks(&file, Layer::Managed, &Rules, &|_| true).into_iter().next() {
            Some(wrong) => Err(named(wrong)),
            None => Ok(()),
        }
    }

    fn policy_changed(&self) {
        tollgate_policy::expire(&self.state);
    }

    fn observe(&self, folder: &Path, from: u64) -> Observed {
        let mut found = Observed { reached: from.saturating_sub(1), ..Observed::default() };
        let Some(dirs) = Dirs::find() else { return found };
        let dirs = Dirs { config: self.config.clone(), state: self.state.clone(), ..dirs };
        let judges = Judges {
            policy: self.policy(Some(folder)),
            baseline: Baseline::Policy(Box::new(self.policy(None))),
            still: Still::of(&dirs, &self.state),
            dirs: &dirs,
            state: &self.state,
        };
        for entry in Log::at(&self.state).records_from(from).take(PIECE) {
            found.reached = entry.seq;
            if !entry.line.contains(r#""phase":"pre-tool""#) {
                continue;
            }
            let written = Written::Line(entry.line);
            let Some(event) = written.glance(None).and_then(|_| written.event()) else { continue };
            // A call that the analysis fails over must not end the courier each time that it comes to it.
            let both = std::panic::catch_unwind(AssertUnwindSafe(|| judges.both(&event)));
            let Ok((observed, in_force)) = both else { continue };
            let refused = in_force.is_some_and(|said| said.verdict.refuses());
            found.calls += 1;
            found.refusals += u64::from(observed.verdict.refuses() && !refused);
        }
        found
    }
}

fn user() -> String {
    let uid = rustix::process::getuid().as_raw();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = passwd.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2).copied() == Some(uid.to_string().as_str())).then(|| fields.first().copied())?
    });
    named.map_or_else(|| format!("uid {uid}"), str::to_owned)
}

/// A hash of what clones of one image do not share: the system's own id and the number of its first disk. Empty where
/// neither can be read.
fn instance() -> String {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.trim().to_owned()
    };
    let mut disks: Vec<PathBuf> =
        std::fs::read_dir("/sys/block").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    disks.sort();
    let numbers = disks.iter().flat_map(|disk| ["wwid", "serial", "device/wwid"].map(|name| disk.join(name)));
    let disk = numbers.map(|path| read(&path)).find(|number| !number.is_empty()).unwrap_or_default();
    let system = read(Path::new("/etc/machine-id"));
    if system.is_empty() && disk.is_empty() {
        return String::new();
    }
    blake3::hash(format!("tollgate-instance\n{system}\n{disk}\n").as_bytes()).to_hex().to_string()
}
