//! `tollgate-server demo`: a fleet to look at, which leaves nothing behind.

use std::fmt::Write;
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use deadpool_postgres::Pool;
use tollgate_fleet_protocol::Head;

use crate::account::Role;
use crate::app::secret;
use crate::config::Config;
use crate::postgres::Postgres;
use crate::simulate::{Simulated, write_log};
use crate::{admin, db, server};

const WHO: &str = "demo";
const MACHINES: [&str; 3] = ["build-server", "laptop-ann", "laptop-bob"];

/// Runs until `end` comes. `say` tells how to log in, once the server listens.
///
/// # Errors
/// When PostgreSQL is not installed, or the address is taken.
pub async fn run(
    listen: SocketAddr,
    end: impl Future<Output = ()>,
    say: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let postgres = Postgres::start(false)?;
    let folder = tempfile::Builder::new().prefix("tollgate-demo-").tempdir()?;
    let config = Config {
        database: postgres.url(),
        listen,
        data: folder.path().join("data"),
        fleet: "demo".to_owned(),
        ..Config::default()
    };
    let pool = db::pool(&config.database, 2)?;
    db::migrate(&pool, &config.fleet).await?;
    let password = secret().map_err(|refusal| anyhow::anyhow!("{}", refusal.message()))?;
    admin::create_user(&pool, WHO, "demo", Role::Admin, &password).await?;
    let tokens = tokens(&pool).await?;
    let stop = Arc::new(AtomicBool::new(false));
    let url = config.origin();
    let machines = start_machines(&url, folder.path(), tokens, &stop);
    let mut text = String::new();
    let _ = writeln!(text, "{url}/waiting\n  name      demo\n  password  {password}");
    let _ = write!(
        text,
        "Three machines send their logs; their refused calls wait there. Ctrl-C ends and removes all of it."
    );
    say(&text)?;
    let served = server::serve(config, end).await;
    stop.store(true, Ordering::SeqCst);
    for machine in machines {
        // A machine that failed has said so in the log.
        let _ = machine.join();
    }
    drop(postgres);
    folder.close().context("the demonstration's folder")?;
    served
}

async fn tokens(pool: &Pool) -> anyhow::Result<Vec<String>> {
    let mut tokens = Vec::new();
    for _ in MACHINES {
        tokens.push(admin::create_token(pool, WHO, "all", 1).await?);
    }
    Ok(tokens)
}

fn start_machines(
    url: &str,
    folder: &Path,
    tokens: Vec<String>,
    stop: &Arc<AtomicBool>,
) -> Vec<std::thread::JoinHandle<()>> {
    let start = |(host, token): (&&str, String)| {
        let (url, state, stop) = (url.to_owned(), folder.join(host), Arc::clone(stop));
        let host = (*host).to_owned();
        std::thread::spawn(move || {
            if let Err(error) = live(&url, &host, &token, &state, &stop) {
                tracing::warn!(host, error = error.to_string(), "a simulated machine ended");
            }
        })
    };
    MACHINES.iter().zip(tokens).map(start).collect()
}

/// The life of a machine: joins, works, sends, asks for approvals.
fn live(url: &str, host: &str, token: &str, state: &Path, stop: &AtomicBool) -> anyhow::Result<()> {
    let mut machine = Simulated::new(url, host)?;
    let mut tries = 0;
    while let Err(error) = machine.enrol(token) {
        tries += 1;
        anyhow::ensure!(tries < 50 && !stop.load(Ordering::SeqCst), "cannot join: {error:#}");
        std::thread::sleep(Duration::from_millis(200));
    }
    let (mut written, mut last) = (0, 0);
    while !stop.load(Ordering::SeqCst) {
        // The tenth call is the first that is refused: there is something to see at once.
        let count = if written == 0 { 10 } else { 3 };
        let log = write_log(state, written, count)?;
        written += count;
        machine.sync(&log)?;
        machine.hello(log.head().map(|head| Head { seq: head.seq, hash: head.hash() }))?;
        let grants = machine.grants(last, 2)?.grants;
        for grant in &grants {
            tracing::info!(host, digest = grant.digest, by = grant.by, "a call may pass once");
        }
        last = grants.last().map_or(last, |grant| grant.id);
    }
    Ok(())
}
