//! The time of one Run while a server drives it. The wall clock is looked at once; from then on what counts is what has
//! passed, so that a clock that is set neither ends a wait nor makes it longer, and no event is before the one that it
//! follows.

use std::{sync::Arc, time::Duration};

use segue_channel::World;
use segue_model::Timestamp;

#[derive(Debug)]
pub struct RunClock {
    world: Arc<dyn World>,
    /// The moment at which it began, and what had passed by then.
    from: Timestamp,
    since: Duration,
}

impl RunClock {
    /// Begins now, or at the last moment that is recorded if the wall clock stands before it.
    #[must_use]
    pub fn begin(world: &Arc<dyn World>, recorded: Timestamp) -> Self {
        Self { world: Arc::clone(world), from: world.now().max(recorded), since: world.elapsed() }
    }

    #[must_use]
    pub fn now(&self) -> Timestamp {
        let passed = self.world.elapsed().saturating_sub(self.since);
        let micros = i64::try_from(passed.as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.from.0.saturating_add(micros))
    }
}
