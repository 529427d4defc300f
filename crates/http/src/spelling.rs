//! One spelling of a path: what need not be encoded is decoded before a route is looked for (contract §10, RFC 3986
//! §6.2.2.2). What must be encoded stays so, and is decoded where it is a part of the path.

use axum::{
    extract::Request,
    http::{Uri, uri::PathAndQuery},
};

/// The same request, its path in that spelling.
pub fn plain(mut request: Request) -> Request {
    if let Some(uri) = respelt(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

/// `None` where nothing changes.
fn respelt(uri: &Uri) -> Option<Uri> {
    let path = unescaped(uri.path())?;
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}

fn unescaped(path: &str) -> Option<String> {
    let mut pieces = path.split('%');
    let mut plain = pieces.next()?.to_owned();
    let mut changed = false;
    for piece in pieces {
        let digits = piece.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(byte)) {
            Some(byte) => {
                plain.push(char::from(byte));
                plain.push_str(&piece[2..]);
                changed = true;
            }
            None => {
                plain.push('%');
                plain.push_str(piece);
            }
        }
    }
    changed.then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_need_not_be_encoded_is_decoded() {
        let spelt = |uri: &str| respelt(&uri.parse().expect("a URI")).map(|uri| uri.to_string());
        for (given, plain) in [
            ("/%61pi/v1/run%73?x=%61", "/api/v1/runs?x=%61"),
            ("http://127.0.0.1:1/a%2D%5f%7E%2e", "http://127.0.0.1:1/a-_~."),
            ("/a%2fb%41", "/a%2fbA"),
            // Decoded once.
            ("/%2541%41", "/%2541A"),
        ] {
            assert_eq!(spelt(given).as_deref(), Some(plain));
        }
        for same in ["/", "/a/b?c=%41", "/a%2fb%20%00%25%c3%a9", "/%zz%4", "/%", "*"] {
            assert_eq!(spelt(same), None, "{same}");
        }
    }
}
