//! What the faces ask the flows for, and what they get: the types of [`crate::Flows`] in one place.

pub use crate::{
    admit::{Admit, Admitted, NewRun, Target},
    bundles::Installed,
    drive::{Cancelled, OnStop},
    events::{EventsPage, EventsQuery},
    evidence::{ContextEntry, Evidence, Node, Published},
    fork::{Fork, Replay, ReplayPlan},
    node_detail::{Call, CallResult, NodeDetail, Question, Verdict, Waiting, Wanted},
    people::Answer,
    preview::{Line as EffectLine, Preview},
    projection::{Projection, Step, StepError},
    reads::{Content, LIST_MAX, List, Summary},
    row::{Artifact, Unconfirmed},
    run_detail::{Authorization, Cancellation, FrozenFlow, How, Origin, RunDetail},
    schedule::{AddSchedule, RECORDED_MAX, Recorded, Schedule, Tick},
    service::Quarantined,
    store::{GOLDEN_ID, LocalTask, SavedFlow},
    versions::{Comparison, VERSIONS_MAX, Version},
    watch::{ChangedRun, Changes, Page, Watch},
    why::{Line, Why},
    workspace::Workspace,
};
