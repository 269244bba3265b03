//! Databases: data that is lost, rights that are given away.

mod database_delete;
mod database_drop;
mod database_rights;

use tollgate_model::Rule;

/// What is lost, for people: `*` stands for a database that is not known.
fn named(object: &str) -> &str {
    object.strip_suffix(" in *").unwrap_or(object)
}

/// The pack.
pub(crate) const RULES: &[&dyn Rule] =
    &[&database_drop::DatabaseDrop, &database_delete::DatabaseDelete, &database_rights::DatabaseRights];
