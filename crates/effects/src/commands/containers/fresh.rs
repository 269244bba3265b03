//! Containers that this call itself has started, with nothing of the machine in them: a database in one is made to be
//! thrown away. Only where the start surely went well: one of that name may be there already, and then it is meant.

use tollgate_model::EffectKind;
use tollgate_shell::eval::{Shell, Status};
use tollgate_shell::value::Value;

use super::super::Run;
use crate::options::Options;
use crate::word::Word;

/// Where what is started, and what is known to have started, is kept among the files of the call.
const STARTED: &str = "/\0started";
const RUNNING: &str = "/\0running:";

/// Notes a container that is started with a name, and without folders or volumes of others.
pub(super) fn start(run: &mut Run, options: &Options) {
    let shares = ["v", "volume", "mount", "volumes-from"].iter().any(|name| options.has(name));
    let name = options.value("name").and_then(Word::literal).map(str::to_owned);
    if let Some(name) = name.filter(|name| !shares && !name.is_empty()) {
        run.analyst.started = true;
        run.shell.write_file(&Value::text(STARTED), &Value::text(&name), false);
    }
}

/// Before the next command runs: has it started, or may it not?
pub(in crate::commands) fn settle(shell: &mut Shell) {
    let Some(started) = shell.file(&Value::text(STARTED)) else { return };
    shell.forget_file(&Value::text(STARTED));
    if let Some(name) =
        started.value.as_literal().filter(|_| started.certain && shell.last() == Status::Success)
    {
        shell.write_file(&Value::text(&format!("{RUNNING}{name}")), &Value::empty(), false);
    }
}

/// What is lost of a database in such a container was put there by this call.
pub(super) fn forgive(run: &mut Run, container: &Word, mark: usize) {
    let Some(name) = container.literal() else { return };
    let running = run.shell.file(&Value::text(&format!("{RUNNING}{name}")));
    if running.is_some_and(|running| running.certain) {
        run.analyst.sift(mark, |effect| !matches!(effect.kind, EffectKind::Database { .. }));
    }
}
