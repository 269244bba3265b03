//! Why a request gets no answer: one type, turned into HTTP in one place.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tollgate_fleet_protocol::{ErrorAnswer, ErrorBody, ErrorCode, Head};

/// Why a request gets no answer.
#[derive(Debug)]
pub struct Refusal {
    body: ErrorBody,
    retry_after_s: Option<u64>,
}

/// What a handler returns.
pub type Answer<T> = Result<T, Refusal>;

impl Refusal {
    /// A refusal.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let body = ErrorBody { code, message: message.into(), server_time: None, known: Vec::new() };
        Self { body, retry_after_s: None }
    }

    /// There is more to do than can be done.
    #[must_use]
    pub fn busy(seconds: u64) -> Self {
        let refusal = Self::new(ErrorCode::Busy, format!("the server is busy; try again in {seconds} s"));
        Self { retry_after_s: Some(seconds), ..refusal }
    }

    /// The request is not in its form.
    pub fn bad(why: impl std::fmt::Display) -> Self {
        Self::new(ErrorCode::BadRequest, why.to_string())
    }

    /// With the server's time.
    #[must_use]
    pub fn at(mut self, server_time: u64) -> Self {
        self.body.server_time = Some(server_time);
        self
    }

    /// With what the server has of the machine's chains.
    #[must_use]
    pub fn known(mut self, known: Vec<Head>) -> Self {
        self.body.known = known;
        self
    }

    /// What kind it is.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.body.code
    }

    /// What it says.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.body.message
    }

    /// Its status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self.body.code {
            ErrorCode::BadRequest => StatusCode::BAD_REQUEST,
            ErrorCode::BadSignature | ErrorCode::ClockSkew | ErrorCode::Replayed | ErrorCode::BadToken => {
                StatusCode::UNAUTHORIZED
            }
            ErrorCode::UnknownMachine | ErrorCode::Revoked | ErrorCode::Forbidden => StatusCode::FORBIDDEN,
            ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::OutOfOrder | ErrorCode::Conflict => StatusCode::CONFLICT,
            ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::Busy => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, retry) = (self.status(), self.retry_after_s);
        let mut response = (status, Json(ErrorAnswer { error: self.body })).into_response();
        if let Some(seconds) = retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// What the database says is for the server's log and not for whoever asked. Nothing was stored: every change is a
/// transaction, or may be repeated.
impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        let state = error.code().map(|state| state.code().to_owned()).unwrap_or_default();
        // 08: connection; 40: serialization, deadlock; 53: out of memory, disk or connections; 57: shutting down.
        let passing =
            error.is_closed() || ["08", "40", "53", "57"].iter().any(|class| state.starts_with(class));
        let shown = error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
        tracing::error!(state, error = shown, "the database refused");
        if passing {
            Self::busy(2)
        } else {
            Self::new(ErrorCode::Failed, "the server failed; its log says why")
        }
    }
}

impl From<deadpool_postgres::PoolError> for Refusal {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        tracing::warn!(error = error.to_string(), "no connection to the database");
        Self::busy(2)
    }
}
