//! Why a request gets no answer.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// What kind of refusal it is, as the page reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "crates/ui/openapi.yaml describes each")]
pub enum Code {
    NoToken,
    WrongHost,
    WrongOrigin,
    NotAllowed,
    NoPinSet,
    WrongPin,
    Wait,
    NotFound,
    BadRequest,
    TooLarge,
    Conflict,
    Failed,
}

impl Code {
    fn name(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::WrongHost => "wrong_host",
            Self::WrongOrigin => "wrong_origin",
            Self::NotAllowed => "not_allowed",
            Self::NoPinSet => "no_pin_set",
            Self::WrongPin => "wrong_pin",
            Self::Wait => "wait",
            Self::NotFound => "not_found",
            Self::BadRequest => "bad_request",
            Self::TooLarge => "too_large",
            Self::Conflict => "conflict",
            Self::Failed => "failed",
        }
    }

    fn status(self) -> StatusCode {
        match self {
            Self::NoToken => StatusCode::UNAUTHORIZED,
            Self::WrongHost | Self::WrongOrigin | Self::WrongPin => StatusCode::FORBIDDEN,
            Self::NotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoPinSet | Self::Conflict => StatusCode::CONFLICT,
            Self::Wait => StatusCode::TOO_MANY_REQUESTS,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// Why a request gets no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// For programs.
    pub code: Code,
    /// For people.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// When it may be tried again.
    pub retry_after_s: Option<u64>,
}

impl Refusal {
    /// A refusal without advice.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after_s: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Something failed that should not.
    pub fn failed(error: impl std::fmt::Display) -> Self {
        Self::new(Code::Failed, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut error = json!({ "code": self.code.name(), "message": self.message });
        if let (Some(hint), Some(members)) = (self.hint, error.as_object_mut()) {
            members.insert("hint".into(), hint.into());
        }
        if let (Some(seconds), Some(members)) = (self.retry_after_s, error.as_object_mut()) {
            members.insert("retry_after_s".into(), seconds.into());
        }
        (self.code.status(), axum::Json(json!({ "error": error }))).into_response()
    }
}
