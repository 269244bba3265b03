//! What is private in a text that a person gives an agent: addresses, numbers, credentials. Only the kind and a
//! masked form are taken down, never the value.

use tollgate_model::{Certainty, Effect, EffectKind, PrivateData, Span, personal};

use crate::secrets_scan::credentials;

/// The most of a text that is looked at, and the most findings of one kind.
const LIMIT: usize = 256 * 1024;
const MOST: usize = 20;

/// Everything private in a text.
pub(crate) fn effects(text: &str) -> Vec<Effect> {
    let end = (0..=LIMIT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let text = text.get(..end).unwrap_or_default();
    let mut counts = std::collections::BTreeMap::new();
    let mut found: Vec<Effect> = Vec::new();
    for private in personal(text) {
        let count = counts.entry(private.what).or_insert(0);
        *count += 1;
        if *count <= MOST {
            let kind = EffectKind::Private { what: private.what, shown: private.shown };
            found.push(Effect { kind, span: private.span, certainty: Certainty::Certain });
        }
    }
    let whole = Span::new(0, text.len());
    for kind in credentials(text) {
        let kind = EffectKind::Private { what: PrivateData::Credential(kind), shown: String::new() };
        found.push(Effect { kind, span: whole, certainty: Certainty::Certain });
    }
    found
}
