//! `retry`: how often, after how long, and after which failures an attempt is followed by another.

use super::super::{
    fields::Fields,
    json::{Json, object},
    problem::Problem,
};

/// Attempts of one node, the first included.
pub const ATTEMPTS_MAX: u32 = 20;
/// Seconds before a further attempt: an hour.
pub const BACKOFF_MAX: u32 = 3600;

const BACKOFF: u32 = 1;
const BACKOFF_LIMIT: u32 = 60;
const FACTOR: u32 = 2;
pub const FACTOR_MAX: u32 = 10;

words! {
    /// What kind of failure an attempt ended with.
    FailureClass {
        Timeout = "timeout",
        Exit = "exit",
        Unavailable = "unavailable",
        RateLimited = "rate_limited",
        Malformed = "malformed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    /// In all, the first included; at least 2.
    pub attempts: u32,
    /// Seconds before the second attempt.
    pub backoff_seconds: u32,
    /// Each wait is the one before times this.
    pub backoff_factor: u32,
    /// Seconds that no wait exceeds.
    pub backoff_max_seconds: u32,
    pub on: Vec<FailureClass>,
    /// The author says that repeating a node that may have written is right.
    pub repeat_writes: bool,
}

impl Retry {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Problem> {
        fields.only(&[
            "attempts",
            "backoff_seconds",
            "backoff_factor",
            "backoff_max_seconds",
            "on",
            "repeat_writes",
        ])?;
        let attempts = fields.integer("attempts", 2..=ATTEMPTS_MAX)?;
        let backoff_seconds = fields.integer("backoff_seconds", 0..=BACKOFF_MAX)?.unwrap_or(BACKOFF);
        let longest = fields.integer("backoff_max_seconds", 0..=BACKOFF_MAX)?;
        let mut on = fields.word_list("on")?.unwrap_or_else(|| FailureClass::ALL.to_vec());
        // The order says nothing, so it must not change the hash.
        on.sort_unstable();
        Ok(Self {
            attempts: attempts.ok_or_else(|| fields.problem("attempts", "is missing"))?,
            backoff_seconds,
            backoff_factor: fields.integer("backoff_factor", 1..=FACTOR_MAX)?.unwrap_or(FACTOR),
            backoff_max_seconds: longest.unwrap_or(BACKOFF_LIMIT).max(backoff_seconds),
            on,
            repeat_writes: fields.flag("repeat_writes")?.unwrap_or(false),
        })
    }

    pub(super) fn to_json(&self) -> Json {
        Json::Object(object([
            ("attempts", self.attempts.into()),
            ("backoff_seconds", self.backoff_seconds.into()),
            ("backoff_factor", self.backoff_factor.into()),
            ("backoff_max_seconds", self.backoff_max_seconds.into()),
            ("on", self.on.clone().into()),
            ("repeat_writes", self.repeat_writes.into()),
        ]))
    }

    /// Seconds to wait after attempt `attempt` (1-based) has failed with `class`, before jitter; `None` if it
    /// is not followed by another.
    #[must_use]
    pub fn wait_after(&self, attempt: u32, class: FailureClass) -> Option<u32> {
        if attempt >= self.attempts || !self.on.contains(&class) {
            return None;
        }
        let factor = self.backoff_factor.saturating_pow(attempt.saturating_sub(1));
        Some(self.backoff_seconds.saturating_mul(factor).min(self.backoff_max_seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Retry, Problem> {
        let value = Json::parse(text).expect("valid JSON");
        Retry::read(&Fields::of(&value, "").expect("an object"))
    }

    #[test]
    fn waits_grow_to_their_limit_and_end_with_the_attempts() {
        let retry = read(r#"{"attempts":5,"backoff_seconds":3,"backoff_max_seconds":10,"on":["exit"]}"#);
        let retry = retry.expect("valid");
        let waits: Vec<_> = (1..=5).map(|attempt| retry.wait_after(attempt, FailureClass::Exit)).collect();
        assert_eq!(waits, [Some(3), Some(6), Some(10), Some(10), None]);
        assert_eq!(retry.wait_after(1, FailureClass::Timeout), None);
    }

    #[test]
    fn the_normal_form_does_not_depend_on_how_it_was_written() {
        let short = read(r#"{"attempts":2}"#).expect("valid");
        let long =
            r#"{"on":["malformed","rate_limited","unavailable","exit","timeout"],"attempts":2,"backoff_factor":2}"#;
        assert_eq!(short, read(long).expect("valid"));
        assert_eq!(read(&super::super::super::canonical::canonical(&short.to_json())), Ok(short));
        for bad in [r#"{}"#, r#"{"attempts":1}"#, r#"{"attempts":2,"on":[]}"#, r#"{"attempts":2,"wait":1}"#] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
