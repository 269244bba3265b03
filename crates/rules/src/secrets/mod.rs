//! Keys, credentials, environment files.

mod environment_dump;
mod secret_file_change;
mod secret_file_read;
mod secret_store_read;
mod secret_variable_read;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &secret_file_read::SecretFileRead,
    &secret_file_change::SecretFileChange,
    &secret_variable_read::SecretVariableRead,
    &environment_dump::EnvironmentDump,
    &secret_store_read::SecretStoreRead,
];
