//! How the layers' workflows add up.

use super::Part;
use crate::layer::Layer;
use crate::problem::{Problem, Severity, shown};
use crate::workflows::WorkflowUse;

/// Every layer's workflows, topmost first. A lower layer cannot change what a higher one named.
pub(super) fn merge(parts: &[Part]) -> (Vec<WorkflowUse>, Vec<Problem>) {
    let (mut all, mut ignored): (Vec<WorkflowUse>, Vec<Problem>) = (Vec::new(), Vec::new());
    for part in parts {
        for chosen in &part.settings.workflows {
            let known = all.iter().find(|other| other.name == chosen.name);
            match known {
                Some(known) if known.options == chosen.options => {}
                Some(known) => ignored.push(Problem {
                    path: part.path.to_owned(),
                    severity: Severity::Warning,
                    message: format!(
                        "other options for workflow `{}`, which {} switches on",
                        shown(&chosen.name),
                        known.file
                    ),
                    hint: "ignored: the file above decides".to_owned(),
                    at: chosen.at,
                }),
                None => all.push(WorkflowUse {
                    name: chosen.name.clone(),
                    options: chosen.options.clone(),
                    file: part.path.to_owned(),
                    place: (chosen.at.line, chosen.at.column),
                    folder: part.bases.first().cloned().unwrap_or_default(),
                    trusted: part.layer != Layer::Project,
                }),
            }
        }
    }
    (all, ignored)
}
