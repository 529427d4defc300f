//! From the updates of a turn to its events: runs of text become one event each.
//!
//! Pure: time is an argument. What is buffered here is not recorded yet, and the position that is
//! committed for the agent's output stays before it.

use std::time::{Duration, Instant};

use segue_host::acp::{Permission, Piece, Text, Update};
use segue_model::task::Event;

/// How long after its first piece a run of text becomes visible. Fixed by the channel contract.
pub const FLUSH_AFTER: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Message,
    Thought,
}

/// A run of text that goes on.
#[derive(Debug)]
struct Run {
    voice: Voice,
    text: Text,
    since: Instant,
    /// Where the line of its first piece begins in the agent's output.
    from: u64,
}

/// Gathers the events of one turn until they are written.
#[derive(Debug, Default)]
pub struct Recorder {
    run: Option<Run>,
    events: Vec<Event>,
}

impl Recorder {
    /// An update that belongs to the turn; its line begins at byte `at` of the output.
    pub fn update(&mut self, update: Update, at: u64, now: Instant) {
        match update {
            Update::MessageChunk(piece) => self.text(Voice::Message, &piece, at, now),
            Update::ThoughtChunk(piece) => self.text(Voice::Thought, &piece, at, now),
            Update::ToolCall(value) => self.event(Event::ToolCall(value)),
            Update::ToolCallUpdate(value) => self.event(Event::ToolCallUpdate(value)),
            Update::Plan(value) => self.event(Event::Plan(value)),
            Update::AvailableCommands => self.flush(),
            Update::Other(value) => self.event(Event::AgentUpdate(value)),
        }
    }

    /// An update that came after the turn's end.
    pub fn late(&mut self, update: Update) {
        let value = match update {
            Update::MessageChunk(piece) => chunk("agent_message_chunk", &piece),
            Update::ThoughtChunk(piece) => chunk("agent_thought_chunk", &piece),
            Update::ToolCall(v) | Update::ToolCallUpdate(v) | Update::Plan(v) | Update::Other(v) => v,
            Update::AvailableCommands => return,
        };
        self.event(Event::LateUpdate(value));
    }

    pub fn permission(&mut self, asked: Permission) {
        let Permission { tool_call_id, title, kind, decision, .. } = asked;
        self.event(Event::Permission { tool_call_id, title, kind, decision });
    }

    /// Any other event: text before it is recorded before it.
    pub fn event(&mut self, event: Event) {
        self.flush();
        self.events.push(event);
    }

    /// A line of standard error. It does not cut a run of text in two.
    pub fn stderr(&mut self, text: String) {
        self.events.push(Event::Stderr { text });
    }

    /// Makes an event of the text so far.
    pub fn flush(&mut self) {
        let Some(run) = self.run.take() else { return };
        let text = run.text.finish();
        if !text.is_empty() {
            self.events.push(match run.voice {
                Voice::Message => Event::AgentMessage { text },
                Voice::Thought => Event::AgentThought { text },
            });
        }
    }

    /// The run of text will be heard again.
    pub fn forget_run(&mut self) {
        self.run = None;
    }

    /// When the run of text has to become an event.
    #[must_use]
    pub fn flush_at(&self) -> Option<Instant> {
        self.run.as_ref().map(|run| run.since + FLUSH_AFTER)
    }

    /// Where in the agent's output what is not an event yet begins.
    #[must_use]
    pub fn unrecorded_from(&self) -> Option<u64> {
        self.run.as_ref().map(|run| run.from)
    }

    #[must_use]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// The events so far, in order; the run of text stays.
    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    fn text(&mut self, voice: Voice, piece: &Piece, at: u64, now: Instant) {
        if self.run.as_ref().is_some_and(|run| run.voice != voice) {
            self.flush();
        }
        self.run.get_or_insert_with(|| Run { voice, text: Text::default(), since: now, from: at }).text.push(piece);
    }
}

fn chunk(kind: &str, piece: &Piece) -> serde_json::Value {
    let mut text = Text::default();
    text.push(piece);
    serde_json::json!({"sessionUpdate": kind, "content": {"type": "text", "text": text.finish()}})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(text: &str) -> Event {
        Event::AgentMessage { text: text.into() }
    }

    #[test]
    fn text_is_one_event_until_something_else_comes() {
        let now = Instant::now();
        let mut recorder = Recorder::default();
        recorder.update(Update::MessageChunk("a".into()), 0, now);
        recorder.update(Update::MessageChunk("b".into()), 10, now);
        recorder.stderr("noise".into());
        recorder.update(Update::MessageChunk("c".into()), 20, now);
        assert_eq!(recorder.unrecorded_from(), Some(0));
        recorder.update(Update::ThoughtChunk("hm".into()), 30, now);
        recorder.update(Update::ToolCall(json!({"toolCallId": "1"})), 40, now);
        recorder.update(Update::MessageChunk(Piece::default()), 50, now);
        recorder.update(Update::AvailableCommands, 60, now);
        assert_eq!(
            recorder.take(),
            [
                Event::Stderr { text: "noise".into() },
                message("abc"),
                Event::AgentThought { text: "hm".into() },
                Event::ToolCall(json!({"toolCallId": "1"})),
            ]
        );
        assert_eq!((recorder.unrecorded_from(), recorder.has_events()), (None, false));
    }

    #[test]
    fn late_text_is_kept_as_it_would_have_been_sent() {
        let mut recorder = Recorder::default();
        recorder.late(Update::MessageChunk("x".into()));
        assert_eq!(
            recorder.take(),
            [Event::LateUpdate(
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}})
            )]
        );
    }
}
