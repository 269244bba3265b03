//! What is the gate's own.

use tollgate_model::{FileKind, Place, World};
use tollgate_shell::eval::Shell;

use super::Analyst;
use crate::paths;
use crate::word::Word;

/// What the owner, and no agent, tells the gate.
const OWNER_COMMANDS: &[&str] = &[
    "allow",
    "approve",
    "fleet",
    "hook",
    "init",
    "prune",
    "state",
    "trust",
    "uninstall",
    "update",
    "workflow",
];

/// Where programs of a person's own lie.
const PROGRAMS_AT_HOME: &[&str] = &[".local/bin", "bin", ".cargo/bin"];

impl Analyst<'_> {
    /// Is the command a copy of the gate's program, by whatever name, that is given one of the owner's commands? The
    /// beginnings of both files are compared, and only then.
    pub(super) fn is_gate_copy(&self, command: &Word, args: &[Word], shell: &Shell) -> bool {
        let first = args.iter().find_map(|word| word.literal().filter(|word| !word.starts_with('-')));
        if !first.is_some_and(|word| OWNER_COMMANDS.contains(&word)) || self.elsewhere.is_some() {
            return false;
        }
        const LOOK: usize = 64 << 10;
        let mut candidates: Vec<String> = Vec::new();
        if command.text.prefix().contains('/') {
            candidates.extend(self.places(command, shell).into_iter().map(|(place, _)| place.path));
        } else if let Some(name) = command.literal() {
            let home = self.world.home();
            candidates.extend(PROGRAMS_AT_HOME.iter().map(|folder| format!("{home}/{folder}/{name}")));
            candidates.push(format!("/usr/local/bin/{name}"));
        }
        let is_file = |path: &&String| self.world.kind(path) == FileKind::File;
        let gates: Vec<Vec<u8>> = self
            .world
            .own_places()
            .iter()
            .filter(is_file)
            .filter_map(|path| self.world.read(path, LOOK))
            .filter(|bytes| bytes.starts_with(b"\x7fELF") || bytes.len() == LOOK)
            .collect();
        let starts = candidates.iter().filter(is_file).filter_map(|path| self.world.read(path, LOOK));
        starts.into_iter().any(|start| gates.contains(&start))
    }
}

/// Says what of Tollgate a change at this place, and perhaps of all below it, would touch.
pub(crate) fn own_at(place: &Place, with_all_below: bool, world: &dyn World) -> Option<String> {
    let touches = |own: &&String| {
        paths::within(&place.path, own)
            || place.pattern && paths::could_be_within(&place.path, own)
            || (with_all_below && !place.path.is_empty() && paths::within(own, &place.path))
    };
    let own = world.own_places().iter().find(touches).map(|own| format!("Tollgate's own files in {own}"));
    own.or_else(|| is_gate(&place.path).then(|| format!("Tollgate's program {}", place.path))).or_else(|| {
        is_default(&place.path, world.home()).then(|| format!("Tollgate's own files in {}", place.path))
    })
}

/// Where a person's own commands look, whatever this hook was told.
fn is_default(path: &str, home: &str) -> bool {
    if paths::within(path, "/etc/tollgate") {
        return true;
    }
    let below = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/'));
    below.is_some_and(|path| {
        [".config/tollgate", ".local/state/tollgate"].iter().any(|own| paths::within(path, own))
    })
}

/// The gate's program where programs are kept, whichever of them it is that runs.
fn is_gate(path: &str) -> bool {
    let mut names = path.rsplit('/');
    names.next() == Some("tollgate") && names.next().is_some_and(|folder| matches!(folder, "bin" | "sbin"))
}
