//! Dates and times without a zone, as the reader of cron patterns wants them. What zones do to them is for
//! [`super::Timing`].

use std::cmp::Ordering;

use croner::{CivilDateTime, CronDateTime, Resolution, Weekday, errors::CronError};
use jiff::{SignedDuration, civil::DateTime};

/// A wall clock's date and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Civil(pub DateTime);

impl CronDateTime for Civil {
    fn to_civil(&self) -> CivilDateTime {
        let part = |part: i8| u32::try_from(part).unwrap_or_default();
        let at = self.0;
        let civil = CivilDateTime::from_ymd_hms_opt(
            at.year().into(),
            part(at.month()),
            part(at.day()),
            part(at.hour()),
            part(at.minute()),
            part(at.second()),
        );
        civil.expect("a date that exists")
    }

    fn civil_weekday(&self) -> Weekday {
        Weekday::from_days_from_sunday(u32::try_from(self.0.weekday().to_sunday_zero_offset()).unwrap_or_default())
    }

    fn resolve_civil(&self, civil: CivilDateTime) -> Result<Resolution<Self>, CronError> {
        let part = |part: u32| i8::try_from(part).map_err(|_| CronError::InvalidDate);
        let year = i16::try_from(civil.year()).map_err(|_| CronError::InvalidDate)?;
        let at = DateTime::new(
            year,
            part(civil.month())?,
            part(civil.day())?,
            part(civil.hour())?,
            part(civil.minute())?,
            part(civil.second())?,
            0,
        );
        at.map(|at| Resolution::Single(Self(at))).map_err(|_| CronError::InvalidDate)
    }

    fn checked_add_seconds(&self, seconds: i64) -> Option<Self> {
        self.0.checked_add(SignedDuration::from_secs(seconds)).ok().map(Self)
    }

    fn cmp_instant(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}
