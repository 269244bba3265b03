//! How the layers' sinks add up.

use super::Part;
use crate::layer::Layer;
use crate::problem::{At, Problem, Severity};
use crate::sinks::SinkUse;

/// Every trusted layer's sinks. What a project's file names is left out: records would go where nobody chose to
/// send them.
pub(super) fn merge(parts: &[Part]) -> (Vec<SinkUse>, Vec<Problem>) {
    let (mut all, mut ignored): (Vec<SinkUse>, Vec<Problem>) = (Vec::new(), Vec::new());
    for part in parts {
        for (sink, at) in &part.settings.sinks {
            if part.layer == Layer::Project {
                ignored.push(not_here(part, *at));
            } else if !all.contains(sink) {
                all.push(sink.clone());
            }
        }
    }
    (all, ignored)
}

fn not_here(part: &Part, at: At) -> Problem {
    Problem {
        path: part.path.to_owned(),
        severity: Severity::Warning,
        message: "a sink in a project's file".to_owned(),
        hint: "ignored: where records go is said in your own file".to_owned(),
        at,
    }
}
