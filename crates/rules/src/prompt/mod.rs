//! What people type into their prompts: private things that a model need not know. Nothing is shown but its kind.

mod card_in_prompt;
mod credential_in_prompt;
mod email_in_prompt;
mod phone_in_prompt;
mod ssn_in_prompt;

use std::borrow::Cow;

use tollgate_model::{Case, EffectKind, Hit, PrivateData, Rule};

use crate::kit::{Words, first};

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &credential_in_prompt::CredentialInPrompt,
    &card_in_prompt::CardInPrompt,
    &ssn_in_prompt::SsnInPrompt,
    &email_in_prompt::EmailInPrompt,
    &phone_in_prompt::PhoneInPrompt,
];

/// The first private thing of a kind that the prompt tells.
fn told(case: &Case, is_kind: impl Fn(PrivateData) -> bool, instead: &str) -> Option<Hit> {
    first(case, |effect| match &effect.kind {
        EffectKind::Private { what, shown } if is_kind(*what) => {
            let plain = match what {
                PrivateData::Credential(kind) => Cow::Borrowed(*kind),
                other => other.told(),
            };
            let shown = if shown.is_empty() { String::new() } else { format!(" (`{shown}`)") };
            Words::new(format!("sends {plain}{shown} to the model"), instead)
        }
        _ => None,
    })
}
