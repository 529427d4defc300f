//! Tools that need answers from the client before they can finish, over one or more rounds.

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
        CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests,
        InputRequiredResult, InputResponses, ListRootsRequest, SamplingMessage,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};

use crate::fixtures::Fixtures;

pub const NAMES: [&str; 9] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// Enough for the suite's canned answer.
const SAMPLE_TOKENS: u32 = 100;

/// A question for the person at the client.
pub fn form(message: &str, properties: Value, required: Value) -> Result<InputRequest, ErrorData> {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let requested_schema =
        serde_json::from_value(schema).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    })))
}

fn sample(prompt: &str) -> InputRequest {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], SAMPLE_TOKENS);
    InputRequest::CreateMessage(CreateMessageRequest::new(params))
}

fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

/// What asks the client for answers. `state` comes back with them.
pub fn ask<const N: usize>(questions: [(&str, InputRequest); N], state: Option<String>) -> InputRequiredResult {
    let questions: InputRequests = questions.into_iter().map(|(key, question)| (key.to_owned(), question)).collect();
    InputRequiredResult::new(Some(questions), state)
}

/// An answer of the client. One that is not an object is none.
pub fn answer<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Map<String, Value>> {
    answers?.get(key)?.as_object()
}

fn done(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

fn name_form(message: &str) -> Result<InputRequest, ErrorData> {
    form(message, json!({"name": {"type": "string"}}), json!(["name"]))
}

pub fn call(
    fixtures: &Fixtures,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let answers = request.input_responses.as_ref();
    let seal = |state: Value| {
        fixtures.seal.seal_json(&state).map(Some).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    };
    // What came back through the client is not trusted before its seal is seen whole.
    let state: Option<Value> = match request.request_state.as_deref() {
        None => None,
        Some(sealed) => Some(
            fixtures
                .seal
                .open_json(sealed)
                .map_err(|_| ErrorData::invalid_params("requestState was tampered with", None))?,
        ),
    };
    let name = request.name.strip_prefix("test_input_required_result_").unwrap_or(&request.name);
    Ok(match name {
        "elicitation" => {
            match answer(answers, "user_name").and_then(|answer| answer.get("content")?.get("name")?.as_str()) {
                Some(name) => done(format!("Hello, {name}!")),
                None => ask([("user_name", name_form("What is your name?")?)], None).into(),
            }
        }
        "sampling" => match answer(answers, "capital_question") {
            Some(answer) => {
                done(answer.get("content").and_then(|c| c.get("text")).and_then(Value::as_str).unwrap_or("(nothing)"))
            }
            None => ask([("capital_question", sample("What is the capital of France?"))], None).into(),
        },
        "list_roots" => match answer(answers, "client_roots") {
            Some(answer) => done(answer.get("roots").cloned().unwrap_or_default().to_string()),
            None => ask([("client_roots", roots())], None).into(),
        },
        "request_state" | "tampered_state" => match state {
            Some(_) => done("state-ok"),
            None => {
                let question = form("Please confirm", json!({"ok": {"type": "boolean"}}), json!(["ok"]))?;
                ask([("confirm", question)], seal(json!({"step": "confirm"}))?).into()
            }
        },
        "multiple_inputs" => {
            let keys = ["user_name", "greeting", "client_roots"];
            if state.is_some() && keys.iter().all(|key| answer(answers, key).is_some()) {
                done("All inputs received")
            } else {
                let [name, greeting, client] = keys;
                let questions = [
                    (name, name_form("What is your name?")?),
                    (greeting, sample("Generate a greeting")),
                    (client, roots()),
                ];
                ask(questions, seal(json!({"step": "gather"}))?).into()
            }
        }
        "multi_round" => match state.as_ref().and_then(|state| state.get("round")).and_then(Value::as_i64) {
            None => ask([("step1", name_form("Step 1: what is your name?")?)], seal(json!({"round": 1}))?).into(),
            Some(1) => ask([("step2", name_form("Step 2: and your colour's?")?)], seal(json!({"round": 2}))?).into(),
            Some(_) => done("Multi-round flow complete"),
        },
        "capabilities" => {
            // Only what the client said in this request that it can answer.
            let can = context.meta.client_capabilities().unwrap_or_default();
            let mut questions = InputRequests::new();
            if can.elicitation.is_some() {
                questions.insert("user_name".to_owned(), name_form("What is your name?")?);
            }
            if can.sampling.is_some() {
                questions.insert("greeting".to_owned(), sample("Generate a greeting"));
            }
            if can.roots.is_some() {
                questions.insert("client_roots".to_owned(), roots());
            }
            if answers.is_some() || questions.is_empty() {
                done("Capability-aware flow complete")
            } else {
                InputRequiredResult::from_input_requests(questions).into()
            }
        }
        "test_streaming_elicitation" => {
            let question = form("Provide a value", json!({"value": {"type": "string"}}), json!(["value"]))?;
            ask([("value", question)], None).into()
        }
        other => return Err(ErrorData::invalid_params(format!("there is no tool {other}"), None)),
    })
}
