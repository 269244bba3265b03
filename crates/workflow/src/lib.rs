//! Workflows as data: the language, its evaluator, and the presets. Pure: what a workflow asks of the machine goes
//! through `World` and `Ground`, what it remembers through `State`.

mod asking;
mod case;
mod classes;
mod code;
mod condition;
mod counts;
mod eval;
mod expr;
mod files;
mod flow;
mod graph;
mod index;
mod interest;
mod presets;
mod read;
mod registry;
mod runners;
mod template;
mod text;
mod words;

pub use case::{Case, CommandRun, Ground, Ran, States, moments, said};
pub use counts::{Run, observed, tells_counts};
pub use eval::{After, Outcome, beginning, evaluate, evaluate_at};
pub use flow::{Act, Active, Channel, Cond, Flow, Gate, On, Refusal, STOPPED, Scope, Seen, Start, Who};
pub use graph::{act, mermaid, terminal};
pub use index::Index;
pub use interest::{Interest, Watch, is_like_a_run};
pub use presets::{FINGERPRINT, PRESETS, Preset, preset};
pub use read::{ACTS, CONDITIONS, Options, options, read};
pub use runners::{Script, given, is_runner, script};

/// The keys that the parser of workflow files knows, for whoever describes them.
pub mod keys {
    use crate::flow::On;
    pub use crate::read::conditions::KEYS as CONDITIONS;
    pub use crate::read::gates::{ACTS, KEYS as GATE};
    pub use crate::read::{KEYS as FLOW, START_KEYS as START};

    /// The moments of `on`.
    #[must_use]
    pub fn moments() -> Vec<&'static str> {
        On::ALL.iter().map(|(name, _)| *name).collect()
    }
}
