//! Replies: compact JSON and a line end, never kept by anybody (contract §10).

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde::Serialize;

use crate::error::{ApiError, RequestError};

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// What is served under a type is that and nothing else, whatever it looks like.
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

/// # Errors
/// The value has no JSON: a time outside of the calendar.
pub fn json(status: StatusCode, value: &impl Serialize) -> Result<Response, ApiError> {
    match serde_json::to_vec(value) {
        Ok(text) => Ok(with_text(status, text)),
        Err(error) => Err(RequestError::Unwritable(error.to_string()).into()),
    }
}

/// As [`json`], of a value that always has one.
#[must_use]
pub fn plain(status: StatusCode, value: &impl Serialize) -> Response {
    with_text(status, serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec()))
}

fn with_text(status: StatusCode, mut text: Vec<u8>) -> Response {
    text.push(b'\n');
    bytes(status, JSON, text)
}

/// A reply of any type.
#[must_use]
pub fn bytes(status: StatusCode, media_type: HeaderValue, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    kept_by_nobody(response)
}

/// With the headers that every reply has.
#[must_use]
pub fn kept_by_nobody(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}
