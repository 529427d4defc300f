//! Shapes of JSON as constants: what the published document says of bodies and replies, and which members a
//! contract's request has.

use serde_json::{Map, Value, json};

/// A shape.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Any,
    Text,
    /// ISO-8601, UTC, microseconds.
    Time,
    Integer,
    Number,
    Flag,
    /// This one string.
    Const(&'static str),
    Words(&'static [&'static str]),
    /// An object with any members.
    Map,
    /// An object whose members all have one shape.
    MapOf(&'static Shape),
    /// An object with these members and no others.
    Exact(&'static [Member]),
    /// An object with at least these members.
    Open(&'static [Member]),
    List(&'static Shape),
    OrNull(&'static Shape),
    OneOf(&'static [Shape]),
    /// Shown once, under its name.
    Named(&'static Named),
}

/// A shape with a name.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    pub name: &'static str,
    pub about: &'static str,
    pub shape: Shape,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
}

/// A member that is always there.
#[must_use]
pub const fn has(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: true }
}

/// A member that may be left out.
#[must_use]
pub const fn may(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, required: false }
}

/// `symphlo.….vN`, as the first member of a contract.
#[must_use]
pub const fn version(id: &'static str) -> Member {
    has("contract_version", Shape::Const(id))
}

impl Shape {
    /// As JSON Schema. Named shapes are put into `named`.
    #[must_use]
    pub fn schema(&self, named: &mut Map<String, Value>) -> Value {
        match self {
            Self::Any => json!({}),
            Self::Text => json!({"type": "string"}),
            Self::Time => json!({"type": "string", "format": "date-time"}),
            Self::Integer => json!({"type": "integer"}),
            Self::Number => json!({"type": "number"}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Const(text) => json!({"const": text}),
            Self::Words(words) => json!({"type": "string", "enum": words}),
            Self::Map => json!({"type": "object"}),
            Self::MapOf(shape) => json!({"type": "object", "additionalProperties": shape.schema(named)}),
            Self::Exact(members) => object(members, false, named),
            Self::Open(members) => object(members, true, named),
            Self::List(shape) => json!({"type": "array", "items": shape.schema(named)}),
            Self::OneOf(shapes) => {
                json!({"anyOf": shapes.iter().map(|shape| shape.schema(named)).collect::<Vec<_>>()})
            }
            Self::OrNull(shape) => json!({"anyOf": [shape.schema(named), {"type": "null"}]}),
            Self::Named(shape) => {
                if !named.contains_key(shape.name) {
                    named.insert(shape.name.to_owned(), Value::Null);
                    let mut schema = shape.shape.schema(named);
                    if let (Some(schema), false) = (schema.as_object_mut(), shape.about.is_empty()) {
                        schema.insert("description".to_owned(), shape.about.into());
                    }
                    named.insert(shape.name.to_owned(), schema);
                }
                json!({"$ref": format!("#/components/schemas/{}", shape.name)})
            }
        }
    }
}

fn object(members: &[Member], open: bool, named: &mut Map<String, Value>) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|member| (member.name.to_owned(), member.shape.schema(named))).collect();
    let required: Vec<&str> = members.iter().filter(|member| member.required).map(|member| member.name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(schema) = schema.as_object_mut() {
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        if !open {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    }
    schema
}

impl Named {
    /// The contract that an object of this shape names, and the names of its members; empty for other shapes.
    fn contract(&self) -> (Option<&'static str>, Vec<&'static str>) {
        let Shape::Exact(members) = self.shape else { return (None, Vec::new()) };
        let id = members.iter().find_map(|member| match (member.name, member.shape) {
            ("contract_version", Shape::Const(id)) => Some(id),
            _ => None,
        });
        (id, members.iter().map(|member| member.name).collect())
    }
}

/// Which of some contracts an object follows: the one that it names, and whose members it has exactly.
///
/// # Errors
/// It names none of them, or a member is missing or not known to the one it names.
pub fn follows(
    fields: &segue_model::flow::fields::Fields<'_>,
    contracts: &[&'static Named],
) -> Result<&'static Named, segue_model::flow::Problem> {
    let said = fields.get("contract_version").and_then(segue_model::flow::Json::as_str);
    let found = contracts.iter().find(|contract| said.is_some() && contract.contract().0 == said);
    let Some(contract) = found else {
        let known: Vec<&str> = contracts.iter().filter_map(|contract| contract.contract().0).collect();
        return Err(fields.problem("contract_version", format!("must be {}", known.join(" or "))));
    };
    fields.exactly(&contract.contract().1)?;
    Ok(contract)
}
