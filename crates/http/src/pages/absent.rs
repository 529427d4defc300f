//! A build without the console.

use axum::{http::HeaderMap, response::Response};

use crate::error::RequestError;

/// Whether there is a console to send people to.
pub const IS_HERE: bool = false;

/// # Errors
/// Always: there are no files.
pub fn answer(_: &str, _: &HeaderMap) -> Result<Response, RequestError> {
    Err(RequestError::NoRoute)
}
