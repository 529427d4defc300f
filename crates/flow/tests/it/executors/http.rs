//! A tool behind a URL.

use std::time::Duration;

use segue_flow::executors::{Call, Start};
use segue_model::{
    flow::{
        Json, NodeKind, Object,
        capability::{Capability, Kind},
        json::object,
    },
    run::{Outcome, attempt::Loss},
};

use super::{
    harness::{World, capability, failed, is_failure, json, output, until},
    server::{self, Part, Server, answer, head},
};

fn tool<const N: usize>(server: &Server, more: [(&str, Json); N]) -> Capability {
    let mut config = object([("url", server.url("/tool?key=SENTINEL").into())]);
    config.extend(object(more));
    capability(Kind::Http, config)
}

fn call(world: &World, tool: &Capability) -> Call {
    world.call(NodeKind::Tool, "tool", tool, object([("n", 1_i64.into())]))
}

async fn run(answers: impl Fn(&server::Asked) -> Vec<Part> + Send + Sync + 'static) -> Outcome {
    let (world, server) = (World::new(), Server::start(answers).await);
    world.run(&call(&world, &tool(&server, []))).await
}

#[tokio::test]
async fn a_post_carries_the_body_and_the_context() {
    let (world, server) = (World::new(), Server::start(|_| server::json(200, r#"{"a":1}"#)).await);
    let tool = tool(&server, [("body", json(r#"{"z":1}"#).into())]);
    let said = output(world.run(&call(&world, &tool)).await);
    let mut expected = object([("http_status", 200_i64.into()), ("a", 1_i64.into())]);
    expected.extend(segue_flow::executors::request::called(&tool));
    assert_eq!(said, expected);
    let [asked] = server.asked().try_into().unwrap();
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/tool?key=SENTINEL"));
    assert_eq!(asked.body, r#"{"context":{"n":1},"z":1}"#);
    for name in ["accept", "content-type"] {
        assert_eq!(asked.header(name), Some("application/json"), "{name}");
    }
}

#[tokio::test]
async fn a_get_has_no_body() {
    let (world, server) = (World::new(), Server::start(|_| server::json(201, "[1]")).await);
    let said = output(world.run(&call(&world, &tool(&server, [("method", "GET".into())]))).await);
    assert_eq!((said["http_status"].as_i64(), &said["value"]), (Some(201), &vec![1_i64].into()));
    let [asked] = server.asked().try_into().unwrap();
    assert_eq!(
        (asked.method.as_str(), asked.body.as_str(), asked.header("accept")),
        ("GET", "", Some("application/json"))
    );
}

#[tokio::test]
async fn redirects_are_failures_and_not_followed() {
    for status in [301, 302, 307, 308] {
        let (world, server) =
            (World::new(), Server::start(move |_| answer(status, &[("Location", "/other")], "")).await);
        let message = format!("the server answered with status {status}");
        is_failure(world.run(&call(&world, &tool(&server, []))).await, None, "HttpStatus", &message);
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn statuses_are_failures_of_their_class_and_bodies_are_in_no_message() {
    for (status, class) in [(400, None), (404, None), (429, Some("rate_limited")), (500, Some("unavailable"))] {
        let outcome = run(move |_| answer(status, &[], "SENTINEL")).await;
        is_failure(outcome, class, "HttpStatus", &format!("the server answered with status {status}"));
    }
}

#[tokio::test]
async fn a_body_is_bounded_while_it_arrives() {
    let exact = "x".repeat(1_000_000);
    let said = output(run(move |_| answer(200, &[], &exact)).await);
    assert_eq!(said["text"].as_str().map(str::len), Some(1_000_000));
    let message = "the answer is longer than 1000000 bytes";
    let outcome = run(|_| vec![head(&[]), Part::Endless(vec![b'x'; 65_536])]).await;
    is_failure(outcome, Some("malformed"), "OutputTooLarge", message);
    let outcome = run(|_| answer(200, &[], &"x".repeat(1_000_001))).await;
    is_failure(outcome, Some("malformed"), "OutputTooLarge", message);
}

#[tokio::test]
async fn what_cannot_be_reached_or_breaks_off_is_unavailable_and_no_url_is_told() {
    let world = World::new();
    let server = Server::start(|_| vec![]).await;
    let tool = tool(&server, []);
    let (class, error_type, message) = failed(world.run(&call(&world, &tool)).await);
    assert_eq!((class, error_type.as_str()), (Some("unavailable"), "HttpUnavailable"));
    assert!(!message.contains("SENTINEL"), "{message}");
    let free = server.address;
    drop(server);
    until("nobody listens", || std::net::TcpStream::connect(free).is_err()).await;
    let (class, _, message) = failed(world.run(&call(&world, &tool)).await);
    assert_eq!(class, Some("unavailable"));
    assert!(message.starts_with("the server cannot be reached: Connection refused"), "{message}");
    let cut = Part::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123".to_vec());
    let (class, _, message) = failed(run(move |_| vec![cut.clone()]).await);
    assert_eq!(class, Some("unavailable"));
    assert!(message.starts_with("the answer broke off"), "{message}");
}

#[tokio::test]
async fn a_timeout_and_a_stop_end_the_call_at_once() {
    let world = World::new();
    let server = Server::start(|_| vec![head(&[]), Part::Bytes(b"{".to_vec()), Part::Hang]).await;
    let tool = tool(&server, []);
    let mut slow = call(&world, &tool);
    slow.timeout = Duration::from_millis(300);
    is_failure(world.run(&slow).await, Some("timeout"), "Timeout", "the server took longer than 0.3 s");
    let stopped = call(&world, &tool);
    let stop = async {
        until("it was asked", || server.asked().len() == 2).await;
        stopped.stop.cancel();
    };
    let (outcome, ()) = tokio::join!(world.run(&stopped), stop);
    assert_eq!(outcome, Outcome::Aborted);
}

#[tokio::test]
async fn a_call_of_a_dead_process_is_lost_and_not_made_again() {
    let (world, server) = (World::new(), Server::start(|_| server::json(200, "{}")).await);
    let again = Call { start: Start::Again, ..call(&world, &tool(&server, [])) };
    assert_eq!(world.run(&again).await, Outcome::Lost(Loss::Crash));
    assert_eq!(server.asked(), []);
}

#[tokio::test]
async fn large_inputs_are_sent_whole() {
    let (world, server) = (World::new(), Server::start(|asked| server::json(200, &asked.body.len().to_string())).await);
    let input = object([("text", "x".repeat(20_000_000).into())]);
    let call = world.call(NodeKind::Tool, "tool", &tool(&server, []), input);
    let expected = 20_000_000 + r#"{"context":{"text":""}}"#.len();
    assert_eq!(output(world.run(&call).await)["value"].as_i64(), Some(i64::try_from(expected).unwrap()));
}

/// HTTPS is spoken: what is no TLS is a server that cannot be used, not a definition that cannot.
#[tokio::test]
async fn https_is_spoken() {
    let world = World::new();
    let server = Server::start(|_| vec![]).await;
    let url = format!("https://{}/", server.address);
    let tool = capability(Kind::Http, object([("url", url.into())]));
    let call = world.call(NodeKind::Tool, "tool", &tool, Object::new());
    let (class, error_type, _) = failed(
        tokio::time::timeout(super::harness::LONG, world.run(&Call { timeout: Duration::from_secs(2), ..call }))
            .await
            .unwrap(),
    );
    assert!(
        matches!((class, error_type.as_str()), (Some("unavailable"), "HttpUnavailable") | (Some("timeout"), "Timeout")),
        "{class:?} {error_type}"
    );
}
