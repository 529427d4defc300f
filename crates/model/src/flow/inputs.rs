//! Typed inputs of a flow (contract §5): their declarations, the values a Run is given, and the object that
//! the first node receives.

use serde::{Deserialize, Serialize};

use super::{
    canonical::canonical,
    fields::Fields,
    id::{is_word_byte, matches},
    json::{Json, Object, object},
    problem::Problem,
};

/// Canonical bytes of all resolved inputs together.
pub const RESOLVED_MAX: usize = 65_536;

/// Input names that the runtime itself fills.
pub const RESERVED: [&str; 6] = ["goal", "topic", "audience", "granularity", "required_principles", "workspace"];

/// An input that replaces the topic instead of being added.
pub const REPORT_FOCUS: &str = "report_focus";

/// Who flows write for unless an input says otherwise. Part of the input hash, so it never changes.
pub const AUDIENCE: &str = "People who decide with the result and did not follow the work";

/// What every node is asked to honour. Part of the input hash, so they never change.
pub const REQUIRED_PRINCIPLES: [&str; 3] = [
    "Say what is known and what is assumed",
    "Keep names, figures and quotations exact",
    "Leave nothing out that would change the decision",
];

words! {
    InputType {
        String = "string",
        Number = "number",
        Integer = "integer",
        Boolean = "boolean",
        Object = "object",
        Array = "array",
    }
}

impl InputType {
    /// Booleans are no numbers, an integer is also a number, `1.0` is no integer.
    #[must_use]
    pub const fn accepts(self, value: &Json) -> bool {
        match (self, value) {
            (Self::String, Json::String(_))
            | (Self::Number, Json::Number(_))
            | (Self::Boolean, Json::Bool(_))
            | (Self::Object, Json::Object(_))
            | (Self::Array, Json::Array(_)) => true,
            (Self::Integer, Json::Number(number)) => number.is_integer(),
            _ => false,
        }
    }
}

/// One declared input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Declaration {
    pub name: String,
    pub input_type: InputType,
    pub required: bool,
    /// Never `null`; of the declared type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
}

/// Reads the `inputs` of a document, in their order.
///
/// # Errors
/// A reserved or malformed name, an unknown type, or a default of another type.
pub fn read_declarations(fields: &Fields<'_>) -> Result<Vec<Declaration>, Problem> {
    let Some(inputs) = fields.object("inputs")? else { return Ok(Vec::new()) };
    inputs.members().keys().map(|name| read_declaration(&inputs, name)).collect()
}

fn read_declaration(inputs: &Fields<'_>, name: &str) -> Result<Declaration, Problem> {
    if !matches(name, 1, 64, |byte| byte.is_ascii_alphabetic(), is_word_byte) {
        let message = "the name must be 1 to 64 characters of letters, digits, '_' and '-', the first a letter";
        return Err(inputs.problem(name, message));
    }
    if RESERVED.contains(&name) {
        return Err(inputs.problem(name, "this name is reserved for the runtime"));
    }
    let fields = inputs.object(name)?.ok_or_else(|| inputs.problem(name, "must be an object"))?;
    let input_type = fields.word("type")?.unwrap_or(InputType::String);
    let default = fields.get("default").cloned();
    if default.as_ref().is_some_and(|value| !input_type.accepts(value)) {
        return Err(fields.problem("default", format!("must be of type {input_type}")));
    }
    let required = fields.get("required") == Some(&Json::Bool(true));
    Ok(Declaration { name: name.to_owned(), input_type, required, default })
}

/// The values of a Run: what was supplied, else the defaults; checked.
///
/// # Errors
/// An undeclared name, a missing required value, a value of another type, or too many bytes.
pub fn resolve(declarations: &[Declaration], supplied: &Object) -> Result<Object, Problem> {
    let fields = Fields::new(supplied, "/inputs");
    let undeclared = supplied.keys().find(|name| declarations.iter().all(|declared| declared.name != **name));
    if let Some(name) = undeclared {
        return Err(fields.problem(name, "is not an input of this flow"));
    }
    let mut resolved = Object::new();
    for declared in declarations {
        let name = &declared.name;
        // A supplied `null` is a missing value; it does not bring the default back.
        match supplied.get(name).or(declared.default.as_ref()) {
            None | Some(Json::Null) if declared.required => return Err(fields.problem(name, "is required")),
            None | Some(Json::Null) => {}
            Some(value) if declared.input_type.accepts(value) => {
                resolved.insert(name.clone(), value.clone());
            }
            Some(_) => return Err(fields.problem(name, format!("must be of type {}", declared.input_type))),
        }
    }
    let value = Json::Object(resolved);
    if canonical(&value).len() > RESOLVED_MAX {
        return Err(Problem::new("/inputs", format!("must be at most {RESOLVED_MAX} bytes of canonical JSON")));
    }
    match value {
        Json::Object(resolved) => Ok(resolved),
        _ => Ok(Object::new()),
    }
}

/// What the runtime knows of the work besides the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    pub goal: String,
    pub topic: String,
    pub granularity: super::Granularity,
    /// The base name of the workspace folder only.
    pub workspace: String,
}

/// What the runtime puts beside a Run's inputs. An input that is declared under one of these names is in its place.
pub const BESIDE_INPUTS: [&str; 6] = ["goal", "topic", "audience", "granularity", "required_principles", "workspace"];

/// The Flow input object: what the first node receives and what the input hash covers.
#[must_use]
pub fn flow_input(surroundings: &Surroundings, resolved: &Object) -> Object {
    let topic = resolved.get(REPORT_FOCUS).and_then(Json::non_blank).unwrap_or(&surroundings.topic);
    let mut input = object([
        ("goal", surroundings.goal.as_str().into()),
        ("topic", topic.into()),
        ("audience", AUDIENCE.into()),
        ("granularity", surroundings.granularity.into()),
        ("required_principles", REQUIRED_PRINCIPLES.to_vec().into()),
        ("workspace", surroundings.workspace.as_str().into()),
    ]);
    let others = resolved.iter().filter(|(name, _)| *name != REPORT_FOCUS);
    input.extend(others.map(|(name, value)| (name.clone(), value.clone())));
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Granularity;

    fn parse(text: &str) -> Json {
        Json::parse(text).expect("valid JSON")
    }

    fn declared(inputs: &str) -> Result<Vec<Declaration>, Problem> {
        let document = object([("inputs", parse(inputs))]);
        read_declarations(&Fields::new(&document, ""))
    }

    fn resolved(inputs: &str, supplied: &str) -> Result<Json, String> {
        let declarations = declared(inputs).map_err(|problem| problem.to_string())?;
        let supplied = parse(supplied);
        let supplied = supplied.as_object().expect("an object");
        resolve(&declarations, supplied).map(Json::Object).map_err(|problem| problem.path)
    }

    /// Contract §5: names, reserved names, types.
    #[test]
    fn what_stands_beside_the_inputs_is_all_that_there_is_without_any() {
        let surroundings = Surroundings {
            goal: "g".to_owned(),
            topic: "t".to_owned(),
            granularity: Granularity::Balanced,
            workspace: "w".to_owned(),
        };
        let input = flow_input(&surroundings, &Object::new());
        let mut names: Vec<&str> = input.iter().map(|(name, _)| name.as_str()).collect();
        let mut beside = BESIDE_INPUTS;
        names.sort_unstable();
        beside.sort_unstable();
        assert_eq!(names, beside);
    }

    #[test]
    fn declarations_are_checked() {
        for name in RESERVED {
            let problem = declared(&format!(r#"{{"{name}":{{}}}}"#)).expect_err(name);
            assert_eq!(problem.path, format!("/inputs/{name}"));
        }
        let longest = "a".repeat(64);
        assert!(declared(&format!(r#"{{"{longest}":{{}},"b-_9":{{}}}}"#)).is_ok());
        let described = r#"{"a":{"type":"array","default":null,"description":7,"title":[],"label":"L","more":{}}}"#;
        let plain = declared(r#"{"a":{"type":"array"}}"#);
        assert!(plain.is_ok() && declared(described) == plain, "what only describes it is not looked at");
        for bad in ["9a", "_a", "", "a b", "ä", "a.b", &format!("{longest}a")] {
            assert!(declared(&format!(r#"{{"{bad}":{{}}}}"#)).is_err(), "{bad}");
        }
        assert!(declared(r#"{"a":{"type":"date"}}"#).is_err());
        assert!(declared(r#"{"a":"string"}"#).is_err());
        assert!(declared(r#"{"a":{"type":"integer","default":1.0}}"#).is_err());
        assert!(declared("[]").is_err());
        assert_eq!(declared("null"), Ok(vec![]));
    }

    /// Contract §5: which value is of which type.
    #[test]
    fn values_and_types() {
        let values = [r#""""#, "1.5", "1.0", "1", "123456789012345678901234567890", "true", "{}", "[]"];
        let table = [
            (InputType::String, [true, false, false, false, false, false, false, false]),
            (InputType::Number, [false, true, true, true, true, false, false, false]),
            (InputType::Integer, [false, false, false, true, true, false, false, false]),
            (InputType::Boolean, [false, false, false, false, false, true, false, false]),
            (InputType::Object, [false, false, false, false, false, false, true, false]),
            (InputType::Array, [false, false, false, false, false, false, false, true]),
        ];
        for (input_type, expected) in table {
            assert_eq!(values.map(|value| input_type.accepts(&parse(value))), expected, "{input_type}");
        }
    }

    /// Contract §5: supplied, default, missing.
    #[test]
    fn values_are_supplied_or_default_or_missing() {
        let inputs = r#"{"a":{"required":true},"b":{"type":"integer","default":7},"c":{"required":"true"}}"#;
        assert_eq!(resolved(inputs, r#"{"a":"x"}"#), Ok(parse(r#"{"a":"x","b":7}"#)));
        assert_eq!(resolved(inputs, r#"{"a":"x","b":8,"c":"y"}"#), Ok(parse(r#"{"a":"x","b":8,"c":"y"}"#)));
        assert_eq!(resolved(inputs, r#"{"a":"x","b":null}"#), Ok(parse(r#"{"a":"x"}"#)));
        assert_eq!(resolved(inputs, r#"{}"#), Err("/inputs/a".into()));
        assert_eq!(resolved(inputs, r#"{"a":null}"#), Err("/inputs/a".into()));
        assert_eq!(resolved(inputs, r#"{"a":1}"#), Err("/inputs/a".into()));
        assert_eq!(resolved(inputs, r#"{"a":"x","d":1}"#), Err("/inputs/d".into()));
        assert_eq!(resolved(r#"{"a":{"required":true,"default":"x"}}"#, r#"{"a":null}"#), Err("/inputs/a".into()));
    }

    #[test]
    fn all_values_together_are_bounded() {
        let most = "a".repeat(RESOLVED_MAX - r#"{"a":""}"#.len());
        assert!(resolved(r#"{"a":{}}"#, &format!(r#"{{"a":"{most}"}}"#)).is_ok());
        assert_eq!(resolved(r#"{"a":{}}"#, &format!(r#"{{"a":"{most}a"}}"#)), Err("/inputs".into()));
    }

    /// Contract §5: the keys of the Flow input, and `report_focus`.
    #[test]
    fn the_first_node_receives_the_runtime_keys_and_the_inputs() {
        let surroundings =
            Surroundings { goal: "g".into(), topic: "t".into(), granularity: Granularity::Fine, workspace: "w".into() };
        let input = |resolved: &str| {
            let resolved = parse(resolved);
            flow_input(&surroundings, resolved.as_object().expect("an object"))
        };
        let keys: Vec<_> = input(r#"{"note":1,"report_focus":"f"}"#).into_keys().collect();
        assert_eq!(keys, [RESERVED.as_slice(), &["note"]].concat());
        for (resolved, topic) in [
            ("{}", "t"),
            (r#"{"report_focus":"f"}"#, "f"),
            (r#"{"report_focus":" "}"#, "t"),
            (r#"{"report_focus":7}"#, "t"),
        ] {
            assert_eq!(input(resolved).get("topic").and_then(Json::as_str), Some(topic), "{resolved}");
            assert_eq!(input(resolved).get("report_focus"), None, "{resolved}");
        }
    }

    /// Contract §5: the constants are hashed with every Run, so another wording would make every authorization void.
    #[test]
    fn the_constants_of_the_flow_input_never_change() {
        let surroundings =
            Surroundings { goal: "g".into(), topic: "t".into(), granularity: Granularity::Fine, workspace: "w".into() };
        let expected = r#"{"goal":"g","topic":"t",
            "audience":"People who decide with the result and did not follow the work","granularity":"fine",
            "required_principles":["Say what is known and what is assumed","Keep names, figures and quotations exact",
            "Leave nothing out that would change the decision"],"workspace":"w"}"#;
        assert_eq!(Json::Object(flow_input(&surroundings, &Object::new())), parse(expected));
    }
}
