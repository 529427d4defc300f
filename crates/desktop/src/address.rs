//! The address that the runtime prints, and what the window may show of the web: that, and nothing else.

use std::net::Ipv4Addr;

use url::{Host, Url};

/// What `segue app` says when it serves.
const LINE: &str = "app=";

/// An address on this machine: `http://127.x.y.z:port/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the runtime gave {0:?} as its address, which is not the root of a server on this machine")]
pub struct NotLocal(pub String);

impl Address {
    /// The address in a line of the runtime; `None` when the line is about something else.
    pub fn in_line(line: &str) -> Option<Result<Self, NotLocal>> {
        line.trim_end().strip_prefix(LINE).map(Self::parse)
    }

    fn parse(text: &str) -> Result<Self, NotLocal> {
        let refused = || NotLocal(text.to_owned());
        let url = Url::parse(text).map_err(|_| refused())?;
        let local = matches!(url.host(), Some(Host::Ipv4(address)) if Ipv4Addr::is_loopback(&address));
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let nobody = url.username().is_empty() && url.password().is_none();
        if url.scheme() == "http" && local && url.port().is_some() && bare && nobody {
            Ok(Self(url))
        } else {
            Err(refused())
        }
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the window may go there.
    pub fn covers(&self, target: &str) -> bool {
        Url::parse(target).is_ok_and(|target| target.origin() == self.0.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_root_of_a_server_on_this_machine_is_an_address() {
        assert_eq!(Address::in_line("state_root=/x"), None);
        let address = Address::in_line("app=http://127.0.0.1:8765/\n");
        assert_eq!(
            address.map(|address| address.map(|a| a.as_str().to_owned())),
            Some(Ok("http://127.0.0.1:8765/".to_owned()))
        );
        for foreign in [
            "https://127.0.0.1:1/",
            "http://localhost:1/",
            "http://10.0.0.1:1/",
            "http://127.0.0.1/",
            "http://127.0.0.1:1/x",
            "http://127.0.0.1:1/?a",
            "http://u@127.0.0.1:1/",
            "http://[::1]:1/",
            "file:///etc/passwd",
            "",
        ] {
            let line = format!("app={foreign}");
            assert_eq!(Address::in_line(&line), Some(Err(NotLocal(foreign.to_owned()))));
        }
    }

    #[test]
    fn the_window_stays_where_it_is() {
        let Some(Ok(address)) = Address::in_line("app=http://127.0.0.1:8765/") else { panic!("an address") };
        assert!(address.covers("http://127.0.0.1:8765/runs/1?x=y"));
        for foreign in [
            "http://127.0.0.1:8766/",
            "http://127.0.0.1.example:8765/",
            "https://example.org/",
            "about:blank",
            "javascript:1",
            "data:text/html,x",
        ] {
            assert!(!address.covers(foreign), "{foreign}");
        }
    }
}
