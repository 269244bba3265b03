//! What rules are written with.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

use tollgate_model::{Case, Effect, EffectKind, FileKind, Hit, Lasting, Place, Span, World, Zone};

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

/// The hit of the first effect for which `see` returns words. A certain effect comes before a possible one.
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

/// The first thing of a kind that stays after the session.
pub(crate) fn left(case: &Case, wanted: Lasting, say: impl Fn(&str) -> String, instead: &str) -> Option<Hit> {
    first(case, |effect| match &effect.kind {
        EffectKind::Persist { kind, what } if *kind == wanted => Words::new(say(what), instead),
        _ => None,
    })
}

/// Answers to a question about names that takes all effects of a call, kept: asked for each effect, it would take the
/// square of their number.
#[derive(Default)]
pub(crate) struct Answers(RefCell<HashMap<String, bool>>);

impl Answers {
    /// The answer for a name, found once.
    pub fn get(&self, name: &str, find: impl FnOnce() -> bool) -> bool {
        let known = self.0.borrow().get(name).copied();
        known.unwrap_or_else(|| {
            let answer = find();
            self.0.borrow_mut().insert(name.to_owned(), answer);
            answer
        })
    }
}

/// The effects that read files, by the name that the call gives each file. Indexed when first asked for.
pub(crate) struct Reads<'c> {
    effects: &'c [Effect],
    by_name: OnceCell<HashMap<&'c str, Vec<&'c Effect>>>,
}

impl<'c> Reads<'c> {
    pub fn of(case: &Case<'c>) -> Self {
        Self { effects: case.effects, by_name: OnceCell::new() }
    }

    /// The effects that read a file of this name.
    pub fn named(&self, name: &str) -> &[&'c Effect] {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: HashMap<&str, Vec<&Effect>> = HashMap::new();
            for effect in self.effects {
                if let EffectKind::Read { place, .. } = &effect.kind {
                    by_name.entry(&place.shown).or_default().push(effect);
                }
            }
            by_name
        });
        by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Tells which secrets of the workspace are only what a call has made, or stay secrets under another name there.
/// Environment files are not meant: people fill those in. What it takes to tell is found when first asked for.
pub(crate) struct OwnSecrets<'c> {
    effects: &'c [Effect],
    world: &'c dyn World,
    written: OnceCell<HashMap<&'c str, u32>>,
    brings: OnceCell<bool>,
    kept: OnceCell<KeptNames<'c>>,
}

/// The secrets among what a call writes, where all of that is new and in the workspace.
enum KeptNames<'c> {
    None,
    /// One file is all that it writes: any secret may stay under its name.
    Any,
    These(HashSet<&'c str>),
}

impl<'c> OwnSecrets<'c> {
    pub fn of(case: &Case<'c>) -> Self {
        Self {
            effects: case.effects,
            world: case.world,
            written: OnceCell::new(),
            brings: OnceCell::new(),
            kept: OnceCell::new(),
        }
    }

    /// Does the effect delete such a secret?
    pub fn is_deleted_by(&self, effect: &Effect) -> bool {
        let EffectKind::Delete { place, moved, .. } = &effect.kind else { return false };
        place.zone == Zone::Secret
            && !place.pattern
            && !file_name(&place.path).contains(".env")
            && in_workspace(place, self.world)
            && (self.is_made(place, effect.span) || *moved && self.is_kept(file_name(&place.path)))
    }

    /// It was not there before, the call has written it first, and nothing that was there has come to lie there.
    fn is_made(&self, place: &Place, span: Span) -> bool {
        !self.is_there(place) && self.is_written_before(&place.path, span) && !self.brings()
    }

    fn is_there(&self, place: &Place) -> bool {
        place.pattern || self.world.kind(&place.path) != FileKind::Missing
    }

    fn is_written_before(&self, path: &str, span: Span) -> bool {
        let written = self.written.get_or_init(|| {
            let mut ends: HashMap<&str, u32> = HashMap::new();
            for effect in self.effects {
                if let EffectKind::Write { place, .. } = &effect.kind {
                    let end = ends.entry(&place.path).or_insert(effect.span.end);
                    *end = effect.span.end.min(*end);
                }
            }
            ends
        });
        written.get(path).is_some_and(|end| *end <= span.start)
    }

    /// Does the call move anything that was there before?
    fn brings(&self) -> bool {
        let brings = |effect: &Effect| matches!(&effect.kind, EffectKind::Delete { place, moved: true, .. } if self.is_there(place));
        *self.brings.get_or_init(|| self.effects.iter().any(brings))
    }

    /// Is everything that is written new and in the workspace, and the secret one there by its name?
    fn is_kept(&self, name: &str) -> bool {
        match self.kept.get_or_init(|| self.kept_names()) {
            KeptNames::None => false,
            KeptNames::Any => true,
            KeptNames::These(names) => names.contains(name),
        }
    }

    fn kept_names(&self) -> KeptNames<'c> {
        let place = |effect: &'c Effect| match &effect.kind {
            EffectKind::Write { place, .. } => Some(place),
            _ => None,
        };
        let written: Vec<&Place> = self.effects.iter().filter_map(place).collect();
        let is_new = |place: &&Place| {
            in_workspace(place, self.world) && self.world.kind(&place.path) != FileKind::File
        };
        let secrets: HashSet<&str> = written
            .iter()
            .filter(|place| place.zone == Zone::Secret)
            .map(|place| file_name(&place.path))
            .collect();
        if secrets.is_empty() || !written.iter().all(is_new) {
            return KeptNames::None;
        }
        if written.len() == 1 { KeptNames::Any } else { KeptNames::These(secrets) }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn in_workspace(place: &Place, world: &dyn World) -> bool {
    place.path.strip_prefix(world.workspace()).is_some_and(|rest| rest.starts_with('/'))
}

/// The words of a rule's hit: what would happen, and what to do instead. Both begin in lower case and have no full stop.
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
