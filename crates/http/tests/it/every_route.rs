//! What is true of every route in the published document.

use axum::{body::Body, http::Request};
use serde_json::{Value, json};

use crate::world::{World, with_body};

/// Every method of every path, with `id` for what stands in braces.
fn routes(id: &str) -> Vec<(String, String, Value)> {
    let document = segue_http::openapi::document();
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let filled: Vec<&str> = path.split('/').map(|part| if part.starts_with('{') { id } else { part }).collect();
        for (method, operation) in item.as_object().unwrap() {
            routes.push((method.to_uppercase(), filled.join("/"), operation.clone()));
        }
    }
    routes
}

fn plain(method: &str, path: &str) -> Request<Body> {
    Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
}

/// Every reply is compared with the document where it is received.
#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_id_is_told_in_json_whatever_is_asked_of_it() {
    let world = World::new().await;
    for (method, path, operation) in routes("unknown-id") {
        let named = operation["parameters"].as_array().unwrap().iter().any(|parameter| parameter["in"] == "path");
        if !named {
            continue;
        }
        let request = match operation.get("requestBody") {
            Some(_) => with_body(Request::builder().method(method.as_str()).uri(&path), "{}"),
            None => plain(&method, &path),
        };
        let reply = world.send(request).await;
        // A body or a query that is wrong may be said first.
        assert!(matches!(reply.status, 400 | 404), "{method} {path}: {} {}", reply.status, reply.json());
        assert!(!reply.json()["error"].as_str().unwrap().is_empty(), "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_none_is_refused_in_json() {
    let world = World::new().await;
    for (method, path, operation) in routes("unknown-id") {
        if operation.get("requestBody").is_none() {
            continue;
        }
        for body in ["[]", "null", "{", "\"text\"", "{\"a\":1}{"] {
            let request = with_body(Request::builder().method(method.as_str()).uri(&path), body);
            assert_eq!(world.send(request).await.status, 400, "{method} {path} {body}");
        }
        let untyped = Request::builder().method(method.as_str()).uri(&path).header("content-length", 2);
        let reply = world.send(untyped.body(Body::from("{}")).unwrap()).await;
        let text = "the content type must be application/json";
        assert_eq!(reply.pair(), (400, json!({"error": text})), "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_is_none_of_a_resource_is_refused_in_json() {
    let world = World::new().await;
    for (_, path, _) in routes("unknown-id") {
        let reply = world.send(plain("PATCH", &path)).await;
        assert_eq!(reply.pair(), (405, json!({"error": "this resource does not know that method"})), "{path}");
    }
}
