//! The accept loop: loopback only, every connection a job that is waited for, every wait bounded.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
};

use crate::{app::App, caller::Caller};

/// How long the head of a request may take, also on a connection that is kept.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Connections at once: a browser takes six for a page, and each stream of live events holds one. More wait.
const CONNECTIONS_MAX: usize = 512;
/// How long answers under way may take once the server is to stop.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// How long is waited when the process has no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("{0} is not a loopback address: use 127.0.0.1, localhost or ::1")]
    NotLoopback(String),
    #[error("port {port} on {host} is taken by another program: {cause}")]
    PortTaken { host: IpAddr, port: u16, cause: io::Error },
    #[error("port {port} on {host} cannot be used: {cause}")]
    Bind { host: IpAddr, port: u16, cause: io::Error },
}

/// A bound loopback address.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds a loopback address; port 0 is any free one.
    ///
    /// # Errors
    /// The host is not loopback, or the port cannot be had.
    pub async fn bind(host: &str, port: u16) -> Result<Self, ServeError> {
        let ip = loopback(host).ok_or_else(|| ServeError::NotLoopback(host.to_owned()))?;
        let failed = |cause: io::Error| match cause.kind() {
            io::ErrorKind::AddrInUse => ServeError::PortTaken { host: ip, port, cause },
            _ => ServeError::Bind { host: ip, port, cause },
        };
        let inner = TcpListener::bind((ip, port)).await.map_err(failed)?;
        let address = inner.local_addr().map_err(failed)?;
        Ok(Self { inner, address })
    }

    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it is reached, with a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

fn loopback(host: &str) -> Option<IpAddr> {
    match host {
        "localhost" => Some(Ipv4Addr::LOCALHOST.into()),
        "::1" | "[::1]" => Some(Ipv6Addr::LOCALHOST.into()),
        // The other addresses of 127/8 are loopback as well, but not among the names that a request may use.
        "127.0.0.1" => Some(Ipv4Addr::LOCALHOST.into()),
        _ => None,
    }
}

/// Serves until `stop` is done, then waits for the answers under way, for a while.
pub async fn serve(listener: Listener, app: App, stop: impl Future<Output = ()>) {
    let router = app.router(listener.address.port());
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let (closing, _) = watch::channel(false);
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener.inner, &room) => accepted,
            () = &mut stop => break,
        };
        while connections.try_join_next().is_some() {}
        let Some((stream, peer, room)) = accepted else { continue };
        let (router, closing) = (router.clone(), closing.subscribe());
        let own = listener.address;
        connections.spawn(async move {
            converse(stream, peer, own, router, closing).await;
            drop(room);
        });
    }
    drop(listener);
    app.stop();
    closing.send_replace(true);
    let rest = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(DRAIN_TIME, rest).await.is_err() {
        tracing::warn!("answers under way were cut off");
    }
    connections.shutdown().await;
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, permit)),
        Err(error) => {
            tracing::warn!("accept a connection: {error}");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

async fn converse(
    stream: TcpStream,
    peer: SocketAddr,
    own: SocketAddr,
    router: Router,
    mut closing: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let caller = tokio::task::spawn_blocking(move || Caller::of(peer, own)).await.unwrap_or(Caller::Unknown);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(caller);
        hyper::service::Service::call(&router, request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        // What it gives is a lock.
        () = async { drop(closing.wait_for(|closing| *closing).await) } => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, "a connection broke off: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_bound() {
        for host in ["127.0.0.1", "localhost", "::1", "[::1]"] {
            assert!(loopback(host).is_some_and(|ip| ip.is_loopback()), "{host}");
        }
        for host in ["0.0.0.0", "::", "192.168.0.1", "example.org", "127.0.0.2", "", "localhost."] {
            assert_eq!(loopback(host), None, "{host}");
        }
    }

    #[tokio::test]
    async fn a_taken_port_is_one_clear_error() {
        let first = Listener::bind("127.0.0.1", 0).await.expect("a free port");
        let port = first.address().port();
        let error = Listener::bind("127.0.0.1", port).await.expect_err("taken").to_string();
        assert!(error.starts_with(&format!("port {port} on 127.0.0.1 is taken by another program: ")), "{error}");
        assert!(matches!(Listener::bind("0.0.0.0", port).await, Err(ServeError::NotLoopback(_))));
    }
}
