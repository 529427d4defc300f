//! S49, S50, S52: stops in order, stores that fail, Runs that cannot be loaded.

use segue_flow::{
    api::{Admitted, Answer, List, OnStop},
    error::{AnswerError, CancelError, RunError},
};
use segue_journal::{Append, Authority, Batch, Journal, NewEvent, StreamName};
use segue_model::{
    flow::RunId,
    reading::history::Query,
    run::{Decision, RULES_VERSION},
};

use super::{
    driving::{self, set_up},
    journal::Place,
    world::*,
};

#[test]
fn a_stop_in_order_says_so() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    assert!(process.stop(OnStop::Cancel));
    let process = world.start();
    process.run(async {
        let summary = process.flows.run(run.run_id.as_str()).await.unwrap();
        assert_eq!(summary.status, "cancelled");
        let events = process.flows.evidence(run.run_id.as_str()).await.unwrap().events;
        assert_eq!(events.last().unwrap().payload.get("reason"), Some(&"runtime_shutdown".into()));
        let why = process.flows.why(run.run_id.as_str()).await.unwrap();
        assert_eq!(why.headline, "it was cancelled because the runtime was stopped");
    });
}

/// A Run under way whose server was killed.
fn left_by_a_dead_server(world: &World) -> Admitted {
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    process.kill();
    run
}

/// What it left may still run: nobody has seen that it does not.
#[test]
fn a_stop_before_it_was_seen_what_was_left_is_not_said_to_have_ended_well() {
    let world = driving::world();
    let run = left_by_a_dead_server(&world);
    let process = world.start();
    process.run(async {
        process.journal.overlook();
        process.flows.serve();
    });
    assert!(!process.stop(OnStop::Cancel));
    assert_eq!(status_of(&world, &run), "running");
}

/// What runs hears of a stop before anybody waits for it.
#[test]
fn a_stop_is_said_before_it_is_waited_for() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        process.flows.stop(OnStop::Cancel);
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "cancelled");
        assert!(process.flows.shut_down(OnStop::Cancel).await);
    });
}

/// Who wants one Run goes on with that one.
#[test]
fn a_run_is_adopted_alone() {
    let world = driving::world();
    let (wanted, other) = (left_by_a_dead_server(&world), {
        world.scripted.set("read", &[Deed::Hold]);
        let process = world.start();
        let run = process.run(async {
            let run = admitted(&process.flows, admission("flow-reference")).await;
            world.scripted.until_begun("read", 2).await;
            run
        });
        process.kill();
        run
    });
    world.scripted.open_gate();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.adopt(&wanted.run_id).await;
        assert_eq!(flows.ended(&wanted.run_id).await.unwrap().status, "succeeded");
        assert!(!flows.is_driven(other.run_id.as_str()).await.unwrap(), "the other one is left where it is");
        assert_eq!(flows.run(other.run_id.as_str()).await.unwrap().status, "running");
    });
}

fn status_of(world: &World, run: &Admitted) -> String {
    let process = world.start();
    process.run(async { process.flows.run(run.run_id.as_str()).await.unwrap().status })
}

#[test]
fn a_stop_during_a_takeover_waits_for_it_and_cancels_the_run() {
    let world = driving::world();
    let run = left_by_a_dead_server(&world);
    let process = world.start();
    process.journal.hold(Place::TakeOver);
    process.run(async {
        process.flows.serve();
        until("the takeover is under way", || process.journal.holds()).await;
        let mut stop = std::pin::pin!(process.flows.shut_down(OnStop::Cancel));
        let early = std::future::poll_fn(|context| std::task::Poll::Ready(stop.as_mut().poll(context))).await;
        assert!(early.is_pending(), "the stop does not wait for the takeover");
        process.journal.let_go();
        assert!(stop.await);
    });
    process.kill();
    assert_eq!(status_of(&world, &run), "cancelled");
}

#[test]
fn a_stop_right_after_the_start_cancels_what_a_dead_server_left() {
    let world = driving::world();
    let run = left_by_a_dead_server(&world);
    let process = world.start();
    process.run(async {
        process.flows.serve();
        assert!(process.flows.shut_down(OnStop::Cancel).await);
    });
    process.kill();
    assert_eq!(status_of(&world, &run), "cancelled");
}

#[test]
fn what_does_not_end_in_time_is_left_and_ended_by_the_next() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Stuck]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    assert!(!process.stop(OnStop::Cancel));
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "cancelled");
    });
}

/// A stop whose record cannot be written has not ended well, and the next server goes on from what is recorded.
#[test]
fn a_stop_that_cannot_be_recorded_says_so() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    process.journal.fail(usize::MAX);
    assert!(!process.stop(OnStop::Cancel));
    world.scripted.open_gate();
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

#[test]
fn a_run_that_was_left_in_order_is_told_from_one_that_crashed() {
    for (in_order, reason) in [(true, "shutdown"), (false, "crash")] {
        let world = driving::world();
        world.scripted.set("read", &[Deed::Stuck, Deed::Return(members("{}"))]);
        let process = world.start();
        let run = process.run(async {
            set_up(&process.flows).await;
            let run = admitted(&process.flows, admission("flow-reference")).await;
            world.scripted.until_begun("read", 1).await;
            run
        });
        if in_order {
            assert!(process.stop(OnStop::Leave));
        } else {
            process.kill();
        }
        let process = world.start();
        process.run(async {
            process.flows.recover().await;
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
            let events = process.flows.evidence(run.run_id.as_str()).await.unwrap().events;
            let lost = events.iter().find(|event| event.event_type == "attempt.lost").unwrap();
            assert_eq!(lost.payload.get("reason"), Some(&reason.into()));
        });
    }
}

#[test]
fn a_store_that_fails_during_the_recovery_delays_it_only() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        set_up(&process.flows).await;
        for _ in 0..5 {
            admitted(&process.flows, admission("flow-reference")).await;
        }
        world.scripted.until_begun("read", 5).await;
    });
    process.kill();
    world.scripted.set("read", &[Deed::Return(members("{}"))]);
    let process = world.start();
    process.journal.fail(4);
    process.journal.blind(3);
    process.run(async {
        process.flows.serve();
        for run in process.flows.runs(List { limit: 10, ..List::default() }).await.unwrap() {
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        }
    });
}

#[test]
fn a_run_that_cannot_be_loaded_is_set_aside_and_the_rest_is_served() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let (good, bad) = process.run(async {
        set_up(&process.flows).await;
        let good = admitted(&process.flows, admission("flow-reference")).await;
        let bad = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 2).await;
        (good, bad)
    });
    // Something that no release wrote follows in the stream.
    let stream = StreamName::new("run", bad.run_id.as_str());
    let expected = process.journal.run(bad.run_id.as_str()).unwrap().unwrap().last_seq;
    let event = NewEvent { kind: "node.unheard_of".into(), at: 0, payload: "{}".into() };
    let append = Append { stream, authority: Authority::Owner(1), expected, events: vec![event], release: false };
    process.run(process.journal.append(Batch { appends: vec![append], ..Batch::default() })).unwrap();
    process.kill();

    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        flows.recover().await;
        let quarantined = flows.quarantined().await.unwrap();
        assert_eq!(quarantined.len(), 1);
        assert_eq!(quarantined[0].run_id, bad.run_id);
        assert!(quarantined[0].why.contains("node.unheard_of"), "{quarantined:?}");
        world.scripted.open_gate();
        assert_eq!(flows.ended(&good.run_id).await.unwrap().status, "succeeded");
        let outcome = flows.outcome(bad.run_id.as_str()).await;
        assert!(matches!(outcome, Err(RunError::Quarantined { .. })), "{outcome:?}");
        let history = |limit: &'static str| {
            flows.history(Query::read([("flow_id", "flow-reference"), ("limit", limit)]).unwrap())
        };
        assert!(matches!(history("10").await, Err(RunError::Quarantined { .. })), "a history with it has no reading");
        let listed = flows.runs(List { limit: 10, ..List::default() }).await.unwrap();
        assert_eq!(listed.iter().filter(|run| run.quarantined.is_some()).count(), 1);
        // It is not active: there is room for others, and a further look leaves it alone.
        flows.recover().await;
        assert_eq!(flows.quarantined().await.unwrap().len(), 1);
    });
}

/// A fault in what drives a Run costs no Run of a living server; one that comes back is set aside with its reason.
#[test]
fn a_job_that_panics_is_gone_on_with_and_then_set_aside() {
    for (panics, goes_on) in [(1, true), (2, false)] {
        let world = driving::world();
        world.scripted.set("read", &[Deed::Hold]);
        let process = world.start();
        process.run(async {
            let flows = &process.flows;
            set_up(flows).await;
            let run = admitted(flows, admission("flow-reference")).await;
            world.scripted.until_begun("read", 1).await;
            process.journal.panic(panics);
            world.scripted.open_gate();
            flows.serve();
            if goes_on {
                assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
                return;
            }
            while flows.quarantined().await.unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            let quarantined = flows.quarantined().await.unwrap();
            assert!(quarantined[0].why.contains("panicked again: a test's panic"), "{quarantined:?}");
        });
        assert!(process.stop(OnStop::Cancel), "nothing is left running");
    }
}

#[test]
fn runs_belong_to_their_workspace() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold, Deed::Return(members("{}"))]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    process.kill();
    let elsewhere = world.start_in("bin");
    elsewhere.run(async {
        elsewhere.flows.recover().await;
        let unknown = elsewhere.flows.run(run.run_id.as_str()).await;
        assert!(matches!(unknown, Err(RunError::NotFound(_))), "{unknown:?}");
        assert!(elsewhere.flows.capabilities().await.unwrap().is_empty());
    });
    let process = world.start();
    process.run(async {
        process.flows.recover().await;
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

#[test]
fn a_run_of_a_later_release_is_left_to_it() {
    let world = driving::world();
    world.scripted.set("read", &[Deed::Hold]);
    let process = world.start();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-reference")).await;
        world.scripted.until_begun("read", 1).await;
        run
    });
    process.kill();
    world.scripted.set("read", &[Deed::Return(members("{}"))]);
    let older = world.start();
    older.journal.alter("\"rules_version\":", "\"rules_version\":9");
    older.run(async {
        older.flows.recover().await;
        let run = run.run_id.as_str();
        let row = older.journal.run(run).unwrap().unwrap();
        assert!(!row.ended && row.server != *older.journal.instance(), "it is neither taken over nor set aside");
        match older.flows.evidence(run).await {
            Err(RunError::Quarantined { why, .. }) => assert!(why.contains("a newer segue"), "{why}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(older.flows.quarantined().await.unwrap().len(), 0);
        // What is asked of it is refused: nobody here would ever do it.
        let why = format!(
            "it was created by version 9{RULES_VERSION} of the rules, and this segue knows those up to {RULES_VERSION}: a \
             newer segue goes on with it"
        );
        let expected = RunError::Newer { run: RunId::parse(run).unwrap(), why };
        assert_eq!(older.flows.cancel(run, None, None).await.unwrap_err(), CancelError::Run(expected.clone()));
        let answer = Answer { node: "read".into(), option: "yes".into(), form: None, actor: None };
        assert_eq!(older.flows.answer(run, answer).await.unwrap_err(), AnswerError::Run(expected.clone()));
        let decided = older.flows.decide(run, "read", Decision::Repeat, None).await;
        assert_eq!(decided.unwrap_err(), AnswerError::Run(expected));
    });
    older.kill();
    let newer = world.start();
    newer.run(async {
        newer.flows.recover().await;
        assert_eq!(newer.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
    });
}

/// Contract §7.2: what is executed is what was admitted.
#[test]
fn a_run_whose_record_is_not_what_was_admitted_is_set_aside() {
    for (from, to, why) in [
        ("\"granularity\":\"balanced\"", "\"granularity\":\"compact\"", "its input is not the one"),
        ("\"title\":\"read\"", "\"title\":\"other\"", "it has another hash"),
        // In what the executor stands for only.
        (
            "\"effects\":[\"execute_process\",\"write_external\"],\"id\"",
            "\"effects\":[\"execute_process\"],\"id\"",
            "its effects are not those of node \"write\"",
        ),
    ] {
        let world = driving::world();
        world.scripted.set("read", &[Deed::Hold]);
        let process = world.start();
        let run = process.run(async {
            set_up(&process.flows).await;
            let run = admitted(&process.flows, admission("flow-reference")).await;
            world.scripted.until_begun("read", 1).await;
            run
        });
        process.kill();
        let next = world.start();
        next.journal.alter(from, to);
        next.run(async {
            next.flows.recover().await;
            let quarantined = next.flows.quarantined().await.unwrap();
            assert_eq!(quarantined.iter().map(|run| &run.run_id).collect::<Vec<_>>(), [&run.run_id], "{why}");
            assert!(quarantined[0].why.contains(why), "{quarantined:?}");
        });
    }
}
