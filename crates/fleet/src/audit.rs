//! The trail of what people did: append-only, and chained so that a change in the database shows.

use tokio_postgres::Transaction;

use crate::app::now;
use crate::db::{LOCK, signed};

/// What somebody did.
#[derive(Clone, Copy, Debug)]
pub struct Deed<'a> {
    /// Who: a user, a token, `command line`, or a machine.
    pub who: &'a str,
    /// What: `machine.revoke`, `call.approve`, …
    pub action: &'a str,
    /// To what.
    pub subject: &'a str,
    /// Anything else.
    pub detail: &'a str,
}

/// Writes it down, in the transaction that does it.
///
/// # Errors
/// When the database fails.
pub async fn note(change: &Transaction<'_>, deed: Deed<'_>) -> Result<(), tokio_postgres::Error> {
    change.execute("SELECT pg_advisory_xact_lock($1)", &[&(LOCK + 1)]).await?;
    let last = change.query_opt("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", &[]).await?;
    let (seq, prev) = last.map_or((1, "0".repeat(64)), |row| (row.get::<_, i64>(0) + 1, row.get(1)));
    let at = signed(now());
    let hash = hash(&prev, seq, at, deed);
    let statement = "INSERT INTO audit (seq, at, who, action, subject, detail, prev, hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let Deed { who, action, subject, detail } = deed;
    change.execute(statement, &[&seq, &at, &who, &action, &subject, &detail, &prev, &hash]).await?;
    Ok(())
}

/// Walks the trail. Returns how many entries it has, and the first that does not follow from those before.
///
/// # Errors
/// When the database fails.
pub async fn verify(client: &tokio_postgres::Client) -> Result<(u64, Option<i64>), tokio_postgres::Error> {
    let (mut count, mut next, mut prev) = (0, 1_i64, "0".repeat(64));
    loop {
        let rows = client
            .query(
                "SELECT seq, at, who, action, subject, detail, prev, hash FROM audit WHERE seq >= $1
                 ORDER BY seq LIMIT 1000",
                &[&next],
            )
            .await?;
        for row in &rows {
            let deed = Deed { who: row.get(2), action: row.get(3), subject: row.get(4), detail: row.get(5) };
            let (seq, own): (i64, String) = (row.get(0), row.get(7));
            let follows =
                seq == next && row.get::<_, &str>(6) == prev && own == hash(&prev, seq, row.get(1), deed);
            if !follows {
                return Ok((count, Some(seq)));
            }
            (count, next, prev) = (count + 1, next + 1, own);
        }
        if rows.is_empty() {
            return Ok((count, None));
        }
    }
}

/// Every text with its length before it, so that none can pass for another.
fn hash(prev: &str, seq: i64, at: i64, deed: Deed<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    let numbers = [seq.to_string(), at.to_string()];
    for text in [prev, &numbers[0], &numbers[1], deed.who, deed.action, deed.subject, deed.detail] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
