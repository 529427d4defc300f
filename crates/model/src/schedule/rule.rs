//! What follows now from what was recorded of a schedule.

use super::{Claim, Event, Missed, State, Timing};
use crate::Timestamp;

/// Seconds after a tick within which it is on time: looks at the clock are this much apart at most when a machine is
/// busy, and a server that was just restarted is not too late.
pub const GRACE: i64 = 60;
/// Seconds by which a clock that was set back holds ticks back that came already: a day covers every summer time and
/// zone. By more, the clock had been wrong before, and waiting until it gets there again would be waiting for ever.
pub const BACK_MAX: i64 = 86_400;
/// Missed ticks that are counted one by one.
const COUNT_MAX: u32 = 10_000;
/// How far back the latest tick is looked for, in seconds: an hour, a day, a month, a year, and all between two leap
/// days. The first span that has a tick is walked through.
const SPANS: [i64; 5] = [3600, 86_400, 31 * 86_400, 366 * 86_400, 8 * 366 * 86_400];

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Nothing before this moment, or at all.
    Wait(Option<Timestamp>),
    /// To record these, and to look again.
    Record(Vec<Event>),
    /// To start the Run of the claimed tick, unless it was started already; when it is `over`, only to look for that.
    Start { claim: Claim, over: bool },
}

/// The ticks after one moment up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticks {
    pub count: u32,
    /// There are more than were counted.
    pub at_least: bool,
    pub first: Timestamp,
    /// The one before the last.
    pub before_last: Option<Timestamp>,
    pub last: Timestamp,
}

impl Ticks {
    /// `None` when there are none.
    #[must_use]
    pub fn between(timing: &Timing, after: Timestamp, until: Timestamp) -> Option<Self> {
        let first = timing.next_after(after).filter(|tick| *tick <= until)?;
        let mut ticks = Self { count: 1, at_least: false, first, before_last: None, last: first };
        while let Some(tick) = timing.next_after(ticks.last).filter(|tick| *tick <= until) {
            if ticks.count == COUNT_MAX {
                ticks.at_least = true;
                if let Some((before, last)) = latest(timing, until) {
                    (ticks.before_last, ticks.last) = (Some(before), last);
                }
                break;
            }
            ticks.count += 1;
            (ticks.before_last, ticks.last) = (Some(ticks.last), tick);
        }
        Some(ticks)
    }
}

/// The last two ticks up to a moment.
fn latest(timing: &Timing, until: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let walked = |span: &i64| {
        let mut last = timing.next_after(until.plus_seconds(-span)).filter(|tick| *tick <= until)?;
        let mut before = None;
        while let Some(tick) = timing.next_after(last).filter(|tick| *tick <= until) {
            (before, last) = (Some(last), tick);
        }
        before.map(|before| (before, last))
    };
    SPANS.iter().find_map(walked)
}

/// The next step of a schedule, as `server` takes it.
#[must_use]
pub fn next(timing: &Timing, missed: Missed, state: &State, now: Timestamp, server: &str) -> Step {
    if state.removed {
        return Step::Wait(None);
    }
    if let Some(claim) = &state.claim {
        let next = timing.next_after(claim.tick).filter(|_| missed == Missed::RunOnce);
        let until = next.unwrap_or_else(|| claim.tick.plus_seconds(GRACE));
        return Step::Start { claim: claim.clone(), over: now > until };
    }
    if !state.enabled {
        return Step::Wait(None);
    }
    if state.cursor > now.plus_seconds(BACK_MAX) {
        return Step::Record(vec![Event::ClockSetBack { from: state.cursor, to: now }]);
    }
    let Some(ticks) = Ticks::between(timing, state.cursor, now) else {
        return Step::Wait(timing.next_after(state.cursor.max(now)));
    };
    let on_time = now <= ticks.last.plus_seconds(GRACE);
    let missing = ticks.count - u32::from(on_time);
    let until = if on_time { ticks.before_last } else { Some(ticks.last) };
    let lost = until.filter(|_| missing > 0).map(|until| Event::Missed {
        count: missing,
        at_least: ticks.at_least,
        since: ticks.first,
        until,
    });
    let runs = on_time || missed == Missed::RunOnce;
    let claim = runs.then(|| Event::Claimed { tick: ticks.last, server: server.to_owned() });
    Step::Record(lost.into_iter().chain(claim).collect())
}
