//! Programs that run on when a stop could not be recorded.

use segue_host::ProcessId;
use segue_model::HostId;

use super::RunJob;

impl RunJob {
    /// The next server finds them by the record and goes on with them; whoever stopped this one is told which they are.
    pub(super) async fn name_programs(&self) {
        let hosts = &self.shared.config.hosts;
        let mut numbers = Vec::new();
        for host in self.hosts_left() {
            let identity = segue_host::identity(&hosts.join(host.as_str())).await.ok().flatten();
            match segue_host::survivors(host, identity.as_ref(), &[]).await {
                Ok(found) => numbers.extend(found.iter().map(|ProcessId { pid, .. }| pid.to_string())),
                Err(error) => tracing::warn!(%host, "what it still runs cannot be seen: {error}"),
            }
        }
        if !numbers.is_empty() {
            let (run, numbers) = (&self.own.run, numbers.join(", "));
            tracing::warn!(
                "the stop of run {run} could not be recorded; processes {numbers} of it run on, and the next server of \
                 this state folder goes on with them"
            );
        }
    }

    /// No other server will know of them: the record that names them is gone.
    pub(super) async fn end_programs(&mut self) {
        // Nothing here takes what they give, or says that it was lost.
        self.working.shutdown().await;
        for host in self.hosts_left() {
            let identity = segue_host::identity(&self.shared.config.hosts.join(host.as_str())).await.ok().flatten();
            let receipt = segue_host::sweep(host, identity.as_ref()).await;
            let left: Vec<_> = receipt.escaped.iter().map(|process| process.pid.to_string()).collect();
            if let Some(why) = receipt.unconfirmed.filter(|_| !receipt.tree_empty) {
                tracing::warn!(%host, "the end of a program is not confirmed ({}): {why}", left.join(", "));
            }
        }
    }

    fn hosts_left(&self) -> impl Iterator<Item = &HostId> {
        self.hosts.values().chain(&self.settled_hosts)
    }
}
