//! A command that takes a whole container away.

use tollgate_model::{Effect, EffectKind, InfraTool};
use tollgate_shell::value::Value;

use super::super::Run;
use crate::word::Word;

/// A container that is in use, with all that is in it. Any other folder of its is its own business.
pub(super) fn wiped(run: &mut Run, container: &Word, command: &[Word]) {
    let mark = run.analyst.mark();
    let Run { analyst, shell, call, path, program, args } = &mut *run;
    shell.supposed(|shell| {
        shell.set_cwd(&Value::text("/"));
        Run { analyst, shell, call, path, program, args }.inner(command)
    });
    let whole = |effect: &Effect| match &effect.kind {
        EffectKind::Delete { place, recursive: true, .. } => matches!(place.path.as_str(), "/" | "/*"),
        _ => false,
    };
    let wiped = run.analyst.since(mark).iter().any(whole);
    run.analyst.sift(mark, |_| false);
    if wiped {
        run.push(EffectKind::Infra {
            tool: InfraTool::RemoteShell,
            operation: "deletes `/` and everything in it".to_owned(),
            target: container.shown(),
        });
    }
}
