//! Saves what a call would delete, overwrite or move away, before the answer lets it run.
//!
//! A call that loses nothing opens no store. What is saved is an upper bound: of a pattern every name that could match.

pub mod clean;
mod git;
mod whole;

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tollgate_model::json::{Value, object};
use tollgate_model::{
    Certainty, Effect, EffectKind, Event, FileKind, Phase, Place, ToolCall, ToolUse, World, WriteMode, Zone,
    is_rebuildable,
};
use tollgate_policy::{Budget, Policy, Undo};
use tollgate_store::redact;
use tollgate_undo::{After, Depth, Limits, Origin, Saved, Store, Wanted, size_in_words};

use self::git::GitLosses;
use crate::world::Machine;

/// The most of a call that a list shows.
const SHOWN: usize = 500;
/// The most names in a folder that a pattern is compared with.
const LISTED: usize = 20_000;

/// A call whose losses are saved.
pub struct Saving<'a> {
    pub event: &'a Event,
    pub effects: &'a [Effect],
    pub world: &'a Machine,
    pub state: &'a Path,
    pub policy: &'a Policy,
}

/// What came of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The call loses nothing that is there.
    #[default]
    Nothing,
    /// Everything that it may lose is in a snapshot.
    Saved(Saved),
    /// Not everything can be saved, so that nothing is.
    Failed(String),
}

impl Outcome {
    /// What the person and the model are told of a call that runs because it was saved.
    pub fn notice(&self) -> Option<String> {
        let Self::Saved(Saved { id, files, bytes }) = self else { return None };
        let plural = if *files == 1 { "" } else { "s" };
        let size = size_in_words(*bytes);
        Some(format!("saved {files} file{plural} ({size}) as {id}. To restore: tollgate undo {id}"))
    }

    /// What the record says of it.
    pub fn record(&self) -> Option<(String, Value)> {
        match self {
            Self::Nothing => None,
            Self::Saved(saved) => {
                let number = |number: u64| Value::Number(number.to_string());
                let members = [
                    ("id", saved.id.as_str().into()),
                    ("files", number(saved.files)),
                    ("bytes", number(saved.bytes)),
                ];
                Some(("undo".to_owned(), object(members)))
            }
            Self::Failed(why) => Some(("unsaved".to_owned(), why.as_str().into())),
        }
    }
}

impl<'a> Saving<'a> {
    pub fn new(
        event: &'a Event,
        effects: &'a [Effect],
        world: &'a Machine,
        state: &'a Path,
        policy: &'a Policy,
    ) -> Self {
        Self { event, effects, world, state, policy }
    }
}

impl Saving<'_> {
    /// Saves everything that the call would lose, so that a refusal of it is not needed; or says why that is not possible.
    pub fn save_whole(&self) -> Result<Outcome, String> {
        if self.policy.undo == Undo::Off {
            return Err("saving is turned off (`undo: off`)".to_owned());
        }
        let tool = self.event.pending().ok_or("no call is about to run")?;
        let whole = self.whole(tool)?;
        match self.keep(tool, &whole.files, &whole.git) {
            Outcome::Nothing => Err("the files that it would lose do not exist now".to_owned()),
            Outcome::Failed(why) => Err(why),
            saved @ Outcome::Saved(_) => Ok(saved),
        }
    }

    /// Saves what a call that may run loses.
    pub fn save(&self) -> Outcome {
        if self.policy.undo == Undo::Off {
            return Outcome::Nothing;
        }
        let Some(tool) = self.event.pending().filter(|_| self.event.phase() == Phase::PreTool) else {
            return Outcome::Nothing;
        };
        let mut wanted: Vec<Wanted> = self.effects.iter().flat_map(|effect| self.lost(effect)).collect();
        let git = match self.git_losses() {
            Ok(git) => git,
            Err(why) => return Outcome::Failed(why),
        };
        wanted.extend(git.files.iter().cloned());
        if wanted.is_empty() && git.repositories.is_empty() {
            return Outcome::Nothing;
        }
        self.keep(tool, &wanted, &git)
    }

    fn keep(&self, tool: &ToolUse, wanted: &[Wanted], git: &GitLosses) -> Outcome {
        let store = Store::at(self.state);
        let origin = self.origin(tool);
        let limits = limits(&self.policy.budget);
        let is_edit = matches!(tool.call, ToolCall::Write { .. } | ToolCall::Edit { .. });
        let saved = match git.repositories.is_empty() {
            true if is_edit => store.save_edited(&origin, wanted, &limits),
            true => store.save(&origin, wanted, &limits),
            false => store.save_with_git(&origin, wanted, &git.repositories, git.pinned.as_deref(), &limits),
        };
        match saved {
            Ok(Some(saved)) => Outcome::Saved(saved),
            Ok(None) => Outcome::Nothing,
            Err(why) => Outcome::Failed(why.to_string()),
        }
    }

    fn origin(&self, tool: &ToolUse) -> Origin {
        let text = match &tool.call {
            ToolCall::Shell { command, .. } => command.clone(),
            ToolCall::Write { path, .. } | ToolCall::Edit { path, .. } | ToolCall::Delete { path } => {
                format!("{} {path}", tool.name)
            }
            _ => tool.name.clone(),
        };
        // Cut before it is redacted, with room: a secret must not be cut in two.
        let start: String = text.chars().take(2 * SHOWN).collect();
        Origin {
            agent: self.event.agent.name().to_owned(),
            session: self.event.session.clone(),
            call: redact(&start).chars().take(SHOWN).collect(),
            call_id: tool.id.clone(),
        }
    }

    /// The paths that one effect may lose.
    fn lost(&self, effect: &Effect) -> Vec<Wanted> {
        let certain = effect.certainty == Certainty::Certain;
        match &effect.kind {
            EffectKind::Delete { place, recursive, .. } => {
                if !self.is_kept(place) {
                    return Vec::new();
                }
                let depth = if *recursive { Depth::Tree } else { Depth::Node };
                let after = if certain && !place.pattern { After::Gone } else { After::Unknown };
                let mut all = self.paths(place, depth, after);
                all.extend(self.link(place));
                all
            }
            EffectKind::Write { place, mode, .. } if *mode != WriteMode::Create && self.is_kept(place) => {
                self.paths(place, Depth::Node, After::Unknown)
            }
            // Which files below a folder change is not known.
            EffectKind::Alter { place, folder: false } if self.is_file(place) && self.is_kept(place) => {
                self.paths(place, Depth::Node, After::Unknown)
            }
            _ => Vec::new(),
        }
    }

    fn is_file(&self, place: &Place) -> bool {
        !place.pattern && self.world.kind(&place.path) == FileKind::File
    }

    /// Temporary files and what a tool makes again are not worth the time, and the system's are not ours.
    fn is_kept(&self, place: &Place) -> bool {
        !matches!(place.zone, Zone::Temp | Zone::System)
            && place.path.starts_with('/')
            && place.path != "/"
            && !is_rebuildable(&place.path, self.world.workspace(), self.world)
    }

    fn paths(&self, place: &Place, depth: Depth, after: After) -> Vec<Wanted> {
        let wanted = |path: PathBuf| Wanted { path, depth, after };
        if !place.pattern {
            return vec![wanted(PathBuf::from(&place.path))];
        }
        matches(&place.path).into_iter().map(wanted).collect()
    }

    /// A symlink that is deleted by its own name. The place of the effect is what it leads to.
    fn link(&self, place: &Place) -> Option<Wanted> {
        let named = Path::new(&self.event.cwd).join(&place.shown);
        let is_link = named.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let folder = named.parent().filter(|_| is_link)?.canonicalize().ok()?;
        let path = folder.join(named.file_name()?);
        Some(Wanted { path, depth: Depth::Node, after: After::Unknown })
    }
}

fn limits(budget: &Budget) -> Limits {
    Limits { bytes: budget.size, files: budget.files, time: Duration::from_millis(budget.ms) }
}

/// Every path that a pattern may stand for: what begins as it does up to its first unknown part.
fn matches(pattern: &str) -> Vec<PathBuf> {
    let known = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let Some((folder, start)) = known.rsplit_once('/').filter(|(folder, _)| !folder.is_empty()) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(LISTED);
    let begins = |entry: &DirEntry| entry.file_name().as_encoded_bytes().starts_with(start.as_bytes());
    entries.filter(begins).map(|entry| entry.path()).collect()
}

/// A call has ended: what it left is what later changes are told from. A failure only makes these less certain.
pub fn end(event: &Event, state: &Path) {
    let ended = matches!(event.phase(), Phase::PostTool | Phase::PostToolFail);
    if let Some(tool) = event.tool().filter(|_| ended) {
        let _ = Store::at(state).end_call(event.agent.name(), &event.session, &tool.id);
    }
}
