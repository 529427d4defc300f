//! Schedules: flows that are run at the ticks of a cron pattern.
//!
//! When ticks are and what follows from a record is the model's ([`segue_model::schedule`]). A schedule is a document
//! with what somebody wants and how its record stands, beside a stream of what happened; both change in one
//! transaction. Whoever changes it has seen its present version, so two servers that see a tick at once do not both
//! claim it, and its Run is admitted under a key that follows from the tick, so it is admitted once whatever dies.

mod clock;
mod document;
mod shown;
mod tick;

use std::sync::Arc;

use segue_model::{
    ScheduleId, Timestamp,
    flow::{Challenge, Hash, Json, Object, Profile, RunId, Scope},
    schedule::{Event, Missed, Overlap, Timing, Version},
};

use self::document::{Body, Definition, Followed, Pinned, Stored};
pub use self::{clock::serve, tick::schedule_of};
use crate::{
    admit::{self, Candidate, Target},
    error::{AdmitError, ScheduleError, StorageError},
    service::Flows,
    shared::{Shared, blocking},
};

/// Events that are shown of a schedule at most.
pub const RECORDED_MAX: usize = 200;
/// How often a change is tried again when somebody else changed the schedule meanwhile.
const TRIES: usize = 16;

/// A request for a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct AddSchedule {
    pub target: Target,
    pub version: Version,
    pub cron: String,
    pub zone: String,
    pub missed: Missed,
    pub overlap: Overlap,
    pub profile: Profile,
    pub inputs: Object,
    /// What came in as the authorization of effects; null is none.
    pub authorization: Option<Json>,
}

/// A schedule as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    pub id: ScheduleId,
    /// The flow's portable id, and the local one that it was saved under.
    pub flow_id: String,
    pub local_id: String,
    /// The flow's hash, of a schedule that runs that very version.
    pub pinned: Option<Hash>,
    pub cron: String,
    pub zone: String,
    pub missed: Missed,
    pub overlap: Overlap,
    pub profile: Profile,
    pub inputs: Object,
    /// What was authorized when it was added, as the challenge said it.
    pub authorized: Option<Json>,
    pub enabled: bool,
    pub created_at: Timestamp,
    /// `None` while it is disabled.
    pub next_tick: Option<Timestamp>,
    /// That tick as a clock in the schedule's zone shows it.
    pub next_local: Option<String>,
    pub last_run: Option<RunId>,
}

/// A moment at which a schedule would start a Run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tick {
    pub at: Timestamp,
    /// As a clock in the schedule's zone shows it.
    pub local: String,
}

/// An event of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub sequence: u64,
    pub at: Timestamp,
    pub event: Event,
    /// How the Run that it started stands now; `None` for other events and for a Run that was forgotten.
    pub run_status: Option<String>,
}

impl Flows {
    /// Nothing is run by it before its first tick.
    ///
    /// # Errors
    /// The pattern or the zone is none, or a Run of the flow would not be admitted with these inputs and this
    /// authorization. Room is not looked for.
    pub async fn add_schedule(&self, request: AddSchedule) -> Result<Schedule, ScheduleError> {
        add(&self.shared, request).await
    }

    /// The next ticks of a pattern in a zone, fewer than `count` at the end of the calendar. Nothing is stored.
    ///
    /// # Errors
    /// The pattern or the zone is none.
    pub fn next_ticks(&self, cron: &str, zone: &str, count: usize) -> Result<Vec<Tick>, ScheduleError> {
        let timing = Timing::parse(cron, zone)?;
        let first = timing.next_after(self.shared.now());
        let ticks = std::iter::successors(first, |&at| timing.next_after(at)).take(count);
        Ok(ticks.map(|at| Tick { at, local: timing.local(at) }).collect())
    }

    /// In the order in which they were added.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub async fn schedules(&self) -> Result<Vec<Schedule>, StorageError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || {
            let now = shared.now();
            document::all(&shared)?.into_iter().map(|stored| stored.and_then(|stored| stored.shown(now))).collect()
        })
        .await
    }

    /// # Errors
    /// There is none of this id.
    pub async fn schedule(&self, id: &str) -> Result<Schedule, ScheduleError> {
        Ok(find(&self.shared, id).await?.shown(self.shared.now())?)
    }

    /// What was recorded of a schedule, newest first, at most `limit` and [`RECORDED_MAX`].
    ///
    /// # Errors
    /// There is none of this id.
    pub async fn schedule_events(&self, id: &str, limit: usize) -> Result<Vec<Recorded>, ScheduleError> {
        let stored = find(&self.shared, id).await?;
        let reading = Arc::clone(&self.shared);
        Ok(blocking(move || document::events(&reading, &stored, limit.min(RECORDED_MAX))).await?)
    }

    /// Turns it on or off. Ticks that pass while it is off are not missed.
    ///
    /// # Errors
    /// There is none of this id.
    pub async fn enable_schedule(&self, id: &str, enabled: bool) -> Result<Schedule, ScheduleError> {
        let event = if enabled { Event::Enabled } else { Event::Disabled };
        let unless = move |body: &Body| body.state.enabled == enabled;
        change(&self.shared, id, event, unless).await?;
        self.schedule(id).await
    }

    /// A Run that it has started goes on.
    ///
    /// # Errors
    /// There is none of this id.
    pub async fn remove_schedule(&self, id: &str) -> Result<(), ScheduleError> {
        change(&self.shared, id, Event::Removed, |_| false).await
    }

    /// Looks at every schedule once, as the server does by itself: claims ticks that have come and starts their Runs.
    /// When the next one comes, as far as is known.
    pub async fn look_at_schedules(&self) -> Option<Timestamp> {
        clock::once(&self.shared).await
    }
}

async fn add(shared: &Arc<Shared>, request: AddSchedule) -> Result<Schedule, ScheduleError> {
    let timing = Timing::parse(&request.cron, &request.zone)?;
    let candidate = admit::candidate(shared, request.target, request.profile).await?;
    let (challenge, candidate) = judged(shared, candidate, &request.inputs)?;
    let given = request.authorization.filter(|given| !given.is_null());
    match &given {
        Some(_) if !challenge.is_required() => return Err(AdmitError::AuthorizationUnneeded.into()),
        given if challenge.is_required() && !given.as_ref().is_some_and(|given| challenge.is_met_by(given)) => {
            return Err(AdmitError::AuthorizationRequired(Box::new(challenge)).into());
        }
        _ => {}
    }
    let (follow, kept) = match request.version {
        Version::Latest => (Followed::latest(&candidate), Vec::new()),
        Version::Pinned => {
            (Followed::Pinned(Box::new(Pinned::of(&candidate))), admit::documents(shared, &candidate.whole))
        }
    };
    let definition = Definition {
        cron: timing.cron().to_owned(),
        zone: timing.zone().to_owned(),
        missed: request.missed,
        overlap: request.overlap,
        profile: request.profile,
        inputs: request.inputs,
        follow,
        authorized: challenge.is_required().then(|| challenge.to_json()),
    };
    let id = shared.draw_schedule();
    document::create(shared, &id, definition, kept).await?;
    Ok(find(shared, id.as_str()).await?.shown(shared.now())?)
}

/// What a Run of the whole flow with these inputs would write; every other check has passed.
fn judged(shared: &Shared, candidate: Candidate, inputs: &Object) -> Result<(Challenge, Candidate), AdmitError> {
    let judged = admit::judged(shared, candidate, inputs, None, None)?;
    let input_hash = Hash::of(&Json::Object(judged.flow_input));
    let challenge = Challenge::new(judged.candidate.flow(), input_hash, Scope::whole(judged.candidate.flow()));
    judged.candidate.check_programs(&challenge.scope)?;
    Ok((challenge, judged.candidate))
}

async fn find(shared: &Arc<Shared>, id: &str) -> Result<Stored, ScheduleError> {
    let known = ScheduleId::parse(id).ok_or_else(|| ScheduleError::NotFound(id.to_owned()))?;
    let reading = Arc::clone(shared);
    let found = blocking(move || document::one(&reading, &known)).await?;
    found.ok_or_else(|| ScheduleError::NotFound(id.to_owned()))
}

/// Records an event that somebody asked for, unless it is so already.
async fn change(
    shared: &Arc<Shared>,
    id: &str,
    event: Event,
    unless: impl Fn(&Body) -> bool,
) -> Result<(), ScheduleError> {
    for _ in 0..TRIES {
        let stored = find(shared, id).await?;
        if unless(&stored.body) {
            return Ok(());
        }
        if document::record(shared, stored, vec![event.clone()]).await?.is_some() {
            return Ok(());
        }
    }
    Err(StorageError::corrupt(id, "it is changed by others without pause").into())
}
