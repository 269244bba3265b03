//! Is a request signed by a machine of this fleet, fresh, and not seen before?

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use tollgate_fleet_protocol::{Authorization, ErrorCode, PublicKey, Refused};

use crate::app::{App, PATIENCE, now};
use crate::fault::{Answer, Refusal};

/// A request whose signature was checked.
pub struct Signed {
    /// The machine.
    pub machine: String,
    /// Its group.
    pub group: String,
    /// The body.
    pub body: Bytes,
    /// The header, as it was sent.
    pub header: String,
}

/// Checks a machine's request and reads its body. A machine that is not known or was revoked is refused before anything
/// of the body is read.
///
/// # Errors
/// When anything does not fit.
pub async fn signed(app: &App, request: Request, most: usize) -> Answer<Signed> {
    let header = header(request.headers())?;
    let authorization = parse(&header)?;
    let db = app.db().await?;
    let statement =
        db.prepare_cached("SELECT key, grp, revoked_at IS NOT NULL FROM machines WHERE id = $1").await?;
    let row = db.query_opt(&statement, &[&authorization.machine]).await?;
    drop(db);
    let Some(row) = row else {
        return Err(Refusal::new(ErrorCode::UnknownMachine, "this machine has not joined the fleet"));
    };
    if row.get(2) {
        return Err(Refusal::new(ErrorCode::Revoked, "this machine's key was revoked"));
    }
    let key = PublicKey::from_bytes(row.get(0))
        .map_err(|error| Refusal::new(ErrorCode::Failed, error.to_string()))?;
    let (target, method) = (target(&request), request.method().to_string());
    let place = app.bodies.try_acquire().map_err(|_| Refusal::busy(2))?;
    let body = read(request, most).await?;
    drop(place);
    check(&authorization, &key, (&method, &target), &body)?;
    use_nonce(app, &authorization).await?;
    Ok(Signed { machine: authorization.machine, group: row.get(1), body, header })
}

/// The value of the `authorization` header.
///
/// # Errors
/// When there is none.
pub fn header(headers: &HeaderMap) -> Answer<String> {
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let missing = || Refusal::new(ErrorCode::BadSignature, "the request is not signed");
    value.map(str::to_owned).ok_or_else(missing)
}

/// Reads the header.
///
/// # Errors
/// When it is none of a machine.
pub fn parse(header: &str) -> Answer<Authorization> {
    let wrong = || Refusal::new(ErrorCode::BadSignature, "the signature cannot be read");
    Authorization::parse(header).ok_or_else(wrong)
}

/// Path and query, as they were sent.
#[must_use]
pub fn target(request: &Request) -> String {
    request.uri().path_and_query().map_or_else(String::new, ToString::to_string)
}

/// Reads a body, at most so many bytes, and not for ever.
///
/// # Errors
/// When it is larger, slower, or breaks off.
pub async fn read(request: Request, most: usize) -> Answer<Bytes> {
    let too_large =
        || Refusal::new(ErrorCode::TooLarge, format!("the body is larger than {most} bytes, or broke off"));
    match tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), most)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(Refusal::bad("the body took longer than 30 s")),
    }
}

/// Checks signature and time.
///
/// # Errors
/// When one does not fit.
pub fn check(authorization: &Authorization, key: &PublicKey, what: (&str, &str), body: &[u8]) -> Answer<()> {
    let now = now();
    authorization.check(key, what, body, now).map_err(|refused| match refused {
        Refused::Skew => Refusal::new(ErrorCode::ClockSkew, refused.to_string()).at(now),
        Refused::Signature => Refusal::new(ErrorCode::BadSignature, refused.to_string()),
    })
}

/// Takes note of a nonce, in the database, so that all servers know it.
///
/// # Errors
/// When the machine used it before.
pub async fn use_nonce(app: &App, authorization: &Authorization) -> Answer<()> {
    let db = app.db().await?;
    let statement = "INSERT INTO nonces (machine, nonce) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    let statement = db.prepare_cached(statement).await?;
    match db.execute(&statement, &[&authorization.machine, &authorization.nonce]).await? {
        0 => Err(Refusal::new(ErrorCode::Replayed, "this request was sent before")),
        _ => Ok(()),
    }
}
