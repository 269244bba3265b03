//! Approvals that somebody gave on the server, put where those of this machine's own terminal are.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tollgate_fleet_protocol::{Grant, Grants, MAX_WAIT};
use tollgate_store::GRANT_LIFE;

use crate::client::Client;
use crate::clock::now;
use crate::files::{Error, Files};
use crate::member::Member;

const NAME: &str = "grants.json";

/// The last grant that was used or refused.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Last {
    id: u64,
}

/// Begins to count again, for another server.
pub(crate) fn forget(files: &Files) {
    let _ = std::fs::remove_file(files.folder.join(NAME));
}

/// Asks once for grants, which the server may hold back for a while, and takes those that are good. Returns how many.
pub(crate) fn fetch(client: &Client, files: &Files, member: &Member, waits: bool) -> Result<usize, Error> {
    let last: Last = files.read(NAME)?.unwrap_or_default();
    let wait = if waits { MAX_WAIT } else { 0 };
    let target = format!("/v1/grants?after={}&wait={wait}", last.id);
    let answer: Grants = client.wait(&target, Duration::from_secs(wait))?;
    take(files, member, last.id, answer)
}

fn take(files: &Files, member: &Member, last: u64, mut answer: Grants) -> Result<usize, Error> {
    answer.grants.sort_by_key(|grant| grant.id);
    let (mut taken, mut last) = (0, last);
    for grant in &answer.grants {
        // What is not signed says nothing, not even how far the numbers are.
        if grant.id <= last || grant.check(&member.grant_key, &member.machine, now()).is_err() {
            continue;
        }
        last = grant.id;
        // First that it was used, so that no failure lets it be used twice.
        files.keep(NAME, &Last { id: last })?;
        put(files, grant)?;
        taken += 1;
    }
    Ok(taken)
}

/// The approval lasts as long as was signed, and never longer.
fn put(files: &Files, grant: &Grant) -> Result<(), Error> {
    let begun = grant.expires.saturating_sub(GRANT_LIFE.as_secs()).min(now());
    let begun = UNIX_EPOCH + Duration::from_secs(begun);
    tollgate_store::grant(&files.state, &grant.digest, begun).map_err(|fault| files.fault(NAME, &fault))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use tollgate_fleet_protocol::MachineKey;

    use super::*;

    fn member(server: &MachineKey) -> Member {
        Member {
            server: "https://x".into(),
            fleet: "acme".into(),
            machine: "a".repeat(32),
            group: "all".into(),
            policy_keys: Vec::new(),
            grant_key: server.public(),
            joined: 0,
            own_ca: false,
        }
    }

    #[test]
    fn only_new_and_signed_grants_for_this_machine_are_taken_and_each_once() {
        let state = tempfile::tempdir().unwrap();
        let files = Files::of(state.path());
        let (key, other) =
            (MachineKey::from_seed(&[1; 32]).unwrap(), MachineKey::from_seed(&[2; 32]).unwrap());
        let member = member(&key);
        let grant = |id: u64, digit: &str, life: u64| Grant {
            id,
            machine: "a".repeat(32),
            digest: digit.repeat(64),
            given: now(),
            expires: now() + life,
            by: "ann".into(),
            ..Grant::default()
        };
        let strange = Grant { machine: "b".repeat(32), ..grant(4, "4", 60) }.sign(&key);
        let answer = Grants {
            grants: vec![
                grant(3, "3", 60).sign(&other),
                grant(2, "2", 0).sign(&key),
                grant(1, "1", 60).sign(&key),
                strange,
            ],
        };
        assert_eq!(take(&files, &member, 0, answer.clone()).unwrap(), 1);
        let waiting = tollgate_store::list_grants(state.path()).unwrap();
        assert_eq!(waiting.len(), 1);
        assert_eq!(waiting[0].digest, "1".repeat(64));
        let (soon, late) = (Duration::from_secs(50), Duration::from_secs(70));
        assert!(waiting[0].is_alive(SystemTime::now() + soon));
        assert!(!waiting[0].is_alive(SystemTime::now() + late), "it ends when the server said");
        let last: Last = files.read(NAME).unwrap().unwrap();
        assert_eq!(last.id, 1, "a forged number does not move it");
        assert_eq!(take(&files, &member, last.id, answer).unwrap(), 0, "not twice");
    }
}
