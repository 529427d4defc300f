//! One HTTP exchange: no redirect is followed, the body is bounded while it arrives, and dropping it closes the
//! connection. What it means is not known here; errors never hold a URL, a header or a body.

use std::{sync::OnceLock, time::Duration};

use reqwest::{
    Client, ClientBuilder, RequestBuilder, Response, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
    redirect::Policy,
};
use segue_model::{flow::rules::FailureClass, run::Outcome};
use tokio_util::sync::CancellationToken;

use super::failure;

/// The longest body. Fixed by the contract.
pub(super) const BODY_MAX_BYTES: usize = 1_000_000;
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

const AGENT: &str = concat!("segue/", env!("CARGO_PKG_VERSION"));

/// An answer, whatever its status.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub status: u16,
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    #[error("{0}")]
    Unreachable(String),
    #[error("the answer is longer than {BODY_MAX_BYTES} bytes")]
    TooLarge,
    /// Of the definition, not of the network.
    #[error("{0}")]
    Unusable(String),
}

impl Trouble {
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Unreachable(_) => failure(Some(FailureClass::Unavailable), "HttpUnavailable", self.to_string()),
            Self::TooLarge => failure(Some(FailureClass::Malformed), "OutputTooLarge", self.to_string()),
            Self::Unusable(_) => failure(None, "HttpUnusable", self.to_string()),
        }
    }
}

/// A client for a URL. This machine is reached without a proxy; other ones as the environment says.
pub(super) fn client(url: &Url) -> Result<&'static Client, Trouble> {
    static LOCAL: OnceLock<Option<Client>> = OnceLock::new();
    static REMOTE: OnceLock<Option<Client>> = OnceLock::new();
    let client = if is_loopback(url) {
        LOCAL.get_or_init(|| build(ClientBuilder::no_proxy))
    } else {
        REMOTE.get_or_init(|| build(|builder| builder))
    };
    client.as_ref().ok_or_else(|| Trouble::Unusable("no HTTP client can be set up here".to_owned()))
}

fn build(with: fn(ClientBuilder) -> ClientBuilder) -> Option<Client> {
    // Another one may have been installed by whoever embeds this crate; it does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(AGENT)
        // A call is made once: nothing is sent again on another connection, and none is kept for later.
        .retry(reqwest::retry::never())
        .pool_max_idle_per_host(0);
    with(builder).build().inspect_err(|error| tracing::warn!("set up the HTTP client: {error}")).ok()
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

pub(super) fn url(text: &str) -> Result<Url, Trouble> {
    Url::parse(text).map_err(|error| Trouble::Unusable(format!("the URL cannot be used: {error}")))
}

/// Asks for JSON and says that it sends some.
pub(super) fn in_json(request: RequestBuilder) -> RequestBuilder {
    request.header(ACCEPT, JSON).header(CONTENT_TYPE, JSON)
}

pub(super) async fn send(request: RequestBuilder) -> Result<Response, Trouble> {
    request.send().await.map_err(|error| trouble(&error))
}

/// Sends a request and takes the whole answer.
pub(super) async fn exchange(request: RequestBuilder) -> Result<Reply, Trouble> {
    let mut response = send(request).await?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(bytes) = chunk(&mut response).await? {
        if body.len() + bytes.len() > BODY_MAX_BYTES {
            return Err(Trouble::TooLarge);
        }
        body.extend_from_slice(&bytes);
    }
    Ok(Reply { status, body })
}

pub(super) async fn chunk(response: &mut Response) -> Result<Option<bytes::Bytes>, Trouble> {
    response.chunk().await.map_err(|error| trouble(&error))
}

/// The causes without the URL, which may hold what nobody should read.
fn trouble(error: &reqwest::Error) -> Trouble {
    let what = if error.is_connect() {
        "the server cannot be reached"
    } else if error.is_body() || error.is_decode() {
        "the answer broke off"
    } else if error.is_builder() {
        return Trouble::Unusable("the request cannot be made".to_owned());
    } else {
        "the server did not answer"
    };
    let mut last = std::error::Error::source(error);
    while let Some(inner) = last.and_then(std::error::Error::source) {
        last = Some(inner);
    }
    let cause = last.filter(|cause| cause.is::<std::io::Error>());
    Trouble::Unreachable(cause.map_or_else(|| what.to_owned(), |cause| format!("{what}: {cause}")))
}

/// The failure of an answer that is none, by its status; `None` below 300.
pub(super) fn refused(status: u16) -> Option<Outcome> {
    let class = match status {
        ..300 => return None,
        429 => Some(FailureClass::RateLimited),
        408 | 500.. => Some(FailureClass::Unavailable),
        _ => None,
    };
    Some(failure(class, "HttpStatus", format!("the server answered with status {status}")))
}

/// Does something unless it takes too long or nobody wants it any more.
///
/// # Errors
/// The outcome in these cases.
pub(super) async fn within<T>(
    stop: &CancellationToken,
    timeout: Duration,
    work: impl Future<Output = T>,
) -> Result<T, Outcome> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(Outcome::Aborted),
        done = tokio::time::timeout(timeout, work) => done.map_err(|_| {
            let message = format!("the server took longer than {} s", timeout.as_secs_f64());
            failure(Some(FailureClass::Timeout), "Timeout", message)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_reached_directly() {
        for (text, direct) in [
            ("http://127.0.0.1:1/x", true),
            ("http://127.8.8.8/", true),
            ("http://localhost:9/", true),
            ("http://[::1]:80/", true),
            ("http://example.org/", false),
            ("https://10.0.0.1/", false),
            ("http://127.0.0.1.example.org/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(text).unwrap()), direct, "{text}");
        }
    }

    #[test]
    fn statuses_and_their_classes() {
        let class = |status| match refused(status) {
            Some(Outcome::Failed { class, .. }) => Some(class),
            _ => None,
        };
        assert_eq!([200, 204, 299].map(class), [None, None, None]);
        assert_eq!([301, 304, 400, 404].map(class), [Some(None); 4]);
        assert_eq!(class(429), Some(Some(FailureClass::RateLimited)));
        assert_eq!([408, 500, 503].map(class), [Some(Some(FailureClass::Unavailable)); 3]);
    }
}
