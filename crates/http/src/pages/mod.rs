//! What is answered outside of the interface: the console, whose addresses are the pages of one application.

#[cfg_attr(feature = "web", path = "embedded.rs")]
#[cfg_attr(not(feature = "web"), path = "absent.rs")]
mod console;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::{
    error::{ApiError, RequestError},
    reply,
};

/// Where the console was before it had addresses; companion programs still open it.
const FORMER: &str = "/flow-console";

/// Of every request that no route is there for.
pub async fn answer(request: Request) -> Response {
    let path = request.uri().path();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads || is_interface(path) {
        return ApiError::from(RequestError::NoRoute).into_response();
    }
    if !console::IS_HERE && wants_page(request.headers()) {
        return ApiError::from(RequestError::NoPages).into_response();
    }
    if path.trim_end_matches('/') == FORMER {
        return moved();
    }
    console::answer(path, request.headers()).unwrap_or_else(|error| ApiError::from(error).into_response())
}

/// A typing error in a path of the interface gets an error, never a page.
fn is_interface(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

fn moved() -> Response {
    let mut response = StatusCode::TEMPORARY_REDIRECT.into_response();
    response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
    reply::kept_by_nobody(response)
}

/// Whether a person's browser asks for a page, and no page for one of its parts.
fn wants_page(headers: &HeaderMap) -> bool {
    items(headers, &header::ACCEPT).any(|item| media_range(item).eq_ignore_ascii_case("text/html"))
}

fn media_range(item: &str) -> &str {
    item.split(';').next().unwrap_or_default().trim()
}

/// The items of a header that is a list.
fn items<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> impl Iterator<Item = &'a str> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}
