//! What comes from the host: bytes become lines, lines become acts, acts become events and sends.

use std::time::Instant;

use segue_host::acp::{Act, Fact, Failure, FailureKind, LineBuffer, RawLine, SettingConfirmed, Step};
use segue_journal::{HoldChange, HoldKey};
use segue_model::task::{Because, Event, SettingInForce, because};

use super::{
    AgentJob, EXIT_LIMIT, Left, Phase, SETTLE,
    checkpoint::{Answer, Failed},
    end::Ended,
    source::Heard,
};

/// How much of an agent's output is taken in before others have their turn: a fraction of a millisecond of parsing.
const BREATH_BYTES: usize = 64 << 10;

impl AgentJob {
    pub(super) async fn hear(&mut self, heard: Vec<Heard>) -> Result<(), Left> {
        if let (Some(turn), false) = (&self.turn, heard.is_empty()) {
            turn.live.heard(self.shared.now());
        }
        let mut since_breath = 0;
        for part in heard {
            if let Heard::Out(bytes) | Heard::Err(bytes) = &part {
                since_breath += bytes.len();
            }
            if since_breath > BREATH_BYTES {
                since_breath = 0;
                tokio::task::yield_now().await;
            }
            match part {
                Heard::Out(bytes) => self.output(&bytes),
                Heard::Err(bytes) => self.error_output(&bytes),
                Heard::OutEof => {
                    self.with_lines(|lines, job| lines.finish(|line, end| job.line(line, end)));
                    if matches!(self.phase, Phase::Talking) {
                        self.exit_until = None;
                        let acts = self.conversation.closed();
                        self.act(acts, self.out);
                    }
                    self.exited = true;
                    self.gone_while_idle();
                }
                Heard::ErrEof => {
                    let mut errs = std::mem::take(&mut self.errs);
                    errs.finish(|text| self.stderr(text));
                    self.errs = errs;
                    self.err = self.err_heard;
                }
                Heard::Exited => {
                    self.exited = true;
                    if matches!(self.phase, Phase::Talking) {
                        self.exit_until = Some(Instant::now() + EXIT_LIMIT);
                    }
                    self.gone_while_idle();
                }
                Heard::End(record) => self.ended = Some(Ended::of_record(*record)),
                Heard::Lost => self.host_gone().await?,
            }
        }
        Ok(())
    }

    fn output(&mut self, bytes: &[u8]) {
        self.out_heard += bytes.len() as u64;
        self.with_lines(|lines, job| lines.push(bytes, |line, end| job.line(line, end)));
    }

    /// The buffer lends its lines while the job takes them in.
    fn with_lines(&mut self, work: impl FnOnce(&mut LineBuffer, &mut Self)) {
        let mut lines = std::mem::replace(&mut self.lines, LineBuffer::at(0));
        work(&mut lines, self);
        self.lines = lines;
    }

    fn line(&mut self, line: RawLine<'_>, end: u64) {
        let at = self.out;
        self.out = end;
        match line {
            RawLine::Line(line) => {
                let acts = self.conversation.line(line);
                self.act(acts, at);
            }
            RawLine::TooLong { bytes } => {
                if let Some(turn) = &mut self.turn {
                    turn.state.noise_lines += 1;
                }
                tracing::warn!(host = %self.host, bytes, "a line of the agent is too long and was skipped");
            }
        }
    }

    fn error_output(&mut self, bytes: &[u8]) {
        let mut errs = std::mem::take(&mut self.errs);
        errs.push(bytes, |text| self.stderr(text));
        self.err_heard += bytes.len() as u64;
        self.err = self.err_heard - errs.held() as u64;
        self.errs = errs;
    }

    fn stderr(&mut self, text: String) {
        if self.turn.is_some() {
            self.last_words.hear(&text);
            self.recorder.stderr(text);
        } else {
            tracing::info!(host = %self.host, "stderr of an idle agent: {text}");
        }
    }

    /// Carries out what the conversation wants; its line began at byte `at`.
    pub(super) fn act(&mut self, acts: Vec<Act>, at: u64) {
        if acts.is_empty() {
            return;
        }
        for act in acts {
            match act {
                Act::Fact(fact) => self.fact(fact, at),
                Act::Send(out) => {
                    // What the conversation counted stays in step with the committed position.
                    self.recorder.flush();
                    self.sends.push(out);
                    self.watch_step();
                }
            }
        }
    }

    fn fact(&mut self, fact: Fact, at: u64) {
        match fact {
            Fact::Initialized(said) => {
                self.checkpoint.about.name = said.agent.name;
                self.checkpoint.about.version = said.agent.version;
            }
            Fact::SessionStarted { session_id, .. } => self.session_started(session_id),
            Fact::SettingConfirmed(set) => self.setting(set),
            Fact::PromptSent => {
                if let Some(turn) = &mut self.turn {
                    turn.state.prompted = true;
                }
                self.must_commit = true;
            }
            Fact::Update(update) => self.recorder.update(update, at, Instant::now()),
            Fact::LateUpdate(update) => {
                if self.turn.is_some() {
                    self.recorder.late(update);
                }
            }
            Fact::Permission(asked) => self.recorder.permission(asked),
            Fact::ElicitationRefused => {
                self.recorder.event(Event::AgentRequest {
                    method: "create_elicitation".to_owned(),
                    decision: "refused".to_owned(),
                });
            }
            Fact::TurnEnded(end) => {
                self.recorder.flush();
                self.cancel_until = None;
                if let Some(turn) = &mut self.turn {
                    turn.state.answer = Some(Answer { stop_reason: end.stop_reason, usage: end.usage, meta: end.meta });
                    turn.live.wait_for("end");
                }
                if matches!(self.phase, Phase::Talking) {
                    self.phase = Phase::Settling { until: Instant::now() + SETTLE };
                }
            }
            Fact::Failed(failure) => self.failed(failure),
            Fact::Noise(noise) => {
                if let Some(turn) = &mut self.turn {
                    turn.state.noise_lines += 1;
                }
                tracing::debug!(host = %self.host, bytes = noise.bytes, "not a message: {}", noise.preview);
            }
            Fact::SessionClosed => {
                if matches!(self.phase, Phase::Closing { .. }) {
                    self.stop_tree("the session was closed");
                }
            }
            // Answers to what a job never asks.
            Fact::Described { .. } | Fact::Sessions { .. } | Fact::Deleted { .. } => {}
        }
    }

    fn session_started(&mut self, session_id: String) {
        let Some(turn) = &self.turn else { return };
        if self.lease.as_ref().is_none_or(|lease| lease.lease.session_id.is_none()) {
            let key = HoldKey { agent: turn.record.task.request.agent.clone(), session: session_id.clone() };
            self.holds.push(HoldChange::Take { key, holder: turn.holder() });
        }
        self.recorder.event(Event::SessionStarted { session_id });
    }

    fn setting(&mut self, set: SettingConfirmed) {
        let settings = &mut self.checkpoint.about.settings;
        settings.retain(|s| s.name != set.name);
        settings.push(SettingInForce {
            name: set.name,
            asked: set.asked.to_json(),
            in_force: set.in_force.map(|value| value.to_json()),
        });
    }

    pub(super) fn failed(&mut self, failure: Failure) {
        self.recorder.flush();
        self.cancel_until = None;
        let because = because_of(&failure);
        let stop_reason = match &failure.kind {
            FailureKind::UnknownStopReason { stop_reason } => Some(stop_reason.clone()),
            _ => None,
        };
        let mut message = failure.message;
        if failure.kind == FailureKind::Timeout {
            message.push_str(&self.last_words.told());
        }
        self.fail(Failed { message, because, stop_reason });
    }

    /// The turn cannot reach its end; the tree is ended.
    pub(super) fn fail(&mut self, failed: Failed) {
        if let Some(turn) = &mut self.turn
            && !turn.state.is_over()
        {
            turn.state.failure = Some(failed);
            self.must_commit = true;
        }
        self.stop_tree("the turn failed");
    }
}

fn because_of(failure: &Failure) -> Because {
    match &failure.kind {
        FailureKind::AuthRequired { .. } => Because::SignIn,
        FailureKind::Closed | FailureKind::Exited => Because::AgentExited,
        FailureKind::UnknownStopReason { .. } => Because::UnknownStopReason,
        FailureKind::AgentError { text, .. } if failure.step == Step::Prompt => because::of_error(text),
        _ => Because::SetupFailed,
    }
}
