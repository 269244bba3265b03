//! Keys, credentials, environment files.

mod credential_file;
mod environment_dump;
mod secret_file_change;
mod secret_file_read;
mod secret_store_read;
mod secret_variable_read;

use tollgate_model::{Case, Place, Rule};

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &secret_file_read::SecretFileRead,
    &secret_file_change::SecretFileChange,
    &secret_variable_read::SecretVariableRead,
    &environment_dump::EnvironmentDump,
    &secret_store_read::SecretStoreRead,
];

/// Folders below a home in which keys and credentials are kept, among other things.
pub(crate) const FOLDERS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".docker",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".password-store",
];

/// Is it, as a whole, a folder that keys and credentials are kept in?
pub(crate) fn keeps_secrets(place: &Place, case: &Case) -> bool {
    let homes = case.world.homes();
    homes.iter().any(|home| FOLDERS.iter().any(|folder| place.path == format!("{home}/{folder}")))
}
