//! Schedules.

use segue_flow::api::{AddSchedule, Recorded, Schedule, Target, Tick};
use segue_model::{
    flow::{
        Json, Object, Problem, Profile,
        fields::{Fields, Word},
        json::object,
    },
    reading::instant,
    schedule::{Missed, Overlap, RefusalCode, Version},
};

use super::authorization::{AUTHORIZATION, CHALLENGE};
use crate::shape::{Named, Shape, has, may};

/// Characters of a flow's id, a pattern and a zone in a request.
const TEXT_MAX: usize = 200;
/// What local ids begin with.
const LOCAL: &str = "task_";

const OR_TEXT: Shape = Shape::OrNull(&Shape::Text);
const OR_TIME: Shape = Shape::OrNull(&Shape::Time);

pub const SCHEDULE: Named = Named {
    name: "Schedule",
    about: "`flow_hash` is that of a pinned version; `authorized` is the challenge that was met when it was added; `next_local` is \
        the next tick as a clock in the zone shows it.",
    shape: Shape::Exact(&[
        has("schedule_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("local_flow_id", Shape::Text),
        has("version", Shape::Words(Version::WORDS)),
        has("flow_hash", OR_TEXT),
        has("cron", Shape::Text),
        has("time_zone", Shape::Text),
        has("missed", Shape::Words(Missed::WORDS)),
        has("overlap", Shape::Words(Overlap::WORDS)),
        has("executor", Shape::Words(Profile::WORDS)),
        has("inputs", Shape::Map),
        has("authorized", Shape::OrNull(&Shape::Named(&CHALLENGE))),
        has("enabled", Shape::Flag),
        has("created_at", Shape::Time),
        has("next_tick", OR_TIME),
        has("next_local", OR_TEXT),
        has("last_run_id", OR_TEXT),
    ]),
};

const EVENT: Named = Named {
    name: "ScheduleEvent",
    about: "`run_status` is how the Run stands now; null when it was forgotten.",
    shape: Shape::Exact(&[
        has("sequence", Shape::Integer),
        has("recorded_at", Shape::Time),
        has(
            "event_type",
            Shape::Words(&[
                "schedule.added",
                "schedule.enabled",
                "schedule.disabled",
                "schedule.removed",
                "schedule.clock_set_back",
                "ticks.missed",
                "tick.claimed",
                "tick.started",
                "tick.refused",
            ]),
        ),
        has("tick", OR_TIME),
        has("run_id", OR_TEXT),
        has("run_status", OR_TEXT),
        has(
            "refused",
            Shape::OrNull(&Shape::Exact(&[has("code", Shape::Words(RefusalCode::WORDS)), has("reason", Shape::Text)])),
        ),
        has(
            "missed",
            Shape::OrNull(&Shape::Exact(&[
                has("count", Shape::Integer),
                has("at_least", Shape::Flag),
                has("since", Shape::Time),
                has("until", Shape::Time),
            ])),
        ),
        has("clock", Shape::OrNull(&Shape::Exact(&[has("from", Shape::Time), has("to", Shape::Time)]))),
    ]),
};

pub const PAGE: Named = Named {
    name: "ScheduleWithEvents",
    about: "Events are newest first.",
    shape: Shape::Exact(&[has("schedule", Shape::Named(&SCHEDULE)), has("events", Shape::List(&Shape::Named(&EVENT)))]),
};

pub const ADD: Named = Named {
    name: "AddScheduleRequest",
    about: "`flow_id` is the portable id or the local one. What writes needs the authorization of the challenge that comes back.",
    shape: Shape::Exact(&[
        has("flow_id", Shape::Text),
        has("cron", Shape::Text),
        has("time_zone", Shape::Text),
        may("version", Shape::Words(Version::WORDS)),
        may("missed", Shape::Words(Missed::WORDS)),
        may("overlap", Shape::Words(Overlap::WORDS)),
        may("executor", Shape::Words(Profile::WORDS)),
        may("inputs", Shape::Map),
        may("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

pub const CHANGE: Named = Named {
    name: "ChangeScheduleRequest",
    about: "Ticks that pass while it is disabled are not missed.",
    shape: Shape::Exact(&[has("enabled", Shape::Flag)]),
};

pub const REMOVED: Named = Named {
    name: "RemovedSchedule",
    about: "",
    shape: Shape::Exact(&[has("removed", Shape::Flag), has("schedule_id", Shape::Text)]),
};

pub const PREVIEW_REQUEST: Named = Named {
    name: "SchedulePreviewRequest",
    about: "",
    shape: Shape::Exact(&[has("cron", Shape::Text), has("time_zone", Shape::Text)]),
};

pub const PREVIEW: Named = Named {
    name: "SchedulePreview",
    about: "`local` is what a clock in the zone shows then.",
    shape: Shape::Exact(&[has(
        "ticks",
        Shape::List(&Shape::Exact(&[has("at", Shape::Time), has("local", Shape::Text)])),
    )]),
};

/// The pattern and the zone.
///
/// # Errors
/// One is missing or of another shape.
pub fn read_preview(body: &Object) -> Result<(&str, &str), Problem> {
    let fields = Fields::new(body, "");
    fields.exactly(&["cron", "time_zone"])?;
    Ok((fields.text("cron", TEXT_MAX)?, fields.text("time_zone", TEXT_MAX)?))
}

#[must_use]
pub fn preview(ticks: &[Tick]) -> Object {
    let tick = |tick: &Tick| {
        Json::Object(object([("at", instant::written(tick.at).into()), ("local", tick.local.as_str().into())]))
    };
    object([("ticks", Json::Array(ticks.iter().map(tick).collect()))])
}

/// # Errors
/// A member is missing, of another shape, or not known.
pub fn read(body: &Object) -> Result<AddSchedule, Problem> {
    let fields = Fields::new(body, "");
    let names = ["flow_id", "cron", "time_zone", "version", "missed", "overlap", "executor", "inputs"];
    let known: Vec<&str> = names.into_iter().chain(["effect_authorization"]).collect();
    fields.only(&known)?;
    let flow = fields.text("flow_id", TEXT_MAX)?.to_owned();
    Ok(AddSchedule {
        target: if flow.starts_with(LOCAL) { Target::Local(flow) } else { Target::Portable(flow) },
        version: fields.word("version")?.unwrap_or(Version::Latest),
        cron: fields.text("cron", TEXT_MAX)?.to_owned(),
        zone: fields.text("time_zone", TEXT_MAX)?.to_owned(),
        missed: fields.word("missed")?.unwrap_or(Missed::Skip),
        overlap: fields.word("overlap")?.unwrap_or(Overlap::Skip),
        profile: fields.word("executor")?.unwrap_or(Profile::Deterministic),
        inputs: fields.object("inputs")?.map(|inputs| inputs.members().clone()).unwrap_or_default(),
        authorization: fields.get("effect_authorization").cloned(),
    })
}

/// Whether it is to be enabled.
///
/// # Errors
/// It does not say.
pub fn read_change(body: &Object) -> Result<bool, Problem> {
    let fields = Fields::new(body, "");
    fields.exactly(&["enabled"])?;
    fields.flag("enabled")?.ok_or_else(|| fields.problem("enabled", "must be true or false"))
}

#[must_use]
pub fn page(schedule: &Schedule, events: &[Recorded]) -> Object {
    let events = events.iter().map(Recorded::to_json).collect();
    object([("schedule", schedule.to_json()), ("events", Json::Array(events))])
}

#[must_use]
pub fn removed(id: &str) -> Object {
    object([("removed", true.into()), ("schedule_id", id.into())])
}
