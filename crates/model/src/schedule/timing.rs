//! When the ticks of a schedule are.

use std::sync::LazyLock;

use croner::{
    Cron,
    parser::{CronParser, Seconds, Year},
};
use jiff::{
    Timestamp as Moment,
    civil::DateTime,
    tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase},
};

use super::civil::Civil;
use crate::Timestamp;

/// Characters of a pattern and of a zone's name.
const TEXT_MAX: usize = 200;
/// Moments that are looked at for one tick. More than one is wrong only around a change of the clock, where at most
/// the minutes of two days fall onto the same moment.
const LOOKS: usize = 3000;

/// The zones of the world as of this build: a rule may not depend on the files of the machine.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A cron pattern of five fields, or one of its nicknames, in a time zone.
///
/// Where the clock is put forward, the ticks of a pattern that names hours come at the first moment after the gap, and
/// several of them are one; where it is put back, they come the first time only. A pattern of every hour goes by what
/// the clock shows: its ticks in a gap are none, and those of an hour that comes twice are two.
#[derive(Debug, Clone)]
pub struct Timing {
    cron: String,
    zone: TimeZone,
    pattern: Cron,
    every_hour: bool,
}

/// Why something is no timing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    #[error("\"{pattern}\" is no cron pattern of five fields (minute, hour, day, month, weekday): {why}")]
    Pattern { pattern: String, why: String },
    #[error("\"{0}\" never comes: there is no such date")]
    Never(String),
    #[error("\"{0}\" is no time zone: name one as in the IANA database, such as Europe/Berlin or UTC")]
    Zone(String),
}

impl Timing {
    /// # Errors
    /// The pattern cannot be read or names a date that does not exist, or the zone is not known.
    pub fn parse(cron: &str, zone: &str) -> Result<Self, TimingError> {
        let (cron, zone) = (cron.trim(), zone.trim());
        let shown = || cron.chars().take(TEXT_MAX).collect::<String>();
        let refuse = |why: String| TimingError::Pattern { pattern: shown(), why };
        if cron.chars().count() > TEXT_MAX {
            return Err(refuse(format!("it has more than {TEXT_MAX} characters")));
        }
        let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
        let parse = |text: &str| parser.parse(text).map_err(|error| refuse(error.to_string()));
        let pattern = parse(cron)?;
        let known = (zone.len() <= TEXT_MAX).then(|| ZONES.get(zone).ok()).flatten();
        let zone = known.ok_or_else(|| TimingError::Zone(zone.chars().take(TEXT_MAX).collect()))?;
        let every_hour = (0..24).all(|hour| pattern.pattern.hour_match(hour).unwrap_or(false));
        let timing = Self { cron: cron.to_owned(), zone, pattern, every_hour };
        // Any start will do: a date that exists comes within the eight years between two leap days.
        match timing.next_after(Timestamp(0)) {
            Some(_) => Ok(timing),
            None => Err(TimingError::Never(shown())),
        }
    }

    #[must_use]
    pub fn cron(&self) -> &str {
        &self.cron
    }

    /// As the IANA database writes it.
    #[must_use]
    pub fn zone(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// What a clock in the zone shows: date, time and offset.
    #[must_use]
    pub fn local(&self, at: Timestamp) -> String {
        match Moment::from_microsecond(at.0) {
            Ok(moment) => moment.to_zoned_datetime(self.zone.clone()).strftime("%Y-%m-%d %H:%M %:z").to_string(),
            Err(_) => "never".to_owned(),
        }
    }

    /// The first tick after a moment; `None` beyond the calendar.
    #[must_use]
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let after = Moment::from_microsecond(after.0).ok()?;
        let next = if self.every_hour { self.next_shown(after) } else { self.next_named(after) };
        next.map(|moment| Timestamp(moment.as_microsecond()))
    }

    /// The first date and time of the pattern after another one, or at it.
    fn next_civil(&self, from: DateTime, inclusive: bool) -> Option<DateTime> {
        self.pattern.find_next_occurrence(&Civil(from), inclusive).ok().map(|civil| civil.0)
    }

    /// Of a pattern of every hour: what the clock shows counts, between two changes of it.
    fn next_shown(&self, after: Moment) -> Option<Moment> {
        let (mut from, mut inclusive) = (after, false);
        for _ in 0..LOOKS {
            let offset = self.zone.to_offset(from);
            let until = self.zone.following(from).next().map(|change| change.timestamp());
            let civil = self.next_civil(offset.to_datetime(from), inclusive)?;
            let moment = offset.to_timestamp(civil).ok()?;
            match until {
                Some(until) if moment >= until => (from, inclusive) = (until, true),
                _ => return Some(moment),
            }
        }
        None
    }

    /// Of a pattern that names hours: each date and time of it is one moment.
    fn next_named(&self, after: Moment) -> Option<Moment> {
        let mut civil = self.zone.to_datetime(after);
        for _ in 0..LOOKS {
            civil = self.next_civil(civil, false)?;
            let moment = self.moment(civil)?;
            if moment > after {
                return Some(moment);
            }
        }
        None
    }

    fn moment(&self, civil: DateTime) -> Option<Moment> {
        match self.zone.to_ambiguous_timestamp(civil).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(civil).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(civil).ok(),
            AmbiguousOffset::Gap { before, .. } => {
                // By the old offset it lies after the change, by which it never came.
                let late = before.to_timestamp(civil).ok()?;
                let late = late.checked_add(jiff::SignedDuration::from_nanos(1)).ok()?;
                self.zone.preceding(late).next().map(|change| change.timestamp())
            }
        }
    }
}
