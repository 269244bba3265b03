use tollgate_model::git::stands_for;
use tollgate_model::{Card, Case, EffectKind, FileKind, Hit, Place, Rule, Tampered, World};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks access to Tollgate's own files, owner commands and variables.
    ///
    /// Reading the copies that `tollgate undo` restores is blocked, too, because any of them may contain a secret. An agent may still
    /// undo what its own session lost.
    ///
    /// ## Instead
    /// Ask the person. They can change the policy in their own editor and terminal.
    pub struct GateTamper;
    id: "gate-tamper", pack: SelfProtection, level: Deny, unsure: Deny,
    person: "Only the person may change Tollgate.",
    examples: [
        hit Shell("tollgate uninstall --yes"),
        hit Shell("rm -rf ~/.config/tollgate"),
        hit Shell("TOLLGATE_MODE=off ls"),
        hit Write("~/.config/tollgate/tollgate.yaml"),
        hit Shell("tollgate hook claude-code PreToolUse < x.json"),
        hit Shell("pkill -9 tollgate"),
        hit Shell("kill -STOP $(pgrep -f tollgate)"),
        hit Shell("sudo systemctl stop tollgate.service"),
        hit Shell("cat ~/.local/state/tollgate/undo/objects/ab/cdef"),
        hit Read("~/.local/state/tollgate/undo/snapshots/u-7F3K"),
        hit Shell("cp -r ~/.local/state/tollgate/undo /tmp/copy"),
        hit Shell("XDG_STATE_HOME=/tmp/x tollgate undo u-7F3K"),
        hit Shell("env -i tollgate undo u-7F3K"),
        hit Shell("export HOME=/tmp/x; tollgate undo u-7F3K"),
        hit Shell("env -u CLAUDECODE tollgate undo show u-7F3K --diff"),
        hit Shell("tollgate undo --state /tmp/x u-7F3K"),
        hit Shell("tollgate undo $ID"),
        pass Shell("tollgate undo u-7F3K"),
        pass Shell("tollgate undo list"),
        pass Shell("tollgate undo restore u-7F3K src/a.rs"),
        pass Shell("tollgate explain ls"),
        pass Shell("kill $(pgrep -f webpack)"),
        pass Shell("tollgate check tollgate.yaml"),
        pass Shell("cat ~/.config/tollgate/tollgate.yaml"),
    ],
}

impl Rule for GateTamper {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Tamper { target: Tampered::Gate, what } => {
                Words::new(format!("tampers with {what}"), "ask the person to change it")
            }
            EffectKind::Read { place, recursive } if reads_file(PIN, place, *recursive, case.world) => {
                Words::new("reads the hash of the owner's PIN", "leave out Tollgate's state directory")
            }
            EffectKind::Read { place, recursive } if reads_file(KEY, place, *recursive, case.world) => {
                Words::new(
                    "reads the key of this machine in its fleet",
                    "leave out Tollgate's state directory",
                )
            }
            EffectKind::Read { place, recursive } if reads_saved(place, *recursive, case.world) => {
                Words::new(
                    "reads files that Tollgate saved",
                    "ask the person to restore the file that is needed",
                )
            }
            _ => None,
        })
    }
}

/// The folder of saved files, in the state directory.
const SAVED: &str = "undo";

/// Does a read reach saved files? A search through the whole home reaches secrets at their own places as well, and is
/// judged for these.
fn reads_saved(place: &Place, recursive: bool, world: &dyn World) -> bool {
    let is_below = |path: &str, folder: &str| {
        path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    };
    let path = place.path.as_str();
    world.own_places().iter().map(|own| format!("{own}/{SAVED}")).any(|saved| {
        let named = path == saved || is_below(path, &saved);
        let matched = place.pattern && stands_for(path, &saved);
        let around =
            recursive && is_below(&saved, path) && world.homes().iter().any(|home| is_below(path, home));
        named || (matched || around) && world.kind(&saved) == FileKind::Dir
    })
}

/// The hash of the owner's PIN, in the state directory. Whoever has it can try PINs without anybody noticing.
const PIN: &str = "owner.pin";

/// The key that signs what this machine tells its fleet, in the state directory. Whoever has it can speak as this machine.
const KEY: &str = "fleet/key";

/// Does a read reach this file of a state directory, where it exists?
fn reads_file(name: &str, place: &Place, recursive: bool, world: &dyn World) -> bool {
    world.own_places().iter().map(|own| format!("{own}/{name}")).any(|file| {
        let below =
            file.strip_prefix(place.path.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
        let named = place.path == file || (place.pattern && stands_for(&place.path, &file));
        (named || (recursive && below)) && world.kind(&file) == FileKind::File
    })
}
