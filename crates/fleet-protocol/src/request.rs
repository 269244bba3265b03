//! The signature of a request.

use std::fmt;

use crate::key::{MachineKey, PublicKey};

/// How many seconds the clocks of a machine and the server may be apart.
pub const MAX_SKEW: u64 = 300;
const SCHEME: &str = "tollgate-v1 ";

/// The value of a request's `authorization` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authorization {
    /// The machine's id, 32 hex digits.
    pub machine: String,
    /// Seconds since 1970.
    pub time: u64,
    /// 32 hex digits from the system's randomness, new for every request.
    pub nonce: String,
    /// Over [`request_bytes`], base64.
    pub signature: String,
}

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Its time is too far from the server's.
    #[error("the request's time is more than 5 minutes from the server's")]
    Skew,
    /// It is not that of this key over this request.
    #[error("the signature does not fit the request")]
    Signature,
}

/// The bytes that are signed: a line each for the scheme, method, target, machine, time, nonce, and the BLAKE3 hash of
/// the body. No part can hold a line end: methods, targets and digits have none.
#[must_use]
pub fn request_bytes(
    method: &str,
    target: &str,
    body: &[u8],
    (machine, time, nonce): (&str, u64, &str),
) -> Vec<u8> {
    let body = blake3::hash(body).to_hex();
    format!("{SCHEME}\n{method}\n{target}\n{machine}\n{time}\n{nonce}\n{body}\n").into_bytes()
}

impl Authorization {
    /// Signs a request. `target` is the path with its query, as sent.
    #[must_use]
    pub fn sign(
        key: &MachineKey,
        (method, target): (&str, &str),
        body: &[u8],
        time: u64,
        nonce: [u8; 16],
    ) -> Self {
        let machine = key.public().machine_id();
        let nonce: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        let signature = key.sign(&request_bytes(method, target, body, (&machine, time, &nonce)));
        Self { machine, time, nonce, signature }
    }

    /// Reads a header's value; `None` unless it has the form that [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let mut parts = value.strip_prefix(SCHEME)?.split('.');
        let (machine, time) = (parts.next()?, parts.next()?);
        let (nonce, signature) = (parts.next()?, parts.next()?);
        if parts.next().is_some() || !is_machine_id(machine) || !is_nonce(nonce) || signature.len() > 100 {
            return None;
        }
        let time = time.bytes().all(|byte| byte.is_ascii_digit()).then(|| time.parse().ok())??;
        let text = str::to_owned;
        Some(Self { machine: text(machine), time, nonce: text(nonce), signature: text(signature) })
    }

    /// Checks time and signature. Whether the nonce is new, and the key still that of the machine, is for the caller.
    ///
    /// # Errors
    /// When one of them does not fit.
    pub fn check(
        &self,
        key: &PublicKey,
        (method, target): (&str, &str),
        body: &[u8],
        now: u64,
    ) -> Result<(), Refused> {
        let bytes = request_bytes(method, target, body, (&self.machine, self.time, &self.nonce));
        if key.machine_id() != self.machine || !key.has_signed(&bytes, &self.signature) {
            return Err(Refused::Signature);
        }
        // After the signature: only the machine itself is told that its clock is wrong.
        if self.time.abs_diff(now) > MAX_SKEW { Err(Refused::Skew) } else { Ok(()) }
    }
}

impl fmt::Display for Authorization {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { machine, time, nonce, signature } = self;
        write!(out, "{SCHEME}{machine}.{time}.{nonce}.{signature}")
    }
}

/// Has this the form of a machine's id?
#[must_use]
pub fn is_machine_id(text: &str) -> bool {
    is_hex(text, 32)
}

/// Has this the form of a nonce?
#[must_use]
pub fn is_nonce(text: &str) -> bool {
    is_hex(text, 32)
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_795_000_000;
    const WHAT: (&str, &str) = ("POST", "/v1/records?x=1");

    fn key() -> MachineKey {
        MachineKey::from_seed(&[1; 32]).unwrap()
    }

    #[test]
    fn a_header_is_read_as_it_was_written() {
        let signed = Authorization::sign(&key(), WHAT, b"body", NOW, [9; 16]);
        assert_eq!(Authorization::parse(&signed.to_string()).as_ref(), Some(&signed));
        assert_eq!(signed.check(&key().public(), WHAT, b"body", NOW), Ok(()));
        for broken in [
            "",
            "tollgate-v1 ",
            "Bearer x",
            &format!("{signed}.x"),
            &signed.to_string().replace("179", "+79"),
        ] {
            assert_eq!(Authorization::parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn every_part_of_a_request_is_signed() {
        let signed = Authorization::sign(&key(), WHAT, b"body", NOW, [9; 16]);
        let key = key().public();
        let refused = Err(Refused::Signature);
        assert_eq!(signed.check(&key, ("PUT", WHAT.1), b"body", NOW), refused);
        assert_eq!(signed.check(&key, (WHAT.0, "/v1/records?x=2"), b"body", NOW), refused);
        assert_eq!(signed.check(&key, WHAT, b"bodY", NOW), refused);
        let other = Authorization { nonce: "0".repeat(32), ..signed.clone() };
        assert_eq!(other.check(&key, WHAT, b"body", NOW), refused);
        let other = Authorization { time: NOW + 1, ..signed.clone() };
        assert_eq!(other.check(&key, WHAT, b"body", NOW), refused);
        let other = Authorization { machine: "0".repeat(32), ..signed };
        assert_eq!(other.check(&key, WHAT, b"body", NOW), refused);
    }

    #[test]
    fn a_request_is_good_for_five_minutes() {
        let signed = Authorization::sign(&key(), WHAT, b"", NOW, [9; 16]);
        for (now, fits) in [(NOW - 301, false), (NOW - 300, true), (NOW + 300, true), (NOW + 301, false)] {
            assert_eq!(signed.check(&key().public(), WHAT, b"", now).is_ok(), fits, "{now}");
        }
    }
}
