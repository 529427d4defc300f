//! S08, S09, S69, S70: what people say to Runs.

use segue_flow::{
    Flows,
    api::{Answer, Fork, OnStop},
    error::{AnswerError, CancelError, RunError},
};
use segue_journal::Journal as _;
use segue_model::{
    flow::Object,
    run::{AnswerError as RuleError, Status},
};

use super::{journal::Place, world::*};

async fn set_up(flows: &Flows) {
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    let flow = document(
        r#"{"schema_version":2,"id":"flow-person","name":"P","steps":[
            {"id":"draft","type":"tool.task","params":{"capability_id":"cli.read"}},
            {"id":"ask","type":"human.task","from":"draft","prompt":"Good?","params":{"form":{"type":"object",
              "properties":{"stars":{"type":"integer","maximum":5}},"required":["stars"]}}},
            {"id":"after","type":"tool.task","from":"ask","when":"input.option == 'approve'",
              "params":{"capability_id":"cli.read"}}]}"#,
    );
    flows.save_flow(flow, None).await.unwrap();
}

fn says(option: &str, form: Option<&str>) -> Answer {
    Answer { node: "ask".into(), option: option.into(), form: form.map(members), actor: Some("me".into()) }
}

async fn until_waiting(flows: &Flows, run: &str) {
    let mut watch = flows.watch(run, 0).await.unwrap();
    while let Some(page) = watch.next().await.unwrap() {
        if page.waiting {
            return;
        }
    }
    panic!("{run} ended");
}

fn world() -> World {
    let world = World::in_memory();
    world.install("true");
    world
}

#[test]
fn an_answer_is_checked_and_given_once() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-person")).await.unwrap();
        let id = run.run_id.as_str();
        until_waiting(flows, id).await;
        let unknown = flows.answer(id, says("maybe", Some(r#"{"stars":1}"#))).await;
        assert!(matches!(unknown, Err(AnswerError::Rule(RuleError::UnknownOption { .. }))), "{unknown:?}");
        let Err(AnswerError::Form { problems }) = flows.answer(id, says("approve", Some(r#"{"stars":6}"#))).await
        else {
            panic!("six stars are too many");
        };
        assert_eq!(problems.iter().map(|problem| problem.path.as_str()).collect::<Vec<_>>(), ["/form/stars"]);
        let good = || says("approve", Some(r#"{"stars":5}"#));
        let (one, other) = tokio::join!(flows.answer(id, good()), flows.answer(id, good()));
        assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let late = flows.answer(id, good()).await;
        assert_eq!(late, Err(AnswerError::Rule(RuleError::NotRunning("succeeded"))));
        assert_eq!(world.scripted.begun("after"), 1);
    });
}

#[test]
fn a_question_that_is_asked_while_its_run_is_read_is_heard_of() {
    let world = world();
    world.scripted.set("draft", &[Deed::Hold]);
    let (driver, reader) = (world.start(), world.start());
    let run = driver.run(async {
        set_up(&driver.flows).await;
        let run = driver.flows.admit(admission("flow-person")).await.unwrap();
        world.scripted.until_begun("draft", 1).await;
        run.run_id.as_str().to_owned()
    });
    reader.journal.hold(Place::Events);
    reader.run(async {
        let (flows, id) = (reader.flows.clone(), run.clone());
        let watching = tokio::spawn(async move { until_waiting(&flows, &id).await });
        until("its row was read", || reader.journal.holds()).await;
        world.scripted.open_gate();
        until("the question is asked", || driver.journal.run(&run).unwrap().is_some_and(|row| row.waiting)).await;
        reader.journal.let_go();
        watching.await.unwrap();
    });
}

#[test]
fn a_question_outlives_a_stop_in_order_and_a_crash() {
    let world = world();
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = process.flows.admit(admission("flow-person")).await.unwrap();
        until_waiting(&process.flows, run.run_id.as_str()).await;
        run
    });
    assert!(process.stop(OnStop::Cancel), "what only waits is left at once");
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        until_waiting(&process.flows, run.run_id.as_str()).await;
    });
    process.kill();
    let process = world.start();
    process.run(async {
        // Without a recovery before: the answer itself takes the Run over.
        let id = run.run_id.as_str();
        process.flows.answer(id, says("reject", Some(r#"{"stars":0}"#))).await.unwrap();
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let kinds = kinds(&process.flows, id).await;
        assert_eq!(kinds.iter().filter(|kind| **kind == "person.answered").count(), 1);
        assert_eq!((world.scripted.begun("draft"), world.scripted.begun("after")), (1, 0));
    });
}

#[test]
fn the_run_of_another_server_is_answered_and_cancelled_through_the_journal() {
    let world = world();
    let (driver, console) = (world.start(), world.start());
    driver.run(async {
        driver.flows.answer_requests();
        set_up(&driver.flows).await;
    });
    let admit = || {
        driver.run(async {
            let run = driver.flows.admit(admission("flow-person")).await.unwrap();
            until_waiting(&driver.flows, run.run_id.as_str()).await;
            run
        })
    };
    let (answered, cancelled) = (admit(), admit());
    console.run(async {
        let id = answered.run_id.as_str();
        console.flows.answer(id, says("approve", Some(r#"{"stars":5}"#))).await.unwrap();
        assert_eq!(console.flows.ended(&answered.run_id).await.unwrap().status, "succeeded");
        let id = cancelled.run_id.as_str();
        let (_, first) = console.flows.cancel(id, Some("flow-person"), Some("me".into())).await.unwrap();
        assert!(first.accepted);
        assert_eq!(console.flows.ended(&cancelled.run_id).await.unwrap().status, "cancelled");
        let (_, second) = console.flows.cancel(id, None, None).await.unwrap();
        assert_eq!((second.accepted, second.status), (false, Status::Cancelled));
    });
}

/// Asks through the journal while the driver is deaf, has the driver die, and gives what came of it.
fn asked_while_the_driver_dies<T: Send + 'static>(
    driver: Process,
    console: &Process,
    ask: impl Future<Output = T> + Send + 'static,
) -> T {
    let mut asking = tokio::task::JoinSet::new();
    console.run(async { _ = asking.spawn(ask) });
    driver.run(until("the request waits", || !driver.journal.inbox().unwrap().is_empty()));
    driver.kill();
    console.run(asking.join_next()).expect("it was asked").expect("it does not panic")
}

/// Whoever takes the Run over hears what its server was asked before anything else follows.
#[test]
fn a_cancel_that_waits_when_the_driver_dies_cancels_the_run_before_anything_is_started() {
    let world = world();
    world.scripted.set("draft", &[Deed::Hold]);
    let (driver, console) = (world.start(), world.start());
    let run = driver.run(async {
        set_up(&driver.flows).await;
        let run = driver.flows.admit(admission("flow-person")).await.unwrap();
        world.scripted.until_begun("draft", 1).await;
        run
    });
    // Called again it would be done at once, and the question be asked.
    world.scripted.set("draft", &[Deed::Return(Object::new())]);
    let (flows, id) = (console.flows.clone(), run.run_id.as_str().to_owned());
    let ask = async move { flows.cancel(&id, None, Some("me".into())).await };
    let (_, cancelled) = asked_while_the_driver_dies(driver, &console, ask).unwrap();
    assert!(cancelled.accepted);
    console.run(async {
        assert_eq!(console.flows.ended(&run.run_id).await.unwrap().status, "cancelled");
        let kinds = kinds(&console.flows, run.run_id.as_str()).await;
        assert!(!kinds.contains(&"person.asked"), "{kinds:?}");
    });
}

#[test]
fn an_answer_that_waits_when_the_driver_dies_is_given() {
    let world = world();
    let (driver, console) = (world.start(), world.start());
    let run = driver.run(async {
        set_up(&driver.flows).await;
        let run = driver.flows.admit(admission("flow-person")).await.unwrap();
        until_waiting(&driver.flows, run.run_id.as_str()).await;
        run
    });
    let (flows, id) = (console.flows.clone(), run.run_id.as_str().to_owned());
    let ask = async move { flows.answer(&id, says("approve", Some(r#"{"stars":5}"#))).await };
    asked_while_the_driver_dies(driver, &console, ask).unwrap();
    console.run(async {
        assert_eq!(console.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let kinds = kinds(&console.flows, run.run_id.as_str()).await;
        assert_eq!(kinds.iter().filter(|kind| **kind == "person.answered").count(), 1);
    });
}

#[test]
fn of_ten_requests_to_cancel_exactly_one_is_accepted() {
    let world = world();
    world.scripted.set("draft", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-person")).await.unwrap();
        world.scripted.until_begun("draft", 1).await;
        let id = run.run_id.as_str();
        let other = flows.cancel(id, Some("flow-other"), None).await;
        assert!(matches!(other, Err(CancelError::OtherFlow { .. })), "{other:?}");
        let unknown = flows.cancel("no-run", None, None).await;
        assert!(matches!(unknown, Err(CancelError::Run(RunError::NotFound(_)))), "{unknown:?}");
        let mut requests = tokio::task::JoinSet::new();
        for _ in 0..10 {
            let (flows, id) = (flows.clone(), id.to_owned());
            requests.spawn(async move { flows.cancel(&id, None, None).await.unwrap().1.accepted });
        }
        let accepted = requests.join_all().await.into_iter().filter(|accepted| *accepted).count();
        assert_eq!(accepted, 1);
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "cancelled");
        let kinds = kinds(flows, id).await;
        assert_eq!(kinds[kinds.len() - 3..], ["run.cancel_requested", "node.cancelled", "run.cancelled"]);
    });
}

/// The Run is over for whoever reads its status; what may still run is said wherever it is looked at.
#[test]
fn what_may_still_run_after_a_cancellation_is_said() {
    let world = world();
    world.scripted.set("draft", &[Deed::Escape]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-person")).await.unwrap();
        world.scripted.until_begun("draft", 1).await;
        let id = run.run_id.as_str();
        assert!(flows.cancel(id, None, None).await.unwrap().1.accepted);
        let ended = flows.ended(&run.run_id).await.unwrap();
        assert_eq!(ended.status, "cancelled");
        let named: Vec<_> = ended.unconfirmed.iter().map(|of| (of.node.as_str(), of.why.as_str())).collect();
        assert_eq!(named, [("draft", "the end of draft is not confirmed")]);
        let detail = flows.run_detail(id).await.unwrap();
        assert_eq!(detail.run.unconfirmed, ended.unconfirmed);
        let events = flows.evidence(id).await.unwrap().events;
        let cancelled = events.iter().find(|event| event.event_type == "node.cancelled").unwrap();
        assert_eq!(cancelled.payload.get("unconfirmed"), Some(&"the end of draft is not confirmed".into()));
        let why = flows.why(id).await.unwrap();
        assert_eq!(why.headline, "it was cancelled on request; something that it started may still run");
        let line = "was cancelled; may still run: the end of draft is not confirmed";
        assert_eq!(why.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), [line]);
    });
}

#[test]
fn a_run_at_a_question_is_cancelled_at_once_and_a_later_answer_starts_nothing() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-person")).await.unwrap();
        let id = run.run_id.as_str();
        until_waiting(flows, id).await;
        let (_, cancelled) = flows.cancel(id, None, None).await.unwrap();
        assert_eq!((cancelled.accepted, cancelled.status), (true, Status::Cancelled));
        let late = flows.answer(id, says("approve", Some(r#"{"stars":5}"#))).await;
        assert_eq!(late, Err(AnswerError::Rule(RuleError::NotRunning("cancelled"))));
        assert_eq!(world.scripted.begun("after"), 0);
    });
}

/// S70.
#[test]
fn a_failure_after_an_approval_keeps_the_approval() {
    let world = world();
    world.scripted.set("after", &[Deed::Fail("the program has gone"), Deed::Return(Object::new())]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let run = flows.admit(admission("flow-person")).await.unwrap();
        let id = run.run_id.as_str();
        until_waiting(flows, id).await;
        flows.answer(id, says("approve", Some(r#"{"stars":5}"#))).await.unwrap();
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "failed");
        let fork = Fork { parent: id.into(), from_node: "after".into(), inputs: None, authorization: None, key: None };
        let fork = flows.fork(fork).await.unwrap();
        assert_eq!(flows.ended(&fork.run_id).await.unwrap().status, "succeeded");
        let evidence = flows.evidence(fork.run_id.as_str()).await.unwrap();
        let approval = evidence.nodes.iter().find(|node| node.node_id.as_str() == "ask").unwrap();
        assert_eq!(approval.status.as_str(), "reused");
    });
}
