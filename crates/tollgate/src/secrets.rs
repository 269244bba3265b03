//! What is said about a call repeats none of its secrets: answers are kept in transcripts and shown on screens.

use std::path::Path;

use tollgate_model::{Decision, Event};
use tollgate_store::Redactor;

/// Takes the call's secrets out of the reasons, also where a reason shows only the beginning of one.
pub fn hide(event: &Event, decision: &mut Decision, state: &Path) {
    if decision.findings.is_empty() {
        return;
    }
    let redactor = Redactor::at(state);
    if let Some(tool) = event.tool() {
        redactor.learn(&tool.input);
    }
    for finding in &mut decision.findings {
        finding.hit.what = redactor.repeated(&finding.hit.what);
        finding.hit.instead = redactor.repeated(&finding.hit.instead);
    }
}
