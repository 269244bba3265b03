//! Files that hold credentials only sometimes: their content decides.

use tollgate_model::{CREDENTIALS_WITHIN, Case, Place, holds_credentials, may_hold_credentials};

/// Is it such a file, with credentials in it?
pub(crate) fn is_credential_file(place: &Place, case: &Case) -> bool {
    let read = || case.world.read(&place.path, CREDENTIALS_WITHIN);
    !place.pattern
        && may_hold_credentials(&place.path)
        && read().is_some_and(|text| holds_credentials(&place.path, &String::from_utf8_lossy(&text)))
}
