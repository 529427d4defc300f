//! `segue mcp` without a further word: the server an MCP client starts.

use std::{path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use clap::Args;

use crate::{
    cli::Global,
    commands::CommandError,
    exit::Exit,
    shutdown::{Ending, Signals},
    wiring::{self, Wanted, Wired},
};

#[derive(Debug, Args)]
pub struct Serve {
    /// Base folder for completion markers [default: $XDG_RUNTIME_DIR/segue, else a folder of this user for temporary files]
    #[arg(long, value_name = "DIR", conflicts_with = "no_notify", value_parser = non_empty)]
    notify_dir: Option<PathBuf>,
    /// Make no completion markers
    #[arg(long)]
    no_notify: bool,
    /// Keep the record in memory only; nothing outlives this server
    #[arg(long)]
    ephemeral: bool,
    /// Seconds that a turn goes on with no server attached, before its host ends it
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(0..=604_800))]
    orphan_grace: u64,
}

fn non_empty(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() { Err("must not be empty".to_owned()) } else { Ok(PathBuf::from(text)) }
}

/// How long calls under way may take to be answered once everything else has ended.
const FINISH_GRACE: Duration = Duration::from_secs(2);

impl Serve {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let runtime = wiring::runtime().map_err(|source| CommandError::Io { what: "start", source })?;
        let markers = if self.no_notify { None } else { wiring::markers(self.notify_dir.as_deref()) };
        let wanted =
            Wanted { ephemeral: self.ephemeral, markers, orphan_grace: Some(Duration::from_secs(self.orphan_grace)) };
        let wired = Wired::open(global, wanted)?;
        let (confirmed, ending) = runtime.block_on(serve(&wired))?;
        runtime.shutdown_background();
        wired.close();
        if !confirmed {
            return Ok(Exit::Internal.into());
        }
        Ok(ending.map_or_else(|| Exit::Succeeded.into(), Ending::die))
    }
}

/// Serves until the input ends or a signal comes, then shuts down.
async fn serve(wired: &Wired) -> Result<(bool, Option<Ending>), CommandError> {
    let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
    let channel = wired.channel.clone();
    let serving = segue_mcp::serve_stdio(Arc::new(channel.clone()));
    channel.serve();
    segue_host::give_back_start_pages();
    let ending = tokio::select! {
        end = serving.ended() => {
            tracing::info!(?end, "the client has gone");
            None
        }
        signal = signals.next() => Some(signal),
    };
    let outcome = channel.shut_down().await;
    serving.finish(FINISH_GRACE).await;
    Ok((ends_in_order(outcome.confirmed, outcome.complete, ending.is_some()), ending))
}

/// Whether the process ends as what ended it says, and not with the status of a fault (contract §11.3).
///
/// A shutdown that could not do all its work is told by the status, unless a signal wanted it: then the process dies by
/// that, as long as nothing was left running.
const fn ends_in_order(confirmed: bool, complete: bool, by_signal: bool) -> bool {
    confirmed && (complete || by_signal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_end_has_its_status() {
        let ways = [
            ("end of input, all confirmed", (true, true, false), true),
            ("signal, all confirmed", (true, true, true), true),
            ("end of input, one unconfirmed", (false, true, false), false),
            ("signal, one unconfirmed", (false, true, true), false),
            ("shutdown failed, end of input", (true, false, false), false),
            ("shutdown failed, signal, all confirmed", (true, false, true), true),
            ("shutdown failed, signal, one unconfirmed", (false, false, true), false),
        ];
        for (way, (confirmed, complete, by_signal), in_order) in ways {
            assert_eq!(ends_in_order(confirmed, complete, by_signal), in_order, "{way}");
        }
    }
}
