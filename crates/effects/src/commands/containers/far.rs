//! Commands on machines far away.

use tollgate_model::{Certainty, Effect, EffectKind, InfraTool};
use tollgate_shell::eval::Outcome;

use super::super::Run;
use super::inside;
use crate::elsewhere::Elsewhere;
use crate::word::Word;

/// A command on a machine far away: recursive deletions there are losses too, though not of our files.
pub(in crate::commands) fn remote(run: &mut Run, command: &[Word], target: &str) -> Outcome {
    let mark = run.analyst.mark();
    let outcome = inside(run, Elsewhere::new(run.analyst.world), None, command);
    let deletes = |effect: &Effect| match &effect.kind {
        EffectKind::Delete { place, recursive: true, .. } => {
            !place.shown.starts_with("/tmp/") && !place.shown.starts_with("/var/tmp/")
        }
        _ => false,
    };
    let found = run.analyst.since(mark).iter().find(|effect| deletes(effect)).map(|effect| effect.certainty);
    if let Some(certainty) = found {
        let (tool, operation) = (run.program.to_owned(), "delete".to_owned());
        let kind =
            EffectKind::Infra { tool: InfraTool::Named(tool), operation, target: format!("files {target}") };
        run.analyst.push(kind, run.call.span, certainty.min(Certainty::Certain));
    }
    outcome
}
