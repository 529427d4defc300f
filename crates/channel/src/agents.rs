//! The agents that tasks can be given to, and which of them are installed here.

use crate::{api::Agent, service::Channel};

impl Channel {
    /// Every agent, in the published order, with its program. Looks at files along the `PATH` and starts nothing.
    #[must_use]
    pub fn find_agents(&self) -> Vec<Agent> {
        let config = self.config();
        let environment = config.environment.iter().cloned().collect();
        let adapters = config.agents.names().filter_map(|name| config.agents.get(name));
        adapters
            .map(|adapter| Agent {
                name: adapter.name.clone(),
                found: adapter.find(&environment).map_err(|error| error.to_string()),
            })
            .collect()
    }
}
