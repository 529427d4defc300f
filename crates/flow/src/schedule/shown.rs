//! Schedules and their events as every face shows them.

use segue_model::{
    Timestamp,
    flow::{Json, json::object},
    reading::instant,
    schedule::{Event, Version},
};

use super::{Recorded, Schedule};

fn moment(at: Timestamp) -> Json {
    instant::written(at).into()
}

fn number(number: impl TryInto<i64>) -> Json {
    number.try_into().unwrap_or(i64::MAX).into()
}

impl Schedule {
    #[must_use]
    pub fn to_json(&self) -> Json {
        let version = if self.pinned.is_some() { Version::Pinned } else { Version::Latest };
        Json::Object(object([
            ("schedule_id", self.id.as_str().into()),
            ("flow_id", self.flow_id.as_str().into()),
            ("local_flow_id", self.local_id.as_str().into()),
            ("version", version.into()),
            ("flow_hash", self.pinned.as_ref().map(|hash| hash.as_str()).into()),
            ("cron", self.cron.as_str().into()),
            ("time_zone", self.zone.as_str().into()),
            ("missed", self.missed.into()),
            ("overlap", self.overlap.into()),
            ("executor", self.profile.into()),
            ("inputs", Json::Object(self.inputs.clone())),
            ("authorized", self.authorized.clone().unwrap_or_default()),
            ("enabled", self.enabled.into()),
            ("created_at", moment(self.created_at)),
            ("next_tick", self.next_tick.map(moment).unwrap_or_default()),
            ("next_local", self.next_local.as_deref().into()),
            ("last_run_id", self.last_run.as_ref().map(|run| run.as_str()).into()),
        ]))
    }
}

impl Recorded {
    #[must_use]
    pub fn to_json(&self) -> Json {
        let (mut tick, mut run, mut refused, mut missed, mut clock) = (None, None, None, None, None);
        match &self.event {
            Event::Added | Event::Enabled | Event::Disabled | Event::Removed => {}
            Event::ClockSetBack { from, to } => clock = Some((*from, *to)),
            Event::Missed { count, at_least, since, until } => missed = Some((*count, *at_least, *since, *until)),
            Event::Claimed { tick: at, .. } => tick = Some(*at),
            Event::Started { tick: at, run_id } => (tick, run) = (Some(*at), Some(run_id.as_str())),
            Event::Refused { tick: at, code, reason } => (tick, refused) = (Some(*at), Some((*code, reason.as_str()))),
        }
        let missed = missed.map(|(count, at_least, since, until)| {
            Json::Object(object([
                ("count", number(count)),
                ("at_least", at_least.into()),
                ("since", moment(since)),
                ("until", moment(until)),
            ]))
        });
        let refused =
            refused.map(|(code, reason)| Json::Object(object([("code", code.into()), ("reason", reason.into())])));
        let clock = clock.map(|(from, to)| Json::Object(object([("from", moment(from)), ("to", moment(to))])));
        Json::Object(object([
            ("sequence", number(self.sequence)),
            ("recorded_at", moment(self.at)),
            ("event_type", self.event.kind().into()),
            ("tick", tick.map(moment).unwrap_or_default()),
            ("run_id", run.into()),
            ("run_status", self.run_status.as_deref().into()),
            ("refused", refused.unwrap_or_default()),
            ("missed", missed.unwrap_or_default()),
            ("clock", clock.unwrap_or_default()),
        ]))
    }
}
