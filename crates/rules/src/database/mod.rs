//! Databases: data that is lost, rights that are given away.

mod database_delete;
mod database_drop;
mod database_rights;

use tollgate_model::Rule;
use tollgate_model::stage::{is_production, is_test_database};

/// The pack.
pub(crate) const RULES: &[&dyn Rule] =
    &[&database_drop::DatabaseDrop, &database_delete::DatabaseDelete, &database_rights::DatabaseRights];

/// Is only data for tests lost? Of a database that is dropped its own name counts, of what lies in one that of the
/// database, and of a tool's words any.
fn is_for_tests(operation: &str, object: &str) -> bool {
    let named = object.strip_prefix('`').and_then(|rest| rest.split_once('`')).map(|(name, _)| name);
    let whole = operation == "drop-database" && !matches!(named, Some("public" | "dropDatabase"));
    let test = match named {
        Some(name) if whole || name.contains("://") => is_test_database(name),
        Some(_) => object.contains(" in ") && place_of(object).split(' ').any(is_test_database),
        None => object.split(' ').skip(1).any(is_test_database),
    };
    test && !is_production(place_of(object))
}

/// What stands behind `in`.
fn place_of(object: &str) -> &str {
    object.rsplit_once(" in ").map_or(object, |(_, place)| place)
}
