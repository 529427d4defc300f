//! The evidence report as a file: one page that opens from disk, without a server.

use std::{fs, io::Write as _, os::unix::fs::OpenOptionsExt as _, path::Path};

use segue_channel::World;
use segue_http::{
    App, Setup,
    report::{self, About},
};
use segue_model::reading::instant;

use crate::{commands::CommandError, flows::Desk, output, world::Machine};

/// Whether this build has the page that a report is made of.
pub const IS_HERE: bool = cfg!(feature = "web");

/// The owner's only, as the record that it shows: it may hold prompts, answers and what steps printed.
const FILE_MODE: u32 = 0o600;

/// Writes the report of some Runs into a new file, beside the one that has all evidence. Says what it has no room for.
///
/// # Errors
/// A Run is not there, or the file is, or it cannot be written.
pub async fn write(
    desk: &Desk,
    state_root: &Path,
    run_ids: &[String],
    path: &Path,
    evidence: &Path,
) -> Result<(), CommandError> {
    let app = App::new(Setup {
        channel: desk.channel.clone(),
        flows: desk.flows.clone(),
        state_root: state_root.to_owned(),
        state_is_usual: false,
        token: None,
    });
    let made_at = instant::written(Machine.now()).unwrap_or_default();
    let kept_in = evidence.file_name().unwrap_or_default().to_string_lossy();
    let segue = env!("CARGO_PKG_VERSION");
    let about = About { run_ids, made_at, segue, kept_in: &kept_in, room: report::ROOM };
    let made = report::page(&app, about).await.map_err(|error| CommandError::Usage(format!("the report: {error}")))?;
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path);
    let written = file.and_then(|mut file| file.write_all(made.page.as_bytes()));
    written.map_err(|error| CommandError::Usage(format!("write {}: {error}", path.display())))?;
    if !made.left_out.is_nothing() {
        output::say(&format!("the page has no room for all of it, and says what is only in {kept_in}"));
    }
    Ok(())
}
