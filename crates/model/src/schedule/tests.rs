//! Ticks around changes of the clock, and what follows from a record.

use proptest::prelude::*;

use super::*;
use crate::{Timestamp, flow::RunId};

fn at(text: &str) -> Timestamp {
    let moment: jiff::Timestamp = text.parse().expect("a moment");
    Timestamp(moment.as_microsecond())
}

fn utc(at: Timestamp) -> String {
    let moment = jiff::Timestamp::from_microsecond(at.0).expect("a moment");
    moment.strftime("%Y-%m-%dT%H:%MZ").to_string()
}

fn timing(cron: &str, zone: &str) -> Timing {
    Timing::parse(cron, zone).expect("a timing")
}

/// The ticks after a moment, in UTC.
fn ticks(cron: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
    let timing = timing(cron, zone);
    let next = |last: &Timestamp| timing.next_after(*last);
    std::iter::successors(timing.next_after(at(after)), next).take(count).map(utc).collect()
}

#[test]
fn a_named_hour_in_a_gap_comes_once_right_after_it() {
    // Berlin, 29 March 2026: 01:59:59 is followed by 03:00:00.
    let of = |cron| ticks(cron, "Europe/Berlin", "2026-03-27T12:00:00Z", 4);
    assert_eq!(of("30 2 * * *"), ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z", "2026-03-31T00:30Z"]);
    let all_of_the_hour = ticks("*/20 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 3);
    assert_eq!(all_of_the_hour, ["2026-03-29T01:00Z", "2026-03-30T00:00Z", "2026-03-30T00:20Z"]);
    // The tick that was moved and the one that is there anyway are one.
    let both = ticks("0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2);
    assert_eq!(both, ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]);
}

#[test]
fn a_named_hour_that_comes_twice_has_one_tick() {
    // Berlin, 25 October 2026: 02:00 to 02:59 comes twice.
    let of = |cron, after| ticks(cron, "Europe/Berlin", after, 2);
    assert_eq!(of("30 2 * * *", "2026-10-24T12:00:00Z"), ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
    // Also when it is asked for in the second of the two.
    assert_eq!(of("30 2 * * *", "2026-10-25T01:05:00Z"), ["2026-10-26T01:30Z", "2026-10-27T01:30Z"]);
}

#[test]
fn a_pattern_of_every_hour_goes_by_what_passes() {
    let spring = ticks("30 * * * *", "Europe/Berlin", "2026-03-28T23:45:00Z", 3);
    assert_eq!(spring, ["2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"]);
    let autumn = ticks("30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00Z", 3);
    assert_eq!(autumn, ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"]);
    let quarter = ticks("*/15 * * * *", "Australia/Lord_Howe", "2026-04-04T14:20:00Z", 6);
    // Half an hour is repeated there, from 02:00 to 01:30.
    assert_eq!(
        quarter,
        [
            "2026-04-04T14:30Z",
            "2026-04-04T14:45Z",
            "2026-04-04T15:00Z",
            "2026-04-04T15:15Z",
            "2026-04-04T15:30Z",
            "2026-04-04T15:45Z"
        ]
    );
}

#[test]
fn a_day_that_a_zone_left_out_is_made_up_for_at_its_end() {
    // Samoa had no 30 December 2011.
    let of = ticks("0 9 * * *", "Pacific/Apia", "2011-12-29T12:00:00Z", 3);
    assert_eq!(of, ["2011-12-29T19:00Z", "2011-12-30T10:00Z", "2011-12-30T19:00Z"]);
}

#[test]
fn leap_days_come_when_there_is_one() {
    let of = ticks("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 2);
    assert_eq!(of, ["2104-02-29T00:00Z", "2108-02-29T00:00Z"]);
    assert_eq!(ticks("@hourly", "UTC", "2026-01-01T00:10:00Z", 1), ["2026-01-01T01:00Z"]);
    assert_eq!(ticks("0 12 L * *", "Asia/Kolkata", "2026-02-01T00:00:00Z", 1), ["2026-02-28T06:30Z"]);
}

#[test]
fn what_is_no_timing_is_refused_with_its_reason() {
    let why = |cron: &str, zone: &str| Timing::parse(cron, zone).expect_err("refused").to_string();
    assert_eq!(why("0 0 30 2 *", "UTC"), "\"0 0 30 2 *\" never comes: there is no such date");
    assert_eq!(why("0 0 31 4,6,9,11 *", "UTC"), "\"0 0 31 4,6,9,11 *\" never comes: there is no such date");
    for cron in ["", "* * * *", "0 0 * * * *", "0 0 0 1 1 * 2027", "60 * * * *", "0 24 * * *", "0 0 0 * *", "x"] {
        let text = why(cron, "UTC");
        assert!(text.starts_with(&format!("\"{cron}\" is no cron pattern of five fields")), "{cron}: {text}");
    }
    let zone = why("0 9 * * *", "Mars/Olympus");
    assert_eq!(
        zone,
        "\"Mars/Olympus\" is no time zone: name one as in the IANA database, such as Europe/Berlin or UTC"
    );
    let long = why(&"1,".repeat(5000), "UTC");
    assert!(long.len() < 400, "{long}");
}

#[test]
fn a_zone_is_written_as_the_database_does() {
    let berlin = timing(" 0 9 * * MON-FRI ", "europe/berlin");
    assert_eq!((berlin.cron(), berlin.zone()), ("0 9 * * MON-FRI", "Europe/Berlin"));
    assert_eq!(berlin.local(at("2026-07-01T07:00:00Z")), "2026-07-01 09:00 +02:00");
}

/// A schedule driven by hand.
struct Driver {
    timing: Timing,
    missed: Missed,
    state: State,
}

impl Driver {
    fn new(cron: &str, missed: Missed, added: &str) -> Self {
        Self { timing: timing(cron, "UTC"), missed, state: State::added(at(added)) }
    }

    fn step(&self, now: &str) -> Step {
        next(&self.timing, self.missed, &self.state, at(now), "me")
    }

    fn record(&mut self, now: &str) -> Vec<Event> {
        let Step::Record(events) = self.step(now) else { panic!("{:?} at {now}", self.step(now)) };
        for event in &events {
            assert_eq!(Event::parse(&event.payload()).expect("an event is read back"), *event);
            self.state.apply(event, at(now)).expect("a legal event");
        }
        events
    }

    fn settle(&mut self, now: &str) {
        let Step::Start { claim, over: false } = self.step(now) else { panic!("{:?} at {now}", self.step(now)) };
        let started = Event::Started { tick: claim.tick, run_id: RunId::from_bytes([1; 16]) };
        self.state.apply(&started, at(now)).expect("a claimed tick is started");
    }
}

fn claimed(tick: &str) -> Event {
    Event::Claimed { tick: at(tick), server: "me".to_owned() }
}

fn missed(count: u32, since: &str, until: &str) -> Event {
    Event::Missed { count, at_least: false, since: at(since), until: at(until) }
}

#[test]
fn a_tick_is_claimed_when_it_has_come_and_once() {
    let mut driver = Driver::new("0 * * * *", Missed::Skip, "2026-01-01T10:20:00Z");
    assert_eq!(driver.step("2026-01-01T10:59:59Z"), Step::Wait(Some(at("2026-01-01T11:00:00Z"))));
    assert_eq!(driver.record("2026-01-01T11:00:00Z"), [claimed("2026-01-01T11:00:00Z")]);
    driver.settle("2026-01-01T11:00:01Z");
    assert_eq!(driver.step("2026-01-01T11:00:02Z"), Step::Wait(Some(at("2026-01-01T12:00:00Z"))));
    // A clock that is set back by an hour does not bring the tick back.
    assert_eq!(driver.step("2026-01-01T10:05:00Z"), Step::Wait(Some(at("2026-01-01T12:00:00Z"))));
    assert_eq!(driver.step("2026-01-01T11:00:00Z"), Step::Wait(Some(at("2026-01-01T12:00:00Z"))));
}

#[test]
fn missed_ticks_are_recorded_and_a_late_one_is_one_of_them() {
    let mut driver = Driver::new("0 * * * *", Missed::Skip, "2026-01-01T10:20:00Z");
    let events = driver.record("2026-01-01T13:01:01Z");
    assert_eq!(events, [missed(3, "2026-01-01T11:00:00Z", "2026-01-01T13:00:00Z")]);
    // Within the grace it is on time.
    let events = driver.record("2026-01-01T16:01:00Z");
    let expected = [missed(2, "2026-01-01T14:00:00Z", "2026-01-01T15:00:00Z"), claimed("2026-01-01T16:00:00Z")];
    assert_eq!(events, expected);
}

#[test]
fn run_once_makes_up_for_all_that_was_missed_with_one_run() {
    let mut driver = Driver::new("0 * * * *", Missed::RunOnce, "2026-01-01T10:20:00Z");
    let events = driver.record("2026-01-03T13:30:00Z");
    let expected = [missed(51, "2026-01-01T11:00:00Z", "2026-01-03T13:00:00Z"), claimed("2026-01-03T13:00:00Z")];
    assert_eq!(events, expected);
    driver.settle("2026-01-03T13:30:01Z");
    assert_eq!(driver.step("2026-01-03T13:30:02Z"), Step::Wait(Some(at("2026-01-03T14:00:00Z"))));
}

#[test]
fn ticks_of_years_are_counted_up_to_a_bound() {
    let mut driver = Driver::new("* * * * *", Missed::Skip, "2020-01-01T00:00:30Z");
    let events = driver.record("2026-01-01T00:00:10Z");
    let lost = Event::Missed {
        count: 9_999,
        at_least: true,
        since: at("2020-01-01T00:01:00Z"),
        until: at("2025-12-31T23:59:00Z"),
    };
    assert_eq!(events, [lost, claimed("2026-01-01T00:00:00Z")]);
}

#[test]
fn a_claim_that_nobody_carried_out_is_over_after_a_while() {
    let mut skip = Driver::new("0 * * * *", Missed::Skip, "2026-01-01T10:20:00Z");
    skip.record("2026-01-01T11:00:00Z");
    let claim = Claim { tick: at("2026-01-01T11:00:00Z"), server: "me".to_owned() };
    assert_eq!(skip.step("2026-01-01T11:01:00Z"), Step::Start { claim: claim.clone(), over: false });
    assert_eq!(skip.step("2026-01-01T11:01:01Z"), Step::Start { claim: claim.clone(), over: true });
    let mut once = Driver::new("0 * * * *", Missed::RunOnce, "2026-01-01T10:20:00Z");
    once.record("2026-01-01T11:00:00Z");
    assert_eq!(once.step("2026-01-01T12:00:00Z"), Step::Start { claim: claim.clone(), over: false });
    assert_eq!(once.step("2026-01-01T12:00:01Z"), Step::Start { claim, over: true });
}

#[test]
fn a_clock_that_had_been_far_ahead_does_not_silence_a_schedule() {
    let mut driver = Driver::new("0 9 * * *", Missed::Skip, "2026-01-01T10:00:00Z");
    driver.record("2036-01-01T12:00:00Z");
    let back = Event::ClockSetBack { from: at("2036-01-01T09:00:00Z"), to: at("2026-01-01T12:00:00Z") };
    assert_eq!(driver.record("2026-01-01T12:00:00Z"), [back]);
    assert_eq!(driver.step("2026-01-01T12:00:00Z"), Step::Wait(Some(at("2026-01-02T09:00:00Z"))));
}

#[test]
fn ticks_while_it_was_disabled_are_not_missed() {
    let mut driver = Driver::new("0 * * * *", Missed::RunOnce, "2026-01-01T10:20:00Z");
    driver.state.apply(&Event::Disabled, at("2026-01-01T10:30:00Z")).expect("enabled before");
    assert_eq!(driver.step("2026-01-01T15:30:00Z"), Step::Wait(None));
    driver.state.apply(&Event::Enabled, at("2026-01-01T15:30:00Z")).expect("disabled before");
    assert_eq!(driver.step("2026-01-01T15:30:00Z"), Step::Wait(Some(at("2026-01-01T16:00:00Z"))));
}

#[test]
fn what_cannot_follow_changes_nothing() {
    let mut state = State::added(at("2026-01-01T10:00:00Z"));
    let before = state.clone();
    let tick = at("2026-01-01T11:00:00Z");
    let started = Event::Started { tick, run_id: RunId::from_bytes([1; 16]) };
    for event in [Event::Added, Event::Enabled, started, claimed("2026-01-01T09:00:00Z")] {
        assert_eq!(state.apply(&event, tick).expect_err("illegal").event, event.kind());
        assert_eq!(state, before);
    }
    state.apply(&Event::Removed, tick).expect("removed");
    assert_eq!(state.apply(&claimed("2026-01-01T11:00:00Z"), tick).expect_err("illegal").state, "a removed schedule");
    assert_eq!(next(&timing("* * * * *", "UTC"), Missed::Skip, &state, tick, "me"), Step::Wait(None));
}

const ZONES: [&str; 6] =
    ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"];
const PATTERNS: [&str; 8] = [
    "* * * * *",
    "*/7 * * * *",
    "30 2 * * *",
    "15,45 0-5 * * *",
    "0 0 1 * *",
    "0 3 29 2 *",
    "59 23 L * *",
    "0 9 * * MON#1",
];

proptest! {
    #[test]
    fn ticks_ascend_on_whole_minutes_and_do_not_depend_on_where_one_looks_from(
        zone in 0..ZONES.len(), pattern in 0..PATTERNS.len(), start in 0_i64..3_000_000_000,
    ) {
        let timing = timing(PATTERNS[pattern], ZONES[zone]);
        let start = Timestamp(start * 1_000_000);
        let mut last = start;
        for _ in 0..20 {
            let tick = timing.next_after(last).expect("a tick");
            prop_assert!(tick > last);
            prop_assert_eq!(tick.0 % 60_000_000, 0);
            // From halfway there it is the same one.
            let halfway = Timestamp(last.0 + (tick.0 - last.0) / 2);
            prop_assert_eq!(timing.next_after(halfway), Some(tick));
            last = tick;
        }
    }

    #[test]
    fn any_text_is_a_timing_or_is_refused(cron in "[ -~]{0,24}|[*0-9,/LW#?@A-Z -]{1,30}|\\PC{0,12}", zone in "\\PC{0,12}") {
        if let Ok(timing) = Timing::parse(&cron, "Europe/Berlin") {
            let next = timing.next_after(Timestamp(1_800_000_000_000_000));
            prop_assert!(next.is_some());
        }
        let _ = Timing::parse("0 9 * * *", &zone);
    }

}

proptest! {
    // Each case counts thousands of ticks.
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_schedule_always_comes_to_rest(
        pattern in 0..PATTERNS.len(),
        policy in 0..2_usize,
        added in 0_i64..2_000_000_000,
        jumps in prop::collection::vec(-100_000_i64..2_000_000, 1..12),
    ) {
        let timing = timing(PATTERNS[pattern], "Europe/Berlin");
        let mut state = State::added(Timestamp(added * 1_000_000));
        let mut now = added;
        for jump in jumps {
            now = (now + jump).max(0);
            let at = Timestamp(now * 1_000_000);
            for looks in 0.. {
                prop_assert!(looks < 10, "{:?}", state);
                match next(&timing, Missed::ALL[policy], &state, at, "me") {
                    Step::Wait(until) => {
                        prop_assert!(until.is_none_or(|until| until > at));
                        break;
                    }
                    Step::Record(events) => {
                        prop_assert!(!events.is_empty());
                        for event in events {
                            prop_assert!(state.apply(&event, at).is_ok(), "{:?} after {:?}", event, state);
                        }
                    }
                    Step::Start { claim, .. } => {
                        let run_id = RunId::from_bytes([1; 16]);
                        let event = Event::Started { tick: claim.tick, run_id };
                        prop_assert!(state.apply(&event, at).is_ok(), "{:?} after {:?}", event, state);
                    }
                }
            }
        }
    }
}
