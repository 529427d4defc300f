//! What every journal promises, whatever it is kept in.
//!
//! Each function is one promise. [`crate::journal_suite!`] makes a test of each for one backend.

mod appends;
mod artifacts;
mod documents;
mod holds;
mod instances;
mod reading;
mod runs;
mod tasks;

use std::sync::Arc;

use segue_journal::{
    Append, AppendError, Authority, Batch, Committed, InstanceId, Journal, NewEvent, Pending, Row, Seq, StreamName,
    TaskRow,
};
use tokio::runtime::Builder;

pub use self::{appends::*, artifacts::*, documents::*, holds::*, instances::*, reading::*, runs::*, tasks::*};

/// One empty journal and the processes that have it open.
pub trait Home {
    /// Another instance, as another process would be.
    fn open(&self) -> Arc<dyn Journal>;

    /// From now on the others take the instance for dead; it can still try to write.
    fn lose(&self, instance: &InstanceId);
}

/// Makes one test of each promise. `$home` is an expression that gives a new [`Home`].
#[macro_export]
macro_rules! journal_suite {
    ($home:expr) => {
        $crate::journal_suite!(@each $home;
            numbers_have_no_gaps,
            an_append_at_the_wrong_number_is_refused,
            a_stream_is_created_once,
            a_stream_without_owner_needs_only_its_number,
            a_batch_is_written_whole_or_not_at_all,
            a_batch_may_name_a_stream_twice,
            a_refused_batch_does_not_harm_its_neighbours,
            batches_of_one_caller_keep_their_order,
            an_empty_batch_changes_nothing,
            a_session_is_held_by_one,
            a_hold_moves_and_is_freed_by_its_holder_only,
            of_many_who_take_one_wins,
            a_stream_of_the_living_is_not_taken,
            the_old_owner_is_fenced,
            takeover_hands_the_rows_over,
            owners_are_told_apart,
            of_many_who_take_over_one_wins,
            a_request_reaches_the_owner_and_is_answered,
            the_end_of_ownership_answers_requests,
            a_commit_wakes_other_instances,
            changed_streams_are_told_in_order,
            close_writes_what_is_queued,
            pages_join_without_gap,
            filters_choose_kinds,
            pages_go_downwards_as_well,
            a_page_and_its_task_are_one_snapshot,
            text_comes_back_as_it_was,
            leases_and_hosts_are_kept,
            tasks_are_listed_newest_first,
            task_filters_combine,
            a_forgotten_task_keeps_its_place,
            tasks_are_found_by_the_beginning_of_their_id,
            a_client_key_is_used_once,
            prompt_and_key_are_kept,
            a_run_is_kept_as_it_was,
            a_run_stands_beside_its_stream,
            runs_are_listed_newest_first,
            active_runs_are_those_not_ended,
            runs_are_counted_by_status,
            run_filters_combine,
            a_text_that_many_flows_have_is_found,
            a_text_is_found_in_flows_and_ids_together,
            runs_are_found_by_the_beginning_of_their_id,
            a_runs_forks_are_found,
            an_admission_key_is_used_once_in_a_workspace,
            takeover_of_a_run_hands_its_row_over,
            a_forgotten_run_is_gone,
            bytes_come_back_by_their_digest,
            artifacts_are_kept_in_their_order,
            an_artifact_needs_its_run_and_its_blob,
            a_blob_goes_with_the_last_run_that_names_it,
            a_blob_that_events_name_goes_with_the_last_of_their_runs,
            documents_have_versions,
            a_document_is_changed_by_who_has_seen_it,
            a_document_is_ensured_once,
            a_deleted_document_makes_room,
            documents_and_events_are_one_transaction,
        );
    };
    (@each $home:expr; $($promise:ident,)*) => {
        $(
            #[test]
            fn $promise() {
                $crate::journal_suite::$promise(&$home);
            }
        )*
    };
}

/// Waits for what an append came to.
pub fn settled(pending: Pending) -> Result<Committed, AppendError> {
    Builder::new_current_thread().build().expect("a runtime").block_on(pending)
}

/// Appends and takes it for granted that it is written.
pub fn written(journal: &dyn Journal, batch: Batch) -> Committed {
    settled(journal.append(batch)).expect("the batch is written")
}

/// A stream of a kind that no rows belong to.
#[must_use]
pub fn stream(id: &str) -> StreamName {
    StreamName::new("run", id)
}

/// An event whose payload says which it is.
#[must_use]
pub fn event(kind: &'static str, number: usize) -> NewEvent {
    NewEvent {
        kind: kind.into(),
        at: 1_000 + i64::try_from(number).expect("small"),
        payload: format!("{{\"n\":{number}}}"),
    }
}

/// `count` events of the kind `step`.
#[must_use]
pub fn steps(count: usize) -> Vec<NewEvent> {
    (1..=count).map(|number| event("step", number)).collect()
}

#[must_use]
pub fn append(stream: &StreamName, authority: Authority, expected: Seq, events: Vec<NewEvent>) -> Append {
    Append { stream: stream.clone(), authority, expected, events, release: false }
}

/// A batch of one append.
#[must_use]
pub fn one(append: Append) -> Batch {
    Batch { appends: vec![append], ..Batch::default() }
}

/// A batch of rows only.
#[must_use]
pub fn rows(rows: Vec<Row>) -> Batch {
    Batch { rows, ..Batch::default() }
}

/// Creates a stream with `count` events, owned by the journal's instance.
pub fn create(journal: &dyn Journal, stream: &StreamName, count: usize) {
    written(journal, one(append(stream, Authority::Create, 0, steps(count))));
}

/// A running task of a server.
#[must_use]
pub fn task_row(id: &str, server: &InstanceId) -> TaskRow {
    TaskRow {
        id: id.to_owned(),
        server: server.clone(),
        status: "running".to_owned(),
        ended: false,
        resolved: false,
        agent: "claude".to_owned(),
        workspace: "/w".to_owned(),
        session: None,
        handle: None,
        client_key: None,
        prompt: None,
        created_at: 1,
        finished_at: None,
        last_seq: 1,
        body: "{}".to_owned(),
    }
}

/// The row as an upsert.
#[must_use]
pub fn put(row: &TaskRow) -> Row {
    Row::Task(Box::new(row.clone()))
}

/// The numbers of all events of a stream.
pub fn numbers(journal: &dyn Journal, stream: &StreamName) -> Vec<Seq> {
    let page = journal.events(stream, 0, usize::MAX, &Default::default()).expect("a readable stream");
    page.expect("the stream exists").events.iter().map(|event| event.seq).collect()
}
