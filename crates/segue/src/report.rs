//! The evidence report as a file: one page that opens from disk, without a server.

use std::{fs, io::Write as _, path::Path};

use segue_channel::World;
use segue_http::{
    App, Setup,
    report::{self, About},
};
use segue_model::reading::instant;

use crate::{commands::CommandError, flows::Desk, world::Machine};

/// Whether this build has the page that a report is made of.
pub const IS_HERE: bool = cfg!(feature = "web");

/// Writes the report of some Runs into a new file.
///
/// # Errors
/// A Run is not there, or the file is, or it cannot be written.
pub async fn write(desk: &Desk, state_root: &Path, run_ids: &[String], path: &Path) -> Result<(), CommandError> {
    let app = App::new(Setup {
        channel: desk.channel.clone(),
        flows: desk.flows.clone(),
        state_root: state_root.to_owned(),
        state_is_usual: false,
        token: None,
    });
    let made_at = instant::written(Machine.now()).unwrap_or_default();
    let about = About { run_ids, made_at, segue: env!("CARGO_PKG_VERSION") };
    let page = report::page(&app, about).await.map_err(|error| CommandError::Usage(format!("the report: {error}")))?;
    let written = fs::File::create_new(path).and_then(|mut file| file.write_all(page.as_bytes()));
    written.map_err(|error| CommandError::Usage(format!("write {}: {error}", path.display())))
}
