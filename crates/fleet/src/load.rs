//! `tollgate-server load`: measures a server with simulated machines, PostgreSQL and all on this machine.

use std::fmt::Write;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use deadpool_postgres::Pool;

use crate::app::secret_hash;
use crate::db;
use crate::postgres::Postgres;
use crate::simulate::{Simulated, batch, write_log};

/// What to measure.
#[derive(clap::Args, Debug)]
pub struct Load {
    /// Machines
    #[arg(long, default_value_t = 2000)]
    machines: usize,
    /// Records of each machine
    #[arg(long, default_value_t = 500)]
    records: u64,
    /// Records of a batch
    #[arg(long, default_value_t = 250)]
    batch: usize,
    /// Machines that send at the same time
    #[arg(long, default_value_t = 8)]
    threads: usize,
}

/// A server process that ends with this value.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Measures. Returns the figures as text.
///
/// # Errors
/// When anything does not start, or a record is missing in the end.
pub async fn run(load: &Load) -> anyhow::Result<String> {
    let postgres = Postgres::start(true)?;
    let folder = tempfile::Builder::new().prefix("tollgate-load-").tempdir()?;
    let (served, url) = serve(&postgres.url(), folder.path())?;
    let pool = db::pool(&postgres.url(), 2)?;
    // The log is the same for all machines; each has a chain of its own for it.
    let log = write_log(&folder.path().join("state"), 0, load.records)?;
    let lines: Vec<String> = log.records().map(|entry| entry.line).collect();
    let plain: usize = lines.iter().map(String::len).sum();
    let bodies: Vec<Vec<u8>> =
        lines.chunks(load.batch).map(|part| batch(part, None)).collect::<Result<_, _>>()?;
    let machines = join(load, &pool, &url).await?;
    let before = size(&pool).await?;
    let begun = Instant::now();
    let (mut times, busy) = send(load, &machines, &bodies)?;
    let took = begun.elapsed();
    let total = load.machines as i64 * lines.len() as i64;
    let db = pool.get().await?;
    let stored: i64 = db.query_one("SELECT count(*) FROM events", &[]).await?.get(0);
    ensure!(stored == total, "{stored} records are stored of {total}");
    let per_million = (size(&pool).await? - before) as f64 / total as f64;
    drop(served);
    times.sort_unstable();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    let millis = |share| at(share).map_or(0, Duration::as_millis);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{} machines, {total} records of {} bytes, {} a batch",
        load.machines,
        plain / lines.len().max(1),
        load.batch
    );
    let _ =
        writeln!(out, "{:.0} records/s in {:.1} s", total as f64 / took.as_secs_f64(), took.as_secs_f64());
    let _ = writeln!(out, "a batch takes {} ms (median), {} ms (p99)", millis(50), millis(99));
    let _ = writeln!(out, "{busy} batches were told to come again");
    let _ = write!(out, "{per_million:.0} MB per million records");
    Ok(out)
}

fn serve(database: &str, folder: &std::path::Path) -> anyhow::Result<(Served, String)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["serve", "--listen", "127.0.0.1:0", "--database", database, "--data"]).arg(folder);
    let mut served = Served(command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?);
    let mut lines = BufReader::new(served.0.stderr.take().context("no log")?).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let event: serde_json::Value = serde_json::from_str(&line).ok()?;
        (event.get("message")? == "listening").then(|| event.get("address")?.as_str().map(str::to_owned))?
    });
    std::thread::spawn(move || lines.for_each(drop));
    Ok((served, format!("http://{}", address.context("the server does not start")?)))
}

/// All machines, each with its own key.
async fn join(load: &Load, pool: &Pool, url: &str) -> anyhow::Result<Vec<Simulated>> {
    let db = pool.get().await?;
    let insert = "INSERT INTO tokens (hash, grp, created_by, expires_at) VALUES ($1, 'all', 'load', now() + interval '1 day')";
    let mut machines = Vec::new();
    for number in 0..load.machines {
        let token = format!("load {number}");
        db.execute(insert, &[&secret_hash(&token)]).await?;
        let machine = Simulated::new(url, &format!("host-{number}"))?;
        machine.enrol(&token)?;
        machines.push(machine);
    }
    Ok(machines)
}

/// Sends everything: each machine its batches in order, so many machines at a time. Returns the times of the batches.
fn send(load: &Load, machines: &[Simulated], bodies: &[Vec<u8>]) -> anyhow::Result<(Vec<Duration>, u64)> {
    let (next, busy) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let mut times = Vec::new();
        while let Some(machine) = machines.get(next.fetch_add(1, Ordering::SeqCst)) {
            for body in bodies {
                loop {
                    let begun = Instant::now();
                    let reply = machine.request("POST", "/v1/records", body)?;
                    if reply.status == 200 {
                        times.push(begun.elapsed());
                        break;
                    }
                    ensure!(
                        reply.status == 429,
                        "{}: {}",
                        reply.status,
                        String::from_utf8_lossy(&reply.body)
                    );
                    busy.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_secs(reply.retry_after.unwrap_or(1)));
                }
            }
        }
        Ok(times)
    };
    let results: Vec<anyhow::Result<Vec<Duration>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..load.threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("a thread failed")))
            .collect()
    });
    let mut times = Vec::new();
    for result in results {
        times.extend(result?);
    }
    Ok((times, busy.into_inner()))
}

/// Bytes of all tables and indexes.
async fn size(pool: &Pool) -> anyhow::Result<i64> {
    let query = "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
    Ok(pool.get().await?.query_one(query, &[]).await?.get(0))
}
