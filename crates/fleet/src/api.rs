//! The API of administrators and programs: JSON, with `authorization: Bearer TOKEN`.

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tollgate_fleet_protocol::{ErrorCode, Installed, MAX_BUNDLE, SignedBundle};

use crate::account::{Person, Role, by_token};
use crate::app::Shared;
use crate::fault::{Answer, Refusal};
use crate::{admin, inventory, machine, rollout, waiting};

/// Its routes.
pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/machines", get(machines))
        .route("/api/machines/{id}/revoke", post(revoke))
        .route("/api/incidents", get(incidents))
        .route("/api/incidents/{id}/close", post(close))
        .route("/api/waiting", get(list_waiting))
        .route("/api/waiting/{machine}/{digest}", post(decide))
        .route("/api/rollouts", get(rollouts).post(begin))
        .route("/api/rollouts/{id}/{step}", post(step))
        .route("/api/bundles", post(upload).layer(axum::extract::DefaultBodyLimit::max(MAX_BUNDLE * 2)))
        .route("/api/tokens", post(create_token))
}

async fn person(app: &Shared, headers: &HeaderMap, role: Role) -> Answer<Person> {
    let person = by_token(&*app.db().await?, headers).await?;
    person.must_be(role).map(|()| person)
}

#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    unguarded: bool,
    #[serde(default)]
    after: String,
}

async fn machines(
    State(app): State<Shared>,
    headers: HeaderMap,
    Query(which): Query<Which>,
) -> Answer<Json<Value>> {
    person(&app, &headers, Role::Viewer).await?;
    let machines = inventory::machines(&*app.db().await?, which.unguarded, &which.after).await?;
    Ok(Json(json!({ "machines": machines })))
}

async fn revoke(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Admin).await?;
    machine::revoke(&app, &person.name, &id).await?;
    Ok(Json(json!({})))
}

async fn incidents(State(app): State<Shared>, headers: HeaderMap) -> Answer<Json<Value>> {
    person(&app, &headers, Role::Viewer).await?;
    Ok(Json(json!({ "incidents": inventory::incidents(&*app.db().await?).await? })))
}

async fn close(State(app): State<Shared>, headers: HeaderMap, Path(id): Path<i64>) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Admin).await?;
    inventory::close_incident(&app, &person.name, id).await?;
    Ok(Json(json!({})))
}

async fn list_waiting(State(app): State<Shared>, headers: HeaderMap) -> Answer<Json<Value>> {
    person(&app, &headers, Role::Viewer).await?;
    Ok(Json(json!({ "waiting": waiting::list(&*app.db().await?).await? })))
}

#[derive(Deserialize)]
struct Decision {
    approve: bool,
}

async fn decide(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path((machine, digest)): Path<(String, String)>,
    Json(decision): Json<Decision>,
) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Approver).await?;
    waiting::decide(&app, &person.name, &machine, &digest, decision.approve).await?;
    Ok(Json(json!({})))
}

async fn rollouts(State(app): State<Shared>, headers: HeaderMap) -> Answer<Json<Value>> {
    person(&app, &headers, Role::Viewer).await?;
    Ok(Json(json!({ "rollouts": rollout::list(&*app.db().await?).await? })))
}

#[derive(Deserialize)]
struct Begin {
    group: String,
    digest: String,
}

async fn begin(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(begin): Json<Begin>,
) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Author).await?;
    let id = rollout::begin(&app, &person.name, &begin.group, &begin.digest).await?;
    Ok(Json(json!({ "id": id })))
}

async fn step(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path((id, step)): Path<(i64, String)>,
) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Author).await?;
    let step = serde_json::from_value(Value::String(step));
    let step =
        step.map_err(|_| Refusal::new(ErrorCode::NotFound, "steps are advance, hold, resume and withdraw"))?;
    rollout::step(&app, &person.name, id, step).await?;
    Ok(Json(json!({})))
}

async fn upload(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(bundle): Json<SignedBundle>,
) -> Answer<Json<Installed>> {
    let person = person(&app, &headers, Role::Author).await?;
    Ok(Json(rollout::upload(&app, &person.name, &bundle).await?))
}

#[derive(Deserialize)]
struct NewToken {
    group: String,
    #[serde(default = "a_day")]
    hours: u32,
}

fn a_day() -> u32 {
    24
}

async fn create_token(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(wanted): Json<NewToken>,
) -> Answer<Json<Value>> {
    let person = person(&app, &headers, Role::Admin).await?;
    let token = admin::create_token(&app.pool, &person.name, &wanted.group, wanted.hours).await;
    let token = token.map_err(Refusal::bad)?;
    Ok(Json(json!({ "token": token })))
}
