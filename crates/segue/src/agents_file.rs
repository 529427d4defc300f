//! The registry of agents: the built-in ones and those of the configuration file.

use segue_host::adapters::Registry;

use crate::places::{self, Place};

/// Why the agents cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("{0}")]
    Place(#[from] places::PlaceError),
    #[error("read {}: {source}", path.display())]
    Read { path: std::path::PathBuf, source: std::io::Error },
    #[error("{0}")]
    File(#[from] segue_host::adapters::AgentsFileError),
}

/// Reads it.
///
/// # Errors
/// When the file was named and cannot be read, or does not say what an agent is.
pub fn registry(given: Option<&std::path::Path>) -> Result<(Registry, Option<Place>), RegistryError> {
    let mut registry = Registry::builtin();
    let place = places::agents_file(given)?;
    if let Some(place) = &place {
        let text = std::fs::read_to_string(&place.path)
            .map_err(|source| RegistryError::Read { path: place.path.clone(), source })?;
        registry.add_file(&place.path, &text)?;
    }
    Ok((registry, place))
}
