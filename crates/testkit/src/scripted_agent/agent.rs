//! Answers the client: one method of the Agent Client Protocol after the other, as the behaviour says.
//!
//! Owns the life of the process from its first line to the end of its input. What happens inside a turn is
//! [`super::turn`]'s.

use std::fs::File;
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::behaviour::{AUTH_REQUIRED, Behaviour, Ending, NOT_FOUND, Reply};
use super::process;
use super::session::{Record, Sessions};
use super::turn;
use super::wire::{self, Wire, lock};

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INVALID_REQUEST: i64 = -32600;

#[derive(Debug)]
pub struct Agent {
    pub behaviour: Behaviour,
    pub wire: Wire,
    pub sessions: Sessions,
    /// Pids of shell commands that are running.
    pub commands: Mutex<Vec<u32>>,
    log: Option<Mutex<File>>,
    started_sessions: AtomicU64,
}

/// The answer to one request: a result, or code, message and data.
type Answer = Result<Value, (i64, String, Option<Value>)>;

fn refuse<T>(code: i64, message: impl Into<String>) -> Result<T, (i64, String, Option<Value>)> {
    Err((code, message.into(), None))
}

impl Agent {
    pub fn new(behaviour: Behaviour, stdout: File) -> std::io::Result<Agent> {
        let log = match &behaviour.log {
            None => None,
            Some(path) => Some(Mutex::new(File::options().create(true).append(true).open(path)?)),
        };
        Ok(Agent {
            wire: Wire::new(stdout, behaviour.line_end, behaviour.hold_out.clone()),
            sessions: Sessions::new(behaviour.home.as_deref(), behaviour.persona.name()),
            commands: Mutex::new(Vec::new()),
            log,
            started_sessions: AtomicU64::new(0),
            behaviour,
        })
    }

    /// Serves until input ends. Returns what is left to do then: nothing, wait, or stay for good.
    pub fn serve(self: &Arc<Self>, mut input: impl BufRead) -> Ending {
        if self.behaviour.bom {
            self.wire.burst(|out| out.bytes("\u{feff}".as_bytes()));
        }
        if self.behaviour.noise {
            turn::noise(&self.wire);
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return self.behaviour.on_eof,
                Ok(_) => self.take_line(&line),
            }
        }
    }

    /// Ends the shell commands, unless this agent is one of those that leave them running.
    pub fn end_commands(&self) {
        if !self.behaviour.leave_commands {
            for pid in lock(&self.commands).drain(..) {
                process::kill_session(pid);
            }
        }
    }

    fn take_line(self: &Arc<Self>, line: &[u8]) {
        let message: Value = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => {
                self.wire.messages(&[wire::error(&Value::Null, -32700, &error.to_string(), None)]);
                return;
            }
        };
        if let Some(log) = &self.log {
            let entry = json!({"pid": std::process::id(), "received": message});
            // One write for one line, so that agents can share the file.
            let _ = lock(log).write_all(format!("{entry}\n").as_bytes());
        }
        if let Some(hold) = &self.behaviour.hold_in {
            hold.pass();
        }
        let (method, id) = (message["method"].as_str(), message.get("id"));
        match (method, id) {
            (Some(method), Some(id)) => self.take_request(method, id, &message["params"]),
            (Some(method), None) => self.take_notification(method, &message["params"]),
            (None, Some(_)) => self.wire.take_answer(message),
            (None, None) => {
                self.wire.messages(&[wire::error(&Value::Null, INVALID_REQUEST, "Invalid request", None)]);
            }
        }
    }

    fn take_notification(&self, method: &str, params: &Value) {
        if method == "session/cancel"
            && let Some(session) = params["sessionId"].as_str().and_then(|id| self.sessions.get(id))
            && let Some(turn) = &*lock(&session.turn)
        {
            // The turn may have ended a moment ago; then there is nothing to cancel.
            let _ = turn.send(turn::TurnEvent::Cancel);
        }
    }

    fn take_request(self: &Arc<Self>, method: &str, id: &Value, params: &Value) {
        let behaviour = &self.behaviour;
        let reply = match method {
            "initialize" => &behaviour.initialize,
            "session/new" => &behaviour.new_session,
            "session/load" => &behaviour.load,
            "session/list" => &behaviour.list,
            "session/delete" => &behaviour.delete,
            "session/close" => &behaviour.close,
            "session/set_config_option" => &behaviour.set,
            _ => &Reply::Normal,
        };
        match reply {
            Reply::Normal => self.carry_out(method, id, params),
            Reply::Hang => {}
            Reply::Exit(code) => std::process::exit(*code),
            Reply::Error { code, message, data } => {
                let data = match (*code, data) {
                    (AUTH_REQUIRED, None) => Some(json!({"authMethods": behaviour.persona.auth_methods()})),
                    (_, data) => data.clone(),
                };
                self.wire.messages(&[wire::error(id, *code, message, data.as_ref())]);
            }
            Reply::Slow(pause) => {
                let (agent, pause) = (Arc::clone(self), *pause);
                let (method, id, params) = (method.to_owned(), id.clone(), params.clone());
                std::thread::spawn(move || {
                    std::thread::sleep(pause);
                    agent.carry_out(&method, &id, &params);
                });
            }
        }
    }

    fn carry_out(self: &Arc<Self>, method: &str, id: &Value, params: &Value) {
        let advertised = |capability: &str| self.behaviour.capabilities.iter().any(|c| c == capability);
        let answer = match method {
            "initialize" => Ok(self.initialize()),
            "authenticate" => Ok(json!({})),
            "session/new" => self.new_session(params),
            "session/load" if self.behaviour.load_session => self.load(params),
            "session/list" if advertised("list") => self.list(params),
            "session/delete" if advertised("delete") => self.delete(params),
            "session/close" if advertised("close") => self.close(params),
            "session/set_config_option" if self.behaviour.config_options => self.set(params),
            "session/prompt" => match self.prompt(id, params) {
                Ok(()) => return,
                Err(error) => Err(error),
            },
            _ => refuse(METHOD_NOT_FOUND, format!("\"Method not found\": {method}")),
        };
        self.wire.messages(&[match answer {
            Ok(result) => wire::answer(id, result),
            Err((code, message, data)) => wire::error(id, code, &message, data.as_ref()),
        }]);
    }

    fn initialize(&self) -> Value {
        let behaviour = &self.behaviour;
        if behaviour.initialize_nulls {
            return json!({
                "protocolVersion": behaviour.protocol_version,
                "agentCapabilities": {
                    "loadSession": behaviour.load_session,
                    "promptCapabilities": null,
                    "mcpCapabilities": null,
                    "sessionCapabilities": null,
                    "telepathy": {"range": [1, 2]},
                },
                "agentInfo": null,
                "authMethods": null,
                "_meta": null,
                "surprise": true,
            });
        }
        let capabilities: serde_json::Map<String, Value> =
            behaviour.capabilities.iter().map(|name| (name.clone(), json!({}))).collect();
        let persona = behaviour.persona;
        json!({
            "protocolVersion": behaviour.protocol_version,
            "agentCapabilities": {
                "loadSession": behaviour.load_session,
                "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
                "mcpCapabilities": {"http": false, "sse": false},
                "sessionCapabilities": capabilities,
            },
            "agentInfo": {
                "name": persona.executable(),
                "title": "Scripted agent",
                "version": behaviour.agent_version,
            },
            "authMethods": persona.auth_methods(),
        })
    }

    fn new_session(&self, params: &Value) -> Answer {
        let Some(cwd) = params["cwd"].as_str().filter(|cwd| cwd.starts_with('/')) else {
            return refuse(INVALID_PARAMS, "cwd must be an absolute path");
        };
        let number = self.started_sessions.fetch_add(1, Ordering::Relaxed);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let drawn = format!("{:x}-{:x}-{number}", now.as_nanos(), std::process::id());
        let session = self.sessions.open(Record {
            session_id: self.behaviour.session_id.clone().unwrap_or(drawn),
            cwd: cwd.to_owned(),
            ..Record::default()
        });
        let mut result = self.offer(&lock(&session.record));
        result["sessionId"] = json!(session.id);
        Ok(result)
    }

    fn load(&self, params: &Value) -> Answer {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let Some(mut record) = self.sessions.record(id) else {
            return refuse(NOT_FOUND, format!("Resource not found: {id}"));
        };
        if let Some(cwd) = params["cwd"].as_str() {
            record.cwd = cwd.to_owned();
        }
        let replay: Vec<Value> = record.history.iter().map(|update| turn::session_update(id, update)).collect();
        self.wire.messages(&replay);
        let result = self.offer(&record);
        self.sessions.open(record);
        Ok(result)
    }

    fn list(&self, params: &Value) -> Answer {
        let records = self.sessions.list(params["cwd"].as_str());
        let first = params["cursor"].as_str().map_or(Ok(0), str::parse::<usize>);
        let Ok(first) = first else {
            return refuse(INVALID_PARAMS, "unknown cursor");
        };
        let page = self.behaviour.list_page;
        let sessions: Vec<Value> = records
            .iter()
            .skip(first)
            .take(page)
            .map(|record| {
                json!({
                    "sessionId": record.session_id,
                    "cwd": record.cwd,
                    "title": record.title,
                    "updatedAt": record.updated_at,
                    "_meta": {"scripted": true},
                })
            })
            .collect();
        let mut result = json!({"sessions": sessions});
        if first + page < records.len() {
            result["nextCursor"] = json!((first + page).to_string());
        }
        Ok(result)
    }

    fn delete(&self, params: &Value) -> Answer {
        self.sessions.delete(params["sessionId"].as_str().unwrap_or_default());
        Ok(json!({}))
    }

    fn close(&self, params: &Value) -> Answer {
        match self.sessions.close(params["sessionId"].as_str().unwrap_or_default()) {
            Some(_) => Ok(json!({})),
            None => refuse(NOT_FOUND, "Resource not found"),
        }
    }

    fn set(&self, params: &Value) -> Answer {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let Some(session) = self.sessions.get(id) else {
            return refuse(NOT_FOUND, format!("Resource not found: {id}"));
        };
        let setting = (params["configId"].as_str().unwrap_or_default(), &params["value"], params["type"].as_str());
        let (persona, quirks) = (self.behaviour.persona, &self.behaviour.quirks);
        if let Err(error) = lock(&session.record).chosen.set(persona, quirks, setting) {
            return Err((INVALID_PARAMS, "Invalid params".to_owned(), Some(json!({"details": error.to_string()}))));
        }
        self.sessions.save(&session);
        if self.behaviour.set_answer_bare {
            return Ok(json!({}));
        }
        Ok(self.offer(&lock(&session.record)))
    }

    fn prompt(self: &Arc<Self>, id: &Value, params: &Value) -> Result<(), (i64, String, Option<Value>)> {
        let session_id = params["sessionId"].as_str().unwrap_or_default();
        let Some(session) = self.sessions.get(session_id) else {
            return refuse(NOT_FOUND, format!("Resource not found: {session_id}"));
        };
        let text: String =
            params["prompt"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str()).collect();
        turn::start(self, &session, id, text).map_err(|busy| (INVALID_REQUEST, busy.to_string(), None))
    }

    /// `{configOptions}` as it is now, or nothing for an agent without settings.
    fn offer(&self, record: &Record) -> Value {
        if self.behaviour.config_options { json!({"configOptions": self.config_options(record)}) } else { json!({}) }
    }

    pub fn config_options(&self, record: &Record) -> Value {
        record.chosen.offer(self.behaviour.persona, &self.behaviour.quirks)
    }
}
