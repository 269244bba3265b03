//! What is to be refused, and how firmly: YAML files → one policy, and the compiled snapshot of it.
//!
//! Files are read into settings *and* problems, all of them. Layers add up so that nobody loosens what stands
//! above: managed over user over project. A fault never loosens: while a file is broken, gone or writable by
//! strangers, in force is the strictest join of the built-in policy, the last good one and what can be read.

mod beside;
mod cache;
pub mod cel;
mod contain;
mod custom;
mod dependencies;
mod file;
pub mod glob;
mod include;
mod layer;
mod layers;
mod load;
mod nearest;
mod origins;
mod pipeline;
mod policy;
mod problem;
mod request;
mod settings;
mod shelf;
mod sinks;
mod snapshot;
mod source;
mod strangers;
mod trust;
mod undo;
mod workflows;
pub mod yaml;

pub use beside::{Beside, Built};
pub use cache::cached;
pub use contain::Contain;
pub use custom::{Custom, Sample};
pub use file::{read_file, read_start, read_text};
pub use include::{HOOK_FILE, check_hooks, has_hook_files, middleware_ids};
pub use layer::Layer;
pub use load::{Loaded, expire, forget, load, load_beside, look};
pub use nearest::{hint, nearest};
pub use origins::{Origin, origins};
pub use pipeline::{BUILT_IN, OnError, Override, Pipeline, Program, Stage, StageKind};
pub use policy::{Audit, Change, Policy, Redact, describe, strictest};
pub use problem::{At, Problem, Severity, render, shown};
pub use request::Request;
pub use settings::{check, check_hook, lawful, own_rules, own_workflows, to_json};
pub use sinks::{SinkKind, SinkUse};
pub use source::{FLEET, Health, SourceFile, fleet_file};
pub use trust::{TrustPlan, distrust};
pub use undo::{Budget, Undo};
pub use workflows::{WorkflowUse, Workflows};

/// Does a path pattern (`*`, `**`, `?`, `[a-z]`, `{a,b}`) match the whole of a path?
#[must_use]
pub fn path_matches(pattern: &str, path: &str) -> bool {
    glob::expand(pattern).is_ok_and(|all| all.iter().any(|one| glob::matches(one, path)))
}

/// The name of a policy file, at every level.
pub const FILE_NAME: &str = "tollgate.yaml";

/// The policy file that `tollgate init` writes: everything commented out but the version.
pub const TEMPLATE: &str = include_str!("template.yaml");

/// The keys and words that the parser of policy and hook files knows, for whoever describes them.
pub mod keys {
    pub use crate::settings::{
        ALLOW_KEYS, CONTAIN_KEYS, CUSTOM_KEYS, EXAMPLE_KEYS, EXAMPLES_KEYS, KEYS, LONGEST, MATCH_KEYS,
        META_KEYS, OVERRIDE_KEYS, PIPELINE_KEYS, PROVIDERS, RULE_KEYS, STAGE_KEYS, TRUST_KEYS, UNDO_KEYS,
    };
}
