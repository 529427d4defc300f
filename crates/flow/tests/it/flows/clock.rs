//! S67: a wall clock that is set while a Run is under way ends no wait, makes none longer, and brings no event before the
//! one that it follows.

use segue_flow::{Flows, api::Answer};
use segue_model::{
    Timestamp,
    flow::{RunId, json::object},
};

use super::world::*;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

/// A node that is tried again after a second, one that is held and has an hour, and a person who has an hour as well.
async fn set_up(world: &World, flows: &Flows) -> RunId {
    world.scripted.set("again", &[Deed::Fail("not yet"), Deed::Return(object([]))]);
    world.scripted.set("held", &[Deed::Hold]);
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    let flow = document(
        r#"{"schema_version":2,"id":"flow-clock","name":"C","steps":[
            {"id":"again","type":"tool.task","params":{"capability_id":"cli.read"},
              "retry":{"attempts":2,"backoff_seconds":1}},
            {"id":"held","type":"tool.task","params":{"capability_id":"cli.read"},"deadline_seconds":3600},
            {"id":"ask","type":"human.task","prompt":"Good?","params":{"expires_seconds":3600}},
            {"id":"end","type":"tool.task","from":["again","held","ask"],"params":{"capability_id":"cli.read"}}]}"#,
    );
    flows.save_flow(flow, None).await.unwrap();
    flows.admit(admission("flow-clock")).await.unwrap().run_id
}

async fn until_recorded(flows: &Flows, run: &RunId, event_type: &str) {
    let mut watch = flows.watch(run.as_str(), 0).await.unwrap();
    while let Some(page) = watch.next().await.unwrap() {
        if page.events.iter().any(|event| event.event_type == event_type) {
            return;
        }
    }
    panic!("{run} ended without {event_type}");
}

async fn finish(world: &World, flows: &Flows, run: &RunId) {
    world.scripted.until_begun("again", 2).await;
    world.scripted.open_gate();
    let yes = Answer { node: "ask".into(), option: "approve".into(), form: None, actor: None };
    flows.answer(run.as_str(), yes).await.unwrap();
    assert_eq!(flows.ended(run).await.unwrap().status, "succeeded", "{:?}", flows.why(run.as_str()).await);
}

/// Moments of the events, in their order; none is before the one that it follows, and all lie within what a test takes.
async fn moments(flows: &Flows, run: &RunId) -> Vec<Timestamp> {
    let events = flows.evidence(run.as_str()).await.unwrap().events;
    let moments: Vec<Timestamp> = events.iter().map(|event| event.recorded_at).collect();
    assert!(moments.is_sorted(), "{events:?}");
    moments
}

#[test]
fn a_clock_that_is_set_during_a_run_ends_no_wait_and_makes_none_longer() {
    for by in [-HOUR, DAY] {
        let world = World::in_memory();
        world.install("true");
        let process = world.start();
        process.run(async {
            let flows = &process.flows;
            let run = set_up(&world, flows).await;
            until_recorded(flows, &run, "attempt.failed").await;
            world.clock.put_forward(by);
            finish(&world, flows, &run).await;
            let moments = moments(flows, &run).await;
            let took = moments.last().unwrap().0 - moments[0].0;
            assert!(took < LONG.as_micros() as i64, "{by}: {took}");
        });
    }
}

/// The next server does not know what has passed, but that it was not less than nothing.
#[test]
fn a_clock_that_is_put_back_between_two_servers_brings_no_event_before_another() {
    let world = World::in_memory();
    world.install("true");
    let first = world.start();
    let run = first.run(async {
        let run = set_up(&world, &first.flows).await;
        until_recorded(&first.flows, &run, "attempt.failed").await;
        run
    });
    first.kill();
    world.clock.put_forward(-HOUR);
    let second = world.start();
    second.run(async {
        let flows = &second.flows;
        flows.serve();
        // The one that was held is found again as lost, and done again.
        finish(&world, flows, &run).await;
        moments(flows, &run).await;
    });
}
