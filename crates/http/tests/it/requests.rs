//! Requests that are wrong in themselves: each gets an answer in JSON.

use axum::{body::Body, http::Request};
use serde_json::json;

use crate::world::{World, with_body};

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_path_and_method_is_answered_in_json() {
    let world = World::new().await;
    let send = |method: &str, path: &str| {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
        world.send(request)
    };
    for path in ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/runs", "/api/v1/runs/", "/nothing"] {
        assert_eq!(send("GET", path).await.pair(), (404, json!({"error": "there is no such resource"})), "{path}");
    }
    for method in ["OPTIONS", "PATCH", "DELETE", "PUT", "TRACE", "ODD"] {
        let reply = send(method, "/api/v1/runs").await;
        assert_eq!(reply.pair(), (405, json!({"error": "this resource does not know that method"})), "{method}");
        assert!(reply.header("allow").contains("GET"), "{method}");
        assert_eq!(reply.header("access-control-allow-origin"), "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn odd_ids_are_unknown_and_touch_nothing() {
    let world = World::new().await;
    let long = "a".repeat(5000);
    for id in [
        "..",
        "%2e%2e",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "a%2fb",
        "%00",
        "%0a",
        "%5c..%5c",
        "%ff",
        "%zz",
        "%",
        "~",
        "11111111-1111-1111-1111-111111111111",
        "11111111-1111-4111-8111-11111111111A",
        "'%20OR%201=1",
        &long,
    ] {
        for path in [
            format!("/api/v1/runs/{id}"),
            format!("/api/v1/runs/{id}/outcome"),
            format!("/api/v1/runs/{id}/evidence"),
            format!("/api/v1/runs/{id}/events"),
            format!("/api/v1/runs/{id}/events/stream"),
            format!("/api/v1/runs/{id}/nodes/{id}"),
            format!("/api/v1/runs/{id}/why"),
            format!("/api/v1/runs/{id}/flow"),
            format!("/api/v1/runs/{id}/comparison?other_run_id={id}"),
            format!("/api/v1/artifacts/{id}/content"),
            format!("/api/flows/{id}"),
            format!("/api/v1/channel/tasks/{id}"),
        ] {
            let reply = world.get(&path).await;
            assert!(matches!(reply.status, 400 | 404), "{path}: {}", reply.status);
            assert!(reply.body.len() < 5000, "{path}");
        }
        let reply = world.delete(&format!("/api/v1/capabilities/{id}")).await;
        assert!(matches!(reply.status, 400 | 404), "{id}: {}", reply.status);
    }
    for path in ["/api/v1/runs//outcome", "/api/v1/artifacts//content", "/api/v1/capabilities/"] {
        assert_eq!(world.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_json_objects_of_a_stated_size() {
    let world = World::new().await;
    let path = "/api/v1/capabilities/discover";
    let plain = |content_type: Option<&str>, body: &str| {
        let mut request = Request::post(path).header("content-length", body.len());
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        request.body(Body::from(body.to_owned())).unwrap()
    };
    let largest = format!("{{\"a\":\"{}\"}}", "x".repeat(65_536 - 8));
    assert_eq!(largest.len(), 65_536);
    for (content_type, body) in [
        ("application/json", "{}"),
        ("application/json; charset=utf-8", "{}"),
        ("APPLICATION/JSON", " {} "),
        ("application/json", &largest),
    ] {
        assert_eq!(world.send(plain(Some(content_type), body)).await.status, 200, "{content_type}");
    }
    let too_large = format!("{largest} ");
    for (content_type, body) in [
        (None, "{}"),
        (Some("text/plain"), "{}"),
        (Some("application/jsonx"), "{}"),
        (Some("application/json"), ""),
        (Some("application/json"), "1"),
        (Some("application/json"), "[]"),
        (Some("application/json"), "null"),
        (Some("application/json"), "{\"a\":}"),
        (Some("application/json"), "{} {}"),
        (Some("application/json"), "{\"a\":NaN}"),
        (Some("application/json"), &too_large),
        (Some("application/json"), &"[".repeat(60_000)),
    ] {
        let reply = world.send(plain(content_type, body)).await;
        assert_eq!(reply.status, 400, "{content_type:?} {:?}", &body[..body.len().min(20)]);
    }
    let bytes = Request::post(path).header("content-type", "application/json").header("content-length", 4);
    let bytes = bytes.body(Body::from(vec![b'{', 0xff, 0xfe, b'}'])).unwrap();
    assert_eq!(world.send(bytes).await.status, 400, "no UTF-8");
    let unstated = Request::post(path).header("content-type", "application/json").body(Body::from("{}")).unwrap();
    assert_eq!(world.send(unstated).await.status, 400, "no length");
    // What replaces is read the same way, before anybody looks for what is to be replaced.
    for (content_type, body) in [("text/plain", "{}"), ("application/json", "[]"), ("application/json", "")] {
        let put = Request::put("/api/flows/task_000000000000").header("content-type", content_type);
        let put = put.header("content-length", body.len()).body(Body::from(body)).unwrap();
        assert_eq!(world.send(put).await.status, 400, "{content_type} {body:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_refused_before_anything_is_looked_at() {
    let world = World::new().await;
    for (name, value, status) in [
        ("host", "example.org:8765", 421),
        ("host", "127.0.0.1", 421),
        ("origin", "http://example.org", 403),
        ("origin", "null", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("origin", "http://localhost:8765", 404),
    ] {
        let request = Request::get("/api/nothing").header(name, value).body(Body::empty()).unwrap();
        assert_eq!(world.send(request).await.status, status, "{name}: {value}");
    }
    let preflight = Request::builder().method("OPTIONS").uri("/api/v1/runs").header("origin", "http://example.org");
    assert_eq!(world.send(preflight.body(Body::empty()).unwrap()).await.status, 403);
    let before = Request::post("/api/v1/tasks").header("origin", "http://example.org");
    assert_eq!(world.send(with_body(before, "{broken")).await.status, 403);
}
