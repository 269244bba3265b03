//! Sessions: the list, and one of them as a story.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tollgate_index::{Index, Query, Scope, SessionRow};
use tollgate_store::Log;

use crate::board::Card;
use crate::desk::Desk;
use crate::filter::Wanted;
use crate::refusal::{Code, Refusal};
use crate::row::{Outcome, Row, session_id};
use crate::search::{Limits, Page, search};

/// Rows of a story that are sent at once.
const ROWS: usize = 1_000;
/// Sessions that a filter is held against.
const LOOKED_AT: usize = 20_000;
/// Records after a session's last call, and before its first, that may be its own.
const AROUND: u64 = 20_000;

/// `Sessions`.
pub(crate) fn list(
    index: &Index,
    cards: &[Card],
    desk: &dyn Desk,
    wanted: &Wanted,
    limit: usize,
) -> Result<Value, Refusal> {
    let query = &wanted.query;
    let scope = Scope { from: query.since, to: query.until, agent: query.agent.clone() };
    let rows = index.figures(scope).sessions(LOOKED_AT).map_err(Refusal::failed)?;
    let fits = |row: &SessionRow| {
        let project = query.project.as_ref().is_none_or(|part| row.cwd.contains(part));
        let id = query.session.as_ref().is_none_or(|start| row.session.starts_with(start));
        let words = query
            .texts
            .iter()
            .all(|word| row.cwd.to_lowercase().contains(word) || row.session.to_lowercase().contains(word));
        project && id && words && !row.session.starts_with("tollgate-canary-") && !row.session.is_empty()
    };
    let rows: Vec<SessionRow> = rows.into_iter().filter(fits).collect();
    let sessions: Vec<Value> = rows.iter().take(limit).map(|row| value(row, cards, desk)).collect();
    Ok(json!({ "sessions": sessions, "total": rows.len() }))
}

fn value(row: &SessionRow, cards: &[Card], desk: &dyn Desk) -> Value {
    let id = session_id(&row.agent, &row.session);
    let card = cards.iter().find(|card| card.id == id);
    json!({
        "id": id, "agent": row.agent, "session": row.session, "cwd": row.cwd,
        "project": card.map_or_else(|| desk.project(&row.cwd), |card| card.project.clone()),
        "first": stamp(row.first), "last": stamp(row.last), "events": row.events, "prompts": row.prompts,
        "calls": row.calls, "asked": row.asked, "refused": row.denied,
        "state": card.map_or("idle", |card| card.state.name()),
    })
}

/// A session by the name that the API gives it.
pub(crate) fn find(index: &Index, id: &str) -> Result<SessionRow, Refusal> {
    let none = || Refusal::new(Code::NotFound, "there is no such session");
    let (agent, session) = id.split_once(':').ok_or_else(none)?;
    index.session_of(agent, session).map_err(Refusal::failed)?.ok_or_else(none)
}

/// The rows of a session, newest first.
pub(crate) fn rows(log: &Log, index: &Index, session: &SessionRow, before: u64, most: usize) -> Page {
    let calls = index.calls_of(session.id).unwrap_or_default();
    let (first, last) =
        (calls.first().map_or(0, |call| call.seq), calls.last().map_or(u64::MAX, |call| call.seq));
    let query = Query {
        session: Some(session.session.clone()),
        agent: Some(session.agent.clone()),
        since: Some(session.first),
        ..Query::default()
    };
    let wanted = Wanted {
        query: query.ready(),
        session: Some(session_id(&session.agent, &session.session)),
        ..Wanted::default()
    };
    let limits = Limits {
        before: before.min(last.saturating_add(AROUND)),
        from: first.saturating_sub(AROUND),
        rows: most,
        calls: false,
        ..Limits::default()
    };
    search(log, Some(index), &wanted, &limits)
}

/// `SessionStory`.
pub(crate) fn story(
    log: &Log,
    index: &Index,
    cards: &[Card],
    desk: &dyn Desk,
    id: &str,
    before: u64,
) -> Result<Value, Refusal> {
    let session = find(index, id)?;
    let mut page = rows(log, index, &session, before, ROWS);
    page.rows.reverse();
    Ok(json!({
        "session": value(&session, cards, desk), "lanes": lanes(&session, &page.rows), "rows": page.rows,
        "next": page.next, "cost": desk.spent(None, Some((&session.agent, &session.session))),
    }))
}

/// The main agent and its subagents, in the order in which they began.
fn lanes(session: &SessionRow, rows: &[Row]) -> Vec<Value> {
    let mut order: Vec<&str> = vec![""];
    let mut found: BTreeMap<&str, (&str, &str, &str, u64, u64)> = BTreeMap::new();
    let (first, last) = (stamp(session.first), stamp(session.last));
    found.insert("", ("", &first, &last, 0, 0));
    for row in rows {
        let (id, kind) =
            row.actor.as_ref().map_or(("", ""), |actor| (actor.id.as_str(), actor.kind.as_str()));
        let lane = found.entry(id).or_insert_with(|| {
            order.push(id);
            (kind, &row.at, &row.at, 0, 0)
        });
        if !id.is_empty() {
            lane.2 = &row.at;
        }
        lane.3 += u64::from(row.is_call());
        lane.4 += u64::from(row.outcome == Outcome::Refused);
    }
    let lane = |id: &str| {
        let (kind, first, last, calls, refused) = found.get(id)?;
        let parent = (!id.is_empty()).then_some("");
        Some(json!({
            "id": id, "type": kind, "parent": parent, "first": first, "last": last, "calls": calls,
            "refused": refused,
        }))
    };
    order.into_iter().filter_map(lane).collect()
}

/// As RFC 3339.
pub(crate) fn stamp(micros: i64) -> String {
    let since = std::time::Duration::from_micros(micros.max(0).unsigned_abs());
    tollgate_store::rfc3339(std::time::UNIX_EPOCH + since)
}
