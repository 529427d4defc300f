//! Signals: the first one begins the shutdown, later ones change nothing, and at the end the process
//! dies by the one it was sent.

use std::process::ExitCode;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a server.
#[derive(Debug)]
pub struct Signals {
    term: Signal,
    int: Signal,
    hup: Signal,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Terminate,
    Interrupt,
    HangUp,
}

impl Signals {
    /// From here on they no longer end the process by themselves.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            term: signal(SignalKind::terminate())?,
            int: signal(SignalKind::interrupt())?,
            hup: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) -> Ending {
        tokio::select! {
            _ = self.term.recv() => Ending::Terminate,
            _ = self.int.recv() => Ending::Interrupt,
            _ = self.hup.recv() => Ending::HangUp,
        }
    }
}

impl Ending {
    /// Ends this process by the signal's default action.
    pub fn die(self) -> ExitCode {
        let number = match self {
            Self::Terminate => signal_hook::consts::SIGTERM,
            Self::Interrupt => signal_hook::consts::SIGINT,
            Self::HangUp => signal_hook::consts::SIGHUP,
        };
        let _ = signal_hook::low_level::emulate_default_handler(number);
        // Only reached when that failed.
        ExitCode::FAILURE
    }
}
