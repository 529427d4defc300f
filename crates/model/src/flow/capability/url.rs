//! Which URLs a capability may name: http or https, a host, no credentials in it.

/// # Errors
/// What is wrong, as a lower-case fragment.
pub(super) fn check(text: &str) -> Result<(), &'static str> {
    if text.chars().any(|character| character.is_whitespace() || character.is_control()) {
        return Err("must not hold white space or control characters");
    }
    let (scheme, rest) = text.split_once("://").ok_or("must be an absolute http or https URL")?;
    if !["http", "https"].iter().any(|allowed| scheme.eq_ignore_ascii_case(allowed)) {
        return Err("must be an http or https URL");
    }
    // Some clients take a backslash for a slash; then what follows would be another host for them.
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains('@') {
        return Err("must not hold credentials");
    }
    let (host, port) = split_port(authority).ok_or("has a malformed host")?;
    if host.is_empty() {
        return Err("has no host");
    }
    if !port.is_empty() && port.parse::<u16>().is_err() {
        return Err("has a malformed port");
    }
    Ok(())
}

/// Host and port; an IPv6 address stands in brackets.
fn split_port(authority: &str) -> Option<(&str, &str)> {
    if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']')?;
        return if after.is_empty() { Some((host, "")) } else { Some((host, after.strip_prefix(':')?)) };
    }
    Some(authority.split_once(':').unwrap_or((authority, "")))
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Contract §13: http/https, host required, no embedded credentials.
    #[test]
    fn urls() {
        for good in
            ["http://127.0.0.1:1/x", "HTTPS://example.org", "http://[::1]:80/?a=b@c", "http://h:/x", "http://h#@"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "127.0.0.1/x",
            "ftp://h/x",
            "file:///etc/passwd",
            "http://",
            "http:///x",
            "http://:80/x",
            "http://user@h/x",
            "http://user:pw@h/x",
            "http://h:port/x",
            "http://h:65536/x",
            "http://[::1/x",
            "http://[::1]x/",
            "http://h/a b",
            "http://h\r\n/x",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
