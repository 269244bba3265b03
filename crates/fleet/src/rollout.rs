//! Policy bundles, and which machines get them: observed by all of a group first, then enforced by more and more.

use deadpool_postgres::Transaction;
use tokio_postgres::{Client, Row};
use tollgate_fleet_protocol::{Assignment, ErrorCode, Installed, Policy, SignedBundle, Stage, bundle_digest};

use crate::app::{App, now};
use crate::audit::{self, Deed};
use crate::db::{signed, unsigned};
use crate::fault::{Answer, Refusal};

/// A rollout is held when the machines that observe its bundle say that it would refuse more than this share of calls
/// that their own policies let pass, in percent, among at least so many calls.
const OBSERVED: (f64, i64) = (5.0, 50);
/// A rollout is held when machines that enforce its bundle refuse this many times the share of their group before, with so
/// many refusals at least.
const JUMP: (f64, i64) = (2.0, 20);
/// A rollout is held when more than this share of the machines that should have its bundle report faults of it.
const FAULTY: f64 = 0.02;

/// A rollout, as people see it.
#[derive(Debug, serde::Serialize)]
pub struct Rollout {
    /// Its number.
    pub id: i64,
    /// The group.
    pub group: String,
    /// The bundle.
    pub digest: String,
    /// The bundle's version.
    pub version: u64,
    /// How many percent of the machines enforce it; the others observe it.
    pub percent: i32,
    /// Why it was held; `None` while it goes on.
    pub held: Option<String>,
    /// It was taken back. Machines that have it keep it, because no machine goes back to an older version.
    pub withdrawn: bool,
    /// Machines of the group that enforce it.
    pub enforced_by: i64,
    /// Machines of the group.
    pub machines: i64,
}

/// Stores a bundle that somebody signed elsewhere.
///
/// # Errors
/// When its signature does not fit, it is of another fleet, has ended, or is not newer than all others.
pub async fn upload(app: &App, who: &str, bundle: &SignedBundle) -> Answer<Installed> {
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let opened = bundle.open(&policy_keys(&change).await?).map_err(Refusal::bad)?;
    if opened.fleet != app.fleet {
        return Err(Refusal::bad(format!(
            "the bundle is of the fleet `{}`, not `{}`",
            opened.fleet, app.fleet
        )));
    }
    if opened.expires <= now() {
        return Err(Refusal::bad("the bundle has expired"));
    }
    let newest = change.query_one("SELECT coalesce(max(version), 0) FROM bundles", &[]).await?;
    let (version, digest) = (signed(opened.version), bundle_digest(&bundle.bundle));
    if version <= newest.get::<_, i64>(0) {
        let there = change.query_opt("SELECT 1 FROM bundles WHERE digest = $1", &[&digest]).await?.is_some();
        let message = format!("version {} is not newer than {}", opened.version, newest.get::<_, i64>(0));
        let installed = Installed { version: opened.version, digest };
        return if there { Ok(installed) } else { Err(Refusal::new(ErrorCode::Conflict, message)) };
    }
    let insert = "INSERT INTO bundles (digest, version, groups, expires, text, signature, uploaded_by)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let expires = signed(opened.expires);
    change
        .execute(
            insert,
            &[&digest, &version, &opened.groups, &expires, &bundle.bundle, &bundle.signature, &who],
        )
        .await?;
    for key in &opened.keys {
        // Signed by a key that is trusted, so these are, too. Machines take the change with the bundle itself.
        let insert = "INSERT INTO policy_keys (key, added_by) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        change.execute(insert, &[key, &format!("bundle {version}")]).await?;
    }
    let detail = format!("version {version}");
    audit::note(&change, Deed { who, action: "bundle.upload", subject: &digest, detail: &detail }).await?;
    change.commit().await?;
    Ok(Installed { version: opened.version, digest })
}

/// The keys that sign bundles.
///
/// # Errors
/// When the database fails.
pub async fn policy_keys(change: &Transaction<'_>) -> Answer<Vec<String>> {
    let rows = change.query("SELECT key FROM policy_keys ORDER BY added_at", &[]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// A stored bundle.
///
/// # Errors
/// When there is none of this name.
pub async fn bundle(client: &Client, digest: &str) -> Answer<SignedBundle> {
    let row = client.query_opt("SELECT text, signature FROM bundles WHERE digest = $1", &[&digest]).await?;
    let row = row.ok_or_else(|| Refusal::new(ErrorCode::NotFound, "there is no such bundle"))?;
    Ok(SignedBundle { bundle: row.get(0), signature: row.get(1) })
}

/// Begins a rollout: the group's machines observe the bundle.
///
/// # Errors
/// When there is no such bundle, it is not signed for the group, or a newer one is under way.
pub async fn begin(app: &App, who: &str, group: &str, digest: &str) -> Answer<i64> {
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let row = change.query_opt("SELECT version, groups FROM bundles WHERE digest = $1", &[&digest]).await?;
    let row = row.ok_or_else(|| Refusal::new(ErrorCode::NotFound, "there is no such bundle"))?;
    if !row.get::<_, Vec<String>>(1).iter().any(|name| name == group) {
        return Err(Refusal::bad(format!("the bundle is not signed for the group `{group}`")));
    }
    let newest = "SELECT coalesce(max(b.version), 0) FROM rollouts r JOIN bundles b ON b.digest = r.bundle WHERE r.grp = $1";
    if change.query_one(newest, &[&group]).await?.get::<_, i64>(0) >= row.get::<_, i64>(0) {
        return Err(Refusal::new(ErrorCode::Conflict, "the group has this version or a newer one"));
    }
    let insert = "INSERT INTO rollouts (grp, bundle) VALUES ($1, $2) RETURNING id";
    let id: i64 = change.query_one(insert, &[&group, &digest]).await?.get(0);
    let detail = format!("rollout {id} of {digest}");
    audit::note(&change, Deed { who, action: "rollout.begin", subject: group, detail: &detail }).await?;
    change.commit().await?;
    Ok(id)
}

/// What somebody does with a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// To the next stage: 5 %, 50 %, all.
    Advance,
    /// No more machines.
    Hold,
    /// On after a hold.
    Resume,
    /// Never mind; machines that have it keep it until a newer one comes.
    Withdraw,
}

/// Does a step of a rollout.
///
/// # Errors
/// When the rollout is not in a state for it.
pub async fn step(app: &App, who: &str, id: i64, step: Step) -> Answer<()> {
    let (update, action) = match step {
        Step::Advance => (
            "UPDATE rollouts SET percent = CASE WHEN percent < 5 THEN 5 WHEN percent < 50 THEN 50 ELSE 100 END,
               stage_at = now() WHERE id = $1 AND held IS NULL AND NOT withdrawn AND percent < 100",
            "rollout.advance",
        ),
        Step::Hold => ("UPDATE rollouts SET held = 'held by hand' WHERE id = $1 AND held IS NULL", "rollout.hold"),
        Step::Resume => (
            "UPDATE rollouts SET held = NULL, stage_at = now() WHERE id = $1 AND held IS NOT NULL",
            "rollout.resume",
        ),
        Step::Withdraw => {
            ("UPDATE rollouts SET withdrawn = true WHERE id = $1 AND NOT withdrawn", "rollout.withdraw")
        }
    };
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    if change.execute(update, &[&id]).await? == 0 {
        return Err(Refusal::new(ErrorCode::Conflict, "the rollout is not in a state for this"));
    }
    audit::note(&change, Deed { who, action, subject: &id.to_string(), detail: "" }).await?;
    change.commit().await?;
    Ok(())
}

/// All rollouts, the newest first.
///
/// # Errors
/// When the database fails.
pub async fn list(client: &Client) -> Answer<Vec<Rollout>> {
    let query = "SELECT r.id, r.grp, r.bundle, b.version, r.percent, r.held, r.withdrawn,
          count(m.id) FILTER (WHERE m.policy -> 'enforced' ->> 'digest' = r.bundle), count(m.id)
        FROM rollouts r JOIN bundles b ON b.digest = r.bundle
        LEFT JOIN machines m ON m.grp = r.grp AND m.revoked_at IS NULL
        GROUP BY r.id, b.version ORDER BY r.id DESC LIMIT 100";
    let rollout = |row: &Row| Rollout {
        id: row.get(0),
        group: row.get(1),
        digest: row.get(2),
        version: unsigned(row.get(3)),
        percent: row.get(4),
        held: row.get(5),
        withdrawn: row.get(6),
        enforced_by: row.get(7),
        machines: row.get(8),
    };
    Ok(client.query(query, &[]).await?.iter().map(rollout).collect())
}

/// What a machine should enforce and observe.
///
/// # Errors
/// When the database fails.
pub async fn assign(
    change: &Transaction<'_>,
    machine: &str,
    group: &str,
    policy: &Policy,
) -> Answer<Vec<Assignment>> {
    let query = "SELECT r.bundle, b.version, r.percent, r.held IS NOT NULL FROM rollouts r
        JOIN bundles b ON b.digest = r.bundle WHERE r.grp = $1 AND NOT r.withdrawn AND b.expires > $2
        ORDER BY b.version DESC LIMIT 20";
    let query = change.prepare_cached(query).await?;
    let rows = change.query(&query, &[&group, &signed(now())]).await?;
    let offers: Vec<Offer> = rows
        .iter()
        .map(|row| Offer {
            bundle: Installed { version: unsigned(row.get(1)), digest: row.get(0) },
            percent: row.get(2),
            held: row.get(3),
        })
        .collect();
    Ok(choose(machine, policy, &offers))
}

/// A rollout that a machine may be part of.
struct Offer {
    bundle: Installed,
    percent: i32,
    held: bool,
}

/// The newest bundle whose turn it is for this machine is enforced; a newer one is observed. `offers` come newest first.
fn choose(machine: &str, policy: &Policy, offers: &[Offer]) -> Vec<Assignment> {
    let has = |offer: &Offer| policy.enforced.as_ref().is_some_and(|enforced| *enforced == offer.bundle);
    let is_due =
        |offer: &Offer| has(offer) || (!offer.held && bucket(machine, &offer.bundle) < offer.percent);
    let enforce = offers.iter().find(|offer| is_due(offer));
    let newest = offers.first().filter(|newest| enforce.is_none_or(|offer| offer.bundle != newest.bundle));
    let assignment = |offer: &Offer, stage| Assignment { bundle: offer.bundle.clone(), stage };
    let enforced = enforce.map(|offer| assignment(offer, Stage::Enforce));
    enforced.into_iter().chain(newest.map(|offer| assignment(offer, Stage::Observe))).collect()
}

/// A number below 100 that is another for each machine and bundle, so that not always the same machines go first.
fn bucket(machine: &str, bundle: &Installed) -> i32 {
    let hash = blake3::hash(format!("{machine} {}", bundle.digest).as_bytes());
    let number = hash.as_bytes().iter().take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
    i32::try_from(number % 100).unwrap_or(0)
}

/// Holds rollouts that do harm. Returns the numbers of those that were held.
///
/// # Errors
/// When the database fails.
pub async fn hold_harmful(app: &App) -> Answer<Vec<i64>> {
    let mut db = app.db().await?;
    let query = "SELECT id, grp, bundle, percent FROM rollouts WHERE held IS NULL AND NOT withdrawn
          AND id IN (SELECT max(id) FROM rollouts GROUP BY grp)";
    let mut held = Vec::new();
    for row in db.query(query, &[]).await? {
        let (id, group, digest): (i64, String, String) = (row.get(0), row.get(1), row.get(2));
        let Some(why) = harm(&db, (id, &group, &digest), row.get(3)).await? else { continue };
        let change = db.transaction().await?;
        let update = "UPDATE rollouts SET held = $2 WHERE id = $1 AND held IS NULL";
        if change.execute(update, &[&id, &why]).await? > 0 {
            let deed = Deed { who: "server", action: "rollout.hold", subject: &id.to_string(), detail: &why };
            audit::note(&change, deed).await?;
            held.push(id);
        }
        change.commit().await?;
        tracing::warn!(rollout = id, group, why, "rollout held");
    }
    Ok(held)
}

/// What speaks against going on.
async fn harm(
    client: &Client,
    (id, group, digest): (i64, &str, &str),
    percent: i32,
) -> Answer<Option<String>> {
    let machines = "SELECT count(*),
          count(*) FILTER (WHERE faults @? '$[*] ? (@.kind starts with \"bundle-\")'),
          coalesce(sum((policy ->> 'observed_calls')::bigint) FILTER (WHERE policy -> 'observed' ->> 'digest' = $2), 0)::bigint,
          coalesce(sum((policy ->> 'observed_refusals')::bigint) FILTER (WHERE policy -> 'observed' ->> 'digest' = $2), 0)::bigint
        FROM machines WHERE grp = $1 AND revoked_at IS NULL AND seen_at > now() - interval '1 day'";
    let row = client.query_one(machines, &[&group, &digest]).await?;
    let (all, faulty, calls, refusals): (i64, i64, i64, i64) =
        (row.get(0), row.get(1), row.get(2), row.get(3));
    if faulty > 0 && faulty as f64 > all as f64 * FAULTY {
        return Ok(Some(format!("{faulty} of {all} machines report faults of bundles")));
    }
    if calls >= OBSERVED.1 && refusals as f64 * 100.0 > calls as f64 * OBSERVED.0 {
        return Ok(Some(format!("would refuse {refusals} of {calls} calls that pass now")));
    }
    if percent == 0 {
        return Ok(None);
    }
    let rates = "SELECT coalesce(sum(calls) FILTER (WHERE since AND refused), 0)::bigint,
          coalesce(sum(calls) FILTER (WHERE since), 0)::bigint,
          coalesce(sum(calls) FILTER (WHERE NOT since AND refused), 0)::bigint,
          coalesce(sum(calls) FILTER (WHERE NOT since), 0)::bigint
        FROM (SELECT h.calls, h.verdict IN ('deny', 'halt') AS refused, h.hour >= date_trunc('hour', r.stage_at) AS since
          FROM hourly h JOIN machines m ON m.id = h.machine, rollouts r
          WHERE r.id = $1 AND m.grp = r.grp AND m.policy -> 'enforced' ->> 'digest' = r.bundle
            AND h.hour > r.stage_at - interval '7 days') AS t";
    let row = client.query_one(rates, &[&id]).await?;
    let (new, new_all, old, old_all): (i64, i64, i64, i64) = (row.get(0), row.get(1), row.get(2), row.get(3));
    let share = |part: i64, all: i64| part as f64 / (all.max(1)) as f64;
    let jumped = new >= JUMP.1 && old_all > 0 && share(new, new_all) > share(old, old_all) * JUMP.0;
    Ok(jumped.then(|| format!("refusals went from {old} of {old_all} calls to {new} of {new_all}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(version: u64, percent: i32, held: bool) -> Offer {
        Offer { bundle: Installed { version, digest: format!("d{version}") }, percent, held }
    }

    fn chosen(policy: &Policy, offers: &[Offer]) -> Vec<(u64, Stage)> {
        choose("m", policy, offers).into_iter().map(|one| (one.bundle.version, one.stage)).collect()
    }

    #[test]
    fn a_new_bundle_is_observed_until_its_turn_comes() {
        let policy = Policy::default();
        assert_eq!(chosen(&policy, &[]), []);
        assert_eq!(chosen(&policy, &[offer(1, 0, false)]), [(1, Stage::Observe)]);
        assert_eq!(chosen(&policy, &[offer(1, 100, false)]), [(1, Stage::Enforce)]);
        let both = [offer(2, 0, false), offer(1, 100, false)];
        assert_eq!(chosen(&policy, &both), [(1, Stage::Enforce), (2, Stage::Observe)]);
    }

    #[test]
    fn a_held_bundle_goes_no_further_and_stays_where_it_is() {
        let held = [offer(2, 50, true), offer(1, 100, false)];
        assert_eq!(chosen(&Policy::default(), &held), [(1, Stage::Enforce), (2, Stage::Observe)]);
        let enforced = Some(Installed { version: 2, digest: "d2".into() });
        let policy = Policy { enforced, ..Policy::default() };
        assert_eq!(chosen(&policy, &held), [(2, Stage::Enforce)]);
    }

    #[test]
    fn about_as_many_machines_go_first_as_was_said() {
        let bundle = Installed { version: 1, digest: "x".into() };
        let first = (0..10_000).filter(|number| bucket(&format!("machine {number}"), &bundle) < 5).count();
        assert!((400..600).contains(&first), "{first}");
    }
}
