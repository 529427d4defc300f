//! The state of a conversation, and what its driver can do with it.

use serde::{Deserialize, Serialize};

use super::failure::Cause;
use super::read::{self, Message};
use super::{
    Act, AuthMethod, Capabilities, Fact, FailureKind, Noise, Offer, OutBody, Outgoing, Plan, Purpose, Step, TurnPlan,
    Update, write,
};

mod heard;
mod steps;

/// The client's side of one connection. See the module's documentation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    plan: Plan,
    phase: Phase,
    /// The request whose answer is awaited. There is never more than one.
    pending: Option<Pending>,
    last_request: u64,
    last_input: u64,
    outbox: Vec<Outgoing>,
    session: Option<String>,
    /// The last that was reported and not empty.
    offer: Offer,
    capabilities: Capabilities,
    auth_methods: Vec<AuthMethod>,
    /// How many of the turn's settings were accepted.
    settings_done: usize,
    cancelled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    id: u64,
    step: Step,
}

/// Where an update belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Before the prompt: to nothing.
    Setup,
    /// To the turn.
    Prompting,
    /// The prompt was answered a moment ago: still to the turn.
    Settling,
    /// The turn's output is complete: to the turn, but late.
    Late,
    /// Between turns: to nothing.
    Idle,
    /// Nothing more is sent but refusals.
    Over,
}

impl Conversation {
    /// Opens the conversation with a new agent process.
    #[must_use]
    pub fn begin(plan: Plan) -> (Self, Vec<Act>) {
        let session = match &plan.purpose {
            Purpose::Turn { resume, .. } => resume.clone(),
            _ => None,
        };
        let mut conversation = Self {
            plan,
            phase: Phase::Setup,
            pending: None,
            last_request: 0,
            last_input: 0,
            outbox: Vec::new(),
            session,
            offer: Offer::default(),
            capabilities: Capabilities::default(),
            auth_methods: Vec::new(),
            settings_done: 0,
            cancelled: false,
        };
        let mut acts = Vec::new();
        let client = conversation.plan.client.clone();
        conversation.request(Step::Initialize, |id| write::initialize(id, &client), &mut acts);
        (conversation, acts)
    }

    /// One line of standard output, without its line feed; any bytes.
    #[must_use]
    pub fn line(&mut self, line: &[u8]) -> Vec<Act> {
        let mut acts = Vec::new();
        let text = read::text_of(line);
        if let Some(Message::Chunk { session, thought, piece }) = read::chunk(&text) {
            if self.is_own(Some(&*session)) {
                let update = if thought { Update::ThoughtChunk(piece) } else { Update::MessageChunk(piece) };
                self.tell(update, &mut acts);
            }
            return acts;
        }
        let text = read::mend(text);
        match read::message(&text) {
            Message::Blank | Message::Chunk { .. } => {}
            Message::Noise => acts.push(Act::Fact(Fact::Noise(Noise::line(line)))),
            Message::Call { id: Some(id), method, params } => self.asked(id, &method, params, &mut acts),
            Message::Call { id: None, method, params } if method == "session/update" => {
                self.updated(params, line, &mut acts)
            }
            Message::Call { id: None, .. } => {}
            Message::Answer { id, outcome } => self.answered(id, outcome, &mut acts),
        }
        acts
    }

    /// A further prompt on a kept agent. Settings are sent again and checked against what was last
    /// reported.
    ///
    /// # Panics
    /// When the last turn is not over or the conversation was no turn.
    #[must_use]
    pub fn next_turn(&mut self, turn: TurnPlan) -> Vec<Act> {
        assert!(matches!(self.plan.purpose, Purpose::Turn { .. }), "only a conversation about turns has a next one");
        assert!(!matches!(self.phase, Phase::Setup | Phase::Prompting), "the last turn is not over");
        let mut acts = Vec::new();
        self.plan.purpose = Purpose::Turn { resume: self.session.clone(), turn };
        self.settings_done = 0;
        self.cancelled = false;
        if self.phase == Phase::Over {
            let gone = Cause::gone(&self.plan.exe, &Step::Prompt, &[], false);
            self.fail(Step::Prompt, gone, &mut acts);
        } else {
            self.phase = Phase::Setup;
            self.session_started(&mut acts);
        }
        acts
    }

    /// Asks the agent to end its turn, once. Before the prompt there is nothing to ask, and nothing
    /// more is sent. Every question for permission is answered the moment it is read, so none is
    /// open; later ones are cancelled.
    #[must_use]
    pub fn cancel(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        match (self.phase, &self.session) {
            (Phase::Prompting, Some(session)) if !self.cancelled => {
                let line = write::cancel(session);
                self.cancelled = true;
                self.send(OutBody::Line(line), &mut acts);
            }
            (Phase::Setup, _) => self.end(),
            _ => {}
        }
        acts
    }

    /// The time in which late updates belong to the turn is over: from now on they are late.
    pub fn end_settle(&mut self) {
        if self.phase == Phase::Settling {
            self.phase = Phase::Late;
        }
    }

    /// The turn is over for good; what comes now belongs to nothing and is dropped.
    pub fn idle(&mut self) {
        if matches!(self.phase, Phase::Settling | Phase::Late) {
            self.phase = Phase::Idle;
        }
    }

    /// Sends `session/close` when the agent offers it and no answer is awaited; empty otherwise.
    #[must_use]
    pub fn close_session(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        if self.phase != Phase::Over
            && self.pending.is_none()
            && self.capabilities.close
            && let Some(session) = self.session.clone()
        {
            self.request(Step::CloseSession, |id| write::close_session(id, &session), &mut acts);
        }
        acts
    }

    /// The awaited answer did not come in time ([`Step::limit`]). Empty when none is awaited, and
    /// for `session/close`, whose failure matters to nobody.
    #[must_use]
    pub fn timed_out(&mut self) -> Vec<Act> {
        self.broken_off(|conversation, step| match step {
            Step::CloseSession | Step::Prompt => None,
            step => Some(Cause::timeout(step, &conversation.plan.launch_flags)),
        })
    }

    /// Standard output ended. Empty when no answer is awaited.
    #[must_use]
    pub fn closed(&mut self) -> Vec<Act> {
        self.gone(false)
    }

    /// The process ended, and something else keeps its standard output open. Empty when no answer
    /// is awaited.
    #[must_use]
    pub fn exited(&mut self) -> Vec<Act> {
        self.gone(true)
    }

    /// A permission's fact could not be recorded: the send `n` that carries its answer becomes
    /// "cancelled" and is given back. `None` when `n` is no such send or was delivered.
    pub fn permission_unrecorded(&mut self, n: u64) -> Option<Outgoing> {
        let out = self.outbox.iter_mut().find(|out| out.n == n)?;
        let OutBody::Line(line) = &mut out.body else { return None };
        *line = write::cancelled_instead(line)?;
        Some(out.clone())
    }

    /// The request whose answer is awaited.
    #[must_use]
    pub fn awaiting(&self) -> Option<&Step> {
        self.pending.as_ref().map(|pending| &pending.step)
    }

    /// The session, once it is known; for a resumed one from the beginning.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// What the session was last reported to offer. Empty before it was.
    #[must_use]
    pub const fn offer(&self) -> &Offer {
        &self.offer
    }

    /// What the agent advertised. Nothing before `initialize` was answered.
    #[must_use]
    pub const fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Sends that are not yet known to have reached the host, in order.
    #[must_use]
    pub fn outbox(&self) -> &[Outgoing] {
        &self.outbox
    }

    /// Every send up to `n` has reached the host.
    pub fn delivered(&mut self, n: u64) {
        self.outbox.retain(|out| out.n > n);
    }

    fn send(&mut self, body: OutBody, acts: &mut Vec<Act>) {
        self.last_input += 1;
        let out = Outgoing { n: self.last_input, body };
        self.outbox.push(out.clone());
        acts.push(Act::Send(out));
    }

    fn request(&mut self, step: Step, line: impl FnOnce(u64) -> String, acts: &mut Vec<Act>) {
        let id = self.await_answer(step);
        self.send(OutBody::Line(line(id)), acts);
    }

    fn await_answer(&mut self, step: Step) -> u64 {
        self.last_request += 1;
        self.pending = Some(Pending { id: self.last_request, step });
        self.last_request
    }

    fn end(&mut self) {
        self.pending = None;
        self.phase = Phase::Over;
    }

    /// A prompt that was answered badly was answered: what follows at once still belongs to it.
    fn fail(&mut self, step: Step, cause: Cause, acts: &mut Vec<Act>) {
        self.end();
        if step == Step::Prompt && !matches!(*cause.kind, FailureKind::Closed | FailureKind::Exited) {
            self.phase = Phase::Settling;
        }
        acts.push(Act::Fact(Fact::Failed(cause.at(step, &self.plan.exe))));
    }

    fn gone(&mut self, exited: bool) -> Vec<Act> {
        let acts = self.broken_off(|conversation, step| match step {
            Step::CloseSession => None,
            step => Some(Cause::gone(&conversation.plan.exe, step, &conversation.plan.launch_flags, exited)),
        });
        self.end();
        acts
    }

    /// No answer to the awaited request will come.
    fn broken_off(&mut self, cause: impl FnOnce(&Self, &Step) -> Option<Cause>) -> Vec<Act> {
        let mut acts = Vec::new();
        if let Some(Pending { step, .. }) = self.pending.clone() {
            match cause(self, &step) {
                Some(cause) => self.fail(step, cause, &mut acts),
                None if step == Step::Prompt => {}
                None => self.end(),
            }
        }
        acts
    }
}
