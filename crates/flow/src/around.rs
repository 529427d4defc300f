//! What executors use of the world, as this process has it.

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::Duration,
};

use segue_channel::Channel;
use segue_host::Ready;
use segue_model::{
    HostId,
    flow::{ArtifactId, Hash, Object},
    run::Outcome,
};

use crate::{
    executors::{Answer, Call, Parting, Surroundings},
    shared::{Shared, blocking, lock},
    subrun,
};

/// How long a program that was only looked at goes on when its server died: it is of use to nobody, and longer than a
/// busy machine takes to attach to it.
const UNATTENDED: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Around {
    shared: Arc<Shared>,
    /// An outcome will be recorded.
    of_attempt: bool,
    outputs: Option<Arc<Object>>,
    ready: Mutex<Option<Ready>>,
}

impl Around {
    /// For looking around without a Run.
    #[must_use]
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), of_attempt: false, outputs: None, ready: Mutex::default() }
    }

    /// For one attempt; `outputs` if it asks for the accepted outputs of its Run, `ready` if its host is.
    #[must_use]
    pub fn of_attempt(shared: &Arc<Shared>, outputs: Option<Arc<Object>>, ready: Option<Ready>) -> Self {
        Self { shared: Arc::clone(shared), of_attempt: true, outputs, ready: Mutex::new(ready) }
    }
}

impl Surroundings for Around {
    fn host_dir(&self, host: &HostId) -> PathBuf {
        self.shared.config.hosts.join(host.as_str())
    }

    fn exe(&self) -> PathBuf {
        self.shared.config.exe.clone()
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        self.shared.config.environment.clone()
    }

    fn take_ready(&self, host: &HostId) -> Option<Ready> {
        lock(&self.ready).take_if(|ready| ready.host_id() == host)
    }

    fn orphan_grace(&self) -> Duration {
        self.shared.config.orphan_grace
    }

    fn unattended(&self) -> Option<Duration> {
        (!self.of_attempt).then_some(UNATTENDED)
    }

    fn settle_later(&self, host: &HostId, parting: Parting) {
        if self.of_attempt {
            self.shared.keep_parting(host, parting);
        } else {
            tokio::spawn(parting.let_go());
        }
    }

    fn outputs(&self, _: &Call) -> Option<Arc<Object>> {
        self.outputs.clone()
    }

    fn put_blob(&self, bytes: Vec<u8>) -> Answer<'_, Result<Hash, String>> {
        Box::pin(async move {
            let journal = Arc::clone(self.shared.journal());
            let digest = blocking(move || Ok(journal.put_blob(&bytes)?)).await;
            let digest = digest.map_err(|error| crate::drive::chain(&error))?;
            Hash::parse(&digest).ok_or_else(|| format!("{digest:?} is no digest"))
        })
    }

    fn draw_artifact_id(&self) -> ArtifactId {
        self.shared.draw_artifact()
    }

    fn channel(&self) -> &Channel {
        &self.shared.config.channel
    }

    fn subrun<'a>(&'a self, call: &'a Call, flow: &'a str, inputs: Object) -> Answer<'a, Outcome> {
        Box::pin(subrun::run(&self.shared, call, flow, inputs))
    }
}
