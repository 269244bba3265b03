//! Policy bundles: signed by a person's minisign key, carried by the server, checked by the machine.

use std::collections::BTreeMap;

use minisign_verify::{PublicKey, Signature};
use serde::{Deserialize, Serialize};

/// The most bytes of a bundle.
pub const MAX_BUNDLE: usize = 4 << 20;
/// The form of a bundle that this version reads.
const FORMAT: u32 = 1;

/// A policy for a group of machines. Its JSON is what is signed, byte by byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// 1. A machine that does not know a format refuses the bundle and keeps its policy.
    pub format: u32,
    /// The fleet, as [`crate::Enrolled::fleet`] names it: a bundle of one fleet is none of another.
    pub fleet: String,
    /// The groups that it is for. Signed with the rest, so that a server cannot give one group's policy to another.
    pub groups: Vec<String>,
    /// Grows from bundle to bundle.
    pub version: u64,
    /// A machine that has a bundle replaces it only when its version is at least this. For a bundle that comes after a
    /// change of keys: machines must take the change first.
    pub min_previous: u64,
    /// When it was built, in seconds since 1970.
    pub created: u64,
    /// When it ends. A machine keeps a policy that has ended and reports the fault; it never takes one that has.
    pub expires: u64,
    /// The minisign keys that may sign bundles from the next one on. Empty: as before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The files of the managed layer, by their paths below its folder (`tollgate.yaml`, …).
    pub files: BTreeMap<String, String>,
}

/// A bundle with its signature, as it is stored and sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedBundle {
    /// The text that was signed.
    pub bundle: String,
    /// The text of the `.minisig` file.
    pub signature: String,
}

/// What a machine has in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// Its version.
    pub version: u64,
    /// [`bundle_digest`] of its text.
    pub digest: String,
}

/// Why a text is no bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// It is too large.
    #[error("the bundle is larger than {MAX_BUNDLE} bytes")]
    TooLarge,
    /// None of the keys signed it.
    #[error("the bundle is not signed by a key that this fleet trusts")]
    Signature,
    /// Signed, but not readable.
    #[error("the bundle cannot be read: {0}")]
    Form(String),
    /// Of a newer version.
    #[error("the bundle has format {0}, which needs a newer Tollgate")]
    Format(u32),
    /// A path leads out of the folder.
    #[error("the bundle has a file `{0}`, whose path is not allowed")]
    Path(String),
}

/// Why a bundle does not replace the one in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// It is of another fleet.
    #[error("the bundle is of the fleet `{0}`")]
    Fleet(String),
    /// It is for other groups.
    #[error("the bundle is not for the group `{0}`")]
    Group(String),
    /// It is older than the one in force, or another one with its version.
    #[error("the bundle has version {offered}, but version {installed} is in force")]
    Rollback {
        /// Its version.
        offered: u64,
        /// The version in force.
        installed: u64,
    },
    /// Another one has to come first.
    #[error("the bundle needs version {0} to be installed first")]
    Previous(u64),
    /// It has ended.
    #[error("the bundle has expired")]
    Expired,
}

/// Names a bundle by its text: the BLAKE3 hash, 64 hex digits.
#[must_use]
pub fn bundle_digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl SignedBundle {
    /// Checks the signature, and reads the bundle only then. `keys` are minisign public keys in base64.
    ///
    /// # Errors
    /// When no key fits, or the text is no bundle.
    pub fn open(&self, keys: &[String]) -> Result<Bundle, BundleError> {
        if self.bundle.len() > MAX_BUNDLE {
            return Err(BundleError::TooLarge);
        }
        let signature = Signature::decode(&self.signature).map_err(|_| BundleError::Signature)?;
        let fits = |key: &String| {
            PublicKey::from_base64(key.trim())
                // Without the old form of signatures, which `minisign` has not written since 2020.
                .is_ok_and(|key| key.verify(self.bundle.as_bytes(), &signature, false).is_ok())
        };
        if keys.iter().any(fits) { Bundle::parse(&self.bundle) } else { Err(BundleError::Signature) }
    }

    /// Its name.
    #[must_use]
    pub fn digest(&self) -> String {
        bundle_digest(&self.bundle)
    }
}

impl Bundle {
    /// Reads a bundle whose signature was checked, or that is about to be signed.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, BundleError> {
        let bundle: Self =
            serde_json::from_str(text).map_err(|error| BundleError::Form(error.to_string()))?;
        if bundle.format != FORMAT {
            return Err(BundleError::Format(bundle.format));
        }
        match bundle.files.keys().find(|path| !is_inside(path)) {
            Some(path) => Err(BundleError::Path(path.clone())),
            None => Ok(bundle),
        }
    }

    /// The text that is signed.
    #[must_use]
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// May this bundle come into force on a machine of this fleet and group, where `installed` is in force?
    ///
    /// # Errors
    /// When not; then `installed` stays in force.
    pub fn check_update(
        &self,
        (fleet, group): (&str, &str),
        digest: &str,
        installed: Option<&Installed>,
        now: u64,
    ) -> Result<(), UpdateError> {
        if self.fleet != fleet {
            return Err(UpdateError::Fleet(self.fleet.clone()));
        }
        if !self.groups.iter().any(|name| name == group) {
            return Err(UpdateError::Group(group.to_owned()));
        }
        if let Some(installed) = installed {
            let same = installed.version == self.version && installed.digest == digest;
            if installed.version >= self.version && !same {
                return Err(UpdateError::Rollback { offered: self.version, installed: installed.version });
            }
            if installed.version < self.min_previous {
                return Err(UpdateError::Previous(self.min_previous));
            }
        }
        if now >= self.expires { Err(UpdateError::Expired) } else { Ok(()) }
    }
}

/// Is this a relative path of plain names?
fn is_inside(path: &str) -> bool {
    let plain = |name: &str| !matches!(name, "" | "." | "..");
    let odd = |byte: u8| byte.is_ascii_control() || byte == b'\\';
    path.split('/').all(plain) && !path.bytes().any(odd) && path.len() <= 255
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn bundle() -> Bundle {
        Bundle {
            format: FORMAT,
            fleet: "acme".into(),
            groups: vec!["all".into()],
            version: 7,
            min_previous: 5,
            created: 100,
            expires: 200,
            keys: Vec::new(),
            files: BTreeMap::from([("tollgate.yaml".into(), "version: 1\n".into())]),
        }
    }

    fn sign(text: &str, pair: &minisign::KeyPair) -> SignedBundle {
        let signed = minisign::sign(None, &pair.sk, Cursor::new(text), Some("t"), Some("u")).unwrap();
        SignedBundle { bundle: text.into(), signature: signed.into_string() }
    }

    #[test]
    fn only_a_bundle_that_a_trusted_key_signed_is_opened() {
        let pair = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let other = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let keys = [other.pk.to_base64(), pair.pk.to_base64()];
        let signed = sign(&bundle().to_text(), &pair);
        assert_eq!(signed.open(&keys), Ok(bundle()));
        assert_eq!(signed.open(&keys[..1]), Err(BundleError::Signature));
        assert_eq!(signed.open(&[]), Err(BundleError::Signature));
        let forged = SignedBundle { bundle: signed.bundle.replace("acme", "evil"), ..signed.clone() };
        assert_eq!(forged.open(&keys), Err(BundleError::Signature));
        let cut = SignedBundle { bundle: signed.bundle.chars().take(40).collect(), ..signed.clone() };
        assert_eq!(cut.open(&keys), Err(BundleError::Signature));
        let unsigned = SignedBundle { signature: String::new(), ..signed };
        assert_eq!(unsigned.open(&keys), Err(BundleError::Signature));
    }

    #[test]
    fn what_is_signed_but_no_bundle_is_refused() {
        let newer = Bundle { format: 2, ..bundle() }.to_text();
        assert_eq!(Bundle::parse(&newer), Err(BundleError::Format(2)));
        let unknown = bundle().to_text().replacen('{', "{\"only_if\":1,", 1);
        assert!(matches!(Bundle::parse(&unknown), Err(BundleError::Form(_))));
        for path in ["../x", "/etc/x", "a//b", "a/./b", "", "a\\b", "a\nb"] {
            let files = BTreeMap::from([(path.to_owned(), String::new())]);
            let text = Bundle { files, ..bundle() }.to_text();
            assert_eq!(Bundle::parse(&text), Err(BundleError::Path(path.into())));
        }
    }

    #[test]
    fn a_bundle_never_replaces_a_newer_one_and_never_comes_late() {
        let check = |installed: Option<(u64, &str)>, now| {
            let installed = installed.map(|(version, digest)| Installed { version, digest: digest.into() });
            bundle().check_update(("acme", "all"), "this", installed.as_ref(), now)
        };
        assert_eq!(check(None, 150), Ok(()));
        assert_eq!(check(Some((5, "x")), 150), Ok(()));
        assert_eq!(check(Some((6, "x")), 199), Ok(()));
        assert_eq!(check(Some((7, "this")), 150), Ok(()));
        assert_eq!(check(Some((7, "x")), 150), Err(UpdateError::Rollback { offered: 7, installed: 7 }));
        assert_eq!(check(Some((8, "x")), 150), Err(UpdateError::Rollback { offered: 7, installed: 8 }));
        assert_eq!(check(Some((4, "x")), 150), Err(UpdateError::Previous(5)));
        assert_eq!(check(None, 200), Err(UpdateError::Expired));
        let of = |fleet, group| bundle().check_update((fleet, group), "this", None, 150);
        assert_eq!(of("other", "all"), Err(UpdateError::Fleet("acme".into())));
        assert_eq!(of("acme", "lab"), Err(UpdateError::Group("lab".into())));
    }
}
