//! Joining a fleet, and leaving it.

use std::path::Path;

use tollgate_fleet_protocol::{Enrol, Enrolled};
use tollgate_store::keep_note;

use crate::bundles;
use crate::client::check_server;
use crate::clock::now;
use crate::files::{Error, Files};
use crate::grants;
use crate::machine::Machine;
use crate::member::{CA, Member, key_or_new, stranger};
use crate::status::Status;

/// What an administrator gave.
#[derive(Clone, Debug, Default)]
pub struct Invitation {
    /// The server's address.
    pub server: String,
    /// The token, good for one machine.
    pub token: String,
    /// Certificates (PEM) to trust instead of the system's.
    pub ca: Option<Vec<u8>>,
    /// The minisign keys that sign bundles. Where there are some, those that the server names do not count.
    pub policy_keys: Vec<String>,
}

/// Joins a fleet. A failed try may be repeated with the same token: the key stays the same.
///
/// # Errors
/// When the machine is in a fleet already, or the server refuses.
pub fn join(state: &Path, invitation: &Invitation, machine: &dyn Machine) -> Result<Member, Error> {
    let files = Files::of(state);
    if let Some(member) = Member::read(&files)? {
        return Err(Error::Joined(member.fleet));
    }
    let server = check_server(&invitation.server).map_err(Error::Refused)?;
    let key = key_or_new(&files)?;
    let public = key.public();
    let ca = match &invitation.ca {
        Some(pem) => {
            keep_note(&files.folder, CA, pem).map_err(|fault| files.fault(CA, &fault))?;
            Some(files.folder.join(CA))
        }
        None => None,
    };
    let client = stranger(&server, ca.as_deref(), key)?;
    let token = invitation.token.trim().to_owned();
    let enrolled: Enrolled =
        client.post("/v1/enrol", &Enrol { token, key: public, system: machine.system() })?;
    if enrolled.machine != public.machine_id() {
        return Err(Error::Refused("the server answered for another machine; nothing was joined".to_owned()));
    }
    let given = Some(&invitation.policy_keys).filter(|keys| !keys.is_empty());
    let member = Member {
        server,
        fleet: enrolled.fleet,
        machine: enrolled.machine,
        group: enrolled.group,
        policy_keys: given.cloned().unwrap_or(enrolled.policy_keys),
        grant_key: enrolled.grant_key,
        joined: now(),
        own_ca: ca.is_some(),
    };
    bundles::forget(&files)?;
    grants::forget(&files);
    bundles::begin(&files)?;
    Status { contact: now(), skew: client.skew(), ..Status::default() }.keep(&files)?;
    member.keep(&files)?;
    machine.policy_changed();
    Ok(member)
}

/// Tells the server that this machine leaves. Its policy stays until [`forget`].
///
/// # Errors
/// When the machine is in no fleet, or the server cannot be told.
pub fn leave(state: &Path) -> Result<(), Error> {
    let files = Files::of(state);
    let member = Member::read(&files)?.ok_or(Error::NotJoined)?;
    let client = member.client(&files, Status::read(&files).skew)?;
    let _: serde_json::Value = client.post("/v1/leave", &serde_json::json!({}))?;
    Ok(())
}

/// Is there anything of a fleet, whole or not?
#[must_use]
pub fn has_traces(state: &Path) -> bool {
    Files::of(state).folder.symlink_metadata().is_ok()
}

/// Takes away all that belongs to the fleet: its policy, its approvals' keys, the machine's key. The caller forgets
/// the policy file.
///
/// # Errors
/// When it cannot be taken away.
pub fn forget(state: &Path) -> Result<(), Error> {
    let files = Files::of(state);
    Member::remove(&files);
    // A courier sees that within a second, and writes nothing afterwards.
    crate::run::wait_for_end(state);
    match std::fs::remove_dir_all(&files.folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(files.fault("", &error)),
        _ => Ok(()),
    }
}
