//! Calls that were refused on a machine, and the approvals that people give.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{Query, Request, State};
use serde::Deserialize;
use tokio_postgres::{Client, Row, Transaction};
use tollgate_fleet_protocol::{ErrorCode, GRANT_LIFE, Grant, Grants, MAX_WAIT};

use crate::app::{App, Shared, now};
use crate::audit::{self, Deed};
use crate::auth;
use crate::db::{signed, unsigned};
use crate::facts::Facts;
use crate::fault::{Answer, Refusal};
use crate::metrics::Metrics;

/// The most calls of one batch that are put on the board.
const NOTED: usize = 50;
/// How long a call stays on the board, in seconds.
const SHOWN: u64 = 3600;
/// The channel that tells every server of a grant.
pub const CHANNEL: &str = "tollgate_grants";

/// Puts refused calls on the board. What was refused long ago, on a machine that was offline, is only recorded.
pub async fn note<'f>(
    change: &Transaction<'_>,
    machine: &str,
    facts: impl Iterator<Item = &'f Facts>,
) -> Answer<()> {
    let since = now().saturating_sub(SHOWN) * 1_000_000;
    let fresh = |fact: &&Facts| fact.refused.is_some() && fact.micros.is_none_or(|micros| micros >= since);
    for fact in facts.filter(fresh).take(NOTED) {
        let Some(call) = &fact.refused else { continue };
        let upsert = "INSERT INTO waiting (machine, digest, code, at, agent, folder, call, findings)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (machine, digest) DO UPDATE SET received = now(), at = excluded.at,
              decided = NULL, decided_by = NULL";
        let at = fact.micros.map_or(SystemTime::now(), |micros| UNIX_EPOCH + Duration::from_micros(micros));
        let at = at.min(SystemTime::now());
        change
            .execute(
                upsert,
                &[
                    &machine,
                    &call.digest,
                    &call.code,
                    &at,
                    &fact.agent,
                    &call.folder,
                    &call.call,
                    &call.findings,
                ],
            )
            .await?;
    }
    Ok(())
}

/// A call on the board.
#[derive(Debug, serde::Serialize)]
pub struct Waiting {
    /// The machine's id.
    pub machine: String,
    /// Its name.
    pub host: String,
    /// Names the call.
    pub digest: String,
    /// What the agent was told.
    pub code: String,
    /// The agent.
    pub agent: String,
    /// The folder.
    pub folder: String,
    /// Tool and input.
    pub call: String,
    /// What the rules say.
    pub findings: Vec<String>,
    /// For how many seconds.
    pub seconds: i64,
}

/// What waits, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(client: &Client) -> Answer<Vec<Waiting>> {
    let query = "SELECT w.machine, m.host, w.digest, w.code, w.agent, w.folder, w.call, w.findings,
          extract(epoch FROM now() - w.received)::bigint
        FROM waiting w JOIN machines m ON m.id = w.machine
        WHERE w.decided IS NULL AND w.received > now() - $1::float8 * interval '1 second' AND m.revoked_at IS NULL
        ORDER BY w.received DESC LIMIT 200";
    let rows = client.query(query, &[&(SHOWN as f64)]).await?;
    let waiting = |row: &Row| Waiting {
        machine: row.get(0),
        host: row.get(1),
        digest: row.get(2),
        code: row.get(3),
        agent: row.get(4),
        folder: row.get(5),
        call: row.get(6),
        findings: row.get(7),
        seconds: row.get(8),
    };
    Ok(rows.iter().map(waiting).collect())
}

/// Lets a waiting call pass once, or takes it off the board.
///
/// # Errors
/// When it does not wait (any more), or the database fails.
pub async fn decide(app: &App, who: &str, machine: &str, digest: &str, approve: bool) -> Answer<()> {
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let decided = if approve { "approved" } else { "dismissed" };
    let update = "UPDATE waiting w SET decided = $3, decided_by = $4 FROM machines m
        WHERE w.machine = $1 AND w.digest = $2 AND w.decided IS NULL AND m.id = w.machine AND m.revoked_at IS NULL
          AND w.received > now() - $5::float8 * interval '1 second'
        RETURNING w.call";
    let row = change.query_opt(update, &[&machine, &digest, &decided, &who, &(SHOWN as f64)]).await?;
    let Some(row) = row else {
        return Err(Refusal::new(ErrorCode::Conflict, "this call does not wait any more"));
    };
    let detail = format!("{digest} {}", row.get::<_, &str>(0));
    let action = if approve { "call.approve" } else { "call.dismiss" };
    audit::note(&change, Deed { who, action, subject: machine, detail: &detail }).await?;
    if approve {
        let insert =
            "INSERT INTO grants (machine, digest, given, expires, by_whom) VALUES ($1, $2, $3, $4, $5)";
        let (given, expires) = (signed(now()), signed(now() + GRANT_LIFE));
        change.execute(insert, &[&machine, &digest, &given, &expires, &who]).await?;
        change.execute("SELECT pg_notify($1, $2)", &[&CHANNEL, &machine]).await?;
    }
    change.commit().await?;
    Ok(())
}

/// What a machine asks for.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    after: u64,
    #[serde(default)]
    wait: u64,
}

/// `GET /v1/grants`.
pub async fn grants(
    State(app): State<Shared>,
    Query(wanted): Query<Wanted>,
    request: Request,
) -> Answer<Json<Grants>> {
    let machine = auth::signed(&app, request, 1024).await?.machine;
    // Before the first look, so that nothing between is missed.
    let mut granted = app.granted.subscribe();
    let end = tokio::time::Instant::now() + Duration::from_secs(wanted.wait.min(MAX_WAIT));
    loop {
        let grants = take(&app, &machine, wanted.after).await?;
        if !grants.is_empty() {
            Metrics::add(&app.metrics.grants, grants.len() as u64);
            return Ok(Json(Grants { grants }));
        }
        loop {
            match tokio::time::timeout_at(end, granted.recv()).await {
                Ok(Ok(name)) if name != machine => {}
                Ok(Ok(_) | Err(tokio::sync::broadcast::error::RecvError::Lagged(_))) => break,
                Ok(Err(_)) | Err(_) => return Ok(Json(Grants::default())),
            }
        }
    }
}

/// The grants of a machine, signed. The first time is noted.
async fn take(app: &App, machine: &str, after: u64) -> Answer<Vec<Grant>> {
    let mut db = app.db().await?;
    let query = "SELECT id, digest, given, expires, by_whom, delivered_at IS NULL FROM grants g
        WHERE machine = $1 AND id > $2 AND expires > $3
          AND NOT EXISTS (SELECT 1 FROM machines WHERE id = $1 AND revoked_at IS NOT NULL) ORDER BY id LIMIT 100";
    let statement = db.prepare_cached(query).await?;
    let rows = db.query(&statement, &[&machine, &signed(after), &signed(now())]).await?;
    let grant = |row: &Row| Grant {
        id: unsigned(row.get(0)),
        machine: machine.to_owned(),
        digest: row.get(1),
        given: unsigned(row.get(2)),
        expires: unsigned(row.get(3)),
        by: row.get(4),
        signature: String::new(),
    };
    let new: Vec<i64> = rows.iter().filter(|row| row.get(5)).map(|row| row.get(0)).collect();
    if !new.is_empty() {
        let change = db.transaction().await?;
        change.execute("UPDATE grants SET delivered_at = now() WHERE id = ANY ($1)", &[&new]).await?;
        let detail = format!("{new:?}");
        audit::note(
            &change,
            Deed { who: machine, action: "grant.deliver", subject: machine, detail: &detail },
        )
        .await?;
        change.commit().await?;
    }
    Ok(rows.iter().map(|row| grant(row).sign(&app.grant_key)).collect())
}
