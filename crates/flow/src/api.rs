//! What the faces ask the flows for, and what they get: the types of [`crate::Flows`] in one place.

pub use crate::{
    admit::{Admit, Admitted, NewRun, Target},
    bundles::Installed,
    drive::{Cancelled, OnStop},
    evidence::{ContextEntry, Evidence, Node, Published},
    fork::{Fork, Replay, ReplayPlan},
    people::Answer,
    projection::{Projection, Step, StepError},
    reads::{Content, LIST_MAX, List, Summary},
    row::Artifact,
    schedule::{AddSchedule, RECORDED_MAX, Recorded, Schedule},
    service::Quarantined,
    store::{GOLDEN_ID, LocalTask, SavedFlow},
    watch::{Page, Watch},
    why::{Line, Why},
    workspace::Workspace,
};
