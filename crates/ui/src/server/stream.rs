//! The live feed, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::Shared;
use crate::refusal::{Code, Refusal};

/// Silence after which a line shows that the connection lives.
const BEAT: Duration = Duration::from_secs(15);
/// Events on their way to one reader.
const AHEAD: usize = 4;

type Out = mpsc::Sender<Result<Bytes, Infallible>>;

pub(super) async fn stream(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let Ok(place) = Arc::clone(&shared.streams).try_acquire_owned() else {
        return Refusal::new(Code::Wait, "too many pages are open").into_response();
    };
    let after = after(&request);
    let (out, body) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        feed(shared, out, after).await;
        drop(place);
    });
    let mut response = Response::new(Body::from_stream(ReceiverStream::new(body)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

/// Where the reader was, by header or by address.
fn after(request: &Request) -> Option<u64> {
    let header = request.headers().get("last-event-id").and_then(|value| value.to_str().ok());
    let query = request.uri().query().unwrap_or_default();
    let asked = query.split('&').find_map(|pair| pair.strip_prefix("after="));
    header.or(asked)?.parse().ok()
}

/// Sends until the reader goes away.
async fn feed(shared: Arc<Shared>, out: Out, after: Option<u64>) {
    // Listening begins before the past is read, so that nothing falls between; a row that comes twice replaces itself.
    let mut news = shared.feed.listen();
    // The feed may still be reading; the head is there at once.
    let mut head = shared.feed.head().max(shared.log().head().map_or(0, |head| head.seq));
    if !send(&out, "hello", head, &json!({ "head": head }).to_string()).await {
        return;
    }
    if let Some(after) = after {
        let rows = shared.feed.rows_after(after);
        if !rows.is_empty()
            && !send(&out, "rows", head, &json!({ "rows": rows, "head": head }).to_string()).await
        {
            return;
        }
    }
    loop {
        let sent = match tokio::time::timeout(BEAT, news.recv()).await {
            Err(_) => out.send(Ok(Bytes::from_static(b": beat\n\n"))).await.is_ok(),
            Ok(Ok(told)) => {
                head = told.head;
                send(&out, "rows", head, &told.json).await
            }
            Ok(Err(RecvError::Lagged(_))) => {
                let now = shared.feed.head();
                let skipped = json!({ "rows": now.saturating_sub(head), "head": now });
                head = now;
                news = shared.feed.listen();
                send(&out, "skipped", head, &skipped.to_string()).await
            }
            Ok(Err(RecvError::Closed)) => false,
        };
        if !sent {
            return;
        }
    }
}

/// JSON has no line ends of its own, so that one line holds all of it.
async fn send(out: &Out, event: &str, id: u64, data: &str) -> bool {
    out.send(Ok(Bytes::from(format!("id: {id}\nevent: {event}\ndata: {data}\n\n")))).await.is_ok()
}
