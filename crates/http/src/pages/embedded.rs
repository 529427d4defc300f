//! The files of the console.
//!
//! Files are named after their content and may be kept for ever, but for the page itself, which names them. A browser
//! that has the page asks whether it is still the same one.

use std::borrow::Cow;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use segue_web_assets::{self as assets, Asset};

use super::{items, media_range, wants_page};
use crate::error::RequestError;

/// What the page may do: run and load what this server gives, talk to this server, and be in nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// On every file.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    // Pages of other sites can name our files and would learn from them that Segue runs.
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (header::VARY, HeaderValue::from_static("accept-encoding")),
];
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const ASK_FIRST: HeaderValue = HeaderValue::from_static("no-cache");
const GZIP: HeaderValue = HeaderValue::from_static("gzip");
/// Bytes of a digest that name a file's content to a browser.
const TAG_BYTES: usize = 16;
/// What only ever is a file. An id in an address may have a dot as well.
const PARTS: [&str; 4] = [".js", ".css", ".map", ".svg"];

/// Whether there is a console to send people to.
pub const IS_HERE: bool = true;

/// The file at a path; the page, where the console may have an address.
///
/// # Errors
/// There is no such file.
pub fn answer(path: &str, headers: &HeaderMap) -> Result<Response, RequestError> {
    let name = path.trim_start_matches('/');
    let wanted = if name.is_empty() { assets::INDEX } else { name };
    if let Some(response) = file(wanted, headers) {
        return Ok(response);
    }
    let is_part = name.starts_with(assets::HASHED) || PARTS.iter().any(|part| name.ends_with(part));
    let page = (wants_page(headers) && !is_part).then(|| file(assets::INDEX, headers)).flatten();
    page.ok_or(RequestError::NoRoute)
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let compressed = if takes_gzip(headers) { assets::compressed(name) } else { None };
    let is_compressed = compressed.is_some();
    let asset = compressed.or_else(|| assets::plain(name))?;
    let tag = tag(&asset);
    let known = tag.to_str().is_ok_and(|tag| has(headers, tag));
    let media_type = HeaderValue::from_static(asset.media_type);
    let (status, body) = match known {
        true => (StatusCode::NOT_MODIFIED, Body::empty()),
        false => (StatusCode::OK, body(asset.bytes)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let all = response.headers_mut();
    all.extend(HEADERS);
    all.insert(header::ETAG, tag);
    all.insert(header::CACHE_CONTROL, if name.starts_with(assets::HASHED) { FOR_EVER } else { ASK_FIRST });
    if !known {
        all.insert(header::CONTENT_TYPE, media_type);
        if is_compressed {
            all.insert(header::CONTENT_ENCODING, GZIP);
        }
    }
    Some(response)
}

fn body(bytes: Cow<'static, [u8]>) -> Body {
    match bytes {
        Cow::Borrowed(bytes) => bytes.into(),
        Cow::Owned(bytes) => bytes.into(),
    }
}

/// A name of the content, in quotes.
fn tag(asset: &Asset) -> HeaderValue {
    let digits: String = asset.sha256.iter().take(TAG_BYTES).map(|byte| format!("{byte:02x}")).collect();
    HeaderValue::from_str(&format!("\"{digits}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether the browser has the content of this name.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    items(headers, &header::IF_NONE_MATCH).any(|item| item == "*" || item.strip_prefix("W/").unwrap_or(item) == tag)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    items(headers, &header::ACCEPT_ENCODING)
        .any(|item| matches!(media_range(item).to_ascii_lowercase().as_str(), "gzip" | "x-gzip") && !is_refused(item))
}

/// Whether an item has the weight nought.
fn is_refused(item: &str) -> bool {
    let weight = item.split(';').skip(1).filter_map(|part| part.trim().strip_prefix("q="));
    weight.filter_map(|weight| weight.trim().parse::<f32>().ok()).any(|weight| weight == 0.0)
}
