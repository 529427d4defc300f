//! The clock and chance of this machine.

use std::time::{SystemTime, UNIX_EPOCH};

use segue_channel::World;
use segue_model::Timestamp;

/// The real ones.
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl World for Machine {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn random(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
