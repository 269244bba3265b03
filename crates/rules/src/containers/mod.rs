//! Containers: what of this machine they get, and the data in them.

mod container_data_delete;
mod container_escape;
mod container_rights;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &container_escape::ContainerEscape,
    &container_rights::ContainerRights,
    &container_data_delete::ContainerDataDelete,
];
