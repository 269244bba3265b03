//! What is wrong with a machine: one open incident of each kind, counted.

use tokio_postgres::Transaction;

use crate::app::clean;
use crate::chain::Finding;
use crate::fault::Answer;

/// Records a finding.
///
/// # Errors
/// When the database fails.
pub async fn note(change: &Transaction<'_>, machine: &str, finding: &Finding) -> Answer<()> {
    let upsert = "INSERT INTO incidents (machine, kind, detail) VALUES ($1, $2, $3)
        ON CONFLICT (machine, kind) WHERE closed_at IS NULL
        DO UPDATE SET count = incidents.count + 1, last_at = now(), detail = excluded.detail";
    let detail = clean(&finding.detail, 500);
    change.execute(upsert, &[&machine, &finding.kind, &detail]).await?;
    tracing::warn!(machine, kind = finding.kind, detail, "incident");
    Ok(())
}
