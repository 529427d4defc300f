//! Reading the body of a request, bounded in size and in time (contract §10).

use std::time::Duration;

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, header},
};
use futures_util::StreamExt;

use crate::error::RequestError;

/// Bytes of a body, fixed by the contract.
pub const BODY_MAX: usize = 65_536;
/// `{}`.
const BODY_MIN: usize = 2;
/// How long a body may take to arrive. A client on this machine needs none of it.
const BODY_TIME: Duration = Duration::from_secs(20);
/// Of a body that is too large this much is taken and thrown away, for clients that read no answer before they have
/// sent everything.
const DRAINED_MAX: usize = 1 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// The text of a JSON body of at most `max` bytes.
///
/// # Errors
/// It is of another type, of no stated or a wrong size, too slow, or no text.
pub async fn read(headers: &HeaderMap, body: Body, max: usize) -> Result<String, RequestError> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if !is_json(headers) {
        drain(body).await;
        return Err(RequestError::ContentType);
    }
    if !length.is_some_and(|length| (BODY_MIN..=max).contains(&length)) {
        drain(body).await;
        return Err(RequestError::BodySize { max });
    }
    take(body, max, BODY_TIME).await
}

async fn take(body: Body, max: usize, limit: Duration) -> Result<String, RequestError> {
    let bytes = tokio::time::timeout(limit, to_bytes(body, max)).await.map_err(|_| RequestError::BodyTime)?;
    let bytes = bytes.map_err(|_| RequestError::BodyBroken)?;
    String::from_utf8(bytes.into()).map_err(|_| RequestError::Json("it is not UTF-8".to_owned()))
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = value.map(|value| value.split(';').next().unwrap_or_default().trim());
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

async fn drain(body: Body) {
    let mut frames = body.into_data_stream();
    let rest = async {
        let mut taken = 0;
        while let Some(Ok(frame)) = frames.next().await {
            taken += frame.len();
            if taken > DRAINED_MAX {
                return;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIME, rest).await;
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn a_body_that_does_not_come_is_not_waited_for() {
        let never = Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>());
        assert_eq!(take(never, BODY_MAX, Duration::from_millis(1)).await, Err(RequestError::BodyTime));
        let broken = Body::from_stream(stream::iter([Ok(b"{".to_vec()), Err(std::io::Error::other("gone"))]));
        assert_eq!(take(broken, BODY_MAX, BODY_TIME).await, Err(RequestError::BodyBroken));
        let longer = Body::from("x".repeat(BODY_MAX + 1));
        assert_eq!(take(longer, BODY_MAX, BODY_TIME).await, Err(RequestError::BodyBroken));
    }
}
