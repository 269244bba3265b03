//! What every request may use.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use deadpool_postgres::{Object, Pool};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::sync::{Semaphore, broadcast};
use tollgate_fleet_protocol::{ErrorCode, MachineKey};

use crate::fault::{Answer, Refusal};
use crate::metrics::Metrics;

/// The server's parts.
pub struct App {
    /// Connections to PostgreSQL.
    pub pool: Pool,
    /// The fleet's name.
    pub fleet: String,
    /// Signs grants.
    pub grant_key: MachineKey,
    /// Batches that are taken in at once.
    pub ingest: Semaphore,
    /// Bodies that are read at once; a bound for memory.
    pub bodies: Semaphore,
    /// Passwords that are checked at once; each takes 19 MiB.
    pub logins: Semaphore,
    /// Machines that got a grant, for those that wait for one here.
    pub granted: broadcast::Sender<String>,
    /// Counts for Prometheus.
    pub metrics: Metrics,
    /// Is the server reached by HTTPS? Then cookies say so.
    pub secure: bool,
    /// The address that browsers use; forms come from there.
    pub origin: String,
}

/// How handlers know it.
pub type Shared = Arc<App>;

/// How long any request may take, apart from those that wait for grants.
pub const PATIENCE: Duration = Duration::from_secs(30);

impl App {
    /// A connection.
    ///
    /// # Errors
    /// When there is none to be had.
    pub async fn db(&self) -> Answer<Object> {
        Ok(self.pool.get().await?)
    }
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Bytes that nobody can guess.
///
/// # Errors
/// When the system has no randomness.
pub fn random<const N: usize>() -> Answer<[u8; N]> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map(|()| bytes).map_err(|_| Refusal::new(ErrorCode::Failed, "the system has no randomness"))
}

/// A secret to hand out: 32 bytes in hex.
///
/// # Errors
/// When the system has no randomness.
pub fn secret() -> Answer<String> {
    Ok(hex(&random::<32>()?))
}

/// What is kept of a secret.
#[must_use]
pub fn secret_hash(secret: &str) -> Vec<u8> {
    blake3::hash(secret.trim().as_bytes()).as_bytes().to_vec()
}

/// Lower case hex digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text as a column takes it: without NUL and other control characters, and not too long.
#[must_use]
pub fn clean(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}
