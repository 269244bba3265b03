//! Approvals that the server hands to a machine.

use serde::{Deserialize, Serialize};

use crate::key::{MachineKey, PublicKey};

/// How many seconds a grant waits for its call at most.
pub const GRANT_LIFE: u64 = 15 * 60;

/// Lets one call of one machine pass once. Signed with the server's grant key, which a machine learns when it joins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Grows from grant to grant. A machine uses each id once.
    pub id: u64,
    /// The machine that it is for.
    pub machine: String,
    /// The call's full digest, 64 hex digits: session, tool, input, folder and effects.
    pub digest: String,
    /// When it was given, in seconds since 1970.
    pub given: u64,
    /// When it ends.
    pub expires: u64,
    /// Who approved it.
    pub by: String,
    /// Base64.
    pub signature: String,
}

/// The answer to a request for grants.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// By id; empty when there are none.
    pub grants: Vec<Grant>,
}

/// Why a grant is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Its signature is not the server's.
    #[error("the approval is not signed by the server this machine joined")]
    Signature,
    /// It is for another machine.
    #[error("the approval is for another machine")]
    Machine,
    /// It has run out, is not yet good, or is good for too long.
    #[error("the approval has expired")]
    Expired,
    /// Its digest is none.
    #[error("the approval names no call")]
    Digest,
}

impl Grant {
    /// The bytes that are signed. The name of the approver comes last, and is the only part that can hold anything.
    fn bytes(&self) -> Vec<u8> {
        let Self { id, machine, digest, given, expires, by, .. } = self;
        format!("tollgate-grant-v1\n{id}\n{machine}\n{digest}\n{given}\n{expires}\n{by}\n").into_bytes()
    }

    /// The same grant, signed.
    #[must_use]
    pub fn sign(mut self, key: &MachineKey) -> Self {
        self.signature = key.sign(&self.bytes());
        self
    }

    /// May this machine use it? Whether its id was used before is for the caller.
    ///
    /// # Errors
    /// When not.
    pub fn check(&self, server: &PublicKey, machine: &str, now: u64) -> Result<(), GrantError> {
        if !server.has_signed(&self.bytes(), &self.signature) {
            return Err(GrantError::Signature);
        }
        if self.machine != machine {
            return Err(GrantError::Machine);
        }
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if self.digest.len() != 64 || !self.digest.bytes().all(hex) {
            return Err(GrantError::Digest);
        }
        // The clocks may differ by some seconds; a machine that is far off gets no grants.
        let begun = self.given <= now.saturating_add(60);
        let short = self.expires.saturating_sub(self.given) <= GRANT_LIFE;
        if begun && short && now < self.expires { Ok(()) } else { Err(GrantError::Expired) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_good_for_its_machine_its_call_and_its_time() {
        let key = MachineKey::from_seed(&[3; 32]).unwrap();
        let (machine, digest) = ("a".repeat(32), "b".repeat(64));
        let grant = Grant {
            id: 1,
            machine,
            digest,
            given: 1000,
            expires: 1900,
            by: "ann".into(),
            ..Grant::default()
        };
        let grant = grant.sign(&key);
        let check = |grant: &Grant, now| grant.check(&key.public(), &"a".repeat(32), now);
        assert_eq!(check(&grant, 1000), Ok(()));
        assert_eq!(check(&grant, 1899), Ok(()));
        assert_eq!(check(&grant, 1900), Err(GrantError::Expired));
        assert_eq!(check(&grant, 900), Err(GrantError::Expired));
        assert_eq!(grant.check(&key.public(), &"c".repeat(32), 1000), Err(GrantError::Machine));
        for forged in [
            Grant { digest: "c".repeat(64), ..grant.clone() },
            Grant { expires: 9999, ..grant.clone() },
            Grant { id: 2, ..grant.clone() },
            Grant { by: "bob".into(), ..grant.clone() },
        ] {
            assert_eq!(check(&forged, 1000), Err(GrantError::Signature), "{forged:?}");
        }
        let long = Grant { expires: 99_999, ..grant.clone() }.sign(&key);
        assert_eq!(check(&long, 1000), Err(GrantError::Expired));
        let none = Grant { digest: "x".into(), ..grant }.sign(&key);
        assert_eq!(check(&none, 1000), Err(GrantError::Digest));
    }
}
