//! Pages of a Run's events: upwards or downwards, of some types or of one node. A page costs what it shows, however many
//! events the Run has.

use std::sync::Arc;

use segue_journal::EventFilter;
use segue_model::flow::RunId;

use crate::{
    error::RunError,
    evidence::Published,
    payload, reads,
    shared::{Shared, blocking},
};

/// Events that are looked through for those of one node before a page ends, even with none: nodes have no index. A page
/// takes milliseconds; whoever wants more asks for the next one.
const LOOKED_THROUGH: usize = 5000;
/// Events that one look takes.
const LOOK: usize = 500;

/// Which events a page wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventsQuery {
    /// Only those with a greater number.
    pub after: u64,
    /// Only those with a smaller number.
    pub before: Option<u64>,
    /// The newest one comes first.
    pub newest_first: bool,
    /// Only these types; empty means all.
    pub types: Vec<String>,
    pub node: Option<String>,
    pub limit: usize,
}

/// Some events of a Run, and how it was when they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct EventsPage {
    pub events: Vec<Published>,
    /// Where the next page begins: its `after`, or downwards its `before`.
    pub cursor: u64,
    /// There are more, or they have not been looked for yet.
    pub has_more: bool,
    pub status: String,
    /// A person or a decision is waited for.
    pub waiting: bool,
    /// The Run has ended, and this page reaches its last event.
    pub ended: bool,
    /// How many events there are.
    pub total: u64,
}

/// # Errors
/// There is no such Run, or its record cannot be read.
pub async fn page(shared: &Arc<Shared>, id: &str, query: EventsQuery) -> Result<EventsPage, RunError> {
    let (reading, id) = (Arc::clone(shared), id.to_owned());
    blocking(move || Ok(page_now(&reading, &id, query))).await?
}

fn page_now(shared: &Shared, id: &str, query: EventsQuery) -> Result<EventsPage, RunError> {
    // The row first: if it says that the Run has ended, all of its events are there.
    let row = reads::row_now(shared, id)?;
    let run = crate::row::run_id(&row)?;
    let found = look(shared, &run, &query)?;
    let reaches_end = !query.newest_first && !found.has_more && query.before.is_none();
    Ok(EventsPage {
        ended: row.ended && reaches_end && found.cursor >= row.last_seq,
        events: found.events,
        cursor: found.cursor,
        has_more: found.has_more,
        status: row.status,
        waiting: row.waiting,
        total: found.total,
    })
}

struct Found {
    events: Vec<Published>,
    cursor: u64,
    has_more: bool,
    total: u64,
}

fn look(shared: &Shared, run: &RunId, query: &EventsQuery) -> Result<Found, RunError> {
    let (journal, stream) = (shared.journal(), payload::run_stream(run));
    let mut filter = EventFilter {
        kinds: query.types.clone(),
        before: query.before,
        newest_first: query.newest_first,
        ..EventFilter::default()
    };
    let start = if query.newest_first { query.before.unwrap_or(u64::MAX) } else { query.after };
    let mut found = Found { events: Vec::new(), cursor: start, has_more: false, total: 0 };
    let mut after = query.after;
    let mut seen = 0;
    loop {
        let wanted = if query.node.is_some() { LOOK } else { query.limit + 1 };
        let page = journal.events(&stream, after, wanted, &filter).map_err(crate::error::StorageError::from)?;
        let Some(page) = page else { return Err(RunError::NotFound(run.as_str().to_owned())) };
        found.total = page.last;
        for stored in &page.events {
            let event = payload::published(run, stored)?;
            let fits =
                query.node.as_ref().is_none_or(|node| event.node_id.as_ref().is_some_and(|id| id.as_str() == node));
            if fits && found.events.len() == query.limit {
                found.has_more = true;
                return Ok(found);
            }
            found.cursor = stored.seq;
            if fits {
                found.events.push(event);
            }
        }
        seen += page.events.len();
        if page.events.len() < wanted {
            // Everything was seen: upwards the next page begins behind all that there is.
            if !query.newest_first {
                let end = query.before.map_or(page.last, |before| before.saturating_sub(1).min(page.last));
                found.cursor = end.max(query.after);
            }
            return Ok(found);
        }
        if seen >= LOOKED_THROUGH {
            found.has_more = true;
            return Ok(found);
        }
        match query.newest_first {
            true => filter.before = Some(found.cursor),
            false => after = found.cursor,
        }
    }
}
