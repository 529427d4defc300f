//! The stream of a Run that this process writes: the derived Run beside where its stream stands.
//!
//! An event changes the Run through the model's `apply` first; what it refuses is never stored.

use std::sync::Arc;

use segue_journal::{Append, Authority, InstanceId, NewEvent, Row, RunRow, Seq, StreamName, Token};
use segue_model::{
    IllegalEvent, Timestamp,
    flow::RunId,
    run::{Event, Run},
};

use crate::{frozen::Bound, payload::run_stream, row};

#[derive(Debug)]
pub struct RunRecord {
    pub run: Run,
    pub bound: Arc<Bound>,
    workspace: String,
    server: InstanceId,
    admission_key: Option<String>,
    seq: Seq,
    token: Option<Token>,
    pending: Vec<(Event, Timestamp)>,
}

/// Whose record it is.
#[derive(Debug, Clone)]
pub struct Owner {
    pub workspace: String,
    pub server: InstanceId,
    pub admission_key: Option<String>,
}

impl RunRecord {
    /// A new Run with its first event.
    ///
    /// # Errors
    /// When that is no creation.
    pub fn create(
        id: RunId,
        bound: Arc<Bound>,
        owner: Owner,
        first: Event,
        at: Timestamp,
    ) -> Result<Self, IllegalEvent> {
        let run = Run::create(id, &bound.flow, &first, at)?;
        let Owner { workspace, server, admission_key } = owner;
        Ok(Self { run, bound, workspace, server, admission_key, seq: 0, token: None, pending: vec![(first, at)] })
    }

    /// A Run whose stream was taken over.
    #[must_use]
    pub fn taken_over(run: Run, bound: Arc<Bound>, owner: Owner, (token, seq): (Token, Seq)) -> Self {
        let Owner { workspace, server, admission_key } = owner;
        Self { run, bound, workspace, server, admission_key, seq, token: Some(token), pending: Vec::new() }
    }

    /// # Errors
    /// When the event cannot follow; nothing has changed.
    pub fn push(&mut self, event: Event, at: Timestamp) -> Result<(), IllegalEvent> {
        self.run.apply(&self.bound.flow, &event, at)?;
        self.pending.push((event, at));
        Ok(())
    }

    /// What is not written yet.
    #[must_use]
    pub fn pending(&self) -> &[(Event, Timestamp)] {
        &self.pending
    }

    #[must_use]
    pub fn stream(&self) -> StreamName {
        run_stream(&self.run.id)
    }

    /// The append of everything that is not written yet, and the row as it is then. A Run that has ended has no owner
    /// any more.
    #[must_use]
    pub fn append(&self, events: Vec<NewEvent>) -> (Append, Row) {
        let last = self.seq + events.len() as Seq;
        let append = Append {
            stream: self.stream(),
            authority: self.token.map_or(Authority::Create, Authority::Owner),
            expected: self.seq,
            events,
            release: self.run.state.status.is_terminal(),
        };
        (append, Row::Run(Box::new(self.row(last))))
    }

    /// The row as it stands with what is written.
    #[must_use]
    pub fn row_written(&self) -> RunRow {
        self.row(self.seq)
    }

    /// The token under which the stream is owned, and its last event.
    #[must_use]
    pub fn position(&self) -> (Token, Seq) {
        (self.token.unwrap_or(FIRST_TOKEN), self.seq)
    }

    fn row(&self, last_seq: Seq) -> RunRow {
        let place = row::Place {
            workspace: &self.workspace,
            server: &self.server,
            admission_key: self.admission_key.as_deref(),
            last_seq,
        };
        row::of(&self.run, &self.bound.flow, &place)
    }

    /// Everything is durable up to here.
    pub fn written(&mut self, last: Seq) {
        self.seq = last;
        self.token.get_or_insert(FIRST_TOKEN);
        self.pending.clear();
    }
}

/// The token of a new stream.
const FIRST_TOKEN: Token = 1;
