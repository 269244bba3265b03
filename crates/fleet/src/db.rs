//! The database: connections, migrations, partitions.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::{Client, NoTls};

mod embedded {
    refinery::embed_migrations!("migrations");
}

/// How long a request waits for a connection, and a connection for PostgreSQL.
const PATIENCE: Duration = Duration::from_secs(5);
/// Only one server migrates, makes partitions or writes the audit trail at a time.
pub const LOCK: i64 = 0x746f_6c6c;
/// Days for which partitions are made in advance.
const AHEAD: i32 = 3;

/// Connections to a database by its URL.
///
/// # Errors
/// When the URL is none.
pub fn pool(url: &str, size: usize) -> anyhow::Result<Pool> {
    let mut config: tokio_postgres::Config = url
        .parse()
        .map_err(|_| anyhow::anyhow!("the database URL cannot be read; is it `postgresql://…`?"))?;
    config.connect_timeout(PATIENCE).application_name("tollgate-server");
    let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(config, NoTls, manager);
    let builder = Pool::builder(manager).max_size(size).runtime(Runtime::Tokio1);
    Ok(builder.wait_timeout(Some(PATIENCE)).create_timeout(Some(PATIENCE)).build()?)
}

/// Brings the schema up to date.
///
/// # Errors
/// When the database cannot be reached, or a migration fails; then nothing of it stays.
pub async fn migrate(pool: &Pool, fleet: &str) -> anyhow::Result<()> {
    let mut connection = pool.get().await?;
    let client: &mut Client = &mut connection;
    client.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})")).await?;
    let migrated = embedded::migrations::runner().run_async(client).await;
    client.batch_execute(&format!("SELECT pg_advisory_unlock({LOCK})")).await?;
    migrated?;
    client.execute("INSERT INTO fleet (name) VALUES ($1) ON CONFLICT DO NOTHING", &[&fleet]).await?;
    make_partitions(client).await?;
    Ok(())
}

/// Makes the partitions of today and the days after. Those that exist stay.
///
/// # Errors
/// When the database fails.
pub async fn make_partitions(client: &Client) -> Result<(), tokio_postgres::Error> {
    client
        .batch_execute(&format!(
            "DO $$ DECLARE d date; t text; BEGIN
               PERFORM pg_advisory_xact_lock({LOCK});
               FOR i IN 0..{AHEAD} LOOP
                 d := current_date + i;
                 FOREACH t IN ARRAY ARRAY['segments', 'events'] LOOP
                   IF to_regclass(format('%s_%s', t, to_char(d, 'YYYYMMDD'))) IS NULL THEN
                     EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                       t || '_' || to_char(d, 'YYYYMMDD'), t, d, d + 1);
                   END IF;
                 END LOOP;
               END LOOP;
             END $$"
        ))
        .await
}

/// Drops the partitions of days that are older. Returns their names.
///
/// # Errors
/// When the database fails.
pub async fn drop_partitions(client: &Client, keep_days: i32) -> Result<Vec<String>, tokio_postgres::Error> {
    let rows = client
        .query(
            "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relispartition
               AND relname ~ '^(segments|events)_[0-9]{8}$'
               AND to_date(right(relname, 8), 'YYYYMMDD') < current_date - $1::int",
            &[&keep_days],
        )
        .await?;
    let names: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    for name in &names {
        // The name consists of letters, digits and `_`, as the pattern says.
        client.batch_execute(&format!("DROP TABLE {name}")).await?;
    }
    Ok(names)
}

/// A number of ours as PostgreSQL keeps it. Numbers of records end far below.
#[must_use]
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of PostgreSQL's.
#[must_use]
pub fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
