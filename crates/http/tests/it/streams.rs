//! Live events: every one once and in order, however often the stream is cut.

use std::collections::VecDeque;

use axum::{
    body::{Body, BodyDataStream},
    http::Request,
};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::world::{LONG, World, chain};

/// A client of one stream.
pub struct Client {
    frames: BodyDataStream,
    text: String,
    seen: VecDeque<Event>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub struct Event {
    pub id: Option<u64>,
    pub name: Option<String>,
    pub data: Option<Value>,
}

impl Client {
    /// `None`: the server says that there is nothing more to come.
    pub async fn open(world: &World, path: &str, last: Option<u64>) -> Option<Self> {
        let mut request = Request::get(path);
        if let Some(last) = last {
            request = request.header("last-event-id", last.to_string());
        }
        let response = world.respond(request.body(Body::empty()).unwrap()).await;
        if response.status() == 204 {
            return None;
        }
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        let frames = response.into_body().into_data_stream();
        Some(Self { frames, text: String::new(), seen: VecDeque::new() })
    }

    /// The next event with data; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = read(block);
                self.text = rest.to_owned();
                if event.data.is_some() {
                    self.seen.push_back(event);
                }
            }
            if let Some(event) = self.seen.pop_front() {
                return Some(event);
            }
            let frame = tokio::time::timeout(LONG, self.frames.next()).await.expect("something comes")?;
            self.text.push_str(std::str::from_utf8(&frame.unwrap()).unwrap());
        }
    }
}

fn read(block: &str) -> Event {
    let mut event = Event::default();
    for line in block.lines() {
        match line.split_once(':') {
            Some(("id", id)) => event.id = id.trim().parse().ok(),
            Some(("event", name)) => event.name = Some(name.trim().to_owned()),
            Some(("data", data)) => event.data = serde_json::from_str(data.trim()).ok(),
            _ => {}
        }
    }
    event
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_is_cut_again_and_again_shows_every_event_once() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    let nodes: Vec<String> = (0..20).map(|n| format!("node-{n}")).chain(["hold".to_owned()]).collect();
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    world.save(&chain("many-steps", "tool.plain", &nodes)).await;
    let run = world.admit("many-steps").await;
    let path = format!("/api/v1/runs/{run}/events/stream");
    let mut seen: Vec<Value> = Vec::new();
    let mut last = None;
    let mut cuts = 0;
    let end = loop {
        if cuts == 40 {
            world.open_gate();
        }
        let Some(mut client) = Client::open(&world, &path, last).await else { break None };
        // Different lengths, and none at all.
        let end = loop {
            if cuts < 50 && seen.len() as u64 >= last.unwrap_or(0) + cuts % 4 {
                break None;
            }
            let event = client.next().await.expect("an event, or the end");
            if event.name.as_deref() == Some("end") {
                break Some(event);
            }
            assert_eq!(event.id, event.data.as_ref().unwrap()["sequence"].as_u64());
            seen.push(event.data.unwrap());
        };
        last = Some(seen.len() as u64);
        cuts += 1;
        if let Some(end) = end {
            assert_eq!(client.next().await, None, "nothing comes behind the end");
            break Some(end);
        }
    };
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    assert_eq!(Value::from(seen), evidence["events"]);
    if let Some(end) = end {
        assert_eq!((end.id, end.data.unwrap()["status"].clone()), (None, json!("succeeded")));
    }
    assert!(Client::open(&world, &path, last).await.is_none(), "who comes back is told that it is over");
    let mut late = Client::open(&world, &format!("{path}?after={}", last.unwrap()), None).await.expect("a stream");
    assert_eq!(late.next().await.and_then(|event| event.name), Some("end".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_client_sees_what_is_recorded() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold", "two"])).await;
    let run = world.admit("holding").await;
    let mut client = Client::open(&world, &format!("/api/v1/runs/{run}/events/stream"), None).await.unwrap();
    let mut kinds = Vec::new();
    loop {
        let event = client.next().await.unwrap();
        if event.name.is_some() {
            break;
        }
        let kind = event.data.unwrap()["event_type"].as_str().unwrap().to_owned();
        if kind == "executor.started" {
            world.open_gate();
        }
        kinds.push(kind);
    }
    assert_eq!(
        (kinds.first().map(String::as_str), kinds.last().map(String::as_str)),
        (Some("run.created"), Some("run.succeeded"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_join_without_gap_or_overlap() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("three", "tool.plain", &["one", "two", "three"])).await;
    let run = world.admit("three").await;
    world.ended(&run).await;
    let (mut events, mut after) = (Vec::new(), 0);
    loop {
        let page = world.get(&format!("/api/v1/runs/{run}/events?limit=4&after={after}")).await.json();
        events.extend(page["events"].as_array().unwrap().iter().cloned());
        after = page["cursor"].as_u64().unwrap();
        assert_eq!(page["has_more"] == json!(true), page["ended"] == json!(false));
        if page["has_more"] == json!(false) {
            break;
        }
    }
    let evidence = world.get(&format!("/api/v1/runs/{run}/evidence")).await.json();
    assert_eq!(Value::from(events), evidence["events"]);
    for bad in ["after=-1", "after=x", "limit=0", "limit=501", "other=1"] {
        assert_eq!(world.get(&format!("/api/v1/runs/{run}/events?{bad}")).await.status, 400, "{bad}");
    }
    for bad in [&[&b"x"[..]][..], &[b"+2"], &["½".as_bytes()], &[b"1", b"2"]] {
        let mut odd = Request::get(format!("/api/v1/runs/{run}/events/stream"));
        for value in bad {
            odd = odd.header("last-event-id", *value);
        }
        let refused = world.send(odd.body(Body::empty()).unwrap()).await;
        assert_eq!(refused.status, 400, "{bad:?}");
    }
}
