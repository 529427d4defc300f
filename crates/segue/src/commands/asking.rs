//! Asking a person at the terminal for a yes.

use std::io::{IsTerminal, Write};

/// Whether there is somebody to ask: both ends of the conversation are a terminal.
#[must_use]
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks. Anything but a yes is a no, so is an end of the input.
pub async fn yes(question: &str) -> bool {
    // What cannot be said is not answered with yes either.
    let _ = write!(anstream::stderr().lock(), "{question} [y/N] ");
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).map(|_| line)
    });
    matches!(answer.await, Ok(Ok(line)) if matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
