//! The service with the real executors, real hosts, and a channel that recovers beside it.

use segue_channel::api::Spawn;
use segue_journal::{Append, Authority, Batch, Journal, NewEvent, OpenOptions, StreamName, open};
use segue_model::flow::{Json, json::object};

use super::world::*;

/// A program that notes each start and answers once it may.
const SLOW: &str = "#!/bin/sh
echo started >> ../starts
while [ ! -e ../go ]; do sleep 0.02; done
echo '{\"answer\": 42}'
";

fn starts(world: &World) -> usize {
    std::fs::read_to_string(world.path().join("starts")).unwrap_or_default().lines().count()
}

async fn set_up(flows: &segue_flow::Flows) {
    flows.save_capability(&tool("cli.slow", "slow", &["execute_process", "write_local"])).await.unwrap();
    flows.save_capability(&tool("cli.cat", "cat", &["execute_process"])).await.unwrap();
    let steps = [("slow", "tool.task", bound("cli.slow")), ("echo", "tool.task", bound("cli.cat"))];
    let steps: Vec<_> = steps.iter().map(|(id, kind, rest)| (*id, *kind, rest.as_str())).collect();
    flows.save_flow(chain("flow-real", &steps), None).await.unwrap();
}

async fn nothing_is_left(world: &World, process: &Process) {
    until("no host is recorded", || process.journal.hosts().unwrap().is_empty()).await;
    let folders = || std::fs::read_dir(world.path().join("hosts")).map_or(0, Iterator::count);
    until("no folder of a host is left", || folders() == 0).await;
}

#[test]
fn a_program_outlives_the_server_that_started_it_and_its_result_is_taken() {
    for while_nobody_looks in [false, true] {
        let world = World::on_disk();
        world.install_script("slow", SLOW);
        let process = world.start_real();
        let run = process.run(async {
            set_up(&process.flows).await;
            let run = admitted(&process.flows, admission("flow-real")).await;
            until("the program runs", || starts(&world) == 1).await;
            run
        });
        process.kill();
        let go = || std::fs::write(world.path().join("go"), "").unwrap();
        if while_nobody_looks {
            go();
        }
        let process = world.start_real();
        process.run(async {
            process.flows.serve();
            if !while_nobody_looks {
                until("the run is taken over", || {
                    let row = process.journal.run(run.run_id.as_str()).unwrap().unwrap();
                    row.server == *process.journal.instance()
                })
                .await;
                go();
            }
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
            let evidence = process.flows.evidence(run.run_id.as_str()).await.unwrap();
            assert_eq!(evidence.nodes[0].output.as_ref().unwrap().get("answer"), Some(&42_i64.into()));
            assert_eq!((starts(&world), evidence.nodes[0].attempts), (1, 1));
            nothing_is_left(&world, &process).await;
        });
    }
}

/// A host that comes to nothing: it is on its way, and its server dies.
#[test]
fn a_command_that_was_never_started_is_started_by_the_next_server() {
    for without_a_folder in [false, true] {
        let world = World::on_disk();
        world.install_script("slow", SLOW);
        std::fs::write(world.path().join("go"), "").unwrap();
        let asleep = world.install_script("asleep", "#!/bin/sh\ntouch ../asleep\nexec tail -f /dev/null\n");
        let process = world.start_real_with(&asleep);
        let run = process.run(async {
            set_up(&process.flows).await;
            let run = admitted(&process.flows, admission("flow-real")).await;
            until("its host is on its way", || world.path().join("asleep").exists()).await;
            run
        });
        process.kill();
        if without_a_folder {
            std::fs::remove_dir_all(world.path().join("hosts")).unwrap();
        }
        let process = world.start_real();
        process.run(async {
            process.flows.serve();
            assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
            let evidence = process.flows.evidence(run.run_id.as_str()).await.unwrap();
            assert_eq!((starts(&world), evidence.nodes[0].attempts), (1, 1));
            nothing_is_left(&world, &process).await;
        });
    }
}

#[test]
fn a_cancelled_program_is_ended_before_the_run_is() {
    let world = World::on_disk();
    world.install_script("slow", SLOW);
    let process = world.start_real();
    process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-real")).await;
        until("the program runs", || starts(&world) == 1).await;
        process.flows.cancel(run.run_id.as_str(), None, None).await.unwrap();
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "cancelled");
        nothing_is_left(&world, &process).await;
    });
}

/// No record names it any more, so no later server could end it.
#[test]
fn a_program_whose_record_is_gone_is_ended_with_its_server() {
    let world = World::on_disk();
    world.install_script(
        "slow",
        "#!/bin/sh\necho $$ > ../number.new\nmv ../number.new ../number\nexec tail -f /dev/null\n",
    );
    let process = world.start_real();
    let number = process.run(async {
        set_up(&process.flows).await;
        admitted(&process.flows, admission("flow-real")).await;
        until("the program runs", || world.path().join("number").exists()).await;
        std::fs::read_to_string(world.path().join("number")).unwrap().trim().to_owned()
    });
    std::fs::rename(world.path().join("state"), world.path().join("elsewhere")).unwrap();
    assert!(!process.stop(segue_flow::api::OnStop::Cancel), "the end of the run is not recorded");
    assert!(!std::path::Path::new("/proc").join(number).exists(), "the program runs on");
}

/// Nobody takes what it gives any more, so it is not left to write on.
#[test]
fn what_a_run_that_is_set_aside_has_under_way_is_ended() {
    let world = World::on_disk();
    world.install_script("slow", SLOW);
    world.install_script("claude-agent-acp", "#!/bin/sh\nexec cat > /dev/null\n");
    let process = world.start_real();
    let run = process.run(async {
        set_up(&process.flows).await;
        let run = admitted(&process.flows, admission("flow-real")).await;
        until("the program runs", || starts(&world) == 1).await;
        // A node of it that is a task of the channel has its agent.
        let spawn = Spawn {
            agent: "claude_code".into(),
            prompt: "Work".into(),
            workspace: Some(world.path().join("work").display().to_string()),
            initiator_id: Some(run.run_id.as_str().into()),
            client_key: Some(format!("{}/agent/1//1", run.run_id)),
            ..Spawn::default()
        };
        process.channel.spawn_task(spawn).await.unwrap();
        run
    });
    process.kill();
    // Something that no release wrote follows in the stream.
    let journal = open(&OpenOptions::new(world.path().join("state"))).unwrap();
    let stream = StreamName::new("run", run.run_id.as_str());
    let (token, expected) = journal.take_over(&stream).unwrap();
    let event = NewEvent { kind: "node.unheard_of".into(), at: 0, payload: "{}".into() };
    let authority = Authority::Owner(token);
    let append = Append { stream, authority, expected, events: vec![event], release: false };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(journal.append(Batch { appends: vec![append], ..Batch::default() })).unwrap();
    journal.close();
    let process = world.start_real();
    process.run(async {
        process.flows.recover().await;
        assert_eq!(process.flows.quarantined().await.unwrap().len(), 1);
        let task = process.channel.task_by_key(&format!("{}/agent/1//1", run.run_id)).await.unwrap().unwrap();
        assert!(task.task.finished_at().is_some(), "{task:?}");
        nothing_is_left(&world, &process).await;
        until("no process is left", || lives(&world) == 0).await;
    });
}

/// How many processes run a program of the world.
fn lives(world: &World) -> usize {
    let bin = world.path().join("bin").display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    commands.filter(|command| String::from_utf8_lossy(command).contains(&bin)).count()
}

#[test]
fn the_built_in_roles_and_the_publisher_make_an_article() {
    let world = World::on_disk();
    let process = world.start_real();
    process.run(async {
        let task = segue_model::flow::document::TaskFields {
            title: "T".into(),
            goal: "G".into(),
            topic: "Hand-offs".into(),
            granularity: segue_model::flow::Granularity::Fine,
        };
        let task = process.flows.add_task(task).await.unwrap();
        let request = segue_flow::api::Admit { target: segue_flow::api::Target::Task(task.id), ..admission("") };
        let run = process.flows.admit(request).await.unwrap();
        assert_eq!(process.flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let outcome = process.flows.outcome(run.run_id.as_str()).await.unwrap();
        let content = process.flows.artifact(outcome.artifacts[0].artifact_id.as_str()).await.unwrap();
        assert_eq!(content.name, "article.md");
        assert!(String::from_utf8(content.bytes).unwrap().contains("Hand-offs"));
    });
}

/// A program that is only asked for its version, and never answers.
const MUTE: &str = "#!/bin/sh
echo $$ >> ../mute
exec tail -f /dev/null
";

#[test]
fn a_program_that_was_only_looked_at_ends_soon_after_its_server_died() {
    let world = World::on_disk();
    world.install_script("mute", MUTE);
    world.install_script("codex", MUTE);
    let pids = || -> Vec<String> {
        let noted = std::fs::read_to_string(world.path().join("mute")).unwrap_or_default();
        noted.lines().map(str::to_owned).collect()
    };
    let process = world.start_real();
    process.run(async {
        let flows = process.flows.clone();
        let mute = flows.save_capability(&tool("cli.mute", "mute", &["execute_process"])).await.unwrap();
        tokio::spawn(async move { flows.probe(&mute.capability).await });
        let flows = process.flows.clone();
        tokio::spawn(async move { flows.discover().await });
        until("both programs run", || pids().len() == 2).await;
    });
    process.kill();
    let next = world.start_real();
    next.run(async {
        let lives = |pid: &String| std::path::Path::new("/proc").join(pid).join("exe").exists();
        until("neither program runs", || !pids().iter().any(lives)).await;
        nothing_is_left(&world, &next).await;
    });
}

#[test]
fn each_item_receives_itself_its_index_and_what_the_node_accepted() {
    const LIST: &str =
        "#!/bin/sh\necho '{\"names\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\"], \"note\": \"n\"}'\n";
    let world = World::on_disk();
    world.install_script("list", LIST);
    let process = world.start_real();
    process.run(async {
        let flows = &process.flows;
        for program in ["list", "cat"] {
            flows.save_capability(&tool(&format!("cli.{program}"), program, &["execute_process"])).await.unwrap();
        }
        let each = document(
            r#"{"schema_version":2,"id":"flow-each","name":"E","steps":[
                {"id":"list","type":"tool.task","params":{"capability_id":"cli.list"}},
                {"id":"each","type":"tool.task","from":"list","params":{"capability_id":"cli.cat"},
                 "for_each":{"items":"input.names","max_parallel":2}}]}"#,
        );
        flows.save_flow(each, None).await.unwrap();
        let run = admitted(flows, admission("flow-each")).await;
        assert_eq!(flows.ended(&run.run_id).await.unwrap().status, "succeeded");
        let evidence = flows.evidence(run.run_id.as_str()).await.unwrap();
        let output = |at: usize| evidence.nodes[at].output.clone().unwrap();
        let (list, each) = (output(0), output(1));
        let seen: Vec<Json> =
            each["items"].as_array().unwrap().iter().map(|item| item.get("context").unwrap().clone()).collect();
        let expected = (0_i64..).zip(list["names"].as_array().unwrap()).map(|(index, name)| {
            let input = Json::Object(list.clone());
            Json::Object(object([("index", index.into()), ("input", input), ("item", name.clone())]))
        });
        assert_eq!(seen, expected.collect::<Vec<_>>());
    });
}
