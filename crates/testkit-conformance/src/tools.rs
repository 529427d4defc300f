//! The tools the suite calls, except those that need more than one round.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        CreateMessageRequestParams, ElicitRequestParams, ElicitationAction, LoggingLevel,
        LoggingMessageNotificationParam, ProgressNotificationParam, SamplingMessage, Tool,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::{
    fixtures::Fixtures,
    resources::{self, PIXEL},
    rounds,
};

/// A sound of no length, in Base64.
const SILENCE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

/// The suite wants to see the notifications of one call one after the other.
const BETWEEN: Duration = Duration::from_millis(20);

/// Tools without parameters.
const PLAIN: [&str; 15] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_tool_with_progress",
    "test_error_handling",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_missing_capability",
];

/// Tools with one text parameter each.
const WITH_TEXT: [(&str, &str); 2] = [("test_sampling", "prompt"), ("test_elicitation", "message")];

fn tool(name: &'static str, schema: Value) -> Tool {
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(name, "A fixture of the conformance suite", Arc::new(schema))
}

pub fn all() -> impl Iterator<Item = Tool> {
    let plain =
        PLAIN.into_iter().chain(rounds::NAMES).map(|name| tool(name, json!({"type": "object", "properties": {}})));
    let with_text = WITH_TEXT.into_iter().map(|(name, parameter)| {
        tool(name, json!({"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}))
    });
    let header = json!({"type": "object", "properties": {"value": {"type": "string", "x-mcp-header": "Value"}}, "required": ["value"]});
    plain
        .chain(with_text)
        .chain([tool("test_custom_header", header), tool("json_schema_2020_12_tool", every_keyword())])
}

/// A schema with what must survive the way to the client.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

fn done(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text.into())])
}

pub async fn call(
    fixtures: &Fixtures,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let none = Map::new();
    let given = request.arguments.as_ref().unwrap_or(&none);
    let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
    let picture = || ContentBlock::image(PIXEL, "image/png");
    let result = match request.name.as_ref() {
        "test_simple_text" => done("This is a simple text response for testing."),
        "test_image_content" => CallToolResult::success(vec![picture()]),
        "test_audio_content" => {
            CallToolResult::success(vec![ContentBlock::Audio(AudioContent::new(SILENCE, "audio/wav"))])
        }
        "test_embedded_resource" => {
            let contents =
                resources::text("test://embedded-resource", "text/plain", "This is an embedded resource content.");
            CallToolResult::success(vec![ContentBlock::resource(contents)])
        }
        "test_multiple_content_types" => {
            let contents =
                resources::text("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#);
            CallToolResult::success(vec![
                ContentBlock::text("Multiple content types test:"),
                picture(),
                ContentBlock::resource(contents),
            ])
        }
        "test_error_handling" => {
            CallToolResult::error(vec![ContentBlock::text("This tool intentionally returns an error for testing")])
        }
        "test_tool_with_logging" => {
            for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(context, LoggingLevel::Info, message).await;
                sleep(BETWEEN).await;
            }
            done("logged")
        }
        "test_logging_tool" => {
            // The newest revision: only a request that asks for it is told anything.
            if let Some(level) = context.meta.log_level() {
                log(context, level, "asked for").await;
            }
            done("logged when asked")
        }
        "test_tool_with_progress" => {
            for progress in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let step = ProgressNotificationParam::new(token, progress).with_total(100.0);
                    // A client that has gone is no fault of this tool.
                    let _ = context.peer.notify_progress(step).await;
                }
                sleep(BETWEEN).await;
            }
            done("progressed")
        }
        "test_sampling" => sample(context, text("prompt")).await,
        "test_elicitation" => {
            let user = json!({"username": {"type": "string"}, "email": {"type": "string"}});
            elicit(context, text("message"), user, json!(["username", "email"])).await?
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "All of these have defaults", defaults(), json!([])).await?
        }
        "test_elicitation_sep1330_enums" => elicit(context, "Choices of every kind", choices(), json!([])).await?,
        "test_reconnection" => done("Reconnection test completed"),
        "test_trigger_tool_change" => {
            for listener in fixtures.listeners() {
                let _ = listener.notify_tool_list_changed().await;
            }
            done("told")
        }
        "test_trigger_prompt_change" => {
            for listener in fixtures.listeners() {
                let _ = listener.notify_prompt_list_changed().await;
            }
            done("told")
        }
        "test_missing_capability" => {
            if context.meta.client_capabilities().unwrap_or_default().sampling.is_none() {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            done("the client can sample")
        }
        "test_custom_header" => done(text("value")),
        other => done(format!("{other} was called")),
    };
    Ok(result.into())
}

async fn log(context: &RequestContext<RoleServer>, level: LoggingLevel, message: &str) {
    // A client that has gone is no fault of the tool.
    let _ = context.peer.notify_logging_message(LoggingMessageNotificationParam::new(level, json!(message))).await;
}

async fn sample(context: &RequestContext<RoleServer>, prompt: &str) -> CallToolResult {
    let params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    match context.peer.create_message(params).await {
        Ok(answer) => {
            let text =
                answer.message.content.first().and_then(|content| content.as_text()).map(|text| text.text.clone());
            done(format!("LLM response: {}", text.unwrap_or_default()))
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &str,
    properties: Value,
    required: Value,
) -> Result<CallToolResult, ErrorData> {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let requested_schema =
        serde_json::from_value(schema).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let params =
        ElicitRequestParams::FormElicitationParams { meta: None, message: message.to_owned(), requested_schema };
    Ok(match context.peer.create_elicitation(params).await {
        Ok(answer) => {
            let action = match answer.action {
                ElicitationAction::Accept => "accept",
                ElicitationAction::Decline => "decline",
                _ => "cancel",
            };
            done(format!("User response: action={action}, content={}", answer.content.unwrap_or_default()))
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    })
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

fn choices() -> Value {
    let titled = |key: &str| {
        let options = [("value1", "First"), ("value2", "Second"), ("value3", "Third")]
            .map(|(value, title)| json!({"const": value, "title": title}));
        json!({key: options})
    };
    let mut single = titled("oneOf");
    single["type"] = json!("string");
    json!({
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": single,
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": titled("anyOf")},
    })
}
