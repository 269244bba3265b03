//! The page itself, built into the program.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Response, StatusCode, Uri};

/// Path and contents of every file of the page.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// What stands in for a page that was not built in.
const NONE: &str = "<!doctype html><meta charset=utf-8><title>Tollgate</title>\
<p>This program was built without its page. The API is there: see crates/ui/openapi.yaml.";

/// A file of the page. Every path that names none gets the page itself, which knows its own addresses.
pub async fn serve(uri: Uri) -> Response<Body> {
    let path = uri.path();
    let found = FILES.iter().find(|(name, _)| *name == path);
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let (kind, bytes, keep) = match found {
        Some((name, bytes)) => (kind(name), *bytes, name.starts_with("/assets/")),
        None if is_file || path.starts_with("/api") => {
            return answer(StatusCode::NOT_FOUND, "text/plain", b"", false);
        }
        None => {
            let page = FILES.iter().find(|(name, _)| *name == "/index.html");
            ("text/html; charset=utf-8", page.map_or(NONE.as_bytes(), |(_, bytes)| bytes), false)
        }
    };
    answer(StatusCode::OK, kind, bytes, keep)
}

fn answer(status: StatusCode, kind: &'static str, bytes: &'static [u8], keep: bool) -> Response<Body> {
    let cache = if keep { "private, max-age=31536000, immutable" } else { "no-store" };
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, axum::http::HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, axum::http::HeaderValue::from_static(cache));
    response
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        _ => "application/octet-stream",
    }
}
