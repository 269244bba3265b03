//! Joining, greeting, leaving.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Request, State};
use deadpool_postgres::Transaction;
use serde::de::DeserializeOwned;
use tollgate_fleet_protocol::{Checked, Enrol, Enrolled, ErrorCode, Head, Hello, Policy, System, Welcome};

use crate::app::{App, Shared, clean, random, secret_hash};
use crate::audit::{self, Deed};
use crate::auth::{self, signed as read_signed};
use crate::chain::{Chain, Finding};
use crate::db::{signed, unsigned};
use crate::fault::{Answer, Refusal};
use crate::ingest::{chains, hashes, rollback};
use crate::{incident, rollout};

/// The most bytes of a message.
const MOST: usize = 64 << 10;
/// Records that a greeting is asked about, and how far back they may be.
const ASKED: usize = 4;
const BACK: u64 = 10_000;
/// Observed calls that a machine counts for, whatever it says.
const MOST_OBSERVED: u64 = 100_000;
/// The time between two greetings, in seconds.
const AGAIN: u64 = 60;

fn json<T: DeserializeOwned>(body: &[u8]) -> Answer<T> {
    serde_json::from_slice(body).map_err(|error| Refusal::bad(format!("the body cannot be read: {error}")))
}

/// `POST /v1/enrol`.
pub async fn enrol(State(app): State<Shared>, request: Request) -> Answer<Json<Enrolled>> {
    let authorization = auth::parse(&auth::header(request.headers())?)?;
    let (target, method) = (auth::target(&request), request.method().to_string());
    let body = auth::read(request, MOST).await?;
    let enrol: Enrol = json(&body)?;
    auth::check(&authorization, &enrol.key, (&method, &target), &body)?;
    // No nonce: the token is good for one key, and the answer holds nothing secret.
    let machine = enrol.key.machine_id();
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let group = use_token(&change, &enrol.token, &machine).await?;
    let insert = "INSERT INTO machines (id, key, grp) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    if change.execute(insert, &[&machine, &enrol.key.as_bytes().as_slice(), &group]).await? > 0 {
        let detail = format!("{} group {group}", clean(&enrol.system.host, 200));
        audit::note(
            &change,
            Deed { who: &machine, action: "machine.join", subject: &machine, detail: &detail },
        )
        .await?;
    }
    let row = change
        .query_one("SELECT grp, revoked_at IS NOT NULL FROM machines WHERE id = $1", &[&machine])
        .await?;
    if row.get(1) {
        return Err(Refusal::new(ErrorCode::Revoked, "this key was revoked; make a new one"));
    }
    describe(&change, &machine, &enrol.system).await?;
    let policy_keys = rollout::policy_keys(&change).await?;
    change.commit().await?;
    let (fleet, grant_key) = (app.fleet.clone(), app.grant_key.public());
    Ok(Json(Enrolled { fleet, machine, group: row.get(0), policy_keys, grant_key }))
}

/// Uses a token up. The machine that used it may do so again: its first answer may have been lost.
async fn use_token(change: &Transaction<'_>, token: &str, machine: &str) -> Answer<String> {
    let update = "UPDATE tokens SET used_by = $2 WHERE hash = $1
        AND (used_by = $2 OR (used_by IS NULL AND expires_at > now())) RETURNING grp";
    let row = change.query_opt(update, &[&secret_hash(token), &machine]).await?;
    let message = "the token is unknown, expired, or was used by another machine";
    row.map(|row| row.get(0)).ok_or_else(|| Refusal::new(ErrorCode::BadToken, message))
}

async fn describe(change: &Transaction<'_>, machine: &str, system: &System) -> Answer<()> {
    let update = "UPDATE machines SET host = $2, usr = $3, os = $4, arch = $5, gate = $6, instance = $7, seen_at = now()
        WHERE id = $1";
    let text = |text: &str| clean(text, 200);
    let System { host, user, os, arch, gate, instance } = system;
    let (host, user, os) = (text(host), text(user), text(os));
    let (arch, gate, instance) = (text(arch), text(gate), text(instance));
    change.execute(update, &[&machine, &host, &user, &os, &arch, &gate, &instance]).await?;
    Ok(())
}

/// `POST /v1/hello`.
pub async fn hello(State(app): State<Shared>, request: Request) -> Answer<Json<Welcome>> {
    let request = read_signed(&app, request, MOST).await?;
    let hello: Hello = json(&request.body)?;
    let machine = request.machine.as_str();
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let query = "SELECT chain, instance, asked, host FROM machines WHERE id = $1 FOR UPDATE";
    let row = change.query_one(&change.prepare_cached(query).await?, &[&machine]).await?;
    let current = chains(&change, machine, row.get(0)).await?.into_iter().next();
    let mut findings: Vec<Finding> = cloned(row.get(1), row.get(3), &hello.system).into_iter().collect();
    if let Some(chain) = &current {
        findings.extend(rollback(hello.head.as_ref(), chain.seq));
        findings.extend(rewritten(hello.head.as_ref(), chain));
        findings.extend(checked(&change, chain, row.get(2), &hello.checked).await?);
    }
    for finding in &findings {
        incident::note(&change, machine, finding).await?;
    }
    let check = ask(current.as_ref())?;
    describe(&change, machine, &hello.system).await?;
    keep(&change, machine, &hello, &check).await?;
    let policies = rollout::assign(&change, machine, &request.group, &hello.policy).await?;
    change.commit().await?;
    let head = current.map(|chain| Head { seq: chain.seq, hash: chain.hash.to_string() }).unwrap_or_default();
    Ok(Json(Welcome { head, group: request.group, policies, check, again_s: AGAIN }))
}

/// The key is used by another machine than before.
fn cloned(before: &str, host: &str, system: &System) -> Option<Finding> {
    let other = !before.is_empty() && !system.instance.is_empty() && before != clean(&system.instance, 200);
    other.then(|| Finding::new("clone", format!("the key is used on `{host}` and on `{}`", system.host)))
}

/// The log has another record where the chain ends.
fn rewritten(head: Option<&Head>, chain: &Chain) -> Option<Finding> {
    let other = head.is_some_and(|head| head.seq == chain.seq && head.hash != chain.hash.to_string());
    other.then(|| Finding::new("fork", format!("record {} is not the one that was sent", chain.seq)))
}

async fn checked(
    change: &Transaction<'_>,
    chain: &Chain,
    asked: Vec<i64>,
    answers: &[Checked],
) -> Answer<Vec<Finding>> {
    let asked: BTreeSet<u64> = asked.into_iter().map(unsigned).collect();
    let mut findings = Vec::new();
    for answer in answers.iter().filter(|answer| asked.contains(&answer.seq)).take(ASKED) {
        let stored = hashes(change, chain.id, answer.seq, answer.seq).await?.get(&answer.seq).copied();
        let Some(stored) = stored.filter(|hash| hash.to_string() != answer.hash) else { continue };
        let finding = match answer.hash.as_str() {
            "" => Finding::new("removed", format!("record {} is gone from the machine's log", answer.seq)),
            _ => Finding::new(
                "edited",
                format!("record {} had the hash {stored} when it was sent", answer.seq),
            ),
        };
        findings.push(finding);
    }
    Ok(findings)
}

/// Some of the last records of a chain.
fn ask(chain: Option<&Chain>) -> Answer<Vec<u64>> {
    let Some(chain) = chain.filter(|chain| chain.seq > 0) else { return Ok(Vec::new()) };
    let range = chain.seq.min(BACK);
    let mut wanted = BTreeSet::new();
    for _ in 0..ASKED {
        wanted.insert(chain.seq - u64::from_le_bytes(random::<8>()?) % range);
    }
    Ok(wanted.into_iter().collect())
}

async fn keep(change: &Transaction<'_>, machine: &str, hello: &Hello, asked: &[u64]) -> Answer<()> {
    let value =
        |value: Result<serde_json::Value, serde_json::Error>| value.map(without_nul).map_err(Refusal::bad);
    let agents = value(serde_json::to_value(hello.agents.iter().take(50).collect::<Vec<_>>()))?;
    let observed_calls = hello.policy.observed_calls.min(MOST_OBSERVED);
    let observed_refusals = hello.policy.observed_refusals.min(observed_calls);
    let policy = Policy { observed_calls, observed_refusals, ..hello.policy.clone() };
    let policy = value(serde_json::to_value(policy))?;
    let faults = value(serde_json::to_value(hello.faults.iter().take(50).collect::<Vec<_>>()))?;
    let asked: Vec<i64> = asked.iter().copied().map(signed).collect();
    let update = "UPDATE machines SET agents = $2, policy = $3, faults = $4, asked = $5 WHERE id = $1";
    change.execute(update, &[&machine, &agents, &policy, &faults, &asked]).await?;
    Ok(())
}

/// PostgreSQL keeps no NUL in a text.
fn without_nul(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(clean(&text, 500)),
        Value::Array(all) => Value::Array(all.into_iter().map(without_nul).collect()),
        Value::Object(all) => Value::Object(
            all.into_iter().map(|(key, value)| (clean(&key, 200), without_nul(value))).collect(),
        ),
        other => other,
    }
}

/// `POST /v1/leave`.
pub async fn leave(State(app): State<Shared>, request: Request) -> Answer<Json<serde_json::Value>> {
    let request = read_signed(&app, request, MOST).await?;
    revoke(&app, &request.machine, &request.machine).await?;
    Ok(Json(serde_json::json!({})))
}

/// Revokes a machine's key, from the next request on.
///
/// # Errors
/// When there is no such machine.
pub async fn revoke(app: &App, who: &str, machine: &str) -> Answer<()> {
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let update = "UPDATE machines SET revoked_at = coalesce(revoked_at, now()) WHERE id = $1";
    if change.execute(update, &[&machine]).await? == 0 {
        return Err(Refusal::new(
            ErrorCode::NotFound,
            format!("there is no machine `{}`", clean(machine, 64)),
        ));
    }
    audit::note(&change, Deed { who, action: "machine.revoke", subject: machine, detail: "" }).await?;
    change.commit().await?;
    Ok(())
}
