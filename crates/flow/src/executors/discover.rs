//! Discovery: agents that are installed and can be made capabilities (contract §13). Nothing is stored.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use segue_host::adapters::locate;
use segue_model::{
    HostId,
    flow::{
        Json, Problem,
        capability::{Capability, descriptor::Descriptor, descriptor::read_descriptors},
        fields::cut,
    },
};

use super::{Surroundings, Terms, codex, opencode_server, probe};

/// The name of the user's file of descriptors, in the state folder.
pub const DESCRIPTOR_FILE: &str = "agent-cli-descriptors.json";
/// How long an agent may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// Characters of a version.
const VERSION_MAX: usize = 160;
const VERSION_UNKNOWN: &str = "version unavailable";

/// Looks for the known agents on PATH, then for those of the user's file (`descriptors` is its content; `None` if
/// there is none). `terms` says where; each program that is asked for its version has a host of its own, from `draw`.
///
/// # Errors
/// The file is malformed, or two agents have one id.
pub async fn discover(
    descriptors: Option<&Json>,
    draw: &(dyn Fn() -> HostId + Sync),
    terms: &Terms,
    around: &dyn Surroundings,
) -> Result<Vec<Capability>, Problem> {
    let descriptors = descriptors.map(read_descriptors).transpose()?.unwrap_or_default();
    let path = path_of(around);
    let on_path = |name: &str| locate(name, path.as_deref()).ok();
    let mut found: Vec<Capability> = Vec::new();
    if let Some(executable) = on_path(codex::PROGRAM) {
        let version = version(&executable, &["--version".to_owned()], draw, terms, around).await;
        found.extend(codex::capability(&executable.to_string_lossy(), codex::MODEL, &version));
    }
    if let Some(executable) = on_path(opencode_server::PROGRAM) {
        let version = version(&executable, &["--version".to_owned()], draw, terms, around).await;
        found.extend(opencode_server::capability(&executable.to_string_lossy(), &version));
    }
    for descriptor in &descriptors {
        let Some(executable) = place_of(descriptor, &on_path) else { continue };
        let version = version(&executable, &descriptor.version_args, draw, terms, around).await;
        let capability = Capability::from_saved(&descriptor.definition(&executable.to_string_lossy(), &version))?;
        if found.iter().any(|other| other.id == capability.id) {
            return Err(Problem::new("/agents", format!("\"{}\" occurs twice", capability.id)));
        }
        found.push(capability);
    }
    Ok(found)
}

fn path_of(around: &dyn Surroundings) -> Option<OsString> {
    around.environment().into_iter().find(|(name, _)| name == "PATH").map(|(_, value)| value)
}

fn place_of(descriptor: &Descriptor, on_path: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let named = descriptor.executable_names.iter().find_map(|name| on_path(name));
    named.or_else(|| descriptor.executable_paths.iter().find_map(|path| locate(path, None).ok()))
}

/// The first line that a program prints about itself.
async fn version(
    executable: &std::path::Path,
    args: &[String],
    draw: &(dyn Fn() -> HostId + Sync),
    terms: &Terms,
    around: &dyn Surroundings,
) -> String {
    let terms = Terms { host: Some(draw()), ..terms.clone() };
    let said = probe::ask(executable, args, VERSION_TIMEOUT, &terms, around).await.unwrap_or_default();
    let line = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(VERSION_UNKNOWN);
    cut(line, VERSION_MAX)
}
