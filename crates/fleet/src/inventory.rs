//! Lists for people: machines and incidents.

use tokio_postgres::Client;
use tollgate_fleet_protocol::ErrorCode;

use crate::app::App;
use crate::audit::{self, Deed};
use crate::fault::{Answer, Refusal};

/// A machine.
#[derive(Debug, serde::Serialize)]
pub struct Machine {
    /// Its id.
    pub id: String,
    /// Its name.
    pub host: String,
    /// Its user.
    pub user: String,
    /// Its group.
    pub group: String,
    /// The version of Tollgate.
    pub gate: String,
    /// Its agents, as it told.
    pub agents: serde_json::Value,
    /// Its policies.
    pub policy: serde_json::Value,
    /// What does not work.
    pub faults: serde_json::Value,
    /// Seconds since it was last seen.
    pub seen_s: i64,
    /// Its records.
    pub records: i64,
    /// Kinds of its open incidents.
    pub incidents: Vec<String>,
    /// Its key was revoked.
    pub revoked: bool,
}

/// Machines by name; with `unguarded`, only those with an agent that does not pass the gate.
///
/// # Errors
/// When the database fails.
pub async fn machines(client: &Client, unguarded: bool, after: &str) -> Answer<Vec<Machine>> {
    let query = "SELECT m.id, m.host, m.usr, m.grp, m.gate, m.agents, m.policy, m.faults,
          extract(epoch FROM now() - m.seen_at)::bigint, coalesce(c.seq, 0),
          ARRAY(SELECT i.kind FROM incidents i WHERE i.machine = m.id AND i.closed_at IS NULL ORDER BY i.kind),
          m.revoked_at IS NOT NULL
        FROM machines m LEFT JOIN chains c ON c.id = m.chain
        WHERE m.id > $2 AND (NOT $1 OR m.agents @> '[{\"guarded\": false}]')
        ORDER BY m.id LIMIT 500";
    let rows = client.query(query, &[&unguarded, &after]).await?;
    let machine = |row: &tokio_postgres::Row| Machine {
        id: row.get(0),
        host: row.get(1),
        user: row.get(2),
        group: row.get(3),
        gate: row.get(4),
        agents: row.get(5),
        policy: row.get(6),
        faults: row.get(7),
        seen_s: row.get(8),
        records: row.get(9),
        incidents: row.get(10),
        revoked: row.get(11),
    };
    Ok(rows.iter().map(machine).collect())
}

/// An open incident.
#[derive(Debug, serde::Serialize)]
pub struct Incident {
    /// Its number.
    pub id: i64,
    /// The machine.
    pub machine: String,
    /// The machine's name.
    pub host: String,
    /// What kind: `edited`, `removed`, `fork`, `rollback`, `clone`, …
    pub kind: String,
    /// The last one, in words.
    pub detail: String,
    /// How often.
    pub count: i64,
    /// Seconds since the last one.
    pub seconds: i64,
}

/// Open incidents, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn incidents(client: &Client) -> Answer<Vec<Incident>> {
    let query = "SELECT i.id, i.machine, m.host, i.kind, i.detail, i.count, extract(epoch FROM now() - i.last_at)::bigint
        FROM incidents i JOIN machines m ON m.id = i.machine WHERE i.closed_at IS NULL
        ORDER BY i.last_at DESC LIMIT 500";
    let incident = |row: &tokio_postgres::Row| Incident {
        id: row.get(0),
        machine: row.get(1),
        host: row.get(2),
        kind: row.get(3),
        detail: row.get(4),
        count: row.get(5),
        seconds: row.get(6),
    };
    Ok(client.query(query, &[]).await?.iter().map(incident).collect())
}

/// Closes an incident. The next one of its kind opens another.
///
/// # Errors
/// When it is not open.
pub async fn close_incident(app: &App, who: &str, id: i64) -> Answer<()> {
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let update = "UPDATE incidents SET closed_at = now(), closed_by = $2 WHERE id = $1 AND closed_at IS NULL";
    if change.execute(update, &[&id, &who]).await? == 0 {
        return Err(Refusal::new(ErrorCode::Conflict, "this incident is not open"));
    }
    audit::note(&change, Deed { who, action: "incident.close", subject: &id.to_string(), detail: "" })
        .await?;
    change.commit().await?;
    Ok(())
}

/// Calls of the last day, by verdict.
///
/// # Errors
/// When the database fails.
pub async fn verdicts(client: &Client) -> Answer<Vec<(String, i64)>> {
    let query = "SELECT verdict, sum(calls)::bigint FROM hourly WHERE hour > now() - interval '1 day'
        GROUP BY verdict ORDER BY verdict";
    Ok(client.query(query, &[]).await?.iter().map(|row| (row.get(0), row.get(1))).collect())
}
