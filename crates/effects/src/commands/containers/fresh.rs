//! Containers that this very call has started: what is lost in one of them was never anybody's.
//!
//! `docker run --name db` fails where there is a container of that name, and what follows then meets the old one. So a
//! name counts only on ways through the script that go on because the start went well. Kept as files that no script can
//! name, so that they follow every way.

use tollgate_model::{Effect, EffectKind};
use tollgate_shell::eval::{Outcome, Shell, Status};
use tollgate_shell::value::Value;

use super::Run;
use crate::analyst::taint;
use crate::options::Options;
use crate::word::Word;

/// The container that the last command started, and those of which it is known that they did start.
const STARTING: &str = "/\0container-starting";
const STARTED: &str = "/\0containers-started";

/// A container is started. With folders or volumes of others in it, what it holds is not its own.
pub(super) fn starts(run: &mut Run, options: &Options, outcome: Outcome) -> Outcome {
    let shares = ["v", "volume", "mount", "volumes-from"].iter().any(|name| options.has(name));
    if shares {
        return outcome;
    }
    if let Some(name) = options.value("name").and_then(Word::literal) {
        run.shell.write_file(&Value::text(STARTING), &Value::text(&format!("{name}\n")), false);
        run.analyst.starts_containers = true;
    }
    // Its number, which it prints, is no other's.
    match options.has("d") {
        true => Outcome { stdout: outcome.stdout.with_taint(taint::CONTAINER), ..outcome },
        false => outcome,
    }
}

/// Before the next command: did it start?
pub(in crate::commands) fn settle(shell: &mut Shell) {
    let Some(starting) = shell.file(&Value::text(STARTING)) else { return };
    shell.forget_file(&Value::text(STARTING));
    let name = starting.value.as_literal().filter(|_| starting.certain && shell.last() == Status::Success);
    if let Some(name) = name {
        let all = format!("{}{name}", started(shell));
        shell.write_file(&Value::text(STARTED), &Value::text(&all), false);
    }
}

fn started(shell: &Shell) -> String {
    let written = shell.file(&Value::text(STARTED)).filter(|written| written.certain);
    written.and_then(|written| written.value.as_literal().map(str::to_owned)).unwrap_or_default()
}

/// Is it a container that this call has started?
pub(super) fn is_own(run: &Run, container: &Word) -> bool {
    match container.literal() {
        Some(name) => run.analyst.starts_containers && started(run.shell).lines().any(|own| own == name),
        None => taint::has(container.taint, taint::CONTAINER) && container.text.pieces.len() == 1,
    }
}

/// What is lost in such a container does not matter.
pub(super) fn spares(effect: &Effect) -> bool {
    !matches!(effect.kind, EffectKind::Database { .. } | EffectKind::Delete { .. } | EffectKind::Infra { .. })
}
