//! `/api/v1/artifacts/{artifact_id}/content` (contract §9).

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};

use crate::{
    call::Call,
    error::ApiError,
    reply,
    table::{Content, Method, Query, Reply, Route},
};

const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");
/// What was made by an agent may be markup. It is shown and never run.
const SANDBOX: HeaderValue =
    HeaderValue::from_static("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:");

pub const ROUTES: &[Route] = &[Route {
    method: Method::Get,
    path: "/api/v1/artifacts/{artifact_id}/content",
    name: "getArtifactContent",
    about: "The bytes of an artifact, unchanged.",
    query: Query::Ignored,
    body: None,
    replies: &[Reply { status: StatusCode::OK, content: Content::Bytes }],
    call: |call| Box::pin(content(call)),
}];

pub async fn content(call: Call) -> Result<Response, ApiError> {
    let found = call.app.flows().artifact(call.id("artifact_id")).await?;
    let media_type = HeaderValue::from_str(&found.media_type).unwrap_or(BYTES);
    let mut response = reply::bytes(StatusCode::OK, media_type, found.bytes);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, SANDBOX);
    if let Ok(disposition) = HeaderValue::from_str(&disposition(&found.name)) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// Names of artifacts are single safe file names; what a header could not carry is replaced all the same.
fn disposition(name: &str) -> String {
    let is_safe = |c: &char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '/') || *c == ' ';
    let name: String = name.chars().map(|c| if is_safe(&c) { c } else { '_' }).collect();
    format!("inline; filename=\"{name}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        assert_eq!(disposition("article.md"), "inline; filename=\"article.md\"");
        assert_eq!(disposition("a\"; b=\r\n/é"), "inline; filename=\"a_; b=____\"");
    }
}
