//! The rules: one file each, with card, matcher and examples, in packs. A rule needs two hand edits: its file
//! and one line in its pack's list.

mod cloud;
mod containers;
mod core;
mod database;
mod exfiltration;
mod git;
mod kit;
mod page;
mod persistence;
mod secrets;
mod self_protection;
mod supply_chain;

pub use page::{index, pack_page, page};
use tollgate_model::{Card, Catalogue, Rule};

/// Every rule, pack by pack.
pub fn all() -> impl Iterator<Item = &'static dyn Rule> {
    [
        core::RULES,
        exfiltration::RULES,
        git::RULES,
        persistence::RULES,
        secrets::RULES,
        self_protection::RULES,
        cloud::RULES,
        containers::RULES,
        database::RULES,
        supply_chain::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The rules as a policy sees them.
#[derive(Clone, Copy, Debug)]
pub struct Rules;

impl Catalogue for Rules {
    fn cards(&self) -> Vec<&'static Card> {
        all().map(Rule::card).collect()
    }
}
