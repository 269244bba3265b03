//! The addresses of the API. Shapes are in `openapi.yaml`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tollgate_index::{By, Scope};
use tollgate_model::json as written;
use tollgate_store::Entry;

use super::{Shared, stream, work};
use crate::board::State as CardState;
use crate::diff;
use crate::export;
use crate::filter::Wanted;
use crate::refusal::{Code, Refusal};
use crate::row::{Ending, Outcome, Row};
use crate::search::{Limits, complete, search};
use crate::story::{self, stamp};

/// The largest request that changes something.
const BODY: usize = 16 << 10;
/// How long it may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Records after a call among which its result is looked for.
const RESULT_WITHIN: usize = 20_000;
const DAY: i64 = 86_400_000_000;

type Asked = State<Arc<Shared>>;
type Name = Result<Path<String>, PathRejection>;

pub(super) fn api() -> Router<Arc<Shared>> {
    Router::new()
        .route("/api/health", get(|| async { axum::Json(json!({ "ok": true })) }))
        .route("/api/about", get(about))
        .route("/api/now", get(now))
        .route("/api/stream", get(stream::stream))
        .route("/api/events", get(events))
        .route("/api/events/{seq}", get(event))
        .route("/api/sessions", get(sessions))
        .route("/api/sessions/{id}", get(session))
        .route("/api/sessions/{id}/export", get(export_session))
        .route("/api/rules", get(rules))
        .route("/api/rules/{id}", get(rule))
        .route("/api/rules/{id}/replay", get(replay))
        .route("/api/policy", get(policy))
        .route("/api/undo", get(undo_list))
        .route("/api/undo/{id}", get(undo_show))
        .route("/api/undo/{id}/restore", post(restore))
        .route("/api/cost", get(cost))
        .route("/api/waiting", get(waiting))
        .route("/api/approvals", post(approve))
        .route("/api/doctor", get(doctor))
}

fn answer(value: impl serde::Serialize) -> Result<Response, Refusal> {
    Ok(axum::Json(value).into_response())
}

/// What stands behind the question mark.
fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Refusal> {
    let read = Query::<T>::try_from_uri(uri);
    read.map(|Query(value)| value).map_err(|error| Refusal::new(Code::BadRequest, error.body_text()))
}

fn name(name: Name) -> Result<String, Refusal> {
    name.map(|Path(name)| name).map_err(|error| Refusal::new(Code::BadRequest, error.body_text()))
}

async fn about(State(shared): Asked) -> Response {
    work(shared, |shared| {
        let mut about = shared.desk.about();
        let cards = shared.feed.cards(now_micros());
        let mut agents: BTreeSet<String> = cards.into_iter().map(|card| card.agent).collect();
        if let Ok(index) = shared.index() {
            let known = index.figures(Scope::default()).calls(By::Agent).unwrap_or_default();
            agents.extend(known.into_iter().map(|row| row.name).filter(|name| !name.is_empty()));
        }
        if let Some(members) = about.as_object_mut() {
            members.insert("head".into(), shared.log().head().map_or(0, |head| head.seq).into());
            members.insert("agents".into(), agents.into_iter().collect::<Vec<_>>().into());
        }
        answer(about)
    })
    .await
}

async fn now(State(shared): Asked) -> Response {
    work(shared, |shared| {
        let at = now_micros();
        let mut cards = shared.feed.cards(at);
        let mut today = json!({ "calls": 0, "asked": 0, "refused": 0, "failed": 0, "sessions": 0 });
        // Without the index the board is there all the same.
        if let Ok(index) = shared.index() {
            for card in &mut cards {
                if let Ok(Some(row)) = index.session_of(&card.agent, &card.session) {
                    (card.calls, card.asked, card.refused) = (row.calls, row.asked, row.denied);
                }
            }
            let scope = Scope { from: Some(at - at.rem_euclid(DAY)), ..Scope::default() };
            let totals = index.figures(scope).totals().map_err(Refusal::failed)?;
            let calls = totals.calls;
            today = json!({
                "calls": calls.calls, "asked": calls.asked, "refused": calls.denied, "failed": calls.failed,
                "sessions": totals.sessions,
            });
        }
        let recent = stamp(at - DAY);
        cards.retain(|card| card.state != CardState::Idle || card.last > recent);
        answer(json!({ "at": stamp(at), "head": shared.feed.head(), "cards": cards, "today": today }))
    })
    .await
}

#[derive(Deserialize)]
struct Search {
    #[serde(default)]
    filter: String,
    before: Option<u64>,
    limit: Option<usize>,
    kind: Option<String>,
}

impl Search {
    fn wanted(&self, shared: &Shared) -> Result<Wanted, Refusal> {
        if self.filter.len() > 4000 || self.filter.chars().count() > 1000 {
            return Err(Refusal::new(Code::BadRequest, "a filter has at most 1000 characters"));
        }
        Wanted::read(&self.filter, &|text| shared.desk.time(text))
    }

    fn limit(&self, most: usize) -> Result<usize, Refusal> {
        match self.limit {
            Some(limit) if !(1..=most).contains(&limit) => {
                Err(Refusal::new(Code::BadRequest, format!("`limit` is between 1 and {most}")))
            }
            limit => Ok(limit.unwrap_or(100)),
        }
    }
}

async fn events(State(shared): Asked, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Search = query(&uri)?;
        let wanted = asked.wanted(shared)?;
        let calls = match asked.kind.as_deref() {
            None | Some("calls") => true,
            Some("all") => false,
            Some(_) => return Err(Refusal::new(Code::BadRequest, "`kind` is `calls` or `all`")),
        };
        let limits = Limits {
            before: asked.before.unwrap_or(u64::MAX),
            rows: asked.limit(500)?,
            calls,
            ..Limits::default()
        };
        let index = shared.index().ok();
        let page = search(&shared.log(), index.as_ref(), &wanted, &limits);
        let head = shared.log().head().map_or(0, |head| head.seq);
        answer(json!({ "rows": page.rows, "next": page.next, "partial": page.partial, "head": head }))
    })
    .await
}

async fn event(State(shared): Asked, path: Name) -> Response {
    work(shared, move |shared| {
        let seq: u64 =
            name(path)?.parse().map_err(|_| Refusal::new(Code::BadRequest, "a record has a number"))?;
        answer(one_event(shared, seq)?)
    })
    .await
}

#[derive(serde::Serialize)]
struct Event {
    row: Row,
    #[serde(flatten)]
    explained: Value,
    would: Value,
    diff: Vec<diff::File>,
    input: Value,
    result: Option<Value>,
    policy: String,
    waiting: Option<Value>,
    snapshot: Option<String>,
    record: Box<RawValue>,
}

fn one_event(shared: &Shared, seq: u64) -> Result<Event, Refusal> {
    let none = || Refusal::new(Code::NotFound, "there is no such record, or it was pruned");
    let log = shared.log();
    let mut records = log.records_from(seq);
    let entry = records.next().filter(|entry| entry.seq == seq).ok_or_else(none)?;
    let record = entry.value().ok_or_else(none)?;
    let mut row = Row::of(&record).ok_or_else(none)?;
    let call = record.text("id").unwrap_or_default().to_owned();
    let ending = row.is_call().then(|| result_of(records.take(RESULT_WITHIN), &row, &call)).flatten();
    match &ending {
        Some(ending) => {
            row.end(ending);
        }
        None => complete(std::slice::from_mut(&mut row), shared.index().ok().as_ref()),
    }
    let input = record.get("input").map(text_of).unwrap_or_default();
    let input: Value = serde_json::from_str(&input).unwrap_or_default();
    let would = record.get("would").map(text_of).unwrap_or_default();
    Ok(Event {
        explained: shared.desk.explain(&entry.line),
        would: serde_json::from_str(&would).unwrap_or_else(|_| json!([])),
        diff: diff::files(&row, &input),
        result: ending.map(result_value),
        policy: record.text("policy").unwrap_or_default().to_owned(),
        waiting: waiting_call(shared, &row),
        snapshot: record.get("undo").and_then(|undo| undo.text("id")).map(str::to_owned),
        record: RawValue::from_string(entry.line).map_err(Refusal::failed)?,
        input,
        row,
    })
}

fn text_of(value: &written::Value) -> String {
    let mut text = String::new();
    written::write(value, &mut text);
    text
}

/// The result of a call, among the records after it.
fn result_of(records: impl Iterator<Item = Entry>, row: &Row, call: &str) -> Option<Ending> {
    for entry in records.filter(|entry| !call.is_empty() && entry.line.contains(call)) {
        let Some(record) = entry.value() else { continue };
        if record.text("session") != Some(&row.session) {
            continue;
        }
        match Ending::of(&record) {
            Some((id, ending)) if id == call => return Some(ending),
            _ => {}
        }
    }
    None
}

fn result_value(ending: Ending) -> Value {
    let mut value = json!({ "seq": ending.seq, "at": ending.at, "outcome": ending.outcome });
    let Some(members) = value.as_object_mut() else { return value };
    if !ending.error.is_empty() {
        members.insert("error".into(), ending.error.into());
    }
    if let Some(bytes) = ending.bytes {
        members.insert("bytes".into(), bytes.into());
    }
    if let Some(took) = ending.took_ms {
        members.insert("took_ms".into(), took.into());
    }
    value
}

fn waiting_call(shared: &Shared, row: &Row) -> Option<Value> {
    if row.code.is_empty() || !matches!(row.outcome, Outcome::Refused) {
        return None;
    }
    let mut waiting = shared.desk.waiting().ok()?;
    let calls = waiting.get_mut("calls")?.as_array_mut()?;
    calls.iter().position(|call| call["seq"] == row.seq).map(|at| calls.swap_remove(at))
}

async fn sessions(State(shared): Asked, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Search = query(&uri)?;
        let (wanted, limit) = (asked.wanted(shared)?, asked.limit(1000)?);
        let cards = shared.feed.cards(now_micros());
        answer(story::list(&shared.index()?, &cards, &*shared.desk, &wanted, limit)?)
    })
    .await
}

async fn session(State(shared): Asked, path: Name, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Search = query(&uri)?;
        let before = asked.before.unwrap_or(u64::MAX);
        let cards = shared.feed.cards(now_micros());
        let index = shared.index()?;
        answer(story::story(&shared.log(), &index, &cards, &*shared.desk, &name(path)?, before)?)
    })
    .await
}

async fn export_session(State(shared): Asked, path: Name) -> Response {
    work(shared, move |shared| {
        let index = shared.index()?;
        let session = story::find(&index, &name(path)?)?;
        let mut page = story::rows(&shared.log(), &index, &session, u64::MAX, 20_000);
        page.rows.reverse();
        let html = export::page(&session, &page.rows, page.next.is_none());
        let mut response = html.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers
            .insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"session.html\""));
        Ok(response)
    })
    .await
}

async fn rules(State(shared): Asked) -> Response {
    work(shared, |shared| {
        shared.index()?;
        answer(shared.desk.rules()?)
    })
    .await
}

async fn rule(State(shared): Asked, path: Name) -> Response {
    work(shared, move |shared| {
        let id = name(path)?;
        let index = shared.index()?;
        let mut rule = shared.desk.rule(&id)?;
        let query = tollgate_index::Query { rule: Some(id), ..Default::default() };
        let wanted = Wanted { query: query.ready(), ..Wanted::default() };
        let limits = Limits { rows: 20, ..Limits::default() };
        let page = search(&shared.log(), Some(&index), &wanted, &limits);
        if let Some(members) = rule.as_object_mut() {
            members.insert("recent".into(), json!(page.rows));
        }
        answer(rule)
    })
    .await
}

#[derive(Deserialize)]
struct Level {
    level: String,
}

async fn replay(State(shared): Asked, path: Name, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Level = query(&uri)?;
        answer(shared.desk.replay(&name(path)?, &asked.level)?)
    })
    .await
}

#[derive(Deserialize)]
struct Project {
    project: Option<String>,
}

async fn policy(State(shared): Asked, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Project = query(&uri)?;
        answer(shared.desk.policy(asked.project.as_deref().filter(|project| !project.is_empty()))?)
    })
    .await
}

async fn undo_list(State(shared): Asked) -> Response {
    work(shared, |shared| answer(shared.desk.undo_list()?)).await
}

async fn undo_show(State(shared): Asked, path: Name) -> Response {
    work(shared, move |shared| answer(shared.desk.undo_show(&name(path)?)?)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    pin: String,
    #[serde(default)]
    force: bool,
}

async fn restore(State(shared): Asked, path: Name, request: Request) -> Response {
    let asked: Restore = match body(request).await {
        Ok(asked) => asked,
        Err(refusal) => return refusal.into_response(),
    };
    work(shared, move |shared| {
        check_pin(&asked.pin)?;
        answer(shared.desk.restore(&name(path)?, &asked.pin, asked.force)?)
    })
    .await
}

#[derive(Deserialize)]
struct Since {
    since: Option<String>,
}

async fn cost(State(shared): Asked, uri: Uri) -> Response {
    work(shared, move |shared| {
        let asked: Since = query(&uri)?;
        let since = shared.desk.time(asked.since.as_deref().unwrap_or("30d"));
        answer(shared.desk.cost(since.map_err(|why| Refusal::new(Code::BadRequest, why))?)?)
    })
    .await
}

async fn waiting(State(shared): Asked) -> Response {
    work(shared, |shared| answer(shared.desk.waiting()?)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    digest: String,
    pin: String,
}

async fn approve(State(shared): Asked, request: Request) -> Response {
    let asked: Approval = match body(request).await {
        Ok(asked) => asked,
        Err(refusal) => return refusal.into_response(),
    };
    work(shared, move |shared| {
        check_pin(&asked.pin)?;
        answer(shared.desk.approve(&asked.digest, &asked.pin)?)
    })
    .await
}

fn check_pin(pin: &str) -> Result<(), Refusal> {
    if pin.chars().count() > 200 {
        return Err(Refusal::new(Code::BadRequest, "a PIN has at most 200 characters"));
    }
    Ok(())
}

async fn doctor(State(shared): Asked) -> Response {
    work(shared, |shared| answer(shared.desk.doctor()?)).await
}

/// The JSON of a request. A page of somebody else cannot send this type without asking first.
async fn body<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Refusal::new(Code::BadRequest, "the request has to be application/json"));
    }
    let reading = axum::body::to_bytes(request.into_body(), BODY);
    let bytes: Bytes = match tokio::time::timeout(ARRIVAL, reading).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return Err(Refusal::new(Code::TooLarge, "the request is too large")),
        Err(_) => return Err(Refusal::new(Code::BadRequest, "the request took too long")),
    };
    serde_json::from_slice(&bytes)
        .map_err(|_| Refusal::new(Code::BadRequest, "the request does not have the right members"))
}

fn now_micros() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}
