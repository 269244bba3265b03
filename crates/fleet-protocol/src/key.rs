//! Ed25519 keys, by `ring`.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

/// Digits of a machine's id.
const ID: usize = 32;

/// A key that signs. It never shows itself, not even in debug output.
pub struct MachineKey(Ed25519KeyPair);

/// What a signature is checked with. Written as base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

/// A key that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an Ed25519 key: 32 bytes in base64 are expected")]
pub struct KeyError;

impl MachineKey {
    /// The key of a seed: 32 bytes from the system's randomness, kept where only Tollgate reads.
    ///
    /// # Errors
    /// Never with 32 bytes; the type of `ring` says otherwise.
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, KeyError> {
        Ed25519KeyPair::from_seed_unchecked(seed).map(Self).map_err(|_| KeyError)
    }

    /// What others check its signatures with.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(self.0.public_key().as_ref()) {
            *to = *from;
        }
        PublicKey(bytes)
    }

    /// Signs some bytes; base64.
    #[must_use]
    pub fn sign(&self, bytes: &[u8]) -> String {
        STANDARD.encode(self.0.sign(bytes))
    }
}

impl fmt::Debug for MachineKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MachineKey({})", self.public().machine_id())
    }
}

impl PublicKey {
    /// The id of the machine that has this key: the start of its BLAKE3 hash, 32 hex digits.
    #[must_use]
    pub fn machine_id(&self) -> String {
        blake3::hash(&self.0).to_hex().chars().take(ID).collect()
    }

    /// Did this key sign these bytes? The signature is base64.
    #[must_use]
    pub fn has_signed(&self, bytes: &[u8], signature: &str) -> bool {
        let Ok(signature) = STANDARD.decode(signature) else { return false };
        UnparsedPublicKey::new(&ED25519, self.0).verify(bytes, &signature).is_ok()
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// When they are not 32.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        bytes.try_into().map(Self).map_err(|_| KeyError)
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Self, KeyError> {
        Self::from_bytes(&STANDARD.decode(text).map_err(|_| KeyError)?)
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        STANDARD.encode(key.0)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_and_the_bytes_fit_a_signature() {
        let (key, other) =
            (MachineKey::from_seed(&[1; 32]).unwrap(), MachineKey::from_seed(&[2; 32]).unwrap());
        let signature = key.sign(b"text");
        assert!(key.public().has_signed(b"text", &signature));
        assert!(!key.public().has_signed(b"texT", &signature));
        assert!(!other.public().has_signed(b"text", &signature));
        for broken in ["", "AAAA", "?", &format!("A{signature}")] {
            assert!(!key.public().has_signed(b"text", broken), "{broken}");
        }
    }

    #[test]
    fn a_key_is_written_as_base64_and_a_secret_one_not_at_all() {
        let key = MachineKey::from_seed(&[7; 32]).unwrap();
        let text = serde_json::to_string(&key.public()).unwrap();
        assert_eq!(serde_json::from_str::<PublicKey>(&text).unwrap(), key.public());
        assert!(serde_json::from_str::<PublicKey>("\"AAAA\"").is_err());
        assert_eq!(format!("{key:?}"), format!("MachineKey({})", key.public().machine_id()));
    }
}
