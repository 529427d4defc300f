//! All agents that can be asked for, by name.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Adapter, AgentsFileError, agents_file, builtin};

/// The built-in agents and those of configuration files.
#[derive(Debug, Clone)]
pub struct Registry {
    by_name: BTreeMap<String, Adapter>,
}

impl Registry {
    #[must_use]
    pub fn builtin() -> Self {
        Self { by_name: builtin::adapters().into_iter().map(|adapter| (adapter.name.clone(), adapter)).collect() }
    }

    /// Adds the agents of one configuration file. `path` is only for messages and
    /// [`Adapter::source`]; `text` is what the file holds.
    ///
    /// # Errors
    /// When the text does not fit, or an agent has the name of one that is there. Then nothing was
    /// added.
    pub fn add_file(&mut self, path: &Path, text: &str) -> Result<(), AgentsFileError> {
        let adapters = agents_file::read(path, text)?;
        for adapter in &adapters {
            if let Some(there) = self.by_name.get(&adapter.name) {
                return Err(AgentsFileError::name_taken(path, there));
            }
        }
        self.by_name.extend(adapters.into_iter().map(|adapter| (adapter.name.clone(), adapter)));
        Ok(())
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Adapter> {
        self.by_name.get(name)
    }

    /// Sorted, as they are listed to callers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}
