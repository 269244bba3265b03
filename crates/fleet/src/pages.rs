//! The pages: machines, waiting calls, incidents, rollouts. Rendered here, without scripts.

use axum::Router;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;
use tollgate_fleet_protocol::ErrorCode;

use crate::account::{self, COOKIE, Person, Role};
use crate::app::{App, Shared};
use crate::fault::{Answer, Refusal};
use crate::{inventory, machine, rollout, waiting};

const PAGES: [(&str, &str); 4] = [
    ("/machines", "Machines"),
    ("/waiting", "Waiting calls"),
    ("/incidents", "Incidents"),
    ("/rollouts", "Rollouts"),
];

/// Their routes.
pub fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(|| async { Redirect::to("/machines") }))
        .route("/login", get(show_login).post(log_in))
        .route("/logout", post(log_out))
        .route("/style.css", get(style))
        .route("/machines", get(machines))
        .route("/machines/{id}/revoke", post(revoke))
        .route("/waiting", get(list_waiting))
        .route("/waiting/{machine}/{digest}", post(decide))
        .route("/incidents", get(incidents))
        .route("/incidents/{id}/close", post(close))
        .route("/rollouts", get(rollouts))
        .route("/rollouts/{id}", post(step))
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("pages.css")).into_response()
}

/// Whoever is logged in; others are led to the login.
async fn visitor(app: &App, headers: &HeaderMap) -> Result<Person, Response> {
    let known = async { account::by_cookie(&*app.db().await?, headers).await };
    match known.await {
        Ok(Some(person)) => Ok(person),
        Ok(None) => Err(Redirect::to("/login").into_response()),
        Err(refusal) => Err(refused(&refusal)),
    }
}

fn refused(refusal: &Refusal) -> Response {
    let body = html! { p role="alert" { (refusal.message()) } p { a href="/machines" { "Back" } } };
    (refusal.status(), page(None, "Not done", &body)).into_response()
}

fn page(person: Option<&Person>, title: &str, body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Tollgate" }
                link rel="stylesheet" href="/style.css";
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                @if let Some(person) = person {
                    nav aria-label="Pages" {
                        ul {
                            @for (path, name) in PAGES {
                                li { a href=(path) aria-current=[(name == title).then_some("page")] { (name) } }
                            }
                            li {
                                form class="inline" method="post" action="/logout" {
                                    (hidden(person)) button { "Log out " (person.name) }
                                }
                            }
                        }
                    }
                }
                main id="main" { h1 { (title) } (body) }
            }
        }
    };
    Html(page.into_string())
}

fn hidden(person: &Person) -> Markup {
    html! { input type="hidden" name="csrf" value=(person.csrf); }
}

/// A form of ours: it has the session's secret, and comes from our own page.
fn check_form(app: &App, headers: &HeaderMap, person: Option<&Person>, csrf: &str) -> Answer<()> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let site = text("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let origin = text("origin").is_none_or(|origin| origin == app.origin);
    let ours =
        person.is_none_or(|person| blake3::hash(person.csrf.as_bytes()) == blake3::hash(csrf.as_bytes()));
    if site && origin && ours {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::Forbidden, "the form comes from another page; reload and try again"))
}

#[derive(Deserialize)]
struct Login {
    name: String,
    password: String,
}

fn login_page(wrong: bool) -> Html<String> {
    page(
        None,
        "Log in",
        &html! {
            @if wrong { p role="alert" { "Name or password do not fit, or the account rests after too many tries." } }
            form method="post" action="/login" {
                label { "Name " input name="name" autocomplete="username" required autofocus; }
                label { "Password " input name="password" type="password" autocomplete="current-password" required; }
                button { "Log in" }
            }
        },
    )
}

async fn show_login() -> Html<String> {
    login_page(false)
}

async fn log_in(State(app): State<Shared>, headers: HeaderMap, Form(login): Form<Login>) -> Response {
    if let Err(refusal) = check_form(&app, &headers, None, "") {
        return refused(&refusal);
    }
    match account::log_in(&app, &login.name, &login.password).await {
        Ok(Some(session)) => {
            let secure = if app.secure { "; Secure" } else { "" };
            let cookie =
                format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200{secure}");
            let mut response = Redirect::to("/machines").into_response();
            if let Ok(cookie) = HeaderValue::from_str(&cookie) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Ok(None) => (axum::http::StatusCode::UNAUTHORIZED, login_page(true)).into_response(),
        Err(refusal) => refused(&refusal),
    }
}

#[derive(Deserialize)]
struct Csrf {
    csrf: String,
    #[serde(default)]
    action: String,
}

/// Checks a form, does what it says, and shows the page again.
async fn act<F>(app: &Shared, headers: &HeaderMap, form: &Csrf, role: Role, back: &str, deed: F) -> Response
where
    F: AsyncFnOnce(&Person) -> Answer<()>,
{
    let person = match visitor(app, headers).await {
        Ok(person) => person,
        Err(response) => return response,
    };
    let allowed = check_form(app, headers, Some(&person), &form.csrf).and_then(|()| person.must_be(role));
    let done = match allowed {
        Ok(()) => deed(&person).await,
        Err(refusal) => Err(refusal),
    };
    done.map_or_else(|refusal| refused(&refusal), |()| Redirect::to(back).into_response())
}

async fn log_out(State(app): State<Shared>, headers: HeaderMap, Form(form): Form<Csrf>) -> Response {
    let end = async |_: &Person| account::log_out(&*app.db().await?, &headers).await;
    act(&app, &headers, &form, Role::Viewer, "/login", end).await
}

#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    unguarded: bool,
    #[serde(default)]
    after: String,
}

async fn machines(State(app): State<Shared>, headers: HeaderMap, Query(which): Query<Which>) -> Response {
    let person = match visitor(&app, &headers).await {
        Ok(person) => person,
        Err(response) => return response,
    };
    let read = async {
        let db = app.db().await?;
        Ok::<_, Refusal>((
            inventory::machines(&db, which.unguarded, &which.after).await?,
            inventory::verdicts(&db).await?,
        ))
    };
    let (machines, verdicts) = match read.await {
        Ok(read) => read,
        Err(refusal) => return refused(&refusal),
    };
    let more = machines.last().filter(|_| machines.len() >= 500).map(|last| last.id.clone());
    let body = html! {
        p { "Calls of the last day: " @for (verdict, calls) in &verdicts { (verdict) " " (calls) " · " } }
        p {
            @if which.unguarded { a href="/machines" { "Show all machines" } }
            @else { a href="/machines?unguarded=true" { "Show machines with an unguarded agent" } }
        }
        (machine_table(&person, &machines))
        @if let Some(last) = more { p { a href={ "/machines?unguarded=" (which.unguarded) "&after=" (last) } { "Next" } } }
    };
    page(Some(&person), "Machines", &body).into_response()
}

fn machine_table(person: &Person, machines: &[inventory::Machine]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Machines" {
            table {
                caption { (machines.len()) " machines" }
                thead { tr {
                    @for name in ["Machine", "Group", "Gate", "Agents", "Records", "Last seen", "Incidents", "Faults", ""] {
                        th scope="col" { (name) }
                    }
                } }
                tbody {
                    @for machine in machines {
                        tr {
                            th scope="row" { (machine.host) " " small { (machine.user) " " (machine.id) } }
                            td { (machine.group) }
                            td { (machine.gate) }
                            td { (agents(&machine.agents)) }
                            td { (machine.records) }
                            td { (machine.seen_s) " s ago" }
                            td { (machine.incidents.join(", ")) }
                            td { (machine.faults.as_array().map_or(0, Vec::len)) }
                            td {
                                @if machine.revoked { "revoked" }
                                @else if person.role >= Role::Admin {
                                    form method="post" action={ "/machines/" (machine.id) "/revoke" } {
                                        (hidden(person)) button { "Revoke" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn agents(agents: &serde_json::Value) -> Markup {
    let text = |agent: &serde_json::Value, key: &str| {
        agent.get(key).and_then(|value| value.as_str()).unwrap_or("").to_owned()
    };
    html! {
        @for agent in agents.as_array().into_iter().flatten() {
            (text(agent, "name")) " " (text(agent, "version"))
            @if agent.get("guarded").and_then(serde_json::Value::as_bool) != Some(true) { " (unguarded)" }
            br;
        }
    }
}

async fn revoke(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<Csrf>,
) -> Response {
    let deed = async |person: &Person| machine::revoke(&app, &person.name, &id).await;
    act(&app, &headers, &form, Role::Admin, "/machines", deed).await
}

async fn list_waiting(State(app): State<Shared>, headers: HeaderMap) -> Response {
    let person = match visitor(&app, &headers).await {
        Ok(person) => person,
        Err(response) => return response,
    };
    let read = async { waiting::list(&*app.db().await?).await };
    let calls = match read.await {
        Ok(calls) => calls,
        Err(refusal) => return refused(&refusal),
    };
    let body = html! {
        @if calls.is_empty() { p { "No call waits." } }
        @for call in &calls {
            article aria-label={ "Call " (call.code) } {
                h2 { (call.code) " on " (call.host) }
                p { (call.agent) " in " code { (call.folder) } ", " (call.seconds) " s ago" }
                pre { (call.call) }
                ul { @for finding in &call.findings { li { (finding) } } }
                @if person.role >= Role::Approver {
                    form method="post" action={ "/waiting/" (call.machine) "/" (call.digest) } {
                        (hidden(&person))
                        button name="action" value="approve" { "Let it pass once" } " "
                        button name="action" value="dismiss" { "Dismiss" }
                    }
                }
            }
        }
    };
    page(Some(&person), "Waiting calls", &body).into_response()
}

async fn decide(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path((machine, digest)): Path<(String, String)>,
    Form(form): Form<Csrf>,
) -> Response {
    let deed = async |person: &Person| {
        let approve = match form.action.as_str() {
            "approve" => true,
            "dismiss" => false,
            _ => return Err(Refusal::bad("the form names no action")),
        };
        waiting::decide(&app, &person.name, &machine, &digest, approve).await
    };
    act(&app, &headers, &form, Role::Approver, "/waiting", deed).await
}

async fn incidents(State(app): State<Shared>, headers: HeaderMap) -> Response {
    let person = match visitor(&app, &headers).await {
        Ok(person) => person,
        Err(response) => return response,
    };
    let read = async { inventory::incidents(&*app.db().await?).await };
    let incidents = match read.await {
        Ok(incidents) => incidents,
        Err(refusal) => return refused(&refusal),
    };
    let body = html! {
        div class="scroll" tabindex="0" role="region" aria-label="Incidents" {
            table {
                caption { (incidents.len()) " open incidents" }
                thead { tr {
                    @for name in ["Kind", "Machine", "What", "Times", "Last", ""] { th scope="col" { (name) } }
                } }
                tbody {
                    @for incident in &incidents {
                        tr {
                            th scope="row" { (incident.kind) }
                            td { (incident.host) " " small { (incident.machine) } }
                            td { (incident.detail) }
                            td { (incident.count) }
                            td { (incident.seconds) " s ago" }
                            td {
                                @if person.role >= Role::Admin {
                                    form method="post" action={ "/incidents/" (incident.id) "/close" } {
                                        (hidden(&person)) button { "Close" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    page(Some(&person), "Incidents", &body).into_response()
}

async fn close(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Csrf>,
) -> Response {
    let deed = async |person: &Person| inventory::close_incident(&app, &person.name, id).await;
    act(&app, &headers, &form, Role::Admin, "/incidents", deed).await
}

async fn rollouts(State(app): State<Shared>, headers: HeaderMap) -> Response {
    let person = match visitor(&app, &headers).await {
        Ok(person) => person,
        Err(response) => return response,
    };
    let read = async { rollout::list(&*app.db().await?).await };
    let rollouts = match read.await {
        Ok(rollouts) => rollouts,
        Err(refusal) => return refused(&refusal),
    };
    let body = html! {
        div class="scroll" tabindex="0" role="region" aria-label="Rollouts" {
            table {
                caption { (rollouts.len()) " rollouts" }
                thead { tr {
                    @for name in ["Rollout", "Group", "Version", "Stage", "In force on", ""] { th scope="col" { (name) } }
                } }
                tbody {
                    @for rollout in &rollouts {
                        tr {
                            th scope="row" { (rollout.id) }
                            td { (rollout.group) }
                            td { (rollout.version) }
                            td { (stage(rollout)) }
                            td { (rollout.enforced_by) " of " (rollout.machines) }
                            td { @if person.role >= Role::Author { (steps(&person, rollout)) } }
                        }
                    }
                }
            }
        }
    };
    page(Some(&person), "Rollouts", &body).into_response()
}

fn stage(rollout: &rollout::Rollout) -> String {
    match (&rollout.held, rollout.percent) {
        _ if rollout.withdrawn => "withdrawn".to_owned(),
        (Some(why), percent) => format!("held at {percent} %: {why}"),
        (None, 0) => "observed".to_owned(),
        (None, percent) => format!("enforced by {percent} %"),
    }
}

fn steps(person: &Person, rollout: &rollout::Rollout) -> Markup {
    let steps: &[(&str, &str)] = match (&rollout.held, rollout.percent) {
        _ if rollout.withdrawn => &[],
        (Some(_), _) => &[("resume", "Resume"), ("withdraw", "Withdraw")],
        (None, 100) => &[("hold", "Hold"), ("withdraw", "Withdraw")],
        (None, _) => &[("advance", "Next stage"), ("hold", "Hold"), ("withdraw", "Withdraw")],
    };
    html! {
        @if !steps.is_empty() {
            form method="post" action={ "/rollouts/" (rollout.id) } {
                (hidden(person))
                @for (action, name) in steps { button name="action" value=(action) { (name) } " " }
            }
        }
    }
}

async fn step(
    State(app): State<Shared>,
    headers: HeaderMap,
    Path(id): Path<i64>,
    Form(form): Form<Csrf>,
) -> Response {
    let deed = async |person: &Person| {
        let step = serde_json::from_value(form.action.clone().into());
        rollout::step(&app, &person.name, id, step.map_err(|_| Refusal::bad("the form names no action"))?)
            .await
    };
    act(&app, &headers, &form, Role::Author, "/rollouts", deed).await
}
