//! Waiting for the server that drives a Run to do what was asked of it, with a word when it takes long: it may be frozen,
//! or on the machine of somebody who suspended it.

use std::{pin::pin, time::Duration};

use segue_flow::api::Driver;

use super::CommandError;
use crate::{flows::Desk, output, shutdown::Signals};

/// How long nothing is said: a server that works has answered by then.
const PATIENCE: Duration = Duration::from_secs(3);

/// Waits for `work`, which asks something of a Run. None when this command was interrupted; what was asked stays
/// recorded.
///
/// # Errors
/// As `work`, or the Run cannot be read.
pub async fn asked<T, E>(
    desk: &Desk,
    run: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<Option<T>, CommandError>
where
    CommandError: From<E>,
{
    let mut signals = Signals::new().map_err(|source| CommandError::Io { what: "listen for signals", source })?;
    let mut work = pin!(work);
    let mut look = tokio::time::interval_at(tokio::time::Instant::now() + PATIENCE, PATIENCE);
    let mut named = None;
    loop {
        tokio::select! {
            done = &mut work => return Ok(Some(done?)),
            _ = look.tick() => {
                let driver = desk.flows.driver(run).await?;
                if let Some(driver) = driver.filter(|driver| named != Some(*driver)) {
                    let name = name_of(driver);
                    output::say(&format!(
                        "the request is recorded; {name} drives the run and has not done it yet, and is waited for"
                    ));
                    named = Some(driver);
                }
            }
            _ = signals.next() => {
                match desk.flows.driver(run).await? {
                    Some(driver) => output::say(&format!(
                        "no longer waited for; the request stays recorded, and {} carries it out when it goes on",
                        name_of(driver)
                    )),
                    None => output::say("no longer waited for"),
                }
                return Ok(None);
            }
        }
    }
}

fn name_of(driver: Driver) -> String {
    driver.process.map_or_else(|| "another server".to_owned(), |process| format!("process {process}"))
}
