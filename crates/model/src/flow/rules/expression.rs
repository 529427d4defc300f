//! A CEL expression over what has been accepted so far. It sees three variables:
//!
//! * `input`: what the node receives;
//! * `flow_input`: the Flow input;
//! * `nodes`: the accepted outputs of earlier nodes by node id, as `nodes.a` or `nodes["a"]`. One that was
//!   skipped is absent; `has(nodes.a)` asks.
//!
//! The parser and the evaluator are the `cel` crate's; what is checked before a flow is accepted is ours.

use std::{collections::HashMap, sync::Arc};

use cel::{
    Context, Value,
    common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, operators},
    objects::{Key, Map},
    parser::PrattParser,
};

use super::super::{
    fields::Fields,
    json::{Json, Object},
    problem::Problem,
};

/// Characters of one expression.
pub const EXPRESSION_MAX: usize = 2000;
/// Nested parts of one expression. The evaluator takes up to 20 kB of stack for each.
const DEPTH_MAX: u16 = 32;
/// Characters of one expression that the parser answers by calling itself, wherever they stand. It does not
/// bound all of them, and too many overflow the stack.
const NESTING_MAX: usize = 100;
const NESTING: [char; 6] = ['(', '[', '{', '!', '-', '?'];
/// Parts of one expression after its macros are written out.
const PARTS_MAX: usize = 4000;

const INPUT: &str = "input";
const FLOW_INPUT: &str = "flow_input";
const NODES: &str = "nodes";

/// Names of types, which CEL uses like variables.
const TYPE_NAMES: [&str; 10] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// An expression that parses and refers to known variables only.
#[derive(Clone)]
pub struct Expression {
    text: String,
    parsed: Arc<IdedExpr>,
    nodes: Vec<String>,
}

/// Why an expression has no usable value. It is a failure of the node, not of the flow's document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    #[error("{0}")]
    Failed(String),
    #[error("expected {expected}, got {got}")]
    Type { expected: &'static str, got: String },
}

/// What the variables stand for.
#[derive(Debug, Clone, Copy)]
pub struct Variables<'a> {
    pub input: &'a Object,
    pub flow_input: &'a Object,
    /// Accepted outputs by node id.
    pub nodes: &'a Object,
}

impl Expression {
    /// # Errors
    /// Says what is wrong with the text, as a lower-case fragment.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > EXPRESSION_MAX {
            return Err(format!("must be a CEL expression of 1 to {EXPRESSION_MAX} characters"));
        }
        if text.matches(NESTING).count() > NESTING_MAX {
            return Err(format!("must hold at most {NESTING_MAX} brackets, signs and choices"));
        }
        let parser = PrattParser::new().max_recursion_depth(DEPTH_MAX).max_expression_node_count(PARTS_MAX);
        let parsed = parser.parse(text).map_err(|error| format!("is not a CEL expression: {error}"))?;
        let mut references = References::default();
        references.visit(&parsed, DEPTH_MAX)?;
        Ok(Self { text: text.to_owned(), parsed: Arc::new(parsed), nodes: references.nodes })
    }

    pub(super) fn read(fields: &Fields<'_>, name: &str) -> Result<Option<Self>, Problem> {
        let Some(text) = fields.optional_string(name)? else { return Ok(None) };
        Self::parse(text).map(Some).map_err(|message| fields.problem(name, message))
    }

    /// As written, without surrounding white space.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The nodes whose outputs it may read, in the order of their first mention.
    #[must_use]
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// # Errors
    /// It fails, or its value is neither true nor false.
    pub fn condition(&self, variables: Variables<'_>) -> Result<bool, EvaluationError> {
        match self.evaluate(variables)? {
            Json::Bool(met) => Ok(met),
            other => Err(wrong_type("true or false", &other)),
        }
    }

    /// # Errors
    /// It fails, or its value is no list.
    pub fn list(&self, variables: Variables<'_>) -> Result<Vec<Json>, EvaluationError> {
        match self.evaluate(variables)? {
            Json::Array(items) => Ok(items),
            other => Err(wrong_type("a list", &other)),
        }
    }

    /// # Errors
    /// It fails, or its value is not one that JSON has.
    pub fn evaluate(&self, variables: Variables<'_>) -> Result<Json, EvaluationError> {
        let mut context = Context::default();
        for (name, members) in [(INPUT, variables.input), (FLOW_INPUT, variables.flow_input), (NODES, variables.nodes)]
        {
            context.add_variable_from_value(name, to_map(members));
        }
        let value = context.resolve(&self.parsed).map_err(|error| EvaluationError::Failed(error.to_string()))?;
        to_json(&value).ok_or_else(|| EvaluationError::Type {
            expected: "a value that JSON has",
            got: format!("a {}", value.type_of()),
        })
    }
}

impl std::fmt::Debug for Expression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Expression").field(&self.text).finish()
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

fn wrong_type(expected: &'static str, got: &Json) -> EvaluationError {
    let got = match got {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    EvaluationError::Type { expected, got: got.to_owned() }
}

fn to_map(members: &Object) -> Value {
    let map = members.iter().map(|(key, value)| (Key::from(key.as_str()), to_value(value)));
    Value::Map(Map { map: Arc::new(map.collect::<HashMap<_, _>>()) })
}

fn to_value(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        // CEL has integers of 64 bits; a larger one is compared as the nearest double.
        Json::Number(number) => number.as_i64().map_or_else(|| Value::Float(number.as_f64()), Value::Int),
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::List(Arc::new(items.iter().map(to_value).collect())),
        Json::Object(members) => to_map(members),
    }
}

fn to_json(value: &Value) -> Option<Json> {
    use super::super::json::Number;
    match value {
        Value::Null => Some(Json::Null),
        Value::Bool(value) => Some(Json::Bool(*value)),
        Value::Int(value) => Some(Json::from(*value)),
        Value::UInt(value) => Json::parse(&value.to_string()).ok(),
        Value::Float(value) => Number::from_f64(*value).map(Json::Number),
        Value::String(text) => Some(text.as_str().into()),
        Value::List(items) => items.iter().map(to_json).collect::<Option<Vec<_>>>().map(Json::Array),
        Value::Map(map) => {
            let members = map.map.iter().map(|(key, value)| match key {
                Key::String(name) => Some((name.to_string(), to_json(value)?)),
                _ => None,
            });
            let mut members = members.collect::<Option<Vec<_>>>()?;
            // The map has no order of its own, and the same facts must give the same text.
            members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
            Some(Json::Object(members.into_iter().collect()))
        }
        _ => None,
    }
}

/// Collects what an expression refers to, and refuses what cannot be known before a Run.
#[derive(Default)]
struct References {
    nodes: Vec<String>,
    /// Variables of the macros around the part that is being visited.
    bound: Vec<String>,
}

impl References {
    fn visit(&mut self, part: &IdedExpr, depth: u16) -> Result<(), String> {
        let depth = depth.checked_sub(1).ok_or_else(|| format!("must not be nested deeper than {DEPTH_MAX}"))?;
        if let Some((operand, name)) = member(&part.expr)
            && self.is_nodes(operand)
        {
            let name = name.ok_or("names a node by a computed id; write the id out")?;
            if !self.nodes.iter().any(|node| node == name) {
                self.nodes.push(name.to_owned());
            }
            return Ok(());
        }
        match &part.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => self.visit(&select.operand, depth),
            Expr::Call(call) => {
                let target = call.target.iter().map(AsRef::as_ref);
                target.chain(&call.args).try_for_each(|part| self.visit(part, depth))
            }
            Expr::List(list) => list.elements.iter().try_for_each(|element| self.visit(element, depth)),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| self.entry(&entry.expr, depth)),
            Expr::Struct(built) => built.entries.iter().try_for_each(|entry| self.entry(&entry.expr, depth)),
            Expr::Comprehension(each) => {
                self.visit(&each.iter_range, depth)?;
                self.visit(&each.accu_init, depth)?;
                let outside = self.bound.len();
                self.bound.extend([each.iter_var.clone(), each.accu_var.clone()]);
                self.bound.extend(each.iter_var2.clone());
                let inside = [&each.loop_cond, &each.loop_step, &each.result];
                let visited = inside.into_iter().try_for_each(|part| self.visit(part, depth));
                self.bound.truncate(outside);
                visited
            }
            Expr::Literal(_) | Expr::Unspecified => Ok(()),
        }
    }

    fn entry(&mut self, entry: &EntryExpr, depth: u16) -> Result<(), String> {
        match entry {
            EntryExpr::StructField(field) => self.visit(&field.value, depth),
            EntryExpr::MapEntry(entry) => {
                self.visit(&entry.key, depth)?;
                self.visit(&entry.value, depth)
            }
        }
    }

    fn is_nodes(&self, part: &IdedExpr) -> bool {
        matches!(&part.expr, Expr::Ident(name) if name == NODES) && !self.bound.iter().any(|name| name == NODES)
    }

    fn variable(&self, name: &str) -> Result<(), String> {
        let known = [INPUT, FLOW_INPUT].contains(&name) || TYPE_NAMES.contains(&name);
        if known || self.bound.iter().any(|bound| bound == name) {
            return Ok(());
        }
        if name == NODES {
            return Err("must name the node it reads, as nodes.<id> or nodes[\"<id>\"]".to_owned());
        }
        Err(format!("refers to {name}, which is none of {INPUT}, {FLOW_INPUT} and {NODES}"))
    }
}

/// `a.b` and `a["b"]`: the operand, and the name if it is written out.
fn member(part: &Expr) -> Option<(&IdedExpr, Option<&str>)> {
    match part {
        Expr::Select(select) => Some((&select.operand, Some(&select.field))),
        Expr::Call(call) if [operators::INDEX, operators::OPT_INDEX].contains(&call.func_name.as_str()) => {
            match call.args.as_slice() {
                [operand, IdedExpr { expr: Expr::Literal(LiteralValue::String(name)), .. }] => {
                    Some((operand, Some(name.inner())))
                }
                [operand, _] => Some((operand, None)),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn object(text: &str) -> Object {
        Json::parse(text).expect("valid JSON").as_object().expect("an object").clone()
    }

    fn evaluate(text: &str) -> Result<Json, EvaluationError> {
        let variables = Variables {
            input: &object(r#"{"n":3,"x":1.5,"list":[1,2,3],"big":123456789012345678901234567890,"text":"é"}"#),
            flow_input: &object(r#"{"topic":"t"}"#),
            nodes: &object(r#"{"a":{"ok":true},"b-c":{"n":1}}"#),
        };
        Expression::parse(text).expect(text).evaluate(variables)
    }

    #[test]
    fn values_come_out_as_json() {
        for (text, value) in [
            ("input.n > 2 && nodes.a.ok", "true"),
            ("input.n + 1", "4"),
            ("input.x * 2.0", "3.0"),
            ("input.list.filter(i, i > 1)", "[2,3]"),
            ("input.list.map(i, {'v': i})", r#"[{"v":1},{"v":2},{"v":3}]"#),
            ("nodes[\"b-c\"].n", "1"),
            ("has(nodes.z)", "false"),
            ("flow_input.topic + '-' + input.text", r#""t-é""#),
            ("type(input.n) == int", "true"),
            ("input.big > 1.0", "true"),
            ("size(input.text)", "1"),
        ] {
            assert_eq!(evaluate(text).as_ref(), Ok(&Json::parse(value).expect("valid JSON")), "{text}");
        }
        assert!(matches!(evaluate("nodes.z.ok"), Err(EvaluationError::Failed(_))));
        assert!(matches!(evaluate("1.0 / 0.0"), Err(EvaluationError::Type { .. })));
    }

    #[test]
    fn a_condition_is_true_or_false_and_a_list_is_a_list() {
        let none = Object::new();
        let variables = Variables { input: &none, flow_input: &none, nodes: &none };
        let parsed = |text| Expression::parse(text).expect(text);
        assert_eq!(parsed("1 < 2").condition(variables), Ok(true));
        assert!(parsed("1").condition(variables).is_err());
        assert_eq!(parsed("[1]").list(variables), Ok(vec![Json::from(1_i64)]));
        assert!(parsed("{}").list(variables).is_err());
    }

    #[test]
    fn what_it_refers_to_is_known_beforehand() {
        let nodes = |text| Expression::parse(text).map(|parsed| parsed.nodes().to_vec());
        assert_eq!(nodes("nodes.a.x == nodes['b'].y || has(nodes.a)"), Ok(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(nodes("input.list.all(nodes, nodes > 1)"), Ok(vec![]));
        for bad in [
            "",
            " ",
            "a ==",
            "topic == 'x'",
            "nodes[input.x].y",
            "nodes == {}",
            "input.list.all(i, i > 1) && i > 1",
            "env.HOME",
            &"1+".repeat(2000),
        ] {
            assert!(nodes(bad).is_err(), "{bad}");
        }
    }

    /// As deep as the bound on characters allows, on the small stack of a test's thread.
    #[test]
    fn deep_nesting_is_parsed_or_refused() {
        let none = Object::new();
        let variables = Variables { input: &none, flow_input: &none, nodes: &none };
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("!", ""),
            ("-", ""),
            ("{1:", "}"),
            ("f(", ")"),
            ("size(", ")"),
            ("true?1:", ""),
            ("1+", ""),
            ("1*", ""),
            ("1%", ""),
            ("1==", ""),
            ("1<", ""),
            ("true&&", ""),
            ("true||", ""),
            ("1 in ", ""),
            ("", ".a"),
            ("", "[0]"),
            ("[1].map(i,", ")"),
            ("[1].all(i,", ")"),
        ] {
            for depth in [10, 30, NESTING_MAX, (EXPRESSION_MAX - 5) / (open.len() + close.len())] {
                let text = format!("{}input{}", open.repeat(depth), close.repeat(depth));
                if let Ok(parsed) = Expression::parse(&text) {
                    let _ = parsed.evaluate(variables);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in r#"[a-z0-9 .,:?&|!<>=+*/%()\[\]{}"'\\_-]{0,60}"#) {
            let _ = Expression::parse(&text);
        }

        #[test]
        fn any_unicode_is_parsed_or_refused(text in any::<String>()) {
            let _ = Expression::parse(&text);
        }
    }
}
