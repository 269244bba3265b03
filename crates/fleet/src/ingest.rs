//! Takes log records in: checked against the machine's chain, stored once, as they stand.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::extract::{Request, State};
use deadpool_postgres::Transaction;
use flate2::read::MultiGzDecoder;
use futures_util::SinkExt;
use tollgate_fleet_protocol::{
    Batch, BatchHead, ErrorCode, Head, MAX_BATCH, MAX_RECORD, MAX_RECORDS, Stored,
};
use tollgate_store::{Hash, Link, rfc3339};

use crate::app::{Shared, now};
use crate::auth::{Signed, signed as read_signed};
use crate::chain::{Chain, Finding, Fit, Item, compare, verify};
use crate::db::{signed, unsigned};
use crate::facts::Facts;
use crate::fault::{Answer, Refusal};
use crate::metrics::Metrics;
use crate::{incident, waiting};

/// The most bytes of a compressed batch.
const MOST: usize = 4 << 20;
/// No honest log gets here.
const MAX_SEQ: u64 = 1 << 53;
/// The most chains of a machine. One that needs more is revoked and joins anew.
const CHAINS: i64 = 100;

/// `POST /v1/records`.
pub async fn records(State(app): State<Shared>, request: Request) -> Answer<Json<Stored>> {
    let begun = Instant::now();
    let request = read_signed(&app, request, MOST).await?;
    // After the body: whoever sends one slowly takes no place from others.
    let Ok(_place) = app.ingest.try_acquire() else { return Err(Refusal::busy(1 + now() % 3)) };
    let body = request.body.clone();
    let failed = |_| Refusal::new(ErrorCode::Failed, "the batch could not be read");
    let batch = tokio::task::spawn_blocking(move || Parsed::of(&body)).await.map_err(failed)??;
    let mut db = app.db().await?;
    let change = db.transaction().await?;
    let stored = store(&change, &request, &batch).await?;
    change.commit().await?;
    Metrics::add(&app.metrics.incidents, stored.incidents.len() as u64);
    app.metrics.stored(stored.new, begun.elapsed());
    Ok(Json(stored))
}

/// A batch, read.
struct Parsed {
    head: BatchHead,
    after: (u64, Hash),
    items: Vec<Item>,
    facts: Vec<Facts>,
}

impl Parsed {
    fn of(body: &[u8]) -> Answer<Self> {
        let text = unpack(body)?;
        let batch = Batch::parse(&text).map_err(Refusal::bad)?;
        let hash = Hash::from_hex(batch.head.after.hash.as_bytes());
        let hash = hash.filter(|_| batch.head.after.seq < MAX_SEQ);
        let hash = hash.ok_or_else(|| Refusal::bad("`after` has no hash or number"))?;
        let mut items = Vec::with_capacity(batch.lines.len());
        for (index, line) in batch.lines.iter().enumerate() {
            let link = Link::of(line.as_bytes());
            let link = link.filter(|link| (1..MAX_SEQ).contains(&link.seq));
            let link = link.ok_or_else(|| Refusal::bad(format!("line {} is no record", index + 1)))?;
            items.push(Item { index, link });
        }
        let facts = batch.lines.iter().map(|line| Facts::of(line)).collect();
        Ok(Self { after: (batch.head.after.seq, hash), head: batch.head, items, facts })
    }
}

fn unpack(body: &[u8]) -> Answer<Vec<u8>> {
    let most = MAX_BATCH + MAX_RECORD + 4096;
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(body).take(most as u64 + 1).read_to_end(&mut text);
    match read {
        Ok(length) if length > most => Err(Refusal::new(ErrorCode::TooLarge, "the batch is too large")),
        Ok(_) => Ok(text),
        Err(_) => Err(Refusal::bad("the body is not gzip")),
    }
}

/// Where the new records of a batch go.
struct Place {
    chain: i64,
    after: (u64, Hash),
    /// How many of its first records are there already.
    skip: usize,
    findings: Vec<Finding>,
}

async fn store(change: &Transaction<'_>, request: &Signed, batch: &Parsed) -> Answer<Stored> {
    let machine = request.machine.as_str();
    // The lock: batches of one machine are taken in one after the other.
    let locked = "SELECT chain FROM machines WHERE id = $1 AND revoked_at IS NULL FOR UPDATE";
    let row = change.query_opt(&change.prepare_cached(locked).await?, &[&machine]).await?;
    let row = row.ok_or_else(|| Refusal::new(ErrorCode::Revoked, "this machine's key was revoked"))?;
    let place = place(change, machine, row.get(0), batch).await?;
    let rest = batch.items.get(place.skip..).unwrap_or_default();
    let (new, found) = verify(place.after, rest);
    let last = new.last().map_or(place.after, |item| (item.link.seq, item.link.hash));
    let mut findings = place.findings;
    findings.extend(found);
    findings.extend(rollback(batch.head.head.as_ref(), last.0));
    if let Some(first) = new.first() {
        put_segment(change, (place.chain, first.link.seq, last), request).await?;
        put_events(change, place.chain, &new, &batch.facts).await?;
        put_hours(change, machine, &new, &batch.facts).await?;
        waiting::note(change, machine, new.iter().filter_map(|item| batch.facts.get(item.index))).await?;
    }
    move_head(change, machine, place.chain, last).await?;
    for finding in &findings {
        incident::note(change, machine, finding).await?;
    }
    let mut kinds: Vec<String> = findings.iter().map(|finding| finding.kind.to_owned()).collect();
    kinds.dedup();
    let head = Head { seq: last.0, hash: last.1.to_string() };
    Ok(Stored { head, new: new.len() as u64, incidents: kinds })
}

/// Does a log end before what it had sent?
pub fn rollback(head: Option<&Head>, seq: u64) -> Option<Finding> {
    let head = head.filter(|head| head.seq < seq)?;
    let detail = format!("the log ends at record {}, but record {seq} had been sent", head.seq);
    Some(Finding::new("rollback", detail))
}

/// The chains of a machine, the current one first.
pub async fn chains(change: &Transaction<'_>, machine: &str, current: Option<i64>) -> Answer<Vec<Chain>> {
    let query = "SELECT id, seq, hash FROM chains WHERE machine = $1
        ORDER BY id IS NOT DISTINCT FROM $2 DESC, id DESC LIMIT $3";
    let rows = change.query(&change.prepare_cached(query).await?, &[&machine, &current, &CHAINS]).await?;
    let chain = |row: &tokio_postgres::Row| {
        let hash = Hash::from_hex(row.get::<_, &str>(2).as_bytes())?;
        Some(Chain { id: row.get(0), seq: unsigned(row.get(1)), hash })
    };
    Ok(rows.iter().filter_map(chain).collect())
}

async fn place(
    change: &Transaction<'_>,
    machine: &str,
    current: Option<i64>,
    batch: &Parsed,
) -> Answer<Place> {
    let chains = chains(change, machine, current).await?;
    let to = batch.items.iter().map(|item| item.link.seq).max().unwrap_or(batch.after.0);
    // An honest batch reaches no further; records beyond are taken for what they repeat.
    let to = to.min(batch.after.0 + 2 * MAX_RECORDS as u64);
    let mut differs: Option<(usize, (u64, Hash), i64)> = None;
    for chain in &chains {
        let stored = match batch.after {
            (seq, hash) if seq == chain.seq && hash == chain.hash => HashMap::new(),
            (from, _) if from > chain.seq => HashMap::new(),
            (from, _) => hashes(change, chain.id, from, to.min(chain.seq)).await?,
        };
        match compare(chain, batch.after, &batch.items, &|seq| stored.get(&seq).copied()) {
            Fit::Continues(skip) => {
                let after = (chain.seq, chain.hash);
                return Ok(Place { chain: chain.id, after, skip, findings: Vec::new() });
            }
            Fit::Differs(skip, before) if differs.is_none_or(|(_, best, _)| before > best.0) => {
                let hash = stored.get(&before).copied().unwrap_or(batch.after.1);
                differs = Some((skip, (before, hash), chain.id));
            }
            Fit::Differs(..) | Fit::Elsewhere => {}
        }
    }
    if let Some((skip, after, parent)) = differs {
        return begin_other(change, machine, (chains.len(), Some(parent)), (after, skip)).await;
    }
    elsewhere(change, machine, &chains, batch).await
}

/// A batch that continues none of the chains: the first one of a machine, one after records that are gone, or one for
/// which the courier has to go back.
async fn elsewhere(
    change: &Transaction<'_>,
    machine: &str,
    chains: &[Chain],
    batch: &Parsed,
) -> Answer<Place> {
    let after = batch.after;
    let missing = batch.head.missing.as_ref();
    match chains.first() {
        None if after == (0, Hash::GENESIS) || missing.is_some() => {
            let chain = begin(change, machine, after, None).await?;
            Ok(Place { chain, after, skip: 0, findings: missing.map(gone).into_iter().collect() })
        }
        Some(current) if missing.is_some() && after.0 > current.seq => {
            let findings = missing.map(gone).into_iter().collect();
            Ok(Place { chain: current.id, after, skip: 0, findings })
        }
        Some(_) if missing.is_some() => begin_other(change, machine, (chains.len(), None), (after, 0)).await,
        _ => {
            let known = known(change, chains).await?;
            let message = "the batch continues nothing that is stored; go back to one of `known`";
            Err(Refusal::new(ErrorCode::OutOfOrder, message).known(known))
        }
    }
}

fn gone(missing: &tollgate_fleet_protocol::Missing) -> Finding {
    let why: String = missing.why.chars().filter(|c| !c.is_control()).take(100).collect();
    let kind = if why == "pruned" { "pruned" } else { "removed" };
    Finding::new(kind, format!("records {} to {} were never sent: {why}", missing.from, missing.to))
}

/// Begins another chain of a machine that has some.
async fn begin_other(
    change: &Transaction<'_>,
    machine: &str,
    (count, parent): (usize, Option<i64>),
    (after, skip): ((u64, Hash), usize),
) -> Answer<Place> {
    if count as i64 >= CHAINS {
        let message = "this machine's log was rewritten too often; revoke it and let it join again";
        return Err(Refusal::new(ErrorCode::Conflict, message));
    }
    let chain = begin(change, machine, after, parent).await?;
    let finding = match after.0 {
        0 => Finding::new("begun-anew", "the log was begun anew"),
        seq => Finding::new("fork", format!("the log differs from what was sent after record {seq}")),
    };
    Ok(Place { chain, after, skip, findings: vec![finding] })
}

async fn begin(
    change: &Transaction<'_>,
    machine: &str,
    after: (u64, Hash),
    parent: Option<i64>,
) -> Answer<i64> {
    let insert = "INSERT INTO chains (machine, seq, hash, begin_seq, begin_hash, parent)
        VALUES ($1, $2, $3, $2, $3, $4) RETURNING id";
    let (seq, hash) = (signed(after.0), after.1.to_string());
    Ok(change.query_one(insert, &[&machine, &seq, &hash, &parent]).await?.get(0))
}

/// The hashes of stored records, by number, read from what the machine sent.
pub async fn hashes(change: &Transaction<'_>, chain: i64, from: u64, to: u64) -> Answer<HashMap<u64, Hash>> {
    let mut found = HashMap::new();
    let (mut next, mut to) = (Some(chain), to);
    while let Some(chain) = next {
        let row = change
            .query_one("SELECT begin_seq, begin_hash, parent FROM chains WHERE id = $1", &[&chain])
            .await?;
        let begin = unsigned(row.get(0));
        let query = "SELECT first, last, body FROM segments WHERE chain = $1 AND last >= $2 AND first <= $3";
        for row in change.query(query, &[&chain, &signed(from), &signed(to)]).await? {
            let range = unsigned(row.get(0))..=unsigned(row.get(1));
            let text = unpack(row.get(2))?;
            let links = text.split(|byte| *byte == b'\n').filter_map(Link::of);
            let links = links.filter(|link| range.contains(&link.seq));
            found.extend(links.map(|link| (link.seq, link.hash)));
        }
        if let Some(hash) = Hash::from_hex(row.get::<_, &str>(1).as_bytes()) {
            found.insert(begin, hash);
        }
        next = row.get::<_, Option<i64>>(2).filter(|_| from < begin);
        to = begin;
    }
    Ok(found)
}

/// Places in a machine's chains, denser towards the end, so that a courier finds where its log leaves them.
async fn known(change: &Transaction<'_>, chains: &[Chain]) -> Answer<Vec<Head>> {
    let head = |chain: &Chain| Head { seq: chain.seq, hash: chain.hash.to_string() };
    let mut known: Vec<Head> = chains.iter().map(head).collect();
    let query = "SELECT DISTINCT s.last, s.last_hash FROM unnest($2::bigint[]) AS t (at), LATERAL
        (SELECT last, last_hash FROM segments WHERE chain = $1 AND last <= t.at ORDER BY last DESC LIMIT 1) AS s
        ORDER BY s.last DESC";
    for chain in chains.iter().take(5) {
        let steps: Vec<i64> =
            (0..40).map_while(|step| chain.seq.checked_sub(1 << step).map(signed)).collect();
        for row in change.query(query, &[&chain.id, &steps]).await? {
            known.push(Head { seq: unsigned(row.get(0)), hash: row.get(1) });
        }
    }
    Ok(known)
}

async fn put_segment(
    change: &Transaction<'_>,
    (chain, first, last): (i64, u64, (u64, Hash)),
    request: &Signed,
) -> Answer<()> {
    let insert = "INSERT INTO segments (day, chain, first, last, last_hash, authorization_header, body)
        VALUES (current_date, $1, $2, $3, $4, $5, $6)";
    let insert = change.prepare_cached(insert).await?;
    let (first, seq, hash) = (signed(first), signed(last.0), last.1.to_string());
    change.execute(&insert, &[&chain, &first, &seq, &hash, &request.header, &request.body.as_ref()]).await?;
    Ok(())
}

async fn put_events(change: &Transaction<'_>, chain: i64, new: &[Item], facts: &[Facts]) -> Answer<()> {
    let day: String = change.query_one("SELECT current_date::text", &[]).await?.get(0);
    let mut text = String::with_capacity(new.len() * 200);
    for (item, fact) in new.iter().filter_map(|item| Some((item, facts.get(item.index)?))) {
        fact.write_row(&mut text, &day, chain, item.link.seq, &rfc3339(time(fact.micros)));
    }
    let copy = "COPY events (day, chain, seq, at, agent, session, phase, tool, verdict, rules) FROM STDIN";
    let sink = change.copy_in(copy).await?;
    let mut sink = std::pin::pin!(sink);
    sink.send(axum::body::Bytes::from(text)).await?;
    sink.as_mut().finish().await?;
    Ok(())
}

async fn put_hours(change: &Transaction<'_>, machine: &str, new: &[Item], facts: &[Facts]) -> Answer<()> {
    let mut hours: BTreeMap<(u64, &str, &str), i64> = BTreeMap::new();
    for fact in new.iter().filter_map(|item| facts.get(item.index)).filter(|fact| !fact.verdict.is_empty()) {
        let hour =
            time(fact.micros).duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 3600 * 3600);
        *hours.entry((hour, &fact.agent, &fact.verdict)).or_default() += 1;
    }
    let upsert = "INSERT INTO hourly (hour, machine, agent, verdict, calls)
        SELECT to_timestamp(h), $1, a, v, c FROM unnest($2::float8[], $3::text[], $4::text[], $5::bigint[]) AS t (h, a, v, c)
        ON CONFLICT (hour, machine, agent, verdict) DO UPDATE SET calls = hourly.calls + excluded.calls";
    let upsert = change.prepare_cached(upsert).await?;
    let at: Vec<f64> = hours.keys().map(|key| key.0 as f64).collect();
    let agents: Vec<&str> = hours.keys().map(|key| key.1).collect();
    let verdicts: Vec<&str> = hours.keys().map(|key| key.2).collect();
    let counts: Vec<i64> = hours.into_values().collect();
    change.execute(&upsert, &[&machine, &at, &agents, &verdicts, &counts]).await?;
    Ok(())
}

/// The time of a record, unless the machine's clock cannot be right.
fn time(micros: Option<u64>) -> SystemTime {
    const DAY: u64 = 86_400;
    let now = SystemTime::now();
    let at = micros.map(|micros| UNIX_EPOCH + Duration::from_micros(micros));
    let fits = |at: &SystemTime| {
        *at <= now + Duration::from_secs(DAY) && *at >= now - Duration::from_secs(400 * DAY)
    };
    at.filter(fits).unwrap_or(now)
}

async fn move_head(change: &Transaction<'_>, machine: &str, chain: i64, last: (u64, Hash)) -> Answer<()> {
    let update = change.prepare_cached("UPDATE chains SET seq = $2, hash = $3 WHERE id = $1").await?;
    change.execute(&update, &[&chain, &signed(last.0), &last.1.to_string()]).await?;
    let update =
        change.prepare_cached("UPDATE machines SET chain = $2, seen_at = now() WHERE id = $1").await?;
    change.execute(&update, &[&machine, &chain]).await?;
    Ok(())
}
