//! What the agent tells and asks of its own accord.

use segue_model::task::permission::AllowSet;
use serde_json::value::RawValue;

use super::{Conversation, Phase};
use crate::acp::question::Question;
use crate::acp::read::{self, Object};
use crate::acp::{Act, Fact, Noise, Offer, OutBody, Update, update, write};

impl Conversation {
    pub(super) fn is_own(&self, session: Option<&str>) -> bool {
        session.is_some() && session == self.session.as_deref()
    }

    pub(super) fn updated(&mut self, params: Option<&RawValue>, line: &[u8], acts: &mut Vec<Act>) {
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

    pub(super) fn tell(&self, update: Update, acts: &mut Vec<Act>) {
        match self.phase {
            Phase::Prompting | Phase::Settling => acts.push(Act::Fact(Fact::Update(update))),
            Phase::Late => acts.push(Act::Fact(Fact::LateUpdate(update))),
            Phase::Setup | Phase::Idle | Phase::Over => {}
        }
    }

    /// Keeps the `configOptions` of `holder` as the offer. False when there are none.
    pub(super) fn offered(&mut self, holder: &Object<'_>) -> bool {
        let offer = Offer::read(holder.some("configOptions"));
        let reported = !offer.is_empty();
        if reported {
            self.offer = offer;
        }
        reported
    }

    pub(super) fn asked(&mut self, id: &RawValue, method: &str, params: Option<&RawValue>, acts: &mut Vec<Act>) {
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
}
