//! Tool calls: reported without a question, asked for, and carried out when they are allowed.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::channel;
use std::time::Duration;

use std::os::unix::process::ExitStatusExt;

use serde_json::{Value, json};

use super::super::behaviour::OnRefusal;
use super::super::persona::Gate;
use super::super::process;
use super::super::wire::lock;
use super::{BURST, Outcome, Step, Turn, TurnEvent, session_update};

/// How much of a command's output is reported, in bytes.
const OUTPUT_BYTES: u64 = 1 << 20;

/// How long the output of a command that has ended may stay open: a descendant of it can hold the pipe.
const OUTPUT_AFTER_END: Duration = Duration::from_secs(1);

/// How a shell command ended.
#[derive(Debug)]
pub struct CommandEnd {
    pid: u32,
    status: std::io::Result<ExitStatus>,
    output: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    ForItsEnd,
    ForItsStart,
}

/// What the client said to a permission question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Allowed,
    Rejected,
    Cancelled,
}

impl Decision {
    const fn word(self) -> &'static str {
        match self {
            Decision::Allowed => "allowed",
            Decision::Rejected => "rejected",
            Decision::Cancelled => "cancelled",
        }
    }
}

impl Turn {
    /// A tool call from beginning to end that nobody is asked about.
    pub(super) fn tool(&mut self, kind: &str, title: &str) {
        let id = self.begin_tool_call(kind, title, json!({"title": title}));
        self.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress"}));
        self.end_tool_call(&id, "completed", json!({"done": title}));
    }

    /// Many short tool calls, each announced and completed. Not replayed by a load.
    pub(super) fn tools(&mut self, count: usize) -> Step {
        for first in (0..count).step_by(BURST) {
            let mut messages = Vec::with_capacity(2 * BURST);
            for number in first..count.min(first + BURST) {
                let id = self.next_tool_call_id();
                let session = &self.session.id;
                messages.push(session_update(
                    session,
                    &json!({
                        "sessionUpdate": "tool_call",
                        "toolCallId": id,
                        "title": format!("Read file {number}"),
                        "kind": "read",
                        "status": "pending",
                        "rawInput": {"path": format!("file-{number}")},
                    }),
                ));
                messages.push(session_update(
                    session,
                    &json!({
                        "sessionUpdate": "tool_call_update",
                        "toolCallId": id,
                        "status": "completed",
                        "rawOutput": {"bytes": number},
                    }),
                ));
            }
            self.agent.wire.messages(&messages);
            self.look()?;
        }
        Ok(())
    }

    /// Asks, and pretends to perform.
    pub(super) fn ask(&mut self, kind: &str, title: &str) -> Step {
        let raw_input = json!({"title": title});
        let id = self.begin_tool_call(kind, title, raw_input.clone());
        match self.question(&id, kind, title, &raw_input)? {
            Decision::Allowed => {
                self.end_tool_call(&id, "completed", json!({"permission": "allowed"}));
                Ok(())
            }
            refusal => self.refused(&id, refusal),
        }
    }

    /// A permission question with the parameters of the script; what is missing in them stays missing, but for
    /// the session id.
    pub(super) fn ask_raw(&mut self, mut params: Value) -> Step {
        if let Some(params) = params.as_object_mut()
            && !params.contains_key("sessionId")
        {
            params.insert("sessionId".to_owned(), json!(self.session.id));
        }
        let request = self.agent.wire.request("session/request_permission", &params, &self.to_self);
        let waits = self.agent.behaviour.cancel_waits_for_permission;
        let answer = self.wait_for_answer(request, waits)?;
        self.last_result = super::oddities::describe_answer(&answer);
        Ok(())
    }

    /// Writes a file if the client, or the mode, lets it.
    pub(super) fn write(&mut self, path: &str, text: &str) -> Step {
        let path = self.in_workspace(path);
        let raw_input = json!({"path": path, "bytes": text.len()});
        let title = format!("Write {path}");
        let Some(id) = self.leave_for("edit", &title, &raw_input)? else {
            return Ok(());
        };
        match std::fs::write(&path, text) {
            Ok(()) => self.end_tool_call(&id, "completed", json!({"written": path})),
            Err(error) => self.end_tool_call(&id, "failed", json!({"error": error.to_string()})),
        }
        Ok(())
    }

    /// Runs a shell command if the client, or the mode, lets it.
    pub(super) fn run_command(&mut self, command: &str, wait: Wait) -> Step {
        let raw_input = json!({"command": command});
        let Some(id) = self.leave_for("execute", command, &raw_input)? else {
            return Ok(());
        };
        let cwd = lock(&self.session.record).cwd.clone();
        let child = match process::shell_in_own_session(command, &cwd) {
            Ok(child) => child,
            Err(error) => {
                self.end_tool_call(&id, "failed", json!({"error": error.to_string()}));
                return Ok(());
            }
        };
        let pid = child.id();
        lock(&self.agent.commands).push(pid);
        let to_self = self.to_self.clone();
        std::thread::spawn(move || {
            // The turn may have ended before its command.
            let _ = to_self.send(TurnEvent::CommandEnded(watch(child)));
        });
        if wait == Wait::ForItsStart {
            self.end_tool_call(&id, "completed", json!({"background": pid}));
            return Ok(());
        }
        let end = self.wait_for(false, |event| match event {
            TurnEvent::CommandEnded(end) if end.pid == pid => Ok(end),
            other => Err(other),
        })?;
        lock(&self.agent.commands).retain(|running| *running != pid);
        self.report_command(&id, &end);
        Ok(())
    }

    fn report_command(&mut self, id: &str, end: &CommandEnd) {
        let (exit_code, signal) = match &end.status {
            Ok(status) => (status.code(), status.signal()),
            Err(error) => {
                self.end_tool_call(id, "failed", json!({"error": error.to_string()}));
                return;
            }
        };
        let status = if exit_code == Some(0) { "completed" } else { "failed" };
        let output = json!({"exitCode": exit_code, "signal": signal, "output": end.output});
        self.end_tool_call(id, status, output);
        self.last_result = match (exit_code, signal) {
            (Some(code), _) => format!("exit status {code}"),
            (None, signal) => format!("signal {}", signal.unwrap_or_default()),
        };
    }

    /// Begins a tool call and obtains leave for it. `None` when there is none; the tool call has then failed.
    fn leave_for(&mut self, kind: &str, title: &str, raw_input: &Value) -> Result<Option<String>, Outcome> {
        let id = self.begin_tool_call(kind, title, raw_input.clone());
        let decision = match self.gate(kind) {
            Gate::Act => Decision::Allowed,
            Gate::Refuse => {
                self.end_tool_call(&id, "failed", json!({"error": "not in this mode"}));
                return Ok(None);
            }
            Gate::Ask => self.question(&id, kind, title, raw_input)?,
        };
        if decision != Decision::Allowed {
            self.refused(&id, decision)?;
            return Ok(None);
        }
        self.update(json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "in_progress"}));
        Ok(Some(id))
    }

    fn gate(&self, kind: &str) -> Gate {
        let behaviour = &self.agent.behaviour;
        if !behaviour.config_options {
            return Gate::Ask;
        }
        let record = lock(&self.session.record);
        let config = std::env::var("OPENCODE_CONFIG_CONTENT").unwrap_or_default();
        let config = serde_json::from_str(&config).unwrap_or(Value::Null);
        behaviour.persona.gate(kind, |id| record.chosen.current(behaviour.persona, id), &config)
    }

    /// Asks the client for leave and waits for what it says.
    fn question(&mut self, id: &str, kind: &str, title: &str, raw_input: &Value) -> Result<Decision, Outcome> {
        let ids = self.agent.behaviour.persona.permission_options();
        let options: Vec<Value> = [
            // The widest first, so that choosing by place fails.
            ("allow_always", ids.allow_always, "Always allow"),
            ("allow_once", ids.allow_once, "Allow"),
            ("reject_once", ids.reject_once, "Reject"),
            ("reject_always", ids.reject_always, "Always reject"),
        ]
        .iter()
        .filter(|(kind, ..)| match &self.offered_kinds {
            Some(offered) => offered.iter().any(|offer| offer == kind),
            None => *kind != "reject_always",
        })
        .map(|(kind, id, name)| json!({"optionId": id, "name": name, "kind": kind}))
        .collect();
        let params = json!({
            "sessionId": self.session.id,
            "toolCall": {
                "toolCallId": id,
                "title": title,
                "kind": kind,
                "status": "pending",
                "rawInput": raw_input,
            },
            "options": options,
        });
        let request = self.agent.wire.request("session/request_permission", &params, &self.to_self);
        let waits = self.agent.behaviour.cancel_waits_for_permission;
        let answer = self.wait_for_answer(request, waits)?;
        let outcome = &answer["result"]["outcome"];
        Ok(match outcome["optionId"].as_str() {
            Some(chosen) if chosen == ids.allow_once || chosen == ids.allow_always => Decision::Allowed,
            Some(_) => Decision::Rejected,
            None => Decision::Cancelled,
        })
    }

    fn refused(&mut self, id: &str, refusal: Decision) -> Step {
        self.end_tool_call(id, "failed", json!({"permission": refusal.word()}));
        self.last_result = refusal.word().to_owned();
        match self.agent.behaviour.on_refusal {
            OnRefusal::GoOn => Ok(()),
            OnRefusal::End(reason) => Err(Outcome::Stop(reason.to_owned())),
        }
    }

    fn next_tool_call_id(&mut self) -> String {
        self.tool_calls += 1;
        format!("call-{}-{}", self.number, self.tool_calls)
    }

    fn begin_tool_call(&mut self, kind: &str, title: &str, raw_input: Value) -> String {
        let id = self.next_tool_call_id();
        self.update(json!({
            "sessionUpdate": "tool_call",
            "toolCallId": id,
            "title": title,
            "kind": kind,
            "status": "pending",
            "rawInput": raw_input,
        }));
        id
    }

    fn end_tool_call(&mut self, id: &str, status: &str, raw_output: Value) {
        self.last_result = raw_output.to_string();
        self.update(json!({
            "sessionUpdate": "tool_call_update",
            "toolCallId": id,
            "status": status,
            "content": [{"type": "content", "content": {"type": "text", "text": raw_output.to_string()}}],
            "rawOutput": raw_output,
        }));
    }
}

/// Collects a command's output and its end. Output comes in the order stdout, stderr.
fn watch(mut child: Child) -> CommandEnd {
    let (collected, collect) = channel();
    for (place, pipe) in [
        child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
        child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>),
    ]
    .into_iter()
    .flatten()
    .enumerate()
    {
        let collected = collected.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut pipe = pipe;
            // What was read before a failure is still reported; the rest is read and dropped.
            let _ = pipe.by_ref().take(OUTPUT_BYTES).read_to_end(&mut bytes);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            let _ = collected.send((place, bytes));
        });
    }
    drop(collected);
    let pid = child.id();
    let status = child.wait();
    let mut parts = [Vec::new(), Vec::new()];
    while let Ok((place, bytes)) = collect.recv_timeout(OUTPUT_AFTER_END) {
        parts[place] = bytes;
    }
    let output = String::from_utf8_lossy(&parts.concat()).into_owned();
    CommandEnd { pid, status, output }
}
