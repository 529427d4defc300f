//! A command that does not stay: it opens the state folder, does its part and goes. It takes nothing over that
//! is still alive.

use std::{process::ExitCode, time::Duration};

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    nesting,
    wiring::{self, Wanted, Wired},
};

/// How long such a command helps to record what dead servers left, before it does its own part.
const IMPORT_LIMIT: Duration = Duration::from_secs(10);
/// How long an agent that was only asked something outlives a command that was killed.
pub const PROBE_GRACE: Duration = Duration::from_secs(1);

/// Runs `work` with a channel and ends what it started.
///
/// # Errors
/// When the parts cannot be put together, or as `work`.
pub fn with_channel(
    global: &Global,
    wanted: Wanted,
    work: impl AsyncFnOnce(&Wired) -> Result<Exit, CommandError>,
) -> Result<ExitCode, CommandError> {
    let runtime = wiring::runtime().map_err(|source| CommandError::Io { what: "start", source })?;
    let wired = Wired::open(global, wanted)?;
    let outcome = runtime.block_on(async {
        import_finished(&wired).await;
        let outcome = work(&wired).await;
        let left = wired.channel.shut_down().await;
        // Processes that may still run matter more than what the command wanted to say.
        outcome.map(|exit| if left.confirmed { exit } else { Exit::Internal })
    });
    runtime.shutdown_background();
    wired.close();
    outcome.map(ExitCode::from)
}

/// Takes in what finished hosts of dead servers left; the next command goes on where time ran out.
pub async fn import_finished(wired: &Wired) {
    if tokio::time::timeout(IMPORT_LIMIT, wired.channel.import_finished()).await.is_err() {
        tracing::warn!("what dead servers left is not all recorded yet");
    }
}

/// Refuses what an agent must not do: start, stop or judge work, its own included.
///
/// # Errors
/// When this process runs inside an agent that was dispatched.
pub fn refuse_nested() -> Result<(), CommandError> {
    if nesting::nested() {
        return Err(CommandError::Usage(
            "this runs inside an agent that Segue started, where tasks and agents can be looked at only".to_owned(),
        ));
    }
    Ok(())
}
