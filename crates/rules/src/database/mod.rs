//! Databases: data that is lost, rights that are given away.

mod database_delete;
mod database_drop;
mod database_rights;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] =
    &[&database_drop::DatabaseDrop, &database_delete::DatabaseDelete, &database_rights::DatabaseRights];
