//! A host that is ready before the next program of a Run is to start: in a row of short programs, starting hosts would
//! take longer than the programs.
//!
//! At most one for a Run, only while a program of it runs and others may follow, and not for long. Its id is drawn when
//! it is made ready and recorded with the attempt that gets it, as that of any host, before it is told anything.

use std::time::Duration;

use segue_host::Ready;
use segue_model::{
    HostId,
    run::{NodePhase, state::SlotState},
};
use tokio::time::Instant;

use super::RunJob;

/// How long one is kept. What takes longer is not made faster by it, and it is a process that does nothing.
const KEPT: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub struct Spare {
    ready: Option<(Ready, Instant)>,
    /// It has its attempt, which will be called once that is recorded.
    drawn: Vec<Ready>,
    /// A program was started since one was made ready.
    wanted: bool,
}

impl Spare {
    /// The id of the host that is ready, for an attempt.
    pub fn draw(&mut self) -> Option<HostId> {
        let (ready, _) = self.ready.take()?;
        let host = ready.host_id().clone();
        self.drawn.push(ready);
        Some(host)
    }

    /// The process of a host whose attempt is recorded now; `None` for one that is still to be started. Either way the
    /// next one may be made ready.
    pub fn give(&mut self, host: &HostId) -> Option<Ready> {
        self.wanted = true;
        let at = self.drawn.iter().position(|ready| ready.host_id() == host)?;
        Some(self.drawn.swap_remove(at))
    }

    /// Waits until it has been kept long enough, and lets it go. Never, without one.
    pub async fn outlived(&mut self) {
        match &self.ready {
            Some((_, until)) => tokio::time::sleep_until(*until).await,
            None => std::future::pending().await,
        }
        self.ready = None;
    }
}

impl RunJob {
    /// Makes the next host ready once a program was started, while more may follow.
    pub(super) fn prepare_spare(&mut self) {
        if !std::mem::take(&mut self.spare.wanted) || self.spare.ready.is_some() || !self.programs_follow() {
            return;
        }
        let config = &self.shared.config;
        let ready = Ready::prepare(self.shared.draw_host(), config.exe.clone(), config.environment.clone());
        self.spare.ready = Some((ready, Instant::now() + KEPT));
    }

    /// Something that was not started yet may start a program.
    fn programs_follow(&self) -> bool {
        let bound = &self.record.bound;
        self.record.run.state.nodes.iter().enumerate().any(|(position, node)| {
            let follows = match &node.phase {
                NodePhase::Pending | NodePhase::Ready => true,
                NodePhase::Running(slots) => slots.iter().any(|slot| slot.state == SlotState::Waiting),
                _ => false,
            };
            follows && self.shared.config.executors.needs_host(&bound.nodes[position], bound.capability(position))
        })
    }
}
