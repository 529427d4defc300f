//! The clock and chance of this machine.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};
use segue_channel::World;
use segue_model::Timestamp;

/// The clock that nobody sets and that counts while the machine sleeps.
#[cfg(target_os = "linux")]
const ELAPSED: ClockId = ClockId::Boottime;
/// Elsewhere the monotonic one does.
#[cfg(not(target_os = "linux"))]
const ELAPSED: ClockId = ClockId::Monotonic;

/// The real ones.
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl World for Machine {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        let since = clock_gettime(ELAPSED);
        let nanos = u32::try_from(since.tv_nsec).unwrap_or_default();
        Duration::new(u64::try_from(since.tv_sec).unwrap_or_default(), nanos)
    }

    fn random(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}
