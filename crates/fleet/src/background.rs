//! What a server does beside requests: partitions, retention, harmful rollouts, and news from the other servers.

use std::time::Duration;

use futures_util::future::poll_fn;
use tokio_postgres::{AsyncMessage, NoTls};

use crate::app::Shared;
use crate::fault::Answer;
use crate::waiting::CHANNEL;
use crate::{db, rollout};

/// The time between two rounds.
const ROUND: Duration = Duration::from_secs(30);

/// Goes round until the process ends. Whatever fails is told and tried again in the next round.
pub async fn tend(app: Shared, keep_days: i32) {
    let mut ticks = tokio::time::interval(ROUND);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(refusal) = round(&app, keep_days).await {
            tracing::warn!(why = refusal.message(), "a round of upkeep failed");
        }
    }
}

async fn round(app: &Shared, keep_days: i32) -> Answer<()> {
    let client = app.db().await?;
    // First what no record can be stored without.
    db::make_partitions(&client).await?;
    for name in db::drop_partitions(&client, keep_days).await? {
        tracing::info!(name, "dropped what is older than the retention time");
    }
    client.execute("DELETE FROM nonces WHERE at < now() - interval '11 minutes'", &[]).await?;
    client.execute("DELETE FROM sessions WHERE expires_at < now()", &[]).await?;
    client.execute("DELETE FROM waiting WHERE received < now() - interval '1 day'", &[]).await?;
    client.execute("DELETE FROM hourly WHERE hour < now() - interval '400 days'", &[]).await?;
    drop(client);
    rollout::hold_harmful(app).await.map(drop)
}

/// Listens for grants that any server gave, and connects again whenever the connection ends.
pub async fn listen(app: Shared, url: String) {
    loop {
        if let Err(error) = listen_once(&app, &url).await {
            tracing::warn!(error = error.to_string(), "cannot listen for approvals");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn listen_once(app: &Shared, url: &str) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = tokio_postgres::connect(url, NoTls).await?;
    let listening = async move {
        client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
        // Whoever waits looks again: something may have come before.
        Ok::<_, tokio_postgres::Error>(client)
    };
    let mut listening = std::pin::pin!(listening);
    let mut client = None;
    loop {
        tokio::select! {
            made = &mut listening, if client.is_none() => client = Some(made?),
            message = poll_fn(|context| connection.poll_message(context)) => match message {
                Some(Ok(AsyncMessage::Notification(note))) if note.channel() == CHANNEL => {
                    // Nobody waiting here is no fault.
                    let _ = app.granted.send(note.payload().to_owned());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            },
        }
    }
}
