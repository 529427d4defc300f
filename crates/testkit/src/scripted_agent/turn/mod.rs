//! One prompt turn: carries out the directives in order and answers the prompt.
//!
//! A turn has a thread and one channel on which everything that can happen to it arrives: answers of the
//! client, the cancel notification, the end of a shell command. Every wait is a wait on that channel, so a
//! cancel is seen at once ([`waiting`]). Tool calls are in [`tools`], what no agent should do is in [`oddities`].

mod ending;
mod oddities;
mod tools;
mod waiting;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::Agent;
use super::directive::{self, Directive};
use super::process::{self, Place};
use super::session::Session;
use super::wire::{self, lock};

use ending::{stderr_bytes, stderr_repeated};
pub use oddities::{SURROGATES_READ_AS, noise};

/// How many chunks or tool calls go out between two looks at the channel.
const BURST: usize = 256;

/// What a running turn can be told.
#[derive(Debug)]
pub enum TurnEvent {
    /// The client's answer to the request with this id, whole.
    Answer(u64, Value),
    Cancel,
    CommandEnded(tools::CommandEnd),
}

/// A second prompt in a session whose turn is running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a prompt is already running in this session")]
pub struct Busy;

/// How a turn ends.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Stop(String),
    Error {
        code: i64,
        message: String,
    },
    /// The prompt is never answered.
    Silence,
}

/// Whether the script goes on after a directive.
type Step = Result<(), Outcome>;

struct Turn {
    agent: Arc<Agent>,
    session: Arc<Session>,
    prompt_id: Value,
    prompt: String,
    /// How many prompts the session has had, this one included: makes tool call ids unique in the session.
    number: usize,
    tool_calls: usize,
    events: Receiver<TurnEvent>,
    to_self: Sender<TurnEvent>,
    /// Events that arrived while another was waited for.
    kept_events: Vec<TurnEvent>,
    cancelled: bool,
    /// A script that ignores cancels somewhere ignores them everywhere: one that arrives a moment before the
    /// directive would otherwise end the turn.
    ignores_cancel: bool,
    last_result: String,
    offered_kinds: Option<Vec<String>>,
    stop_reason: String,
    error_data: Option<Value>,
    usage: Option<Value>,
    meta: Option<Value>,
    linger: Option<Duration>,
    late: Vec<(Duration, String)>,
    late_stderr: Vec<(Duration, usize)>,
}

/// Starts the turn in a thread of its own.
///
/// # Errors
/// The session's last turn is still running.
pub fn start(agent: &Arc<Agent>, session: &Arc<Session>, prompt_id: &Value, prompt: String) -> Result<(), Busy> {
    let (to_self, events) = channel();
    {
        let mut running = lock(&session.turn);
        if running.is_some() {
            return Err(Busy);
        }
        *running = Some(to_self.clone());
    }
    let number = {
        let mut record = lock(&session.record);
        record.begin_prompt(&prompt);
        record.prompts.len()
    };
    let turn = Turn {
        agent: Arc::clone(agent),
        session: Arc::clone(session),
        prompt_id: prompt_id.clone(),
        prompt,
        number,
        tool_calls: 0,
        events,
        to_self,
        kept_events: Vec::new(),
        cancelled: false,
        ignores_cancel: false,
        last_result: String::new(),
        offered_kinds: None,
        stop_reason: "end_turn".to_owned(),
        error_data: None,
        usage: None,
        meta: None,
        linger: None,
        late: Vec::new(),
        late_stderr: Vec::new(),
    };
    std::thread::spawn(move || turn.run());
    Ok(())
}

/// A `session/update` notification.
pub fn session_update(session_id: &str, update: &Value) -> Value {
    wire::notification("session/update", json!({"sessionId": session_id, "update": update}))
}

/// The text of chunk `number` (from 0) of `[[chunks:N:BYTES]]`: the number, a space, then `x` up to `bytes`.
pub fn chunk_text(number: usize, bytes: usize) -> String {
    let mut text = format!("{number} ");
    text.extend(std::iter::repeat_n('x', bytes.saturating_sub(text.len())));
    text
}

fn message_chunk(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

impl Turn {
    fn run(mut self) {
        let user = json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": self.prompt}});
        lock(&self.session.record).history.push(user);
        // A turn that dies has still been asked for.
        self.agent.sessions.save(&self.session);
        let outcome = match directive::parse(&self.prompt) {
            Err(error) => Outcome::Error { code: -32602, message: error.to_string() },
            Ok(script) => {
                self.ignores_cancel = script.contains(&Directive::HangIgnoreCancel);
                let mut end = None;
                for directive in script {
                    if let Err(outcome) = self.perform(directive).and_then(|()| self.look()) {
                        end = Some(outcome);
                        break;
                    }
                }
                end.unwrap_or_else(|| Outcome::Stop(self.stop_reason.clone()))
            }
        };
        self.finish(outcome);
    }

    fn perform(&mut self, directive: Directive) -> Step {
        match directive {
            Directive::Say(text) => self.say(&text),
            Directive::Think(text) => {
                self.update(json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}}))
            }
            Directive::Chunks { count, bytes } => return self.chunks(count, bytes),
            Directive::Stream { count, pause } => return self.stream(count, pause),
            Directive::BigLine(bytes) => self.big_line(bytes),
            Directive::EchoPrompt => self.send(&[json!({
                "sessionUpdate": "user_message_chunk",
                "content": {"type": "text", "text": self.prompt},
            })]),
            Directive::EchoEnv(name) => {
                let value = std::env::var_os(&name);
                let value = value.map_or("(unset)".into(), |v| v.to_string_lossy().into_owned());
                self.say(&format!("{name}={value}"));
            }
            Directive::EchoCwd => {
                let cwd = std::env::current_dir();
                self.say(&cwd.map_or_else(|error| error.to_string(), |cwd| cwd.display().to_string()));
            }
            Directive::EchoArgs => {
                let arguments: Vec<String> =
                    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
                self.say(&json!(arguments).to_string());
            }
            Directive::EchoSettings => self.say(&self.settings().to_string()),
            Directive::Pid => self.say(&std::process::id().to_string()),
            Directive::Remember { key, value } => {
                lock(&self.session.record).memory.insert(key, value);
            }
            Directive::Recall(key) => {
                let value = lock(&self.session.record).memory.get(&key).cloned();
                self.say(&value.unwrap_or_else(|| format!("(nothing remembered of {key})")));
            }
            Directive::History => {
                let prompts = lock(&self.session.record).prompts.clone();
                self.say(&json!(prompts[..self.number - 1]).to_string());
            }
            Directive::Result => self.say(&self.last_result.clone()),

            Directive::Tool { kind, title } => self.tool(&kind, &title),
            Directive::Tools(count) => return self.tools(count),
            Directive::Offer(kinds) => self.offered_kinds = Some(kinds),
            Directive::Ask { kind, title } => return self.ask(&kind, &title),
            Directive::AskRaw(params) => return self.ask_raw(params),
            Directive::Write { path, text } => return self.write(&path, &text),
            Directive::Run(command) => return self.run_command(&command, tools::Wait::ForItsEnd),
            Directive::RunBackground(command) => {
                return self.run_command(&command, tools::Wait::ForItsStart);
            }

            Directive::Plan => self.update(json!({"sessionUpdate": "plan", "entries": [
                {"content": "Read", "priority": "high", "status": "completed"},
                {"content": "Change", "priority": "medium", "status": "in_progress"},
            ]})),
            Directive::Commands => self.update(json!({
                "sessionUpdate": "available_commands_update",
                "availableCommands": [{"name": "review", "description": "Reviews the change"}],
            })),
            Directive::Usage { input, output } => {
                self.usage = Some(json!({
                    "totalTokens": input + output,
                    "inputTokens": input,
                    "outputTokens": output,
                }));
            }
            Directive::UsageNull => self.usage = Some(Value::Null),
            Directive::UsageUpdate { used, size } => self.update(json!({
                "sessionUpdate": "usage_update",
                "used": used,
                "size": size,
                "cost": {"amount": 0.25, "currency": "USD"},
            })),
            Directive::Meta(meta) => self.meta = Some(meta),
            Directive::SetOption { id, value } => return self.set_option(&id, &value),

            Directive::Sleep(time) => return self.rest_until(Some(Instant::now() + time)),
            Directive::WaitFile(path) => return self.wait_file(&path),
            Directive::Mark(path) => self.mark(&path),
            Directive::Hang => return self.rest_until(None),
            Directive::HangIgnoreCancel => loop {
                if self.events.recv().is_err() {
                    return Err(Outcome::Silence);
                }
            },
            Directive::Linger(time) => self.linger = Some(time),

            Directive::Stop(reason) => self.stop_reason = reason,
            Directive::ErrorData(data) => self.error_data = Some(data),
            Directive::Error { code, message } => return Err(Outcome::Error { code, message }),
            Directive::Late { after, text } => self.late.push((after, text)),
            Directive::LateStderr { after, bytes } => self.late_stderr.push((after, bytes)),
            Directive::Exit(code) => std::process::exit(code),
            Directive::Abort => process::kill_self(),
            Directive::CloseStdout => return self.close_stdout(),

            Directive::Stderr(text) => stderr_bytes(format!("{text}\n").as_bytes()),
            Directive::StderrBytes(count) => stderr_repeated(count),
            Directive::StderrHex(bytes) => stderr_bytes(&bytes),
            Directive::Noise => noise(&self.agent.wire),
            Directive::Raw(line) => self.raw(&line),
            Directive::Bytes(bytes) => self.agent.wire.burst(|out| out.bytes(&bytes)),
            Directive::Split => self.agent.wire.split_from_now_on(),
            Directive::Surrogates => self.surrogates(),
            Directive::WrongSession => self.wrong_session(),
            Directive::UnknownUpdate => self.unknown_update(),
            Directive::UnknownNotification => {
                self.agent.wire.notify("_vendor/progress", json!({"sessionId": self.session.id, "percent": 50}));
            }
            Directive::UnknownRequest { method, params } => return self.unknown_request(&method, params),
            Directive::Elicit => return self.elicit(),

            Directive::SpawnChild(spawned) => return self.spawn(Place::SameGroup, spawned),
            Directive::SpawnSetsid(spawned) => return self.spawn(Place::OwnSession, spawned),
            Directive::SpawnDaemon(spawned) => return self.spawn(Place::Daemon, spawned),
        }
        Ok(())
    }

    /// Sends updates of this session, in one write.
    fn send(&self, updates: &[Value]) {
        let messages: Vec<Value> = updates.iter().map(|update| session_update(&self.session.id, update)).collect();
        self.agent.wire.messages(&messages);
    }

    /// Sends an update and keeps it for the replay of a later load.
    fn update(&self, update: Value) {
        self.send(std::slice::from_ref(&update));
        lock(&self.session.record).history.push(update);
    }

    fn say(&self, text: &str) {
        self.update(message_chunk(text));
    }

    /// Many chunks without a pause. A replay has them as one.
    fn chunks(&mut self, count: usize, bytes: usize) -> Step {
        let frame = session_update(&self.session.id, &message_chunk("\u{1}")).to_string();
        let (head, tail) = frame.split_once("\\u0001").unwrap_or((&frame, ""));
        for first in (0..count).step_by(BURST) {
            self.agent.wire.burst(|out| {
                for number in first..count.min(first + BURST) {
                    out.bytes(head.as_bytes());
                    out.bytes(chunk_text(number, bytes).as_bytes());
                    out.line(tail, self.agent.wire.line_end());
                }
            });
            self.look()?;
        }
        lock(&self.session.record).history.push(message_chunk(&format!("({count} chunks)")));
        Ok(())
    }

    fn stream(&mut self, count: usize, pause: Duration) -> Step {
        for number in 0..count {
            self.say(&chunk_text(number, 0));
            self.rest_until(Some(Instant::now() + pause))?;
        }
        Ok(())
    }

    /// The values in force, by setting.
    fn settings(&self) -> Value {
        let options = self.agent.config_options(&lock(&self.session.record));
        let values = options
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|option| Some((option["id"].as_str()?.to_owned(), option["currentValue"].clone())));
        Value::Object(values.collect())
    }

    /// The agent changes a setting of its own accord and says so.
    fn set_option(&mut self, id: &str, value: &str) -> Step {
        let persona = self.agent.behaviour.persona;
        let options = {
            let mut record = lock(&self.session.record);
            let setting = (id, &json!(value), None);
            if let Err(error) = record.chosen.set(persona, &self.agent.behaviour.quirks, setting) {
                return Err(Outcome::Error { code: -32602, message: error.to_string() });
            }
            self.agent.config_options(&record)
        };
        self.update(json!({"sessionUpdate": "config_option_update", "configOptions": options}));
        Ok(())
    }

    fn spawn(&mut self, place: Place, spawned: directive::Spawned) -> Step {
        match process::spawn_resting(place, spawned) {
            Ok(pid) => {
                self.last_result = format!("pid {pid}");
                Ok(())
            }
            Err(error) => Err(Outcome::Error { code: -32603, message: format!("cannot spawn: {error}") }),
        }
    }

    /// Tells a test that the script has come this far: makes an empty file, asking nobody.
    fn mark(&self, path: &str) {
        let path = self.in_workspace(path);
        if let Err(error) = std::fs::write(&path, "") {
            super::complain(&format!("cannot mark {path}: {error}"));
        }
    }

    fn in_workspace(&self, path: &str) -> String {
        let cwd = lock(&self.session.record).cwd.clone();
        Path::new(&cwd).join(path).to_string_lossy().into_owned()
    }

    fn close_stdout(&mut self) -> Step {
        self.agent.wire.close();
        if let Err(error) = process::close_stdout() {
            super::complain(&format!("cannot close stdout: {error}"));
        }
        Ok(())
    }
}
