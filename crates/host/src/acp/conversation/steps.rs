//! What follows from the answer to each of our requests: the way from `initialize` to the prompt's
//! end.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{Conversation, Pending, Phase};
use crate::acp::failure::Cause;
use crate::acp::read::Object;
use crate::acp::{
    Act, Fact, FailureKind, OutBody, Plan, Purpose, Setting, SettingConfirmed, Step, TurnPlan, answers, settings, write,
};

impl Conversation {
    pub(super) fn answered(
        &mut self,
        id: Option<u64>,
        outcome: Result<Option<&RawValue>, &RawValue>,
        acts: &mut Vec<Act>,
    ) {
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
                let session = session.ok_or_else(|| {
                    Cause::new(FailureKind::Malformed, "new_session was answered without a session id")
                })?;
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
            return Err(Cause::new(FailureKind::ProtocolVersion { answered }, text));
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

    pub(super) fn session_started(&mut self, acts: &mut Vec<Act>) {
        let Some(session_id) = self.session.clone() else { return };
        acts.push(Act::Fact(Fact::SessionStarted { session_id, offer: self.offer.clone() }));
        self.advance(acts);
    }

    pub(super) fn turn(&self) -> Option<&TurnPlan> {
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
        None => Cause::new(FailureKind::Malformed, "the prompt was answered without a stop reason"),
        Some(stop_reason) => {
            let text = format!("the prompt was answered with the unknown stop reason '{stop_reason}'");
            Cause::new(FailureKind::UnknownStopReason { stop_reason }, text)
        }
    }
}
