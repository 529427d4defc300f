//! Schedules: one Run for each tick whatever happens, and none that was not authorized.

use segue_flow::{
    Flows,
    api::{AddSchedule, Schedule, Target},
    error::{AdmitError, ScheduleError},
};
use segue_model::{
    Timestamp,
    flow::{Object, Profile, RunId, json::object},
    schedule::{Event, Missed, Overlap, RefusalCode, TimingError, Version},
};

use super::world::*;

/// 1 January 2026, 10:30 UTC.
const START: Timestamp = Timestamp(1_767_263_400_000_000);
const HOUR: i64 = 3600;

fn minutes(minutes: i64) -> Timestamp {
    START.plus_seconds(minutes * 60)
}

async fn set_up(flows: &Flows) {
    flows.save_capability(&tool("cli.read", "true", &["execute_process", "read_local"])).await.unwrap();
    flows.save_capability(&tool("cli.write", "true", &["execute_process", "write_external"])).await.unwrap();
    let writes = document(
        r#"{"schema_version":1,"id":"flow-writes","name":"W","inputs":{"n":{"type":"integer","required":true}},
            "steps":[{"id":"a","type":"tool.task","from":null,"params":{"capability_id":"cli.write"}}]}"#,
    );
    flows.save_flow(chain("flow-reads", &[("a", "tool.task", &bound("cli.read"))]), None).await.unwrap();
    flows.save_flow(writes, None).await.unwrap();
}

/// Every full hour.
fn hourly(flow: &str) -> AddSchedule {
    AddSchedule {
        target: Target::Portable(flow.into()),
        version: Version::Latest,
        cron: "0 * * * *".into(),
        zone: "UTC".into(),
        missed: Missed::Skip,
        overlap: Overlap::Skip,
        profile: Profile::Deterministic,
        inputs: Object::new(),
        authorization: None,
    }
}

fn world() -> World {
    let world = World::in_memory();
    world.install("true");
    world.clock.set(START);
    world
}

/// What was recorded after its beginning, oldest first.
async fn recorded(flows: &Flows, schedule: &Schedule) -> Vec<Event> {
    let mut events = flows.schedule_events(schedule.id.as_str(), 100).await.unwrap();
    events.reverse();
    assert_eq!(
        events.iter().map(|event| event.sequence).collect::<Vec<_>>(),
        (1..=events.len() as u64).collect::<Vec<_>>()
    );
    events.into_iter().skip(1).map(|event| event.event).collect()
}

/// The Runs that it started, by their ticks.
fn runs(events: &[Event]) -> Vec<(Timestamp, RunId)> {
    let started = events.iter().filter_map(|event| match event {
        Event::Started { tick, run_id } => Some((*tick, run_id.clone())),
        _ => None,
    });
    started.collect()
}

fn refusals(events: &[Event]) -> Vec<RefusalCode> {
    let codes = events.iter().filter_map(|event| match event {
        Event::Refused { code, .. } => Some(*code),
        _ => None,
    });
    codes.collect()
}

async fn all_runs(flows: &Flows) -> usize {
    flows.runs(segue_flow::api::List { limit: 100, ..Default::default() }).await.unwrap().len()
}

#[test]
fn two_servers_that_see_a_tick_at_once_start_one_run() {
    let world = world();
    let (one, other) = (world.start(), world.start());
    let schedule = one.run(async {
        set_up(&one.flows).await;
        one.flows.add_schedule(hourly("flow-reads")).await.unwrap()
    });
    assert_eq!(schedule.next_tick, Some(minutes(30)));
    assert_eq!(schedule.next_local.as_deref(), Some("2026-01-01 11:00 +00:00"));
    for hour in 0..5 {
        world.clock.set(minutes(30 + 60 * hour));
        let (a, b) = (one.flows.clone(), other.flows.clone());
        one.run(async { tokio::join!(a.look_at_schedules(), b.look_at_schedules()) });
        // Whoever lost the race may have left the start to the other one.
        one.run(async {
            a.look_at_schedules().await;
            for (_, run) in runs(&recorded(&a, &schedule).await) {
                let ended = a.ended(&run).await.unwrap();
                assert_eq!(
                    (ended.status.as_str(), ended.schedule.as_deref()),
                    ("succeeded", Some(schedule.id.as_str()))
                );
            }
        });
    }
    other.run(async {
        let events = recorded(&other.flows, &schedule).await;
        let ticks: Vec<Timestamp> = runs(&events).into_iter().map(|(tick, _)| tick).collect();
        assert_eq!(ticks, (0..5).map(|hour| minutes(30 + 60 * hour)).collect::<Vec<_>>());
        assert_eq!(events.len(), 10, "one claim and one start each: {events:?}");
        assert_eq!(all_runs(&other.flows).await, 5);
    });
}

#[test]
fn a_server_that_dies_at_any_commit_of_a_tick_leaves_one_run_for_it() {
    for written in [true, false] {
        for commit in 1.. {
            let world = world();
            let first = world.start();
            let schedule = first.run(async {
                set_up(&first.flows).await;
                first.flows.add_schedule(hourly("flow-reads")).await.unwrap()
            });
            world.clock.set(minutes(30));
            if written {
                first.journal.die_after(commit);
            } else {
                first.journal.die_before(commit);
            }
            let died = first.run(async {
                let flows = first.flows.clone();
                let living = async {
                    flows.look_at_schedules().await;
                    let Ok(events) = flows.schedule_events(schedule.id.as_str(), 100).await else {
                        return std::future::pending().await;
                    };
                    for event in events {
                        if let Event::Started { run_id, .. } = event.event
                            && flows.ended(&run_id).await.is_err()
                        {
                            std::future::pending::<()>().await;
                        }
                    }
                };
                tokio::select! {
                    biased;
                    () = first.journal.died() => true,
                    () = living => false,
                }
            });
            first.kill();
            world.clock.set(minutes(30).plus_seconds(20));
            let second = world.start();
            second.run(async {
                second.flows.recover().await;
                second.flows.look_at_schedules().await;
                let events = recorded(&second.flows, &schedule).await;
                let started = runs(&events);
                let ticks: Vec<Timestamp> = started.iter().map(|(tick, _)| *tick).collect();
                assert_eq!(ticks, [minutes(30)], "commit {commit}, written {written}: {events:?}");
                assert_eq!(second.flows.ended(&started[0].1).await.unwrap().status, "succeeded");
                assert_eq!(all_runs(&second.flows).await, 1, "commit {commit}, written {written}");
            });
            if !died {
                assert!(commit > 3, "a claim, a Run and a start are three commits at least");
                break;
            }
        }
    }
}

#[test]
fn ticks_that_passed_while_nobody_was_there_are_recorded_and_made_up_for_if_wanted() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let skip = flows.add_schedule(hourly("flow-reads")).await.unwrap();
        let once = flows.add_schedule(AddSchedule { missed: Missed::RunOnce, ..hourly("flow-reads") }).await.unwrap();
        world.clock.set(minutes(30 + 180 + 20));
        assert_eq!(flows.look_at_schedules().await, Some(minutes(30 + 240)));
        let missed = Event::Missed { count: 4, at_least: false, since: minutes(30), until: minutes(210) };
        assert_eq!(recorded(flows, &skip).await, std::slice::from_ref(&missed));
        let events = recorded(flows, &once).await;
        assert_eq!((events.len(), &events[0]), (3, &missed));
        assert_eq!(runs(&events).into_iter().map(|(tick, _)| tick).collect::<Vec<_>>(), [minutes(210)]);
        // A clock that is set back by less than a day brings nothing again.
        world.clock.set(minutes(31));
        flows.look_at_schedules().await;
        assert_eq!(recorded(flows, &once).await, events);
    });
}

#[test]
fn a_flow_with_write_effects_needs_an_authorization_that_still_holds_at_the_tick() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let with_input = AddSchedule { inputs: object([("n", 1_i64.into())]), ..hourly("flow-writes") };
        let Err(ScheduleError::Admit(AdmitError::AuthorizationRequired(challenge))) =
            flows.add_schedule(with_input.clone()).await
        else {
            panic!("it writes")
        };
        assert_eq!(flows.schedules().await.unwrap(), []);
        let authorized = AddSchedule { authorization: Some(challenge.authorization()), ..with_input };
        let other_input = AddSchedule { inputs: object([("n", 2_i64.into())]), ..authorized.clone() };
        let refused = flows.add_schedule(other_input).await;
        assert!(matches!(refused, Err(ScheduleError::Admit(AdmitError::AuthorizationRequired(_)))), "{refused:?}");
        let latest = flows.add_schedule(authorized.clone()).await.unwrap();
        assert_eq!(latest.authorized, Some(challenge.to_json()));
        let pinned = flows.add_schedule(AddSchedule { version: Version::Pinned, ..authorized }).await.unwrap();
        assert_eq!(pinned.pinned.as_ref().map(|hash| hash.as_str()), Some(challenge.flow_hash.as_str()));

        world.clock.set(minutes(30));
        flows.look_at_schedules().await;
        for schedule in [&latest, &pinned] {
            let started = runs(&recorded(flows, schedule).await);
            assert_eq!(started.len(), 1);
            assert_eq!(flows.ended(&started[0].1).await.unwrap().status, "succeeded");
        }

        // The flow changes: what was authorized is not what it is now, and the one that is pinned is as it was.
        let changed = document(
            r#"{"schema_version":1,"id":"flow-writes","name":"W","inputs":{"n":{"type":"integer","required":true}},
                "steps":[{"id":"b","type":"tool.task","from":null,"params":{"capability_id":"cli.write"}}]}"#,
        );
        flows.update_flow(&latest.local_id, changed, None).await.unwrap();
        world.clock.set(minutes(90));
        flows.look_at_schedules().await;
        assert_eq!(refusals(&recorded(flows, &latest).await), [RefusalCode::Authorization]);
        assert_eq!(world.scripted.begun("b"), 0);
        let of_pinned = runs(&recorded(flows, &pinned).await);
        assert_eq!(of_pinned.len(), 2);
        assert_eq!(flows.ended(&of_pinned[1].1).await.unwrap().flow_hash, challenge.flow_hash.as_str());

        // It is deleted.
        flows.delete_flow(&latest.local_id).await.unwrap();
        world.clock.set(minutes(150));
        flows.look_at_schedules().await;
        let codes = [RefusalCode::Authorization, RefusalCode::Flow];
        assert_eq!(refusals(&recorded(flows, &latest).await), codes);
        assert_eq!(runs(&recorded(flows, &pinned).await).len(), 3);
    });
}

#[test]
fn a_flow_that_does_not_write_any_more_runs_without_its_authorization() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let request = AddSchedule { inputs: object([("n", 1_i64.into())]), ..hourly("flow-writes") };
        let Err(ScheduleError::Admit(AdmitError::AuthorizationRequired(challenge))) =
            flows.add_schedule(request.clone()).await
        else {
            panic!("it writes")
        };
        let authorization = Some(challenge.authorization());
        let schedule = flows.add_schedule(AddSchedule { authorization, ..request }).await.unwrap();
        let harmless = document(
            r#"{"schema_version":1,"id":"flow-writes","name":"W","inputs":{"n":{"type":"integer","required":true}},
                "steps":[{"id":"a","type":"tool.task","from":null,"params":{"capability_id":"cli.read"}}]}"#,
        );
        flows.update_flow(&schedule.local_id, harmless, None).await.unwrap();
        world.clock.set(minutes(30));
        flows.look_at_schedules().await;
        assert_eq!(runs(&recorded(flows, &schedule).await).len(), 1);
    });
}

#[test]
fn a_tick_waits_a_while_for_room_and_not_beside_the_run_before_it() {
    let world = world().with_room(1);
    world.scripted.set("a", &[Deed::Hold]);
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let first = flows.add_schedule(hourly("flow-reads")).await.unwrap();
        let second = flows.add_schedule(hourly("flow-reads")).await.unwrap();
        world.clock.set(minutes(30));
        assert_eq!(flows.look_at_schedules().await, Some(minutes(30).plus_seconds(2)), "it is tried again soon");
        assert_eq!(runs(&recorded(flows, &first).await).len(), 1);
        assert_eq!(recorded(flows, &second).await.len(), 1, "claimed");
        world.clock.set(minutes(31).plus_seconds(1));
        flows.look_at_schedules().await;
        assert_eq!(refusals(&recorded(flows, &second).await), [RefusalCode::Room]);
        world.clock.set(minutes(90));
        flows.look_at_schedules().await;
        assert_eq!(refusals(&recorded(flows, &first).await), [RefusalCode::Overlap]);
        // With room in time it starts.
        let run = runs(&recorded(flows, &first).await)[0].1.clone();
        world.scripted.open_gate();
        flows.ended(&run).await.unwrap();
        flows.look_at_schedules().await;
        assert_eq!(runs(&recorded(flows, &second).await).len(), 1);
    });
}

#[test]
fn a_claim_of_a_server_that_died_long_ago_is_not_made_up_for_unless_that_is_wanted() {
    for (missed, starts) in [(Missed::Skip, false), (Missed::RunOnce, true)] {
        let world = world();
        let first = world.start();
        let schedule = first.run(async {
            set_up(&first.flows).await;
            first.flows.add_schedule(AddSchedule { missed, ..hourly("flow-reads") }).await.unwrap()
        });
        world.clock.set(minutes(30));
        first.journal.die_after(1);
        first.run(async {
            let flows = first.flows.clone();
            tokio::select! {
                () = first.journal.died() => {}
                _ = async { flows.look_at_schedules().await; std::future::pending::<()>().await } => {}
            }
        });
        first.kill();
        world.clock.set(minutes(60));
        let second = world.start();
        second.run(async {
            second.flows.look_at_schedules().await;
            let events = recorded(&second.flows, &schedule).await;
            assert_eq!(runs(&events).len(), usize::from(starts), "{events:?}");
            assert_eq!(refusals(&events), if starts { vec![] } else { vec![RefusalCode::Late] });
        });
    }
}

#[test]
fn a_schedule_can_be_turned_off_and_on_and_removed() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let schedule = flows.add_schedule(hourly("flow-reads")).await.unwrap();
        let id = schedule.id.as_str();
        let off = flows.enable_schedule(id, false).await.unwrap();
        assert_eq!((off.enabled, off.next_tick), (false, None));
        assert_eq!(flows.enable_schedule(id, false).await.unwrap(), off, "again is no change");
        world.clock.set(minutes(200));
        assert_eq!(flows.look_at_schedules().await, None);
        let on = flows.enable_schedule(id, true).await.unwrap();
        assert_eq!((on.enabled, on.next_tick), (true, Some(minutes(210))));
        assert_eq!(flows.look_at_schedules().await, Some(minutes(210)));
        assert_eq!(recorded(flows, &schedule).await, [Event::Disabled, Event::Enabled]);
        flows.remove_schedule(id).await.unwrap();
        world.clock.set(minutes(210));
        assert_eq!(flows.look_at_schedules().await, None);
        assert_eq!(all_runs(flows).await, 0);
        for gone in [id, "schedule_0123456789ab", "x", ""] {
            assert_eq!(flows.schedule(gone).await, Err(ScheduleError::NotFound(gone.to_owned())));
            assert_eq!(flows.remove_schedule(gone).await, Err(ScheduleError::NotFound(gone.to_owned())));
        }
    });
}

#[test]
fn what_cannot_be_scheduled_is_refused_and_nothing_is_stored() {
    let world = world();
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        let never = AddSchedule { cron: "0 0 30 2 *".into(), ..hourly("flow-reads") };
        let refused = flows.add_schedule(never).await;
        assert_eq!(refused, Err(ScheduleError::Timing(TimingError::Never("0 0 30 2 *".into()))));
        let unknown = flows.add_schedule(hourly("flow-none")).await;
        assert!(matches!(unknown, Err(ScheduleError::Admit(AdmitError::Flow(_)))), "{unknown:?}");
        let inputs = flows.add_schedule(hourly("flow-writes")).await;
        assert!(matches!(inputs, Err(ScheduleError::Admit(AdmitError::Inputs(_)))), "{inputs:?}");
        let unneeded = AddSchedule { authorization: Some("yes".into()), ..hourly("flow-reads") };
        let refused = flows.add_schedule(unneeded).await;
        assert_eq!(refused, Err(ScheduleError::Admit(AdmitError::AuthorizationUnneeded)));
        std::fs::remove_file(world.path().join("bin/true")).unwrap();
        let gone = flows.add_schedule(hourly("flow-reads")).await;
        assert!(matches!(gone, Err(ScheduleError::Admit(AdmitError::Unavailable { .. }))), "{gone:?}");
        assert_eq!(flows.schedules().await.unwrap(), []);
    });
}

#[test]
fn a_server_starts_the_runs_of_ticks_by_itself() {
    let world = World::in_memory();
    world.install("true");
    let process = world.start();
    process.run(async {
        let flows = &process.flows;
        set_up(flows).await;
        // Ticks of an hour ago are missed, and one Run makes up for them: nothing has to be waited for.
        world.clock.set(START);
        let request = AddSchedule { missed: Missed::RunOnce, ..hourly("flow-reads") };
        let schedule = flows.add_schedule(request).await.unwrap();
        world.clock.set(START.plus_seconds(HOUR));
        flows.serve();
        let mut changes = flows.changes();
        let started = loop {
            changes.mark_unchanged();
            if let Some((_, run)) = runs(&recorded(flows, &schedule).await).pop() {
                break run;
            }
            changes.changed().await.unwrap();
        };
        assert_eq!(flows.ended(&started).await.unwrap().status, "succeeded");
    });
}
