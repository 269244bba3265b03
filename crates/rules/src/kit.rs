//! What rules are written with.

use tollgate_model::{Case, Effect, EffectKind, FileKind, Hit, Place, Span, World, Zone};

/// Declares a rule's card. The doc comment is its documentation page; the examples are its tests.
macro_rules! rule {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident;
        id: $id:literal, pack: $pack:ident, level: $level:ident $(, otherwise: $otherwise:ident)? $(, unsure: $unsure:ident)?,
        $(instead: [$($instead:literal),* $(,)?],)?
        $(person: $person:literal,)?
        examples: [$($kind:ident $tool:ident($text:literal)),* $(,)?] $(,)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl $name {
            const CARD: tollgate_model::Card = tollgate_model::Card {
                id: $id,
                pack: tollgate_model::Pack::$pack,
                level: tollgate_model::Level::$level,
                otherwise: $crate::kit::rule!(@otherwise $level $($otherwise)?),
                unsure: $crate::kit::rule!(@unsure $($unsure)?),
                doc: concat!($($doc, "\n"),*),
                instead: &[$($($instead),*)?],
                person: concat!($($person)?),
                examples: &[$(tollgate_model::Example {
                    hit: $crate::kit::rule!(@hit $kind),
                    tool: stringify!($tool),
                    text: $text,
                }),*],
            };
        }
    };
    (@otherwise $level:ident) => { tollgate_model::Level::$level };
    (@otherwise $level:ident $otherwise:ident) => { tollgate_model::Level::$otherwise };
    (@unsure) => { tollgate_model::Level::Ask };
    (@unsure $unsure:ident) => { tollgate_model::Level::$unsure };
    (@hit hit) => { true };
    (@hit pass) => { false };
}

pub(crate) use rule;

/// The first effect for which `see` has something to say, the most certain first.
pub(crate) fn first(case: &Case, see: impl Fn(&Effect) -> Option<Words>) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for effect in case.effects {
        if best.as_ref().is_some_and(|hit| hit.certainty >= effect.certainty) {
            continue;
        }
        if let Some(words) = see(effect) {
            best = Some(Hit {
                what: words.what,
                instead: words.instead,
                span: effect.span,
                certainty: effect.certainty,
            });
        }
    }
    best
}

/// The first thing that stays behind of a kind: what `say` makes of the place, without the mark of the kind.
pub(crate) fn left(case: &Case, mark: &str, say: impl Fn(&str) -> String, instead: &str) -> Option<Hit> {
    first(case, |effect| match &effect.kind {
        EffectKind::Persist { place } => Words::new(say(place.strip_prefix(mark)?), instead),
        _ => None,
    })
}

/// Is a secret of the workspace only what this call has made, or does it stay one under another name there? Environment
/// files are not meant: people fill those in.
pub(crate) fn is_own_secret(effect: &Effect, case: &Case) -> bool {
    let EffectKind::Delete { place, moved, .. } = &effect.kind else { return false };
    let name = place.path.rsplit('/').next().unwrap_or_default();
    place.zone == Zone::Secret
        && !place.pattern
        && !name.contains(".env")
        && in_workspace(place, case.world)
        && (is_made(place, effect.span, case) || *moved && stays(name, case))
}

fn in_workspace(place: &Place, world: &dyn World) -> bool {
    place.path.strip_prefix(world.workspace()).is_some_and(|rest| rest.starts_with('/'))
}

/// It was not there before, the call has written it first, and nothing that was there has come to lie there.
fn is_made(place: &Place, span: Span, case: &Case) -> bool {
    let is_there = |place: &Place| place.pattern || case.world.kind(&place.path) != FileKind::Missing;
    let writes = |effect: &Effect| {
        matches!(&effect.kind, EffectKind::Write { place: made, .. } if made.path == place.path)
            && effect.span.end <= span.start
    };
    let brings = |effect: &Effect| matches!(&effect.kind, EffectKind::Delete { place, moved: true, .. } if is_there(place));
    !is_there(place) && case.effects.iter().any(writes) && !case.effects.iter().any(brings)
}

/// Everything that is written is new and in the workspace, and the secret is one there by its name.
fn stays(name: &str, case: &Case) -> bool {
    let written: Vec<&Place> = case
        .effects
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Write { place, .. } => Some(place),
            _ => None,
        })
        .collect();
    let is_new =
        |place: &&Place| in_workspace(place, case.world) && case.world.kind(&place.path) != FileKind::File;
    let is_it = |place: &&Place| {
        place.zone == Zone::Secret && (written.len() == 1 || place.path.rsplit('/').next() == Some(name))
    };
    written.iter().all(is_new) && written.iter().any(is_it)
}

/// What a rule says.
pub(crate) struct Words {
    pub what: String,
    pub instead: String,
}

impl Words {
    pub fn new(what: impl Into<String>, instead: impl Into<String>) -> Option<Self> {
        Some(Self { what: what.into(), instead: instead.into() })
    }
}

/// The place that an effect changes, if it changes one.
pub(crate) fn changed(kind: &EffectKind) -> Option<&Place> {
    match kind {
        EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
        | EffectKind::Permission { place, .. }
        | EffectKind::Device { place } => Some(place),
        _ => None,
    }
}

/// A path as people write it, in backticks, cut when it is long.
pub(crate) fn shown(place: &Place) -> String {
    let text = if place.shown.is_empty() { &place.path } else { &place.shown };
    let safe: String = text.chars().take(200).flat_map(char::escape_debug).collect();
    format!("`{}`", safe.replace("\\'", "'").replace("\\\"", "\""))
}

/// The first five of a list, in backticks, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    let quoted = |name: &String| {
        format!("`{}`", name.chars().take(120).flat_map(char::escape_debug).collect::<String>())
    };
    let first: Vec<String> = names.iter().take(5).map(quoted).collect();
    match names.len().saturating_sub(5) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
