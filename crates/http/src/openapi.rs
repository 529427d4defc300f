//! The published document of the interface, made of the table of routes.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::{
    routes,
    shape::Shape,
    table::{Content, Parameter, Query, Route},
    wire::problem,
};

/// The document, OpenAPI 3.1.
#[must_use]
pub fn document() -> Value {
    let mut named = Map::new();
    let mut paths = Map::new();
    for route in routes::all() {
        let operation = operation(route, &mut named);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.as_str().to_owned(), operation);
        }
    }
    named.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Segue",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The local interface of `segue app`. It is reached on loopback only, by processes of the same user or with the \
                bearer token of the state folder. Every error has the shape `Problem`; 428 asks for an authorization of effects.",
        },
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        // A process of the same user needs none.
        "security": [{}, {"token": []}],
    })
}

/// The document as it is checked in: indented, with a line end.
#[must_use]
pub fn text() -> String {
    format!("{:#}\n", document())
}

fn operation(route: &Route, named: &mut Map<String, Value>) -> Value {
    let mut parameters: Vec<Value> = parts(route.path)
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect();
    if let Query::Only(known) = route.query {
        parameters.extend(known.iter().map(|known| parameter(known, named)));
    }
    parameters.extend(headers(route));
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.about,
        "tags": [tag(route.path)],
        "parameters": parameters,
    });
    let Some(members) = operation.as_object_mut() else { return operation };
    if let Some(body) = route.body {
        let schema = one_of(body.shapes, named);
        members.insert(
            "requestBody".to_owned(),
            json!({
                "required": true,
                "description": format!("At most {} bytes.", body.max),
                "content": {"application/json": {"schema": schema}},
            }),
        );
    }
    members.insert("responses".to_owned(), responses(route, named));
    operation
}

/// Headers that mean something: a key for what starts a Run, the last event for what streams, the version that is replaced.
fn headers(route: &Route) -> impl Iterator<Item = Value> + use<> {
    let starts = route.replies.iter().any(|reply| reply.status == StatusCode::PRECONDITION_REQUIRED);
    let streams = route.replies.iter().any(|reply| matches!(reply.content, Content::Events(_)));
    let header = |name: &str, about: &str| json!({"name": name, "in": "header", "required": false, "description": about, "schema": {"type": "string"}});
    let key = header(
        "Idempotency-Key",
        "At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`).",
    );
    let last = header("Last-Event-ID", "The number of the last event that was seen.");
    let replaces = route.replies.iter().any(|reply| reply.status == StatusCode::PRECONDITION_FAILED);
    let version = header(
        "If-Match",
        "The `ETag` of what is replaced or deleted. If it has another one by now, nothing is changed.",
    );
    starts.then_some(key).into_iter().chain(streams.then_some(last)).chain(replaces.then_some(version))
}

fn one_of(shapes: &[Shape], named: &mut Map<String, Value>) -> Value {
    match shapes {
        [shape] => shape.schema(named),
        shapes => json!({"anyOf": shapes.iter().map(|shape| shape.schema(named)).collect::<Vec<_>>()}),
    }
}

/// The parts of a path that stand for something.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// The resource that a path is of: its first word behind the version.
fn tag(path: &str) -> &str {
    let mut words = path.split('/').filter(|word| !word.is_empty() && !matches!(*word, "api" | "v1"));
    match words.next() {
        Some("channel") => "channel",
        Some(word) => word,
        None => "api",
    }
}

fn parameter(known: &Parameter, named: &mut Map<String, Value>) -> Value {
    let one = known.shape.schema(named);
    let schema = if known.repeated { json!({"type": "array", "items": one}) } else { one };
    json!({
        "name": known.name,
        "in": "query",
        "required": known.required,
        "description": known.about,
        "schema": schema,
    })
}

fn responses(route: &Route, named: &mut Map<String, Value>) -> Value {
    let mut responses = Map::new();
    for reply in route.replies {
        let mut response = json!({"description": reply.status.canonical_reason().unwrap_or_default()});
        let content = match reply.content {
            Content::Json(shape) => Some(json!({"application/json": {"schema": shape.schema(named)}})),
            Content::Bytes => Some(json!({"*/*": {}})),
            Content::Events(shape) => Some(json!({"text/event-stream": {"schema": shape.schema(named)}})),
            Content::Nothing => None,
        };
        if let (Some(response), Some(content)) = (response.as_object_mut(), content) {
            response.insert("content".to_owned(), content);
        }
        responses.insert(reply.status.as_str().to_owned(), response);
    }
    let schema = Shape::Named(&problem::PROBLEM).schema(named);
    let problem = json!({"description": "A refusal or a fault", "content": {"application/json": {"schema": schema}}});
    responses.insert("default".to_owned(), problem);
    responses.into()
}
