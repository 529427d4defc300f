//! The form of an answer against the JSON Schema that the flow's author wrote. Only this file knows the validator.

use segue_model::flow::{Flow, Json, Object, Problem, canonical::canonical};
use serde_json::Value;

use crate::error::FlowError;

/// Problems of one form that are told.
const PROBLEMS_MAX: usize = 16;

/// # Errors
/// A person's form is no JSON Schema, or refers to something outside of itself.
pub fn check_schemas(flow: &Flow) -> Result<(), FlowError> {
    for (index, node) in flow.nodes().iter().enumerate() {
        let Some(schema) = node.rules.person.as_ref().and_then(|person| person.form.as_ref()) else { continue };
        if let Err(error) = jsonschema::validator_for(&value(schema)) {
            let path = format!("/steps/{index}/params/form{}", error.instance_path());
            return Err(FlowError::Invalid(Problem::new(path, format!("is no JSON Schema: {error}"))));
        }
    }
    Ok(())
}

/// What is wrong with a form; empty when it fits. Without a schema nothing may be filled in.
#[must_use]
pub fn problems(schema: Option<&Object>, form: Option<&Object>) -> Vec<Problem> {
    match (schema, form) {
        (None, None) => Vec::new(),
        (None, Some(_)) => vec![Problem::new("/form", "this question has no form")],
        // A form with nothing filled in is one that was left out.
        (Some(schema), form) => judge(schema, form.unwrap_or(&Object::new())),
    }
}

fn judge(schema: &Object, form: &Object) -> Vec<Problem> {
    let validator = match jsonschema::validator_for(&value(schema)) {
        Ok(validator) => validator,
        Err(error) => return vec![Problem::new("/form", format!("the schema of the form is none: {error}"))],
    };
    let form = value(form);
    let problems = validator.iter_errors(&form).take(PROBLEMS_MAX);
    problems.map(|error| Problem::new(format!("/form{}", error.instance_path()), error.to_string())).collect()
}

/// As the validator takes it.
fn value(object: &Object) -> Value {
    serde_json::from_str(&canonical(&Json::Object(object.clone()))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        Json::parse(text).expect("JSON").as_object().expect("an object").clone()
    }

    #[test]
    fn each_problem_is_named_with_its_place() {
        let schema = object(
            r#"{"type":"object","properties":{"note":{"type":"string"},"stars":{"type":"integer","maximum":5}},
                "required":["note"],"additionalProperties":false}"#,
        );
        let paths = |form: Option<&str>| {
            let form = form.map(object);
            problems(Some(&schema), form.as_ref()).into_iter().map(|problem| problem.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(Some(r#"{"note":"fine","stars":5}"#)), Vec::<String>::new());
        assert_eq!(paths(Some(r#"{"note":1,"stars":6}"#)), ["/form/note", "/form/stars"]);
        assert_eq!(paths(None), ["/form"]);
        assert_eq!(problems(None, None), []);
        assert_eq!(problems(None, Some(&object("{}"))).len(), 1);
    }
}
