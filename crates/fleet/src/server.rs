//! The server: routes, the loop that accepts, and the end.

use std::future::Future;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Json;
use axum::Router;
use axum::extract::Path as UrlPath;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, broadcast, watch};
use tollgate_fleet_protocol::{ErrorCode, MachineKey, SignedBundle};

use crate::app::{App, Shared, random};
use crate::config::Config;
use crate::fault::{Answer, Refusal};
use crate::metrics::Metrics;
use crate::{api, auth, background, db, ingest, machine, pages, rollout, waiting};

/// Connections at once; the next ones wait. A machine that waits for grants has one.
const CONNECTIONS: usize = 10_000;
/// Bodies that are read at once, of at most 4 MiB each, and passwords that are checked at once.
const BODIES: usize = 256;
const LOGINS: usize = 2;
/// How long a client may take for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// How long requests may go on once the server is asked to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// Serves until `end` comes, then lets requests finish.
///
/// # Errors
/// When the database, the folder or the address cannot be used.
pub async fn serve(config: Config, end: impl Future<Output = ()>) -> anyhow::Result<()> {
    let pool = db::pool(&config.database, config.connections)?;
    db::migrate(&pool, &config.fleet).await.context("the database cannot be brought up to date")?;
    let fleet: String = pool.get().await?.query_one("SELECT name FROM fleet", &[]).await?.get(0);
    anyhow::ensure!(
        fleet == config.fleet,
        "the database is that of the fleet `{fleet}`, not `{}`; bundles and machines know it by this name",
        config.fleet
    );
    let app = Arc::new(App {
        pool,
        fleet,
        grant_key: grant_key(&config.data)?,
        ingest: Semaphore::new(config.batches),
        bodies: Semaphore::new(BODIES),
        logins: Semaphore::new(LOGINS),
        granted: broadcast::channel(1024).0,
        metrics: Metrics::default(),
        secure: config.origin().starts_with("https://"),
        origin: config.origin(),
    });
    let listener = TcpListener::bind(config.listen).await;
    let listener = listener.with_context(|| format!("cannot listen on {}", config.listen))?;
    tracing::info!(address = listener.local_addr()?.to_string(), fleet = app.fleet, "listening");
    tokio::spawn(background::tend(Arc::clone(&app), config.keep_days));
    tokio::spawn(background::listen(Arc::clone(&app), config.database));
    accept(listener, router(app), end).await;
    tracing::info!("ended");
    Ok(())
}

/// The key that signs grants; made by the first start.
fn grant_key(folder: &Path) -> anyhow::Result<MachineKey> {
    let path = folder.join("grant.key");
    if !path.exists() {
        std::fs::create_dir_all(folder).with_context(|| format!("`{}`", folder.display()))?;
        let seed = random::<32>().map_err(|refusal| anyhow::anyhow!("{}", refusal.message()))?;
        let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let mut file = file.with_context(|| format!("`{}`", path.display()))?;
        file.write_all(&seed)
            .and_then(|()| file.sync_all())
            .with_context(|| format!("`{}`", path.display()))?;
    }
    let seed = std::fs::read(&path).with_context(|| format!("`{}`", path.display()))?;
    let seed: [u8; 32] =
        seed.try_into().map_err(|_| anyhow::anyhow!("`{}` is not 32 bytes", path.display()))?;
    Ok(MachineKey::from_seed(&seed)?)
}

/// All routes.
pub fn router(app: Shared) -> Router {
    Router::new()
        .route("/v1/enrol", post(machine::enrol))
        .route("/v1/hello", post(machine::hello))
        .route("/v1/leave", post(machine::leave))
        .route("/v1/records", post(ingest::records))
        .route("/v1/grants", get(waiting::grants))
        .route("/v1/bundles/{digest}", get(bundle))
        .route("/api/health", get(health))
        .route("/metrics", get(metrics))
        .merge(api::routes())
        .merge(pages::routes())
        .fallback(|| async { Refusal::new(ErrorCode::NotFound, "there is no such address") })
        .layer(middleware::from_fn_with_state(Arc::clone(&app), count))
        .with_state(app)
}

async fn bundle(
    State(app): State<Shared>,
    UrlPath(digest): UrlPath<String>,
    request: Request,
) -> Answer<Json<SignedBundle>> {
    auth::signed(&app, request, 1024).await?;
    Ok(Json(rollout::bundle(&*app.db().await?, &digest).await?))
}

/// Can the server do its work?
async fn health(State(app): State<Shared>) -> Response {
    let asked = async { app.db().await?.query_one("SELECT 1", &[]).await.map_err(Refusal::from) };
    match tokio::time::timeout(Duration::from_secs(3), asked).await {
        Ok(Ok(_)) => {
            Json(serde_json::json!({ "ok": true, "version": env!("CARGO_PKG_VERSION") })).into_response()
        }
        _ => (StatusCode::SERVICE_UNAVAILABLE, Json(serde_json::json!({ "ok": false }))).into_response(),
    }
}

async fn metrics(State(app): State<Shared>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.text()).into_response()
}

/// Counts answers, and tells browsers to trust nothing but these pages.
async fn count(State(app): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let counter = match response.status() {
        StatusCode::TOO_MANY_REQUESTS => Some(&app.metrics.busy),
        status if status.is_client_error() => Some(&app.metrics.refused),
        status if status.is_server_error() => Some(&app.metrics.failed),
        _ => None,
    };
    if let Some(counter) = counter {
        Metrics::add(counter, 1);
    }
    for (name, value) in PROTECTION {
        response.headers_mut().insert(*name, HeaderValue::from_static(value));
    }
    response
}

const PROTECTION: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

async fn accept(listener: TcpListener, router: Router, end: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let (ending, ended) = watch::channel(false);
    let mut end = std::pin::pin!(end);
    loop {
        let next = async { (Arc::clone(&places).acquire_owned().await, listener.accept().await) };
        let (place, accepted) = tokio::select! {
            () = &mut end => break,
            next = next => next,
        };
        let Ok((stream, _)) = accepted else {
            // No more files: others may close theirs.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (router, mut ended) = (router.clone(), ended.clone());
        tokio::spawn(async move {
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(64 << 10);
            let serving = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
            let mut serving = std::pin::pin!(serving);
            // A client that goes away, or breaks the protocol, is nobody's loss.
            tokio::select! {
                _ = serving.as_mut() => {}
                () = async { drop(ended.wait_for(|ended| *ended).await) } => {
                    serving.as_mut().graceful_shutdown();
                    let _ = serving.await;
                }
            }
            drop(place);
        });
    }
    drop(listener);
    let _ = ending.send(true);
    let all = u32::try_from(CONNECTIONS).unwrap_or(u32::MAX);
    // Requests that wait for grants are cut off; their machines ask again.
    let _ = tokio::time::timeout(FAREWELL, places.acquire_many(all)).await;
}
