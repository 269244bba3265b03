//! The words of Tollgate: events, calls, effects, verdicts, records. No IO, one meaning each.

mod agent;
mod decision;
mod effect;
mod event;
pub mod git;
pub mod hosts;
pub mod json;
mod memory;
mod phase;
pub mod phrase;
mod rebuild;
mod record;
mod rule;
mod span;
pub mod stage;
mod state;
mod told;
mod verdict;
mod world;

pub use agent::Agent;
pub use decision::{Decision, Fault, FaultKind, Finding, Hit, Reply};
pub use effect::{
    Certainty, CodeSource, Effect, EffectKind, Loss, NetDirection, Place, Rewrite, WriteMode, Zone,
};
pub use event::{Actor, Attended, Dialect, Event, Kind, Replacement, SearchScope, ToolCall, ToolUse, Trace};
pub use memory::{Entry, Mark, Memory, NOTHING, Refusal, Repeats};
pub use phase::Phase;
pub use rebuild::{is_claim, is_rebuildable};
pub use record::{Record, Times};
pub use rule::{Card, Case, Catalogue, Example, Pack, Rule};
pub use span::Span;
pub use state::{Change, State};
pub use verdict::{Approve, Level, Mode, OnFault, Verdict};
pub use world::{FileKind, StillFile, StillGit, StillWorld, World};
