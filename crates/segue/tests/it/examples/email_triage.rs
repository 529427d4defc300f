//! The e-mail triage: nothing is written before a person says so, whoever runs then.

use serde_json::json;

use segue_testkit::{app_server::AppServer, program::Program};

use super::{file, json as run, newest, node, save, shell, world};
use crate::contract::served::wait_for;

const START: &str = "segue run email-triage --input inbox=examples/email-triage/inbox --authorize --json";

/// A run that waits for its person.
fn waiting() -> (Program, String) {
    let world = world();
    save(&world, "email-triage", &["capabilities"]);
    let outcome = run(&world, START, "exit 5");
    let id = outcome["run_id"].as_str().expect("an id").to_owned();
    assert!(!world.workspace().join("outbox").exists());
    (world, id)
}

/// The command that asked is long gone, and so are all its processes.
#[test]
fn an_approval_is_carried_out_by_another_process() {
    let (world, id) = waiting();
    world.assert_nothing_left();
    let outcome = run(&world, &format!("segue answer {id} approve send --actor Kim --json"), "exit 0");
    assert_eq!(outcome["status"], "succeeded");
    // Urgent ones first.
    let files = ["outbox/2-outage.eml", "outbox/1-invoice.eml", "outbox/4-question.eml"];
    let evidence = newest(&world);
    let sent = &node(&evidence, "send")["output"];
    assert_eq!((&sent["sent"], &sent["files"]), (&json!(3), &json!(files)));
    assert_eq!(
        files.map(|name| file(&world, name)),
        [
            "To: Sam Ortiz <sam@customer.example>\nSubject: Re: Urgent: we cannot log in\n\nHello Sam,\n\n\
             we are looking at it now and will call you within the hour.\n",
            "To: Nora Lind <nora@supplier.example>\nSubject: Re: Invoice 2231 is overdue\n\nHello Nora,\n\n\
             we are checking this with our accounts and will answer by tomorrow.\n",
            "To: Ines Weber <ines@customer.example>\nSubject: Re: Opening hours between the years\n\nHello Ines,\n\n\
             thank you for your question. We will answer by tomorrow.\n",
        ]
    );
    assert_eq!(node(&evidence, "approve")["output"]["option"], "send");
    world.assert_nothing_left();
}

#[test]
fn nothing_is_sent_when_a_person_says_no_or_fills_in_what_is_not_asked() {
    let (world, id) = waiting();
    let wrong = shell(&world, &format!("echo '{{\"to\": \"all\"}}' | segue answer {id} approve send --form -"));
    assert_eq!((wrong.ended.as_str(), wrong.stdout.as_str()), ("exit 2", ""), "{wrong:?}");
    let outcome = run(&world, &format!("segue answer {id} approve hold --json"), "exit 0");
    let last = outcome["nodes"].as_array().and_then(|nodes| nodes.last()).expect("nodes");
    assert_eq!(
        (&outcome["status"], last),
        (&json!("succeeded"), &json!({"node_id": "send", "node_type": "tool.task", "status": "skipped"}))
    );
    assert!(!world.workspace().join("outbox").exists());
    world.assert_nothing_left();
}

/// A message is data: neither its subject nor its text gets a line of the reply's head.
#[test]
fn a_message_adds_no_header_to_the_reply() {
    let world = world();
    save(&world, "email-triage", &["capabilities"]);
    let inbox = world.workspace().join("inbox");
    std::fs::create_dir(&inbox).expect("a folder");
    let message = "From: Mallory <m@example.org>\r\nSubject: Hi\\nBcc: all@example.org\r\n\r\nWhen?\r\n";
    std::fs::write(inbox.join("1.eml"), message).expect("a message");
    run(&world, "segue run email-triage --input inbox=inbox --authorize --json", "exit 5");
    let id = newest(&world)["run"]["run_id"].as_str().expect("an id").to_owned();
    run(&world, &format!("segue answer {id} approve send --json"), "exit 0");
    assert_eq!(
        file(&world, "outbox/1.eml"),
        "To: Mallory <m@example.org>\nSubject: Re: Hi\\nBcc: all@example.org\n\nHello Mallory,\n\n\
         thank you for your question. We will answer by tomorrow.\n"
    );
}

/// The server that asked is killed; the next one is told the answer and carries it out.
#[test]
fn an_approval_outlives_the_server_that_asked() {
    let world = world();
    save(&world, "email-triage", &["capabilities"]);
    let start = || AppServer::of(&mut world.command(["-c", "exec segue app --port 0 --no-open"]));
    let first = start();
    let mut request = json!({
        "contract_version": "symphlo.run-request.v1", "executor": "deterministic",
        "inputs": {"inbox": "examples/email-triage/inbox"},
    });
    let path = "/api/v1/flows/email-triage/runs";
    let (status, challenge) = first.ask("POST", path, Some(&request));
    assert_eq!(status, 428, "{challenge}");
    request["contract_version"] = json!("symphlo.authorized-run-request.v1");
    request["effect_authorization"] = challenge["authorization"].clone();
    let (status, admitted) = first.ask("POST", path, Some(&request));
    assert_eq!(status, 202, "{admitted}");
    let id = admitted["run_id"].as_str().expect("an id");
    let node_status = |server: &AppServer, wanted: &str| {
        let (_, outcome) = server.ask("GET", &format!("/api/v1/runs/{id}/outcome"), None);
        let nodes = outcome["nodes"].as_array().expect("nodes").clone();
        nodes.iter().find(|node| node["node_id"] == wanted).expect("the node")["status"].clone()
    };
    wait_for("the question and the plan", || {
        node_status(&first, "approve") == "running" && node_status(&first, "publish") == "succeeded"
    });
    first.kill();
    let second = start();
    assert!(!world.workspace().join("outbox").exists());
    let answer = json!({"option": "send", "form": {"signature": "The office"}, "actor": "Kim"});
    let (status, recorded) = second.ask("POST", &format!("/api/v1/runs/{id}/nodes/approve/answers"), Some(&answer));
    assert_eq!(status, 200, "{recorded}");
    wait_for("the replies", || node_status(&second, "send") == "succeeded");
    assert!(file(&world, "outbox/2-outage.eml").ends_with("within the hour.\n\nThe office\n"));
    assert_eq!(second.stop(rustix::process::Signal::TERM), "exit 0");
    world.assert_nothing_left();
}
