//! How a point in time is written in replies.

use jiff::Timestamp as Moment;
use serde::Serializer;

use crate::Timestamp;

/// ISO-8601, UTC, microseconds, `+00:00` (contract §1). `None` for a time outside of the calendar.
#[must_use]
pub fn written(at: Timestamp) -> Option<String> {
    let moment = Moment::from_microsecond(at.0).ok()?;
    Some(moment.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string())
}

/// What [`written`] wrote, or any other ISO-8601 text with an offset.
#[must_use]
pub fn read(text: &str) -> Option<Timestamp> {
    let moment: Moment = text.trim().parse().ok()?;
    Some(Timestamp(moment.as_microsecond()))
}

pub(super) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let text = written(*at).ok_or_else(|| serde::ser::Error::custom("a time outside of the calendar"))?;
    serializer.serialize_str(&text)
}

/// For a time that may not have come yet.
pub(super) mod option {
    use super::{Serializer, Timestamp};

    #[expect(clippy::ref_option, reason = "the shape that serde asks for")]
    pub fn serialize<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        match at {
            Some(at) => super::serialize(at, serializer),
            None => serializer.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_microseconds_and_an_offset() {
        for (microseconds, text) in [
            (1_767_323_045_678_901, Some("2026-01-02T03:04:05.678901+00:00")),
            (0, Some("1970-01-01T00:00:00.000000+00:00")),
            (i64::MAX, None),
        ] {
            assert_eq!(written(Timestamp(microseconds)).as_deref(), text);
            assert_eq!(text.and_then(read), text.map(|_| Timestamp(microseconds)));
        }
        assert_eq!(read("2026-01-02T04:04:05+01:00"), Some(Timestamp(1_767_323_045_000_000)));
        for odd in ["", "yesterday", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
