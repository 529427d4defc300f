//! Serving over one pair of byte streams, such as standard input and output.
//!
//! Owns the connection's life: it begins with [`serve`], its end is told by [`Serving::ended`], and
//! [`Serving::finish`] closes it in order. Nothing but protocol is ever written to the output.

mod calls;
mod lines;
mod message;
mod transport;

use std::{fmt, sync::Arc, time::Duration};

use rmcp::{RoleServer, service::RunningService};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

pub(crate) use calls::Calls;
pub use lines::LINE_BYTES_MAX;

use crate::{Server, dispatch::Dispatch};

/// How long answers that are already made may take to be written once everything else is over.
const WRITE_GRACE: Duration = Duration::from_secs(2);

/// Why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServeEnd {
    /// The client closed our input.
    InputEnded,
    /// Our input could not be read; the log says why.
    InputFailed,
    /// Nobody reads our output any more.
    OutputClosed,
}

/// A connection being served in the background.
pub struct Serving {
    ended: watch::Receiver<Option<ServeEnd>>,
    running: RunningService<RoleServer, Server>,
    writer: JoinHandle<()>,
    /// No further request is read.
    stop_reading: CancellationToken,
    /// Calls under way are dropped.
    closing: CancellationToken,
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("ended", &*self.ended.borrow()).finish_non_exhaustive()
    }
}

/// Serves standard input and output.
///
/// Pipes are read without a thread of their own. Other kinds of stream (files, terminals, sockets) are read
/// on a blocking thread, where a pending read cannot be interrupted: end the runtime with
/// `shutdown_background` or with the process.
///
/// # Panics
/// Outside of a Tokio runtime with I/O enabled.
#[must_use]
pub fn serve_stdio(service: Arc<dyn Dispatch>) -> Serving {
    let (input, output) = rmcp::transport::stdio_pipes();
    serve(service, input, output)
}

/// Serves any pair of streams.
///
/// # Panics
/// Outside of a Tokio runtime.
#[must_use]
pub fn serve<R, W>(service: Arc<dyn Dispatch>, input: R, output: W) -> Serving
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (report, ended) = watch::channel(None);
    let stop_reading = CancellationToken::new();
    let closing = CancellationToken::new();
    let calls = Arc::new(Calls::default());
    let (transport, writer) = transport::open(input, output, report, stop_reading.clone(), Arc::clone(&calls));
    // The library's own opening ends the connection at anything but a request. Every revision can be served
    // without it: the handler answers `initialize` and `server/discover` like any other request.
    let running = rmcp::service::serve_directly(Server::until(service, closing.clone(), calls), transport, None);
    Serving { ended, running, writer, stop_reading, closing }
}

impl Serving {
    /// Waits for the client to go. Calls under way go on.
    pub async fn ended(&self) -> ServeEnd {
        match self.ended.clone().wait_for(Option::is_some).await {
            Ok(end) => end.unwrap_or(ServeEnd::InputEnded),
            // Whoever reports is gone: the library has ended its loop.
            Err(_) => ServeEnd::InputFailed,
        }
    }

    /// Reads no further request, gives calls under way `grace` to be answered, drops those that are left, and
    /// writes out what is to be written, as long as the client reads.
    pub async fn finish(self, grace: Duration) {
        self.stop_reading.cancel();
        let running = self.running.waiting();
        let mut writer = self.writer;
        tokio::pin!(running);
        let outcome = match timeout(grace, &mut running).await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.closing.cancel();
                match timeout(WRITE_GRACE, &mut running).await {
                    Ok(outcome) => outcome,
                    // The library still waits for room for its answers.
                    Err(_) => {
                        writer.abort();
                        running.await
                    }
                }
            }
        };
        if let Err(error) = outcome {
            tracing::error!(%error, "the protocol loop failed");
        }
        match timeout(WRITE_GRACE, &mut writer).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) if !error.is_cancelled() => tracing::error!(%error, "writing failed"),
            _ => writer.abort(),
        }
        tracing::warn!("the client does not read; answers are lost");
    }
}
