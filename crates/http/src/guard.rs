//! What is asked of every request before anything else: was it meant for this server, does it come from no web page
//! but ours, and does it come from the user?
//!
//! A page of any site can make a browser send requests to a loopback port, and can have its own name resolve to
//! loopback. So the names under which this server is reached are a list, and nothing is allowed across origins.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{
    app::App,
    caller::Caller,
    error::{ApiError, RequestError},
    token::Token,
};

/// The names of this machine as seen from itself, as they stand in a `Host`.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// The port that a URL of this scheme need not name.
const HTTP_PORT: u16 = 80;
/// What a browser says about where a request comes from.
const FETCH_SITE: &str = "sec-fetch-site";

/// As a layer over every route.
pub async fn guard(State((app, port)): State<(App, u16)>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().copied().unwrap_or(Caller::Unknown);
    let admitted = check_names(request.uri(), request.headers(), port)
        .and_then(|()| check_caller(request.headers(), caller, app.token()));
    match admitted {
        Ok(()) => next.run(request).await,
        Err(refusal) => ApiError::from(refusal).into_response(),
    }
}

/// # Errors
/// The request was meant for another server, or comes from another site's page.
fn check_names(uri: &Uri, headers: &HeaderMap, port: u16) -> Result<(), RequestError> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => is_own(host, port),
        _ => false,
    };
    // A target that is a whole URL names a server as well.
    let target = uri.authority().is_none_or(|authority| is_own_name(authority.as_str(), port));
    if !named || !target {
        return Err(RequestError::ForeignHost);
    }
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let is_ours = |origin: &HeaderValue| {
        let origin = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        origin.is_some_and(|host| is_own_name(host, port))
    };
    if !origins.all(is_ours) {
        return Err(RequestError::ForeignOrigin);
    }
    // Images and links of other pages come without an origin. A person may follow a link to a page of ours, but
    // nothing of the interface is there for them.
    let is_page = !uri.path().starts_with("/api");
    let mut sites = headers.get_all(FETCH_SITE).iter();
    if is_page || sites.all(|site| matches!(site.as_bytes(), b"same-origin" | b"none")) {
        return Ok(());
    }
    Err(RequestError::ForeignOrigin)
}

fn is_own(host: &HeaderValue, port: u16) -> bool {
    host.to_str().is_ok_and(|host| is_own_name(host, port))
}

/// `name`, `name:port`, in any case, the name with or without the dot of the root.
fn is_own_name(host: &str, port: u16) -> bool {
    let (name, said) = match host.rsplit_once(':') {
        // The colon of an address in brackets is none before a port.
        Some((name, said)) if !said.ends_with(']') => (name, Some(said)),
        _ => (host, None),
    };
    let is_port = match said {
        Some(said) => said.bytes().all(|byte| byte.is_ascii_digit()) && said.parse() == Ok(port),
        None => port == HTTP_PORT,
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    is_port && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// # Errors
/// It comes neither from a process of this user nor with the token.
fn check_caller(headers: &HeaderMap, caller: Caller, token: Option<&Token>) -> Result<(), RequestError> {
    let shown = headers.get(header::AUTHORIZATION).and_then(bearer);
    match (caller, token, shown) {
        (Caller::SameUser, _, _) => Ok(()),
        (Caller::Unknown, Some(token), Some(shown)) if token.is(shown) => Ok(()),
        (Caller::Unknown, _, _) => Err(RequestError::Unauthorized),
    }
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 8765;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| (header::HeaderName::from_static(name), value.parse().unwrap()));
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }

    fn judged(uri: &str, pairs: &[(&'static str, &str)]) -> Result<(), RequestError> {
        check_names(&uri.parse().unwrap(), &headers(pairs), PORT)
    }

    #[test]
    fn only_listed_names_with_the_right_port_are_ours() {
        for host in ["127.0.0.1:8765", "localhost:8765", "LocalHost:8765", "localhost.:8765", "[::1]:8765"] {
            assert_eq!(judged("/api", &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "example.org",
            "example.org:8765",
            "localhost",
            "127.0.0.1",
            "[::1]",
            "localhost:8766",
            "localhost:08765x",
            "localhost:+8765",
            "localhost..:8765",
            "127.0.0.1.example.org:8765",
            "127.0.0.2:8765",
            "127.1:8765",
            "0.0.0.0:8765",
            "[::ffff:127.0.0.1]:8765",
            "::1:8765",
            "user@localhost:8765",
            "",
            ":8765",
        ] {
            assert_eq!(judged("/api", &[("host", host)]), Err(RequestError::ForeignHost), "{host}");
        }
        assert_eq!(judged("/api", &[]), Err(RequestError::ForeignHost));
        let twice = [("host", "localhost:8765"), ("host", "example.org:8765")];
        assert_eq!(judged("/api", &twice), Err(RequestError::ForeignHost));
        assert!(is_own_name("localhost", 80));
    }

    #[test]
    fn a_whole_url_must_name_us_as_well() {
        let host = [("host", "localhost:8765")];
        assert_eq!(judged("http://localhost:8765/api", &host), Ok(()));
        assert_eq!(judged("http://example.org:8765/api", &host), Err(RequestError::ForeignHost));
    }

    #[test]
    fn a_foreign_page_is_refused() {
        let with = |name, value| judged("/api/v1/runs", &[("host", "127.0.0.1:8765"), (name, value)]);
        for origin in ["http://127.0.0.1:8765", "http://localhost:8765", "http://[::1]:8765", "http://LOCALHOST:8765"] {
            assert_eq!(with("origin", origin), Ok(()), "{origin}");
        }
        for origin in
            ["null", "http://example.org", "https://localhost:8765", "http://localhost:5173", "localhost:8765", ""]
        {
            assert_eq!(with("origin", origin), Err(RequestError::ForeignOrigin), "{origin}");
        }
        for (site, judged) in [
            ("same-origin", Ok(())),
            ("none", Ok(())),
            ("same-site", Err(RequestError::ForeignOrigin)),
            ("cross-site", Err(RequestError::ForeignOrigin)),
        ] {
            assert_eq!(with(FETCH_SITE, site), judged, "{site}");
        }
        let followed = [("host", "127.0.0.1:8765"), (FETCH_SITE, "cross-site")];
        assert_eq!(judged("/", &followed), Ok(()));
    }

    #[test]
    fn the_user_or_the_token_is_let_in() {
        let token = Token::from_bytes([7; Token::BYTES]);
        let good = format!("Bearer {}", "07".repeat(Token::BYTES));
        let with = |value: &str| headers(&[("authorization", value)]);
        let judged = |headers: &HeaderMap, caller, token| check_caller(headers, caller, token);
        assert_eq!(judged(&headers(&[]), Caller::SameUser, None), Ok(()));
        assert_eq!(judged(&with("Bearer wrong"), Caller::SameUser, Some(&token)), Ok(()));
        assert_eq!(judged(&with(&good), Caller::Unknown, Some(&token)), Ok(()));
        assert_eq!(judged(&with(&good.to_lowercase()), Caller::Unknown, Some(&token)), Ok(()));
        for refused in ["Bearer wrong", "Bearer ", "Bearer", &good.replace("Bearer", "Basic"), &good[..30]] {
            assert_eq!(judged(&with(refused), Caller::Unknown, Some(&token)), Err(RequestError::Unauthorized));
        }
        assert_eq!(judged(&with(&good), Caller::Unknown, None), Err(RequestError::Unauthorized));
        assert_eq!(judged(&headers(&[]), Caller::Unknown, Some(&token)), Err(RequestError::Unauthorized));
    }
}
