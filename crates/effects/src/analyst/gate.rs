//! What is the gate's own.

use tollgate_model::{Place, World};

use crate::paths;

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
