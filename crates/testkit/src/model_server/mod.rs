//! A scripted language model on loopback, with which real coding agents run without account or network.
//!
//! It speaks OpenAI chat completions, OpenAI Responses and Anthropic Messages, streamed and whole, and lists
//! models. What it answers is written in the prompt, as directives in double square brackets:
//!
//! | directive | the model |
//! | --- | --- |
//! | `[[say:TEXT]]` | says the text, word by word |
//! | `[[think:TEXT]]` | thinks it, where the request wants thoughts |
//! | `[[chunks:N]]`, `[[chunks:N:BYTES]]` | says `c0 c1 …` in N pieces, each padded to BYTES |
//! | `[[big:BYTES]]` | says one piece of that size |
//! | `[[delay:SECONDS]]` | from here on waits before every piece |
//! | `[[sleep:SECONDS]]`, `[[hang]]` | waits; for as long as the client stays |
//! | `[[result]]` | says the newest tool result |
//! | `[[tool:write:PATH:TEXT]]` | has a file written |
//! | `[[tool:edit:PATH:OLD:NEW]]` | has text in a file replaced |
//! | `[[tool:read:PATH]]` | has a file read |
//! | `[[tool:shell:COMMAND]]` | has a command run; `shell-ask` asks to leave the agent's sandbox for it |
//! | `[[tool:fetch:URL]]`, `[[tool:search:PATTERN]]` | has a page fetched, a text searched |
//! | `[[tool:plan:A\|B\|C]]` | has the plan set |
//! | `[[call:NAME:JSON]]` | calls that tool with exactly these arguments |
//! | `[[error:STATUS]]`, `[[error:STATUS:TEXT]]` | is not there: HTTP error; `error_once` only for the first time |
//! | `[[drop]]` | is cut off here |
//! | `[[stop:length]]`, `[[stop:refusal]]` | ends its reply so |
//! | `[[usage:IN:OUT]]` | reports these token counts |
//!
//! `\n`, `\t`, `\\` and `\:` are escapes; `]]` cannot stand inside a directive. A tool directive ends a reply,
//! and the next one comes when the agent sends the result; `[[tool+:…]]` and `[[call+:…]]` leave the reply open
//! for a further call. The newest block of user text with a directive is the script. A prompt without one, and a
//! script that is used up, get "OK.". Requests without tools, which agents make to title a session, get the
//! script's words at once and never wait or fail. A script that cannot be understood is answered with status 400
//! and says why.

mod anthropic;
mod chat;
mod conversation;
mod dialect;
mod http;
mod log;
mod performance;
mod responses;
mod script;
mod tools;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use dialect::Dialect;
pub use http::MODELS;
pub use log::{Called, Outcome, Request};

/// A running server. It has a thread and a runtime of its own, so tests with and without a runtime can hold one,
/// and stops, cutting what is under way, when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    log: Arc<log::Log>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ModelServer {
    /// Starts a server on a free port of 127.0.0.1. It accepts connections when this returns.
    ///
    /// # Errors
    /// When there is no port or no thread to be had.
    pub fn start() -> io::Result<Self> {
        Self::start_with_log(None)
    }

    /// The same, with a line of JSON appended to a file at the start and at the end of every request.
    ///
    /// # Errors
    /// Also when the file cannot be opened.
    pub fn start_with_log(file: Option<&Path>) -> io::Result<Self> {
        let log = Arc::new(log::Log::new(file)?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let listener = {
            let _context = runtime.enter();
            TcpListener::from_std(listener)?
        };
        // Else each small piece waits for the client to confirm the last one.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let router = http::router(Arc::new(http::Shared::new(Arc::clone(&log))));
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("model-server".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    // `serve` accepts for ever; failures to accept are retried inside.
                    _ = async { axum::serve(listener, router).await } => {}
                    _ = stopped => {}
                }
            });
            // Dropping the runtime here ends the connections.
        })?;
        Ok(Self { address, log, stop: Some(stop), thread: Some(thread) })
    }

    /// The base URL, `http://127.0.0.1:PORT`. What OpenAI's clients call base URL has `/v1` after it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The requests so far. Agents make requests of their own beside those of a script, so tests look for the
    /// one they mean and do not count.
    pub fn requests(&self) -> Vec<Request> {
        self.log.snapshot()
    }

    /// Waits, blocking the thread, until the requests fulfil a condition.
    ///
    /// # Panics
    /// When they do not within the limit; the message shows them.
    pub fn requests_when(&self, limit: Duration, met: impl Fn(&[Request]) -> bool) -> Vec<Request> {
        self.log
            .wait(limit, met)
            .unwrap_or_else(|| panic!("the condition was not met in {limit:?} by {:#?}", self.requests()))
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the server's thread has been printed; a second one here would hide the test's.
            let _ = thread.join();
        }
    }
}
