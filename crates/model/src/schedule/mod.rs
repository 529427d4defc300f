//! A schedule: a flow that is run at the ticks of a cron pattern in a time zone.
//!
//! [`Timing`] says when its ticks are, [`next()`] what follows now from what was recorded, [`State::apply`] what has
//! happened. As with a Run, nothing is done that was not recorded as an event first: a tick is claimed, and only then
//! is its Run admitted, under a key that follows from the tick.

mod civil;
mod event;
mod rule;
mod state;
#[cfg(test)]
mod tests;
mod timing;

pub use event::{Event, RefusalCode};
pub use rule::{BACK_MAX, GRACE, Step, Ticks, next};
pub use state::{Claim, State};
pub use timing::{Timing, TimingError};

use crate::flow::words::words;

words! {
    /// Which version of its flow a schedule runs.
    Version {
        /// The one that is saved when a tick comes.
        Latest = "latest",
        /// The one that was saved when the schedule was added, with what its nodes were bound to.
        Pinned = "pinned",
    }
}

words! {
    /// What becomes of ticks that passed while nobody was there.
    Missed {
        /// They are recorded, and that is all.
        Skip = "skip",
        /// They are recorded, and one Run makes up for all of them.
        RunOnce = "run_once",
    }
}

words! {
    /// What becomes of a tick while the Run of an earlier one is still active.
    Overlap {
        Skip = "skip",
        Allow = "allow",
    }
}
