//! How events of Runs are stored: small ones as they are, large values beside them as blobs.
//!
//! The one place that knows of it. What a node returned is what the next one receives, so the two events share
//! one blob. Only members of an event's own part are moved, and which ones stands beside them in a key that no
//! event has, so nothing that came from outside can look like a reference.

use std::{borrow::Cow, sync::Arc};

use segue_journal::{EventFilter, Journal, NewEvent, Seq, StoredEvent, StreamName};
use segue_model::{
    Timestamp,
    flow::{Json, NodeId, Object, RunId},
    run::Event,
};

use crate::{error::StorageError, evidence::Published, shared::blocking};

/// An event up to this size is stored whole: the events of a small Run take one page of the database each.
const INLINE_MAX_BYTES: usize = 16 << 10;
/// A value smaller than this is not worth a file.
const BLOB_MIN_BYTES: usize = 4 << 10;
/// The member with an event's own part.
const OWN: &str = "_";
/// The member that names the blobs of moved values.
const MOVED: &str = "_blobs";
/// Events that one read takes.
const PAGE: usize = 1000;

/// The stream of a Run.
#[must_use]
pub fn run_stream(id: &RunId) -> StreamName {
    StreamName::new("run", id.as_str())
}

/// Events as the journal takes them. What they refer to is on the disk when this returns.
///
/// # Errors
/// A blob could not be kept; nothing is lost.
pub async fn encode(journal: &Arc<dyn Journal>, events: &[(Event, Timestamp)]) -> Result<Encoded, StorageError> {
    let mut encoded = Encoded { events: Vec::with_capacity(events.len()), blobs: Vec::new() };
    for (event, at) in events {
        let mut payload = event.payload();
        if payload.len() > INLINE_MAX_BYTES {
            let journal = Arc::clone(journal);
            let (shorter, digests) = blocking(move || move_out(&*journal, payload)).await?;
            payload = shorter;
            encoded.blobs.extend(digests);
        }
        encoded.events.push(NewEvent { kind: Cow::Borrowed(event.kind()), at: at.0, payload });
    }
    Ok(encoded)
}

/// Events as the journal takes them, and the digests of what stands beside them.
#[derive(Debug)]
pub struct Encoded {
    pub events: Vec<NewEvent>,
    pub blobs: Vec<String>,
}

/// The payload without its large values, and their digests.
fn move_out(journal: &dyn Journal, payload: String) -> Result<(String, Vec<String>), StorageError> {
    let Ok(Json::Object(mut members)) = Json::parse(&payload) else { return Ok((payload, Vec::new())) };
    let Some(own) = members.get_mut(OWN).and_then(Json::as_object_mut) else { return Ok((payload, Vec::new())) };
    let mut moved = Object::new();
    let mut digests = Vec::new();
    for (name, value) in own.iter_mut() {
        let text = encode_json(value);
        if text.len() >= BLOB_MIN_BYTES {
            let digest = journal.put_blob(text.as_bytes())?;
            *value = Json::Null;
            moved.insert(name.clone(), digest.as_str().into());
            digests.push(digest);
        }
    }
    if moved.is_empty() {
        return Ok((payload, digests));
    }
    members.insert(MOVED.to_owned(), moved.into());
    Ok((encode_json(&Json::Object(members)), digests))
}

fn encode_json(value: &Json) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// One stored event, whole again.
///
/// # Errors
/// A blob is gone or changed, or the event is of a kind or form that is not known here.
pub fn decode(journal: &dyn Journal, stored: &StoredEvent) -> Result<Event, StorageError> {
    let corrupt = |why: &dyn std::fmt::Display| StorageError::corrupt(format!("event {}", stored.seq), why);
    let whole = if stored.payload.contains(MOVED) { bring_back(journal, &stored.payload)? } else { None };
    let payload = whole.as_deref().unwrap_or(&stored.payload);
    Event::parse(&stored.kind, payload).map_err(|error| corrupt(&error))
}

/// `None` for a payload that has nothing moved after all.
fn bring_back(journal: &dyn Journal, payload: &str) -> Result<Option<String>, StorageError> {
    let Ok(Json::Object(mut members)) = Json::parse(payload) else { return Ok(None) };
    let Some(Json::Object(moved)) = members.shift_remove(MOVED) else { return Ok(None) };
    let Some(own) = members.get_mut(OWN).and_then(Json::as_object_mut) else { return Ok(None) };
    for (name, digest) in moved {
        let digest = digest.as_str().unwrap_or_default();
        let missing = || StorageError::corrupt(format!("blob {digest}"), "it is gone");
        let bytes = journal.blob(digest)?.ok_or_else(missing)?;
        let value = std::str::from_utf8(&bytes).ok().and_then(|text| Json::parse(text).ok());
        own.insert(name, value.ok_or_else(|| StorageError::corrupt(format!("blob {digest}"), "it is no JSON"))?);
    }
    Ok(Some(encode_json(&Json::Object(members))))
}

/// The members of an event's own part that a reader of other nodes does without: what nodes accepted and returned.
const VALUES: [&str; 2] = ["input", "output"];

/// As [`decode`], but with what its node accepted and returned left empty, so that no blob of these is read.
///
/// # Errors
/// As [`decode`].
fn decode_lean(journal: &dyn Journal, stored: &StoredEvent) -> Result<Event, StorageError> {
    if !stored.payload.contains(MOVED) {
        return decode(journal, stored);
    }
    let Ok(Json::Object(mut members)) = Json::parse(&stored.payload) else { return decode(journal, stored) };
    let mut left_out = Vec::new();
    if let Some(moved) = members.get_mut(MOVED).and_then(Json::as_object_mut) {
        left_out.extend(VALUES.into_iter().filter(|name| moved.shift_remove(*name).is_some()));
    }
    if let Some(own) = members.get_mut(OWN).and_then(Json::as_object_mut) {
        own.extend(left_out.into_iter().map(|name| (name.to_owned(), Json::Object(Object::new()))));
    }
    let payload = encode_json(&Json::Object(members));
    decode(journal, &StoredEvent { payload, ..stored.clone() })
}

/// An event as it is shown, without reading what stands beside it.
///
/// # Errors
/// It is of no kind or form that is known here.
pub fn published(run: &RunId, stored: &StoredEvent) -> Result<Published, StorageError> {
    let corrupt = |why: &dyn std::fmt::Display| StorageError::corrupt(format!("event {}", stored.seq), why);
    let kind = Event::KINDS.iter().find(|kind| **kind == stored.kind);
    let event_type = kind.ok_or_else(|| corrupt(&format_args!("there is no event {:?}", stored.kind)))?;
    let parsed = Json::parse(&stored.payload).map_err(|error| corrupt(&error))?;
    let Json::Object(mut payload) = parsed else { return Err(corrupt(&"it is no object")) };
    let node_id = node_of(&payload).and_then(NodeId::parse);
    for name in [OWN, MOVED, NODE] {
        payload.shift_remove(name);
    }
    Ok(Published {
        run_id: run.clone(),
        sequence: stored.seq,
        node_id,
        event_type,
        payload,
        recorded_at: Timestamp(stored.at),
    })
}

/// Who asked for what an event records.
#[must_use]
pub fn actor_of(stored: &StoredEvent) -> Option<String> {
    let Ok(Json::Object(payload)) = Json::parse(&stored.payload) else { return None };
    payload.get(OWN)?.get("actor")?.as_str().map(str::to_owned)
}

/// What a node accepted last. Blocks.
///
/// # Errors
/// As [`load`].
pub fn input_of(journal: &dyn Journal, id: &RunId, node: &NodeId) -> Result<Option<Object>, StorageError> {
    let mut filter = EventFilter { kinds: vec!["node.ready".to_owned()], newest_first: true, ..EventFilter::default() };
    loop {
        let Some(page) = journal.events(&run_stream(id), 0, PAGE, &filter)? else { return Ok(None) };
        for stored in &page.events {
            if node_of_stored(stored).as_deref() == Some(node.as_str())
                && let Event::NodeReady(ready) = decode(journal, stored)?
            {
                return Ok(Some(ready.own.input));
            }
        }
        match page.events.last() {
            Some(last) if page.events.len() == PAGE => filter.before = Some(last.seq),
            _ => return Ok(None),
        }
    }
}

/// The member that names the node of an event, in it or in its own part.
const NODE: &str = "node_id";

/// The node of an event's payload.
fn node_of(payload: &Object) -> Option<&str> {
    let own = payload.get(OWN);
    let attempt = own.and_then(|own| own.get("attempt"));
    let named = payload.get(NODE).or_else(|| own?.get(NODE)).or_else(|| attempt?.get(NODE));
    named?.as_str()
}

/// The node of a stored event.
fn node_of_stored(stored: &StoredEvent) -> Option<String> {
    let Ok(Json::Object(payload)) = Json::parse(&stored.payload) else { return None };
    node_of(&payload).map(str::to_owned)
}

/// An event with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub seq: Seq,
    pub at: Timestamp,
    pub event: Event,
}

/// Every event of a Run; `None` if there is no such Run. Blocks.
///
/// # Errors
/// As [`decode`], and when the journal cannot be read.
pub fn load(journal: &dyn Journal, id: &RunId) -> Result<Option<Vec<Recorded>>, StorageError> {
    let mut events = Vec::new();
    loop {
        let after = events.last().map_or(0, |last: &Recorded| last.seq);
        let Some(page) = page(journal, id, after, PAGE)? else { return Ok(None) };
        let full = page.len() == PAGE;
        events.extend(page);
        if !full {
            return Ok(Some(events));
        }
    }
}

/// Every event of a Run, of which only those of one node have what was accepted and returned; `None` if there is no such
/// Run. Blocks.
///
/// # Errors
/// As [`load`].
pub fn load_lean(journal: &dyn Journal, id: &RunId, node: Option<&str>) -> Result<Option<Vec<Recorded>>, StorageError> {
    let mut events = Vec::new();
    loop {
        let after = events.last().map_or(0, |last: &Recorded| last.seq);
        let page = journal.events(&run_stream(id), after, PAGE, &EventFilter::default())?;
        let Some(page) = page else { return Ok(None) };
        for stored in &page.events {
            let wanted = node.is_some() && stored.payload.contains(MOVED) && node_of_stored(stored).as_deref() == node;
            let event = if wanted { decode(journal, stored)? } else { decode_lean(journal, stored)? };
            events.push(Recorded { seq: stored.seq, at: Timestamp(stored.at), event });
        }
        if page.events.len() < PAGE {
            return Ok(Some(events));
        }
    }
}

/// At most `limit` events after `after` as they are shown; none if there is no such Run. Blocks.
///
/// # Errors
/// As [`published`], and when the journal cannot be read.
pub fn shown(journal: &dyn Journal, id: &RunId, after: Seq, limit: usize) -> Result<Vec<Published>, StorageError> {
    let page = journal.events(&run_stream(id), after, limit, &EventFilter::default())?;
    page.iter().flat_map(|page| &page.events).map(|stored| published(id, stored)).collect()
}

/// At most `limit` events after `after`; `None` if there is no such Run. Blocks.
///
/// # Errors
/// As [`load`].
pub fn page(
    journal: &dyn Journal,
    id: &RunId,
    after: Seq,
    limit: usize,
) -> Result<Option<Vec<Recorded>>, StorageError> {
    let Some(page) = journal.events(&run_stream(id), after, limit, &EventFilter::default())? else { return Ok(None) };
    let recorded = page
        .events
        .iter()
        .map(|stored| Ok(Recorded { seq: stored.seq, at: Timestamp(stored.at), event: decode(journal, stored)? }));
    recorded.collect::<Result<_, StorageError>>().map(Some)
}

#[cfg(test)]
mod tests {
    use segue_journal::Memory;
    use segue_model::{
        flow::{NodeId, json::object},
        run::event::{Accepted, NodeReady, Output, ResultAccepted},
    };

    use super::*;

    fn stored(event: &Event, payload: String) -> StoredEvent {
        StoredEvent { seq: 1, kind: event.kind().to_owned(), at: 0, payload }
    }

    #[test]
    fn a_large_value_is_one_blob_for_the_node_that_made_it_and_the_one_that_received_it() {
        let journal = Memory::new().open_instance();
        let node_id = NodeId::parse("a").expect("an id");
        let value = object([("text", "x".repeat(100_000).into()), (MOVED, "not a reference".into())]);
        let made: Event = ResultAccepted {
            evidence_level: segue_model::run::attempt::EvidenceLevel::RealExecutor,
            context_sequence: Some(1),
            control_outcome: None,
            own: Output { node_id: node_id.clone(), output: value.clone() },
        }
        .into();
        let accepted = Accepted { round: 1, input: value, items: None };
        let received: Event = NodeReady { node_id, input_from: Json::Null, own: accepted }.into();
        let payloads = [&made, &received].map(|event| move_out(&*journal, event.payload()).expect("kept").0);
        assert!(payloads.iter().all(|payload| payload.len() < 300), "{payloads:?}");
        let digest = |payload: &str| payload.split('"').find(|part| part.len() == 64).map(str::to_owned);
        assert_eq!(digest(&payloads[0]), digest(&payloads[1]));
        for (event, payload) in [&made, &received].into_iter().zip(payloads) {
            assert_eq!(decode(&*journal, &stored(event, payload)).as_ref(), Ok(event));
        }
    }

    #[test]
    fn a_lean_reader_reads_no_blob_and_an_event_is_shown_without_one() {
        let journal = Memory::new().open_instance();
        let node_id = NodeId::parse("a").expect("an id");
        let items = vec![Json::from("x".repeat(9_000)); 3];
        let input = object([("text", "x".repeat(100_000).into())]);
        let own = Accepted { round: 1, input, items: Some(items.clone()) };
        let event: Event = NodeReady { node_id: node_id.clone(), input_from: Json::Null, own }.into();
        let kept = stored(&event, move_out(&*journal, event.payload()).expect("kept").0);
        let lean = Accepted { round: 1, input: Object::new(), items: Some(items) };
        let lean: Event = NodeReady { node_id: node_id.clone(), input_from: Json::Null, own: lean }.into();
        assert_eq!(decode_lean(&*journal, &kept), Ok(lean));
        let run = RunId::from_bytes([7; 16]);
        let shown = published(&run, &kept).expect("shown");
        let recorded = Recorded { seq: 1, at: Timestamp(0), event };
        assert_eq!(shown, Published::of(&run, &recorded));
        assert!(published(&run, &StoredEvent { kind: "odd".to_owned(), ..kept }).is_err());
    }

    #[test]
    fn text_from_outside_is_never_taken_for_a_reference() {
        let journal = Memory::new().open_instance();
        let event: Event = NodeReady {
            node_id: NodeId::parse("a").expect("an id"),
            input_from: Json::Null,
            own: Accepted { round: 1, input: object([(MOVED, object([("input", "no".into())]).into())]), items: None },
        }
        .into();
        assert_eq!(decode(&*journal, &stored(&event, event.payload())), Ok(event));
    }
}
