//! Conversations with scripted agents; those with hostile ones are in `hostile`.
//!
//! Every scripted conversation is run through [`Driver`], which stores and loads the state before
//! each line: that the acts are the same is then part of every test.

use segue_model::task::Usage;
use segue_model::task::permission::{AllowSet, Decision, ToolKind};
use serde_json::{Value, json};

use super::*;

mod hostile;

const EXE: &str = "agent-acp";

fn plan(purpose: Purpose) -> Plan {
    Plan {
        cwd: "/w".into(),
        purpose,
        exe: EXE.into(),
        launch_flags: vec![],
        client: Client { name: "segue".into(), version: "0".into() },
    }
}

fn setting(name: &str, value: &str, role: SettingRole) -> Setting {
    Setting { name: name.into(), value: SettingValue::Str(value.into()), role }
}

fn turn(settings: Vec<Setting>) -> Plan {
    plan(Purpose::Turn { resume: None, turn: TurnPlan { settings, allow: AllowSet::of([ToolKind::Edit]) } })
}

fn resume(settings: Vec<Setting>) -> Plan {
    plan(Purpose::Turn { resume: Some("old".into()), turn: TurnPlan { settings, allow: AllowSet::NONE } })
}

/// An act in few words: a send as its method and parameters, a fact as its value.
fn brief(act: &Act) -> Value {
    match act {
        Act::Fact(fact) => serde_json::to_value(fact).unwrap(),
        Act::Send(out) => {
            let line: Value = serde_json::from_slice(&out.render("do it")).unwrap();
            match line.get("method") {
                Some(method) => json!([method, line["params"]]),
                None => json!([line["id"], line.get("result").or(line.get("error"))]),
            }
        }
    }
}

struct Driver {
    conversation: Conversation,
    /// Numbers of the sends so far.
    sent: Vec<u64>,
}

impl Driver {
    fn begin(plan: Plan) -> Self {
        let (conversation, acts) = Conversation::begin(plan);
        let mut driver = Self { conversation, sent: vec![] };
        let acts = driver.note(acts);
        assert_eq!(acts.len(), 1, "only initialize: {acts:?}");
        driver
    }

    fn note(&mut self, acts: Vec<Act>) -> Vec<Value> {
        self.sent.extend(acts.iter().filter_map(|act| match act {
            Act::Send(out) => Some(out.n),
            Act::Fact(_) => None,
        }));
        acts.iter().map(brief).collect()
    }

    /// Stores and loads the state, then does the same with both.
    fn step(&mut self, step: impl Fn(&mut Conversation) -> Vec<Act>) -> Vec<Value> {
        let stored = serde_json::to_string(&self.conversation).unwrap();
        let mut loaded: Conversation = serde_json::from_str(&stored).unwrap();
        assert_eq!(loaded, self.conversation);
        let acts = step(&mut self.conversation);
        assert_eq!(step(&mut loaded), acts);
        assert_eq!(loaded, self.conversation);
        self.note(acts)
    }

    fn raw(&mut self, line: &[u8]) -> Vec<Value> {
        self.step(|conversation| conversation.line(line))
    }

    fn line(&mut self, line: Value) -> Vec<Value> {
        self.raw(line.to_string().as_bytes())
    }

    /// Answers the awaited request. Ids count up from 1.
    fn answer(&mut self, id: u64, result: Value) -> Vec<Value> {
        self.line(json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    fn error(&mut self, id: u64, error: Value) -> Vec<Value> {
        self.line(json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    fn update(&mut self, update: Value) -> Vec<Value> {
        self.line(json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}))
    }

    fn ask(&mut self, session: &str, kind: &str) -> Vec<Value> {
        let options = json!([{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}]);
        let params = json!({"sessionId": session, "toolCall": {"toolCallId": "t", "title": "Do", "kind": kind}, "options": options});
        self.line(json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": params}))
    }

    fn awaiting(&self) -> Option<String> {
        self.conversation.awaiting().map(ToString::to_string)
    }
}

fn initialized() -> Value {
    json!({
        "protocolVersion": 1,
        "agentInfo": {"name": "fake", "version": "9"},
        "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"list": {}, "delete": {}, "close": {}}},
        "authMethods": [{"id": "key", "name": "API key"}, {"id": "web", "name": "web"}, {"id": "cli", "name": "Command line"}],
    })
}

fn select(name: &str, current: &str, values: &[&str]) -> Value {
    let options: Vec<Value> = values.iter().map(|value| json!({"value": value, "name": value})).collect();
    json!({"id": name, "name": name, "type": "select", "currentValue": current, "options": options})
}

fn message(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

/// A turn whose prompt was sent, without settings.
fn prompted() -> Driver {
    let mut driver = Driver::begin(turn(vec![]));
    driver.answer(1, initialized());
    driver.answer(2, json!({"sessionId": "s"}));
    assert_eq!(driver.awaiting().as_deref(), Some("prompt"));
    driver
}

fn failed(step: Value, kind: Value, message: &str) -> Value {
    json!({"Failed": {"step": step, "kind": kind, "message": message}})
}

fn only_failure(acts: &[Value]) -> (&str, &Value) {
    let failure = &acts.last().unwrap()["Failed"];
    (failure["message"].as_str().unwrap(), &failure["kind"])
}

#[test]
fn a_whole_turn() {
    let mut driver = Driver::begin(turn(vec![
        setting("mode", "plan", SettingRole::Pin),
        setting("model", "b", SettingRole::Model),
        setting("effort", "high", SettingRole::Effort),
    ]));
    assert_eq!(driver.awaiting().as_deref(), Some("initialize"));
    let init = driver.answer(1, initialized());
    assert_eq!(init[0]["Initialized"]["agent"], json!({"name": "fake", "version": "9"}));
    assert_eq!(init[1..], [json!(["session/new", {"cwd": "/w", "mcpServers": []}])]);

    // Around session/new and the settings nothing belongs to a turn.
    assert_eq!(driver.update(message("early")), [] as [Value; 0]);
    let offered = [select("mode", "auto", &["auto", "plan"]), select("model", "a", &["a", "b"])];
    let opened = driver.answer(2, json!({"sessionId": "s", "configOptions": offered}));
    assert_eq!(opened[0]["SessionStarted"]["session_id"], "s");
    let set = |name: &str, value: &str| json!(["session/set_config_option", {"sessionId": "s", "configId": name, "value": value}]);
    assert_eq!(opened[1..], [set("mode", "plan")]);
    assert_eq!(driver.awaiting().as_deref(), Some("set_config_option mode"));
    assert_eq!(driver.update(message("notice")), [] as [Value; 0]);

    let confirmed = |name: &str, value: &str, in_force: Value| json!({"SettingConfirmed": {"name": name, "asked": value, "in_force": in_force}});
    let offered = [select("mode", "plan", &["auto", "plan"]), select("model", "a", &["a", "b"])];
    let acts = driver.answer(3, json!({"configOptions": offered}));
    assert_eq!(acts, [confirmed("mode", "plan", json!("plan")), set("model", "b")]);

    // The effort is offered only once the model is set.
    let offered = [
        select("mode", "plan", &["auto", "plan"]),
        select("model", "b", &["a", "b"]),
        select("effort", "low", &["low", "high"]),
    ];
    let acts = driver.answer(4, json!({"configOptions": offered}));
    assert_eq!(acts, [confirmed("model", "b", json!("b")), set("effort", "high")]);

    // An answer that reports nothing is taken.
    let acts = driver.answer(5, json!({}));
    let prompt = json!(["session/prompt", {"sessionId": "s", "prompt": [{"type": "text", "text": "do it"}]}]);
    assert_eq!(acts, [confirmed("effort", "high", Value::Null), json!("PromptSent"), prompt]);

    assert_eq!(driver.update(message("Hi")), [json!({"Update": {"MessageChunk": {"text": "Hi"}}})]);
    let permission = |kind: &str, decision: &str| json!({"Permission": {"tool_call_id": "t", "title": "Do", "kind": kind, "decision": decision, "undecodable": false}});
    let selected = |id: &str| json!(["q", {"outcome": {"outcome": "selected", "optionId": id}}]);
    assert_eq!(driver.ask("s", "edit"), [permission("edit", "allowed"), selected("y")]);
    assert_eq!(driver.ask("s", "execute"), [permission("execute", "rejected"), selected("n")]);

    let usage = json!({"totalTokens": 3, "inputTokens": 1, "outputTokens": 2});
    let acts = driver.answer(6, json!({"stopReason": "end_turn", "usage": usage, "_meta": {"error": "quota"}}));
    let usage = Usage { total_tokens: 3, input_tokens: 1, output_tokens: 2, ..Usage::default() };
    let end = json!({"stop_reason": "end_turn", "usage": usage, "meta": {"error": "quota"}});
    assert_eq!(acts, [json!({"TurnEnded": end})]);
    assert_eq!(driver.awaiting(), None);

    // Every send has the next number, and delivered ones are forgotten.
    assert_eq!(driver.sent, (1..=driver.sent.len() as u64).collect::<Vec<_>>());
    assert_eq!(driver.conversation.outbox().len(), driver.sent.len());
    driver.conversation.delivered(7);
    assert_eq!(driver.conversation.outbox().iter().map(|out| out.n).collect::<Vec<_>>(), [8]);
}

#[test]
fn what_comes_after_the_answer() {
    let mut driver = prompted();
    driver.answer(3, json!({"stopReason": "end_turn"}));
    let chunk = |text: &str| json!({"MessageChunk": {"text": text}});
    assert_eq!(driver.update(message("settling")), [json!({"Update": chunk("settling")})]);
    // A question outside the turn is cancelled and is no fact.
    let cancelled = [json!(["q", {"outcome": {"outcome": "cancelled"}}])];
    assert_eq!(driver.ask("s", "edit"), cancelled);
    driver.conversation.end_settle();
    assert_eq!(driver.update(message("late")), [json!({"LateUpdate": chunk("late")})]);
    assert_eq!(driver.ask("s", "edit"), cancelled);
    driver.conversation.idle();
    assert_eq!(driver.update(message("idle")), [] as [Value; 0]);
    assert_eq!(driver.ask("s", "edit"), cancelled);
    assert_eq!(driver.step(Conversation::closed), [] as [Value; 0]);
}

#[test]
fn a_further_turn_sends_settings_again_and_checks_the_last_offer() {
    let mode = || vec![setting("mode", "plan", SettingRole::Pin)];
    let mut driver = Driver::begin(turn(mode()));
    driver.answer(1, initialized());
    driver.answer(2, json!({"sessionId": "s", "configOptions": [select("mode", "auto", &["auto", "plan"])]}));
    driver.answer(3, json!({"configOptions": [select("mode", "plan", &["auto", "plan"])]}));
    driver.answer(4, json!({"stopReason": "end_turn"}));
    driver.conversation.end_settle();
    driver.conversation.idle();
    // Reported while idle.
    driver.update(json!({"sessionUpdate": "config_option_update", "configOptions": [select("mode", "auto", &["auto", "plan", "x"])]}));

    let plan = TurnPlan { settings: mode(), allow: AllowSet::NONE };
    let acts = driver.step(|conversation| conversation.next_turn(plan.clone()));
    assert_eq!(acts[0]["SessionStarted"]["session_id"], "s");
    assert_eq!(acts[1], json!(["session/set_config_option", {"sessionId": "s", "configId": "mode", "value": "plan"}]));
    let acts = driver.answer(5, json!({"configOptions": [select("mode", "plan", &["auto", "plan"])]}));
    assert_eq!(acts[1], "PromptSent");
    // The policy is this turn's.
    assert_eq!(driver.ask("s", "edit")[0]["Permission"]["decision"], "rejected");
    driver.answer(6, json!({"stopReason": "end_turn"}));

    let plan = TurnPlan { settings: vec![setting("mode", "gone", SettingRole::Pin)], allow: AllowSet::NONE };
    let acts = driver.step(|conversation| conversation.next_turn(plan.clone()));
    let (text, _) = only_failure(&acts);
    assert_eq!(
        text,
        "agent-acp session failed: the session setting 'mode' does not offer 'gone'; it offers 'auto', 'plan'"
    );

    assert_eq!(driver.step(Conversation::closed), [] as [Value; 0]);
    let plan = TurnPlan::default();
    let acts = driver.step(|conversation| conversation.next_turn(plan.clone()));
    assert_eq!(only_failure(&acts).1, "Closed");
}

#[test]
fn a_session_is_closed_when_that_is_offered() {
    let mut driver = prompted();
    assert_eq!(driver.step(Conversation::close_session), [] as [Value; 0]);
    driver.answer(3, json!({"stopReason": "end_turn"}));
    assert_eq!(driver.step(Conversation::close_session), [json!(["session/close", {"sessionId": "s"}])]);
    assert_eq!(driver.conversation.awaiting().and_then(Step::limit), Some(CLOSE_LIMIT));
    assert_eq!(driver.error(4, json!({"code": -1, "message": "no"})), [json!("SessionClosed")]);

    let mut driver = Driver::begin(turn(vec![]));
    driver.answer(1, json!({}));
    driver.answer(2, json!({"sessionId": "s"}));
    driver.answer(3, json!({"stopReason": "end_turn"}));
    assert_eq!(driver.step(Conversation::close_session), [] as [Value; 0]);
}

#[test]
fn cancelling() {
    // Before the prompt nothing is asked and no prompt follows.
    let mut driver = Driver::begin(turn(vec![]));
    driver.answer(1, initialized());
    assert_eq!(driver.step(Conversation::cancel), [] as [Value; 0]);
    assert_eq!(driver.answer(2, json!({"sessionId": "s"})), [] as [Value; 0]);

    let mut driver = prompted();
    assert_eq!(driver.step(Conversation::cancel), [json!(["session/cancel", {"sessionId": "s"}])]);
    assert_eq!(driver.step(Conversation::cancel), [] as [Value; 0]);
    let acts = driver.ask("s", "edit");
    assert_eq!(acts[0]["Permission"]["decision"], "cancelled");
    assert_eq!(acts[1], json!(["q", {"outcome": {"outcome": "cancelled"}}]));
    assert_eq!(driver.update(message("still")).len(), 1);
    assert_eq!(driver.answer(3, json!({"stopReason": "cancelled"}))[0]["TurnEnded"]["stop_reason"], "cancelled");
    assert_eq!(driver.step(Conversation::cancel), [] as [Value; 0]);
}

#[test]
fn a_permission_that_could_not_be_recorded_is_cancelled() {
    let mut driver = prompted();
    driver.ask("s", "edit");
    let n = *driver.sent.last().unwrap();
    assert_eq!(driver.conversation.permission_unrecorded(n - 1), None);
    let out = driver.conversation.permission_unrecorded(n).unwrap();
    assert_eq!(brief(&Act::Send(out.clone())), json!(["q", {"outcome": {"outcome": "cancelled"}}]));
    assert_eq!(driver.conversation.outbox().last(), Some(&out));
    driver.conversation.delivered(n);
    assert_eq!(driver.conversation.permission_unrecorded(n), None);
}

#[test]
fn resuming_loads_and_drops_the_history() {
    let mut driver = Driver::begin(resume(vec![setting("mode", "plan", SettingRole::Pin)]));
    assert_eq!(driver.conversation.session_id(), Some("old"));
    let acts = driver.answer(1, initialized());
    assert_eq!(acts[1], json!(["session/load", {"sessionId": "old", "cwd": "/w", "mcpServers": []}]));
    let replay = json!({"sessionId": "old", "update": message("history")});
    assert_eq!(driver.line(json!({"method": "session/update", "params": replay})), [] as [Value; 0]);
    let acts = driver.answer(2, json!({"configOptions": [select("mode", "bypass", &["bypass", "plan"])]}));
    assert_eq!(acts[0]["SessionStarted"]["session_id"], "old");
    assert_eq!(acts[1][1]["value"], "plan");

    // A mode that cannot be set, or only seems to be, means no prompt.
    let acts = driver.answer(3, json!({"configOptions": [select("mode", "bypass", &["bypass", "plan"])]}));
    assert_eq!(
        acts,
        [failed(
            json!({"set_config_option": "mode"}),
            json!({"SettingNotInForce": {"name": "mode"}}),
            "agent-acp session failed: the session setting 'mode' was set to 'plan' without an error, but the agent reports 'bypass'"
        )]
    );

    // A null answer is an answer.
    let mut driver = Driver::begin(resume(vec![]));
    driver.answer(1, initialized());
    assert_eq!(driver.answer(2, Value::Null)[1], "PromptSent");
}

#[test]
fn a_setting_that_a_later_one_undoes_means_no_prompt() {
    let mut driver =
        Driver::begin(turn(vec![setting("mode", "plan", SettingRole::Pin), setting("model", "b", SettingRole::Model)]));
    driver.answer(1, initialized());
    let offer = |mode: &str, model: &str| json!({"sessionId": "s", "configOptions": [select("mode", mode, &["auto", "plan"]), select("model", model, &["a", "b"])]});
    driver.answer(2, offer("auto", "a"));
    driver.answer(3, offer("plan", "a"));
    let acts = driver.answer(4, offer("auto", "b"));
    assert_eq!(acts[0]["SettingConfirmed"]["name"], "model");
    assert_eq!(only_failure(&acts).1, &json!({"SettingNotInForce": {"name": "mode"}}));
    assert_eq!(acts.len(), 2);
}

#[test]
fn settings_that_are_not_offered() {
    let cases = [
        (json!([]), setting("mode", "x", SettingRole::Pin), "agent-acp does not offer the session setting 'mode'"),
        (
            json!([select("model", "a", &["b", "a"])]),
            setting("model", "x", SettingRole::Model),
            "the session setting 'model' does not offer 'x'; it offers 'a', 'b'; describe_agent shows what is offered",
        ),
        (
            json!([{"id": "auto", "type": "boolean", "currentValue": true}]),
            setting("auto", "false", SettingRole::Pin),
            "the session setting 'auto' does not offer 'false': it takes only true or false",
        ),
    ];
    for (offer, setting, expected) in cases {
        let mut driver = Driver::begin(turn(vec![setting]));
        driver.answer(1, initialized());
        let acts = driver.answer(2, json!({"sessionId": "s", "configOptions": offer}));
        assert_eq!(acts.len(), 2, "nothing is sent: {acts:?}");
        assert_eq!(only_failure(&acts).0, format!("agent-acp session failed: {expected}"));
        assert_eq!(driver.awaiting(), None);
    }
}

#[test]
fn booleans_are_set_as_booleans() {
    let pin = Setting { name: "auto".into(), value: SettingValue::Bool(false), role: SettingRole::Pin };
    let mut driver = Driver::begin(turn(vec![pin]));
    driver.answer(1, initialized());
    let offer = |current: bool| json!({"sessionId": "s", "configOptions": [{"id": "auto", "type": "boolean", "currentValue": current}]});
    let acts = driver.answer(2, offer(true));
    assert_eq!(acts[1][1], json!({"sessionId": "s", "configId": "auto", "type": "boolean", "value": false}));
    assert_eq!(driver.answer(3, offer(false))[0]["SettingConfirmed"]["in_force"], false);
}

#[test]
fn errors_of_every_step() {
    let internal = || json!({"code": -32603, "message": "Internal error", "data": {"details": "broken"}});
    let agent_error = json!({"AgentError": {"code": -32603, "text": "Internal error", "data": {"details": "broken"}}});
    let said = "Internal error (code -32603; data: {\"details\":\"broken\"})";

    let mut driver = Driver::begin(turn(vec![]));
    let acts = driver.error(1, internal());
    assert_eq!(
        acts,
        [failed(json!("initialize"), agent_error.clone(), &format!("agent-acp session failed: initialize: {said}"))]
    );

    let mut driver = Driver::begin(turn(vec![]));
    driver.answer(1, initialized());
    let acts = driver.error(2, internal());
    assert_eq!(
        acts,
        [failed(json!("new_session"), agent_error.clone(), &format!("agent-acp session failed: new_session: {said}"))]
    );

    let mut driver = Driver::begin(resume(vec![]));
    driver.answer(1, initialized());
    let acts = driver.error(2, internal());
    let text = format!(
        "agent-acp session failed: session 'old' could not be loaded; it may not exist for this agent or workspace: {said}"
    );
    assert_eq!(acts, [failed(json!("load_session"), json!({"LoadFailed": {"session_id": "old"}}), &text)]);

    let mut driver = Driver::begin(turn(vec![setting("mode", "x", SettingRole::Pin)]));
    driver.answer(1, initialized());
    driver.answer(2, json!({"sessionId": "s", "configOptions": [select("mode", "a", &["x"])]}));
    let acts = driver.error(3, internal());
    let text = format!("agent-acp session failed: set_config_option mode: {said}");
    assert_eq!(acts, [failed(json!({"set_config_option": "mode"}), agent_error.clone(), &text)]);

    // The whole message, and what follows at once still belongs to the turn.
    let mut driver = prompted();
    let acts = driver.error(3, json!({"code": 429, "message": "limit reached, resets at 5pm"}));
    let kind = json!({"AgentError": {"code": 429, "text": "limit reached, resets at 5pm", "data": null}});
    assert_eq!(
        acts,
        [failed(json!("prompt"), kind, "agent-acp session failed: limit reached, resets at 5pm (code 429)")]
    );
    assert_eq!(driver.update(message("more")).len(), 1);

    // Data of every kind.
    for (data, shown) in
        [(json!("text"), "text"), (json!([1]), "[1]"), (json!({"a": {"b": null}}), "{\"a\":{\"b\":null}}")]
    {
        let acts = prompted().error(3, json!({"code": 1, "message": "m", "data": data}));
        assert_eq!(only_failure(&acts).0, format!("agent-acp session failed: m (code 1; data: {shown})"));
    }
    for (error, shown) in [
        (json!({"code": 1, "message": "m", "data": null}), "m (code 1)"),
        (json!({"message": "m"}), "m"),
        (json!("just text"), "\"just text\""),
        (json!({"code": "x", "message": 5}), "{\"code\":\"x\",\"message\":5}"),
    ] {
        assert_eq!(only_failure(&prompted().error(3, error)).0, format!("agent-acp session failed: {shown}"));
    }
    let acts = prompted().error(3, json!({"code": 1, "message": "m", "data": "x".repeat(100_000)}));
    assert!(acts[0].to_string().len() < 10_000);
}

#[test]
fn signing_in_is_asked_for_and_never_done() {
    let mut driver = Driver::begin(turn(vec![]));
    driver.answer(1, initialized());
    let acts = driver.error(2, json!({"code": -32000, "message": "Authentication required"}));
    let methods =
        json!([{"id": "key", "name": "API key"}, {"id": "web", "name": "web"}, {"id": "cli", "name": "Command line"}]);
    assert_eq!(
        acts,
        [failed(
            json!("new_session"),
            json!({"AuthRequired": {"methods": methods}}),
            "agent-acp session failed: agent-acp reports that authentication is required. Authenticate agent-acp outside of \
             this server, then try again; it names these ways to sign in: key (API key), web, cli (Command line). The agent \
             said: Authentication required (code -32000)"
        )]
    );
    let acts = prompted().error(3, json!({"code": -32000, "message": "Authentication required"}));
    assert!(only_failure(&acts).1.get("AuthRequired").is_some());
}

#[test]
fn answers_that_do_not_hold_what_they_must() {
    let mut driver = Driver::begin(turn(vec![]));
    let acts = driver.answer(1, json!({"protocolVersion": 2}));
    assert_eq!(
        acts,
        [failed(
            json!("initialize"),
            json!({"ProtocolVersion": {"answered": "2"}}),
            "agent-acp session failed: agent-acp speaks version 2 of the protocol, not version 1"
        )]
    );

    for result in [json!(null), json!({}), json!({"sessionId": 5}), json!({"sessionId": ""}), json!("s")] {
        let mut driver = Driver::begin(turn(vec![]));
        driver.answer(1, json!(null));
        assert_eq!(
            only_failure(&driver.answer(2, result)).0,
            "agent-acp session failed: new_session was answered without a session id"
        );
    }

    for (result, text) in [
        (json!({"stopReason": "tired"}), "the prompt was answered with the unknown stop reason 'tired'"),
        (json!({"stopReason": null}), "the prompt was answered without a stop reason"),
        (json!(null), "the prompt was answered without a stop reason"),
        (json!([]), "the prompt was answered without a stop reason"),
    ] {
        let mut driver = prompted();
        assert_eq!(only_failure(&driver.answer(3, result)).0, format!("agent-acp session failed: {text}"));
        assert_eq!(driver.update(message("after")).len(), 1);
    }
}

#[test]
fn an_agent_that_is_gone_or_silent() {
    let mut flagged = turn(vec![]);
    flagged.launch_flags = vec!["--thinking=high".into()];
    let mut driver = Driver::begin(flagged);
    assert_eq!(driver.conversation.awaiting().and_then(Step::limit), Some(STEP_LIMIT));
    let suspect = "; a possible cause is --thinking=high on its command line";
    for (step, text) in [
        (
            Conversation::timed_out as fn(&mut Conversation) -> Vec<Act>,
            format!("agent-acp session failed: initialize was not answered within 120 s{suspect}"),
        ),
        (
            Conversation::closed,
            format!("agent-acp session failed: Connection closed before initialize was answered{suspect}"),
        ),
        (
            Conversation::exited,
            format!("agent-acp exited before its prompt turn ended; initialize was not answered{suspect}"),
        ),
    ] {
        let mut driver = Driver { conversation: driver.conversation.clone(), sent: vec![] };
        assert_eq!(only_failure(&driver.step(step)).0, text);
        assert_eq!(driver.answer(1, initialized()), [] as [Value; 0], "a late answer is not used");
    }
    driver.answer(1, initialized());
    assert_eq!(driver.awaiting().as_deref(), Some("new_session"));

    let mut driver = prompted();
    assert_eq!(driver.conversation.awaiting().and_then(Step::limit), None);
    assert_eq!(driver.step(Conversation::timed_out), [] as [Value; 0]);
    let acts = driver.step(Conversation::closed);
    assert_eq!(
        acts,
        [failed(
            json!("prompt"),
            json!("Closed"),
            "agent-acp session failed: Connection closed before prompt was answered"
        )]
    );
    driver.conversation.end_settle();
    assert_eq!(driver.update(message("no")), [] as [Value; 0]);
    assert_eq!(driver.step(Conversation::exited), [] as [Value; 0]);
}

#[test]
fn probes() {
    let mut driver = Driver::begin(plan(Purpose::Describe));
    driver.answer(1, initialized());
    let acts = driver.answer(2, json!({"sessionId": "s", "configOptions": [select("model", "a", &["a"])]}));
    let offer = json!({"settings": [{"name": "model", "values": {"Select": {"current": "a", "values": ["a"]}}}]});
    assert_eq!(acts, [json!({"Described": {"session_id": "s", "offer": offer}})]);

    let mut driver = Driver::begin(plan(Purpose::ListSessions { cursor: Some("c".into()) }));
    assert_eq!(driver.answer(1, initialized())[1], json!(["session/list", {"cwd": "/w", "cursor": "c"}]));
    let acts = driver.answer(2, json!({"sessions": [{"sessionId": "a", "cwd": "/w"}, 5], "nextCursor": "d"}));
    let entry =
        json!({"session_id": "a", "cwd": "/w", "title": null, "updated_at": null, "additional_directories": null});
    assert_eq!(acts, [json!({"Sessions": {"sessions": [entry], "next_cursor": "d"}})]);

    let mut driver = Driver::begin(plan(Purpose::DeleteSession { id: "x".into() }));
    assert_eq!(driver.answer(1, initialized())[1], json!(["session/delete", {"sessionId": "x"}]));
    assert_eq!(driver.answer(2, Value::Null), [json!({"Deleted": {"session_id": "x"}})]);

    for (purpose, capability, method) in [
        (Purpose::ListSessions { cursor: None }, "list", "session/list"),
        (Purpose::DeleteSession { id: "x".into() }, "delete", "session/delete"),
        (Purpose::Turn { resume: Some("x".into()), turn: TurnPlan::default() }, "load_session", "session/load"),
    ] {
        let acts = Driver::begin(plan(purpose)).answer(1, json!({"protocolVersion": 1}));
        assert_eq!(acts.len(), 2, "nothing more is sent");
        let (text, kind) = only_failure(&acts);
        assert_eq!(kind, &json!({"MissingCapability": {"capability": capability, "method": method}}));
        assert_eq!(
            text,
            format!(
                "agent-acp session failed: agent-acp does not offer the capability {capability}, so {method} cannot be used"
            )
        );
    }
}
