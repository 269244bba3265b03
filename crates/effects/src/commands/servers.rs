//! Programs that serve a folder to whoever asks for it. A project may be served; a home with its keys may not.

use tollgate_catalogue::{Role, Slot};
use tollgate_model::{Carried, EffectKind, NetDirection, Place, Zone};

use super::{Run, find};
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

/// Takes down that a command serves a folder that nobody else should see.
pub(super) fn notice(run: &mut Run) {
    for way in catalogue::uses(run.program) {
        let Role::Serves { address, locally } = way.role else { continue };
        let Some(rest) = after(run.args, way.begins) else { continue };
        let options = read(rest, way.options, Order::Anywhere);
        let is_given = |name: &&str| options.has(name.trim_start_matches('-'));
        if !way.with.is_empty() && !way.with.iter().any(is_given) {
            continue;
        }
        let near = |word: &Word| {
            ["127.", "localhost", "::1", "unix:"].iter().any(|near| word.shown().contains(near))
        };
        if options.value(address).map_or(locally, near) {
            continue;
        }
        let folder = match way.slot {
            Slot::Options([name]) => options.value(name.trim_start_matches('-')).cloned(),
            Slot::Operand(at) => options.operands.get(at).cloned(),
            _ => None,
        };
        let folder = folder.unwrap_or_else(|| Word::literal_at(".", run.call.span));
        let private = |place: &Place| {
            matches!(place.zone, Zone::Secret | Zone::AgentConfig)
                || place.root && place.path != run.analyst.world.workspace()
        };
        let mut places = run.analyst.places(&folder, run.shell);
        // What somebody linked into the project itself is theirs to serve; elsewhere a link is no part of the folder.
        if !places.iter().any(|(place, _)| place.root) {
            let links = find::links_below(run, std::slice::from_ref(&folder));
            places.extend(links.iter().flat_map(|link| run.analyst.places(link, run.shell)));
        }
        if let Some((place, _)) = places.into_iter().find(|(place, _)| private(place)) {
            let carries = vec![Carried::Tunnel(format!("`{}`, which serves `{}`", run.program, place.path))];
            run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
        }
    }
}

/// The words after those that make the program serve, if they stand first.
fn after<'w>(words: &'w [Word], verb: &[&str]) -> Option<&'w [Word]> {
    let fits = verb.iter().enumerate().all(|(at, wanted)| words.get(at).is_some_and(|word| word.is(wanted)));
    words.get(verb.len()..).filter(|_| fits)
}
