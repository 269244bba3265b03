//! What this kernel, this file system and these agents can do for the features that depend on it.

use std::path::Path;

use tollgate_agents::Rewrite;
use tollgate_undo::Store;

use crate::report::Line;

/// What each of these features can do here. `agents` are the guarded ones, and whether they run a call as it was rewritten.
pub fn lines(state: &Path, agents: &[(String, Rewrite)]) -> Vec<Line> {
    let mut lines = contain();
    lines.extend(clone(state));
    let of = |wanted: Rewrite| {
        let all: Vec<&str> = agents
            .iter()
            .filter(|(_, rewrite)| *rewrite == wanted)
            .map(|(title, _)| title.as_str())
            .collect();
        (!all.is_empty()).then(|| all.join(", "))
    };
    let told = [
        (Rewrite::UnlessDenied, "run calls as middleware rewrote them"),
        (Rewrite::WithAllow, "run calls as middleware rewrote them when they are approved"),
        (Rewrite::None, "do not run calls as they were rewritten"),
    ];
    lines.extend(
        told.into_iter().filter_map(|(rewrite, what)| Some(Line::green(format!("{}: {what}", of(rewrite)?)))),
    );
    lines
}

fn contain() -> Vec<Line> {
    let holds = tollgate_contain::probe();
    if !holds.is_enough() {
        let why = match (holds.abi, holds.calls) {
            (0, _) => "this kernel has no Landlock, or it is switched off".to_owned(),
            (_, false) => "system calls cannot be filtered".to_owned(),
            (abi, true) => format!("Landlock ABI {abi} is too old"),
        };
        let fix = "use Linux 6.2 or newer with Landlock among the modules in /sys/kernel/security/lsm";
        return vec![Line::yellow(format!("`tollgate run` cannot contain commands: {why}"), fix)];
    }
    let works = format!("`tollgate run` can contain commands (Landlock ABI {})", holds.abi);
    let gap = |gap: &str| {
        Line::yellow(format!("contained commands are not kept from {gap}"), "use Linux 6.12 or newer")
    };
    std::iter::once(Line::green(works)).chain(holds.gaps().map(gap)).collect()
}

fn clone(state: &Path) -> Option<Line> {
    let what = match Store::at(state).can_clone()? {
        true => "saved files share their blocks with the originals (reflinks)",
        false => "saved files are copied: this file system has no reflinks",
    };
    Some(Line::green(what))
}
