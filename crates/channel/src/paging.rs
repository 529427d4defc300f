//! `get_events`: which events a page shows, and where the next one begins.

use segue_journal::{EventFilter, StoredEvent};
use segue_model::{
    Timestamp,
    task::{Event, truncate::ascii_len},
};
use serde_json::{Value, json};

use crate::{
    api::{EventView, EventsQuery},
    error::Refusal,
};

/// Thoughts are shown only to those who ask for them.
const THOUGHT: &str = "agent_thought";
/// Payload keys that are shown only with `include_raw`.
const RAW_KEYS: [&str; 2] = ["rawInput", "rawOutput"];

/// A query whose arguments are in range.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub after: u64,
    pub limit: usize,
    pub max_chars: usize,
    pub include_raw: bool,
    pub filter: EventFilter,
}

impl Query {
    /// # Errors
    /// `invalid_request` naming the argument and its range.
    pub fn check(query: &EventsQuery) -> Result<Self, Refusal> {
        let after = u64::try_from(query.after_seq)
            .map_err(|_| Refusal::invalid(format!("after_seq must be 0 or more, not {}", query.after_seq)))?;
        if !(1..=500).contains(&query.limit) {
            return Err(Refusal::invalid(format!("limit must be from 1 to 500, not {}", query.limit)));
        }
        if query.max_chars < 1_000 {
            return Err(Refusal::invalid(format!("max_chars must be 1000 or more, not {}", query.max_chars)));
        }
        let kinds = query.event_types.clone();
        if let Some(kinds) = &kinds {
            let known = || Event::KINDS.join(", ");
            if kinds.is_empty() {
                return Err(Refusal::invalid(format!("event_types must name at least one of {}", known())));
            }
            if let Some(unknown) = kinds.iter().find(|kind| !Event::KINDS.contains(&kind.as_str())) {
                let shown: String = unknown.chars().take(100).collect();
                return Err(Refusal::invalid(format!(
                    "event_types has the unknown type {shown:?}; known are {}",
                    known()
                )));
            }
        }
        let without = match &kinds {
            None if !query.include_thoughts => vec![THOUGHT.to_owned()],
            _ => Vec::new(),
        };
        Ok(Self {
            after,
            limit: usize::try_from(query.limit).unwrap_or(500),
            max_chars: usize::try_from(query.max_chars).unwrap_or(usize::MAX),
            include_raw: query.include_raw,
            filter: EventFilter { kinds: kinds.unwrap_or_default(), without, ..EventFilter::default() },
        })
    }
}

/// What a page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub events: Vec<EventView>,
    pub cursor: u64,
    pub has_more: bool,
}

/// Fills a page from the matching events that follow `query.after` (at most `limit + 1` of them, so
/// that it is known whether one remains) and the stream's last number.
#[must_use]
pub fn fill(query: &Query, matching: Vec<StoredEvent>, last: u64) -> Page {
    let mut page = Page { events: Vec::new(), cursor: query.after.max(last), has_more: false };
    let mut spent = 0usize;
    for stored in matching {
        let event = view(stored, query.include_raw);
        let cost = cost(&event);
        let full = page.events.len() >= query.limit
            || (!page.events.is_empty() && spent.saturating_add(cost) > query.max_chars);
        if full {
            // Skipped events before the first that does not fit are consumed.
            page.cursor = event.seq - 1;
            page.has_more = true;
            break;
        }
        spent = spent.saturating_add(cost);
        page.events.push(event);
    }
    page
}

/// One event as it is shown.
#[must_use]
pub fn view(stored: StoredEvent, include_raw: bool) -> EventView {
    let mut payload: Value = serde_json::from_str(&stored.payload).unwrap_or_else(|_| json!({}));
    if !include_raw
        && matches!(stored.kind.as_str(), "tool_call" | "tool_call_update")
        && let Some(map) = payload.as_object_mut()
    {
        for key in RAW_KEYS {
            map.shift_remove(key);
        }
    }
    EventView { seq: stored.seq, at: Timestamp(stored.at), kind: stored.kind, payload }
}

/// The characters that an event costs in the contract's encoding.
fn cost(event: &EventView) -> usize {
    const AROUND: usize = r#"{"seq": , "timestamp": , "event_type": "", "payload": }"#.len();
    AROUND
        + event.seq.to_string().len()
        + event.at.seconds().to_string().len()
        + event.kind.len()
        + ascii_len(&event.payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> EventsQuery {
        EventsQuery {
            task_id: String::new(),
            after_seq: 0,
            event_types: None,
            limit: 50,
            max_chars: 8_000,
            include_thoughts: false,
            include_raw: false,
        }
    }

    fn stored(seq: u64, text: &str) -> StoredEvent {
        StoredEvent { seq, kind: "agent_message".into(), at: 1_500_000, payload: json!({"text": text}).to_string() }
    }

    #[test]
    fn arguments_out_of_range_are_named() {
        let bad = [
            (EventsQuery { after_seq: -1, ..query() }, "after_seq"),
            (EventsQuery { limit: 0, ..query() }, "limit"),
            (EventsQuery { limit: 501, ..query() }, "limit"),
            (EventsQuery { max_chars: 999, ..query() }, "max_chars"),
            (EventsQuery { event_types: Some(vec![]), ..query() }, "event_types"),
            (EventsQuery { event_types: Some(vec!["nope".into()]), ..query() }, "nope"),
        ];
        for (query, name) in bad {
            let refusal = Query::check(&query).unwrap_err();
            assert!(refusal.message.contains(name), "{refusal}");
        }
    }

    #[test]
    fn thoughts_need_to_be_asked_for() {
        let without = |q: EventsQuery| Query::check(&q).unwrap().filter.without;
        assert_eq!(without(query()), ["agent_thought"]);
        assert_eq!(without(EventsQuery { include_thoughts: true, ..query() }), [] as [&str; 0]);
        assert_eq!(
            without(EventsQuery { event_types: Some(vec!["agent_thought".into()]), ..query() }),
            [] as [&str; 0]
        );
    }

    #[test]
    fn the_first_always_fits_and_the_cursor_consumes_what_is_skipped() {
        let query = Query { max_chars: 1_000, ..Query::check(&query()).unwrap() };
        let long = "x".repeat(5_000);
        // Events 1, 2 and 4 were skipped by the filter.
        let page = fill(&query, vec![stored(3, &long), stored(5, "y")], 9);
        assert_eq!((page.events.len(), page.cursor, page.has_more), (1, 4, true));
        let page = fill(&Query { after: 4, ..query.clone() }, vec![stored(5, "y")], 9);
        assert_eq!((page.events.len(), page.cursor, page.has_more), (1, 9, false));
        let beyond = fill(&Query { after: 90, ..query }, vec![], 9);
        assert_eq!((beyond.events.len(), beyond.cursor, beyond.has_more), (0, 90, false));
    }

    #[test]
    fn raw_parts_are_shown_on_request_only() {
        let event = StoredEvent {
            seq: 1,
            kind: "tool_call".into(),
            at: 0,
            payload: json!({"toolCallId": "1", "rawInput": {"a": 1}, "rawOutput": "b"}).to_string(),
        };
        assert_eq!(view(event.clone(), false).payload, json!({"toolCallId": "1"}));
        assert_eq!(view(event, true).payload["rawOutput"], "b");
    }
}
