//! Keys, credentials, environment files.

mod secret_file_change;
mod secret_file_read;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] =
    &[&secret_file_read::SecretFileRead, &secret_file_change::SecretFileChange];
