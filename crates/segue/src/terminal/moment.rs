//! Points in time and spans of it, for people.

use jiff::tz::TimeZone;
use segue_model::Timestamp;

/// The local time to the second, with its offset from UTC.
#[must_use]
pub fn absolute(at: Timestamp) -> String {
    in_zone(at, TimeZone::system(), "%Y-%m-%d %H:%M:%S %:z")
}

/// The local time of day.
#[must_use]
pub fn clock(at: Timestamp) -> String {
    in_zone(at, TimeZone::system(), "%H:%M:%S")
}

fn in_zone(at: Timestamp, zone: TimeZone, format: &str) -> String {
    match jiff::Timestamp::from_microsecond(at.0) {
        Ok(moment) => moment.to_zoned_datetime(zone).strftime(format).to_string(),
        // A clock that far off is shown as what it said.
        Err(_) => format!("{} s after 1970", at.seconds()),
    }
}

/// How long ago, in one unit.
#[must_use]
pub fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = whole(now.seconds_since(at));
    let (number, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3_600 => (seconds / 60, "min"),
        3_600..86_400 => (seconds / 3_600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{number} {unit} ago")
}

/// The local time and how long ago it was.
#[must_use]
pub fn both(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", absolute(at), ago(at, now))
}

/// The local time, and how long ago it was, as short as that can be.
#[must_use]
pub fn near(at: Timestamp, now: Timestamp) -> String {
    let format = if now.seconds_since(at) < 86_400.0 { "%H:%M" } else { "%b %d" };
    format!("{}, {}", in_zone(at, TimeZone::system(), format), ago(at, now))
}

/// A span, in at most two units.
#[must_use]
pub fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("{:.1} s", seconds.max(0.0));
    }
    let seconds = whole(seconds);
    let two = |more: u64, unit, fewer: u64, below| match fewer {
        0 => format!("{more} {unit}"),
        _ => format!("{more} {unit} {fewer} {below}"),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => two(seconds / 60, "min", seconds % 60, "s"),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded down on purpose; never negative")]
fn whole(seconds: f64) -> u64 {
    seconds.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_ages_read_well() {
        let spans = [0.04, 9.96, 59.9, 60.0, 3_599.0, 7_260.0, 86_400.0, 100_000.0].map(span);
        assert_eq!(spans, ["0.0 s", "10.0 s", "59 s", "1 min", "59 min 59 s", "2 h 1 min", "1 d", "1 d 3 h"]);
        let now = Timestamp(1_000_000_000_000);
        let ages = [0, 59, 60, 7_199, 86_400, -5].map(|seconds| ago(now.plus_seconds(-seconds), now));
        assert_eq!(ages, ["0 s ago", "59 s ago", "1 min ago", "1 h ago", "1 d ago", "0 s ago"]);
    }

    #[test]
    fn a_moment_is_told_in_its_zone() {
        let at = Timestamp(1_764_511_322_000_000);
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(in_zone(at, zone, "%Y-%m-%d %H:%M:%S %:z"), "2025-11-30 16:02:02 +02:00");
        assert_eq!(in_zone(Timestamp(i64::MAX), TimeZone::UTC, "%H"), "9223372036854.775 s after 1970");
    }
}
