//! The words of Tollgate: events, calls, effects, verdicts, records. No IO, one meaning each.

mod agent;
mod canary;
mod credentials;
mod decision;
mod effect;
mod event;
mod exemption;
pub mod git;
mod git_status;
pub mod hosts;
pub mod json;
mod memory;
pub mod patch;
mod personal;
mod phase;
mod rebuild;
mod record;
mod rule;
mod span;
pub mod stage;
mod state;
mod told;
mod verdict;
pub mod work;
mod world;

pub use agent::Agent;
pub use canary::{CANARY_SESSION, is_canary};
pub use credentials::{CREDENTIALS_WITHIN, holds_credentials, may_hold_credentials};
pub use decision::{Decision, Fault, FaultKind, Finding, Hit, Reply};
pub use effect::{
    Audience, Carried, Certainty, CodeSource, Effect, EffectKind, EnvUse, InfraTool, Lasting, Loss,
    NetDirection, Place, PrivateData, ProcessAction, Protection, Rewrite, Tampered, WriteMode, Zone,
};
pub use event::{Actor, Attended, Dialect, Event, Kind, Replacement, SearchScope, ToolCall, ToolUse, Trace};
pub use exemption::Exemption;
pub use memory::{Entry, Mark, Memory, NOTHING, Refusal, Repeats};
pub use personal::{Personal, personal};
pub use phase::Phase;
pub use rebuild::{is_built, is_claim, is_ignored_output, is_rebuildable};
pub use record::{Record, Times};
pub use rule::{Card, Case, Catalogue, Example, Pack, Rule};
pub use span::Span;
pub use state::{Change, State};
pub use verdict::{Approve, Level, Mode, OnFault, Verdict};
pub use world::{FileKind, STATELESS, StillFile, StillGit, StillWorld, World};
