//! The state of a conversation and every step of it.

use std::borrow::Cow;

use segue_model::task::permission::AllowSet;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::failure::Cause;
use super::question::Question;
use super::read::{self, Message, Object};
use super::{
    Act, AuthMethod, Capabilities, Fact, FailureKind, Noise, Offer, OutBody, Outgoing, Plan, Purpose, Setting,
    SettingConfirmed, Step, TurnPlan, Update, answers, settings, update, write,
};

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
        if self.phase != Phase::Over && self.pending.is_none() && self.capabilities.close {
            if let Some(session) = self.session.clone() {
                self.request(Step::CloseSession, |id| write::close_session(id, &session), &mut acts);
            }
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
        if step == Step::Prompt && !matches!(cause.kind, FailureKind::Closed | FailureKind::Exited) {
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

    // ---- What the agent tells

    fn is_own(&self, session: Option<&str>) -> bool {
        session.is_some() && session == self.session.as_deref()
    }

    fn updated(&mut self, params: Option<&RawValue>, line: &[u8], acts: &mut Vec<Act>) {
        let params = Object::of(params).unwrap_or_default();
        if !self.is_own(params.text("sessionId").as_deref()) {
            return;
        }
        let object = params.object("update").unwrap_or_default();
        if object.text("sessionUpdate").as_deref() == Some("config_option_update") {
            self.offered(&object);
        }
        match update::read(&object, || params.value("update")) {
            Some(update) => self.tell(update, acts),
            None => acts.push(Act::Fact(Fact::Noise(Noise::line(line)))),
        }
    }

    fn tell(&self, update: Update, acts: &mut Vec<Act>) {
        match self.phase {
            Phase::Prompting | Phase::Settling => acts.push(Act::Fact(Fact::Update(update))),
            Phase::Late => acts.push(Act::Fact(Fact::LateUpdate(update))),
            Phase::Setup | Phase::Idle | Phase::Over => {}
        }
    }

    /// Keeps the `configOptions` of `holder` as the offer. False when there are none.
    fn offered(&mut self, holder: &Object<'_>) -> bool {
        let offer = Offer::read(holder.some("configOptions"));
        let reported = !offer.is_empty();
        if reported {
            self.offer = offer;
        }
        reported
    }

    // ---- What the agent asks

    fn asked(&mut self, id: &RawValue, method: &str, params: Option<&RawValue>, acts: &mut Vec<Act>) {
        let line = match method {
            "session/request_permission" => self.permission(id, params, acts),
            "elicitation/create" => self.elicitation(id, params, acts),
            _ => write::refuse(
                id,
                write::METHOD_NOT_FOUND,
                &format!("{} is not offered by this client", read::cut(method, 200)),
            ),
        };
        self.send(OutBody::Line(line), acts);
    }

    fn permission(&self, id: &RawValue, params: Option<&RawValue>, acts: &mut Vec<Act>) -> String {
        let params = Object::of(params).unwrap_or_default();
        let session = params.text("sessionId");
        if self.phase != Phase::Prompting || (session.is_some() && !self.is_own(session.as_deref())) {
            return write::permission(id, None);
        }
        let Some(question) = session.and_then(|_| Question::read(&params)) else {
            return write::refuse(id, write::INVALID_PARAMS, "the permission request is not valid");
        };
        let allow = (!self.cancelled).then(|| self.turn().map_or(AllowSet::NONE, |turn| turn.allow));
        let (permission, option) = question.answer(allow);
        acts.push(Act::Fact(Fact::Permission(permission)));
        write::permission(id, option.as_deref())
    }

    fn elicitation(&self, id: &RawValue, params: Option<&RawValue>, acts: &mut Vec<Act>) -> String {
        // A form may belong to a request instead of a session; then it names none.
        let session = Object::of(params).and_then(|params| params.text("sessionId"));
        let in_turn = self.phase == Phase::Prompting && (session.is_none() || self.is_own(session.as_deref()));
        if in_turn {
            acts.push(Act::Fact(Fact::ElicitationRefused));
        }
        write::elicitation(id, in_turn)
    }

    // ---- What the agent answers

    fn answered(&mut self, id: Option<u64>, outcome: Result<Option<&RawValue>, &RawValue>, acts: &mut Vec<Act>) {
        if id.is_none() || self.pending.as_ref().map(|pending| pending.id) != id {
            return;
        }
        let Some(Pending { step, .. }) = self.pending.take() else { return };
        let done = match outcome {
            Err(_) if step == Step::CloseSession => self.result(&step, None, acts),
            Err(error) => {
                Err(Cause::agent_error(error, &self.plan.exe, &step, self.session.as_deref(), &self.auth_methods))
            }
            Ok(result) => self.result(&step, result, acts),
        };
        if let Err(cause) = done {
            self.fail(step, cause, acts);
        }
    }

    fn result(&mut self, step: &Step, result: Option<&RawValue>, acts: &mut Vec<Act>) -> Result<(), Cause> {
        let result = Object::of(result).unwrap_or_default();
        match step {
            Step::Initialize => self.initialized(&result, acts)?,
            Step::NewSession => {
                let session = result.text("sessionId").filter(|id| !id.is_empty());
                let session =
                    session.ok_or_else(|| Cause::malformed("new_session was answered without a session id"))?;
                self.session = Some(session.into_owned());
                self.offered(&result);
                self.session_opened(acts);
            }
            Step::LoadSession => {
                self.offered(&result);
                self.session_opened(acts);
            }
            Step::SetConfigOption(_) => self.setting_answered(&result, acts)?,
            Step::Prompt => {
                self.phase = Phase::Settling;
                let end = answers::turn_end(&result).map_err(unknown_stop_reason)?;
                acts.push(Act::Fact(Fact::TurnEnded(end)));
            }
            Step::ListSessions => {
                let next_cursor = result.text("nextCursor").map(Cow::into_owned);
                acts.push(Act::Fact(Fact::Sessions { sessions: answers::sessions(&result), next_cursor }));
                self.end();
            }
            Step::DeleteSession => {
                if let Purpose::DeleteSession { id } = &self.plan.purpose {
                    acts.push(Act::Fact(Fact::Deleted { session_id: id.clone() }));
                }
                self.end();
            }
            Step::CloseSession => {
                acts.push(Act::Fact(Fact::SessionClosed));
                self.end();
            }
        }
        Ok(())
    }

    fn initialized(&mut self, result: &Object<'_>, acts: &mut Vec<Act>) -> Result<(), Cause> {
        if let Some(answered) = answers::other_protocol(result) {
            let text = format!("{} speaks version {answered} of the protocol, not version 1", self.plan.exe);
            return Err(Cause { kind: FailureKind::ProtocolVersion { answered }, text });
        }
        let said = answers::initialized(result);
        self.capabilities = said.capabilities;
        self.auth_methods.clone_from(&said.auth_methods);
        acts.push(Act::Fact(Fact::Initialized(said)));

        let Plan { cwd, purpose, exe, .. } = self.plan.clone();
        let needed = |offered: bool, capability, method| {
            if offered { Ok(()) } else { Err(Cause::missing_capability(&exe, capability, method)) }
        };
        match purpose {
            Purpose::Turn { resume: Some(session), .. } => {
                needed(self.capabilities.load_session, "load_session", "session/load")?;
                self.request(Step::LoadSession, |id| write::load_session(id, &session, &cwd), acts);
            }
            Purpose::Turn { resume: None, .. } | Purpose::Describe => {
                self.request(Step::NewSession, |id| write::new_session(id, &cwd), acts);
            }
            Purpose::ListSessions { cursor } => {
                needed(self.capabilities.list, "list", "session/list")?;
                self.request(Step::ListSessions, |id| write::list_sessions(id, &cwd, cursor.as_deref()), acts);
            }
            Purpose::DeleteSession { id: session } => {
                needed(self.capabilities.delete, "delete", "session/delete")?;
                self.request(Step::DeleteSession, |id| write::delete_session(id, &session), acts);
            }
        }
        Ok(())
    }

    fn session_opened(&mut self, acts: &mut Vec<Act>) {
        if let (Purpose::Describe, Some(session_id)) = (&self.plan.purpose, self.session.clone()) {
            acts.push(Act::Fact(Fact::Described { session_id, offer: self.offer.clone() }));
            self.phase = Phase::Idle;
        } else {
            self.session_started(acts);
        }
    }

    fn session_started(&mut self, acts: &mut Vec<Act>) {
        let Some(session_id) = self.session.clone() else { return };
        acts.push(Act::Fact(Fact::SessionStarted { session_id, offer: self.offer.clone() }));
        self.advance(acts);
    }

    // ---- Settings, then the prompt

    fn turn(&self) -> Option<&TurnPlan> {
        match &self.plan.purpose {
            Purpose::Turn { turn, .. } => Some(turn),
            _ => None,
        }
    }

    fn setting(&self) -> Option<&Setting> {
        self.turn()?.settings.get(self.settings_done)
    }

    /// Sends the next setting, or the prompt when all are in force.
    fn advance(&mut self, acts: &mut Vec<Act>) {
        let Some(session_id) = self.session.clone() else { return };
        let Some(setting) = self.setting().cloned() else { return self.prompt(session_id, acts) };
        let step = Step::SetConfigOption(setting.name.clone());
        match settings::check(&self.offer, &setting, &self.plan.exe) {
            Ok(()) => self.request(step, |id| write::set_config_option(id, &session_id, &setting), acts),
            Err(cause) => self.fail(step, cause, acts),
        }
    }

    fn setting_answered(&mut self, result: &Object<'_>, acts: &mut Vec<Act>) -> Result<(), Cause> {
        let Some(setting) = self.setting().cloned() else { return Ok(()) };
        let in_force = if self.offered(result) {
            settings::in_force(&self.offer, &setting)?
        } else {
            self.offer.assume(&setting.name, &setting.value);
            None
        };
        self.settings_done += 1;
        let Setting { name, value: asked, .. } = setting;
        acts.push(Act::Fact(Fact::SettingConfirmed(SettingConfirmed { name, asked, in_force })));
        self.advance(acts);
        Ok(())
    }

    /// A later setting can undo an earlier one, so all are looked at again.
    fn prompt(&mut self, session_id: String, acts: &mut Vec<Act>) {
        let undone = self.turn().and_then(|turn| {
            turn.settings
                .iter()
                .find_map(|setting| Some((setting.name.clone(), settings::in_force(&self.offer, setting).err()?)))
        });
        if let Some((name, cause)) = undone {
            return self.fail(Step::SetConfigOption(name), cause, acts);
        }
        self.phase = Phase::Prompting;
        let id = self.await_answer(Step::Prompt);
        acts.push(Act::Fact(Fact::PromptSent));
        self.send(OutBody::Prompt { id, session_id }, acts);
    }
}

fn unknown_stop_reason(stop_reason: Option<String>) -> Cause {
    match stop_reason {
        None => Cause::malformed("the prompt was answered without a stop reason"),
        Some(stop_reason) => {
            let text = format!("the prompt was answered with the unknown stop reason '{stop_reason}'");
            Cause { kind: FailureKind::UnknownStopReason { stop_reason }, text }
        }
    }
}
