//! The resources: one file each, with its rows of the table.

mod agents;
mod artifacts;
mod bundles;
mod cancellations;
mod capabilities;
mod changes;
mod comparison;
mod evidence;
mod flow_runs;
mod flows;
mod forks;
mod history;
mod kept_agents;
mod letting_go;
mod outcome;
mod people;
mod previews;
mod replays;
mod run_detail;
mod run_events;
mod runs;
mod samples;
mod schedules;
mod stability;
mod system;
mod task_events;
mod tasks;
mod templates;
mod versions;
mod why;
mod writing;

use segue_model::flow::Json;

use crate::{call::Call, error::RequestError, table::Route};

/// Every resource, in the order of the document.
const RESOURCES: [&[Route]; 31] = [
    system::ROUTES,
    templates::ROUTES,
    flow_runs::ROUTES,
    flows::ROUTES,
    versions::ROUTES,
    previews::ROUTES,
    runs::ROUTES,
    run_detail::ROUTES,
    letting_go::ROUTES,
    outcome::ROUTES,
    evidence::ROUTES,
    run_events::ROUTES,
    changes::ROUTES,
    why::ROUTES,
    cancellations::ROUTES,
    people::ROUTES,
    forks::ROUTES,
    replays::ROUTES,
    history::ROUTES,
    comparison::ROUTES,
    stability::ROUTES,
    artifacts::ROUTES,
    bundles::ROUTES,
    capabilities::ROUTES,
    writing::ROUTES,
    samples::ROUTES,
    schedules::ROUTES,
    tasks::ROUTES,
    task_events::ROUTES,
    agents::ROUTES,
    kept_agents::ROUTES,
];

/// Every route.
pub fn all() -> impl Iterator<Item = &'static Route> {
    RESOURCES.into_iter().flatten()
}

/// What makes a request that starts a Run happen once.
const KEY_HEADER: &str = "idempotency-key";
/// Characters of a key.
const KEY_MAX: usize = 200;

/// The key of a request that starts a Run: the same one gives the same Run, also after a lost reply.
///
/// # Errors
/// It is too long, no text, or there twice.
fn key(call: &Call) -> Result<Option<String>, RequestError> {
    match call.one_header(KEY_HEADER)?.map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) if key.chars().count() > KEY_MAX => {
            Err(RequestError::Query(format!("{KEY_HEADER} must be at most {KEY_MAX} characters")))
        }
        key => Ok(key.map(str::to_owned)),
    }
}

/// An object as a reply.
fn json(members: impl Into<Json>) -> Json {
    members.into()
}
