//! The prompts the suite gets.

use rmcp::{
    ErrorData,
    model::{
        ContentBlock, GetPromptRequestParams, GetPromptResponse, GetPromptResult, ImageContent, Prompt, PromptArgument,
        PromptMessage, Role,
    },
};
use serde_json::{Value, json};

use crate::{
    resources::{self, PIXEL},
    rounds,
};

/// The one that needs an answer from the client first.
const ASKING: &str = "test_input_required_result_prompt";

pub fn all() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_description("An argument").with_required(true);
    let plain = |name: &str| Prompt::new(name, Some("A prompt for the suite"), None);
    vec![
        plain("test_simple_prompt"),
        Prompt::new(
            "test_prompt_with_arguments",
            Some("A prompt that repeats its arguments"),
            Some(vec![argument("arg1"), argument("arg2")]),
        ),
        plain("test_prompt_with_embedded_resource"),
        plain("test_prompt_with_image"),
        plain(ASKING),
    ]
}

pub fn get(request: &GetPromptRequestParams) -> Result<GetPromptResponse, ErrorData> {
    let said = |text: String| PromptMessage::new_text(Role::User, text);
    let argument = |name: &str| {
        request
            .arguments
            .as_ref()
            .and_then(|given| given.get(name))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![said("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            vec![said(format!("Prompt with arguments: arg1='{}', arg2='{}'", argument("arg1"), argument("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let uri = Some(argument("resourceUri"))
                .filter(|uri| !uri.is_empty())
                .unwrap_or_else(|| "test://static-text".to_owned());
            let resource =
                ContentBlock::resource(resources::text(&uri, "text/plain", "Embedded resource content for testing."));
            vec![
                PromptMessage::new(Role::User, resource),
                said("Please process the embedded resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => {
            let image = ContentBlock::Image(ImageContent::new(PIXEL, "image/png"));
            vec![PromptMessage::new(Role::User, image), said("Please analyze the image above.".to_owned())]
        }
        ASKING => match rounds::answer(request.input_responses.as_ref(), "user_context") {
            Some(answer) => {
                let context = answer.get("content").and_then(|content| content.get("context")).and_then(Value::as_str);
                vec![said(format!("In the context of {}", context.unwrap_or("nothing")))]
            }
            None => {
                let question =
                    rounds::form("Which context?", json!({"context": {"type": "string"}}), json!(["context"]))?;
                return Ok(rounds::ask([("user_context", question)], None).into());
            }
        },
        other => return Err(ErrorData::invalid_params(format!("there is no prompt {other}"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}
