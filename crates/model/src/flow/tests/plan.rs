//! Plans of documents, also of those that cannot be run.

use super::{Shelf, document};
use crate::flow::{
    Profile,
    plan::{Plan, RiskLevel, plan},
};

fn planned(shelf: &Shelf, text: &str) -> Plan {
    plan(&document(text), shelf, Profile::Deterministic).unwrap_or_else(|problem| panic!("{problem}"))
}

#[test]
fn each_step_is_shown_with_its_executor_risk_and_stage() {
    let mut shelf = Shelf::default();
    shelf.put(r#"{"kind":"http","name":"send","id":"http.send","config":{"url":"http://127.0.0.1:1/x"}}"#);
    shelf.put(r#"{"kind":"cli","name":"write","id":"cli.write","config":{"executable":"write"}}"#);
    let plan = planned(
        &shelf,
        r#"{"schema_version":2,"id":"a-plan","name":" A plan ","steps":[
            {"id":"join","type":"tool.task","from":["left","right"],"prompt":"Send it","retry":{"attempts":2},"params":{"capability_id":"http.send"}},
            {"id":"left","type":"tool.task","from":null,"params":{"title":"Left","capability_id":"cli.write"}},
            {"id":"right","type":"human.task","blocking":false,"completion_policy":"manual","params":null},
            {"id":"publish","type":"artifact.task","from":"join"}]}"#,
    );
    assert_eq!(plan.title, "A plan");
    assert_eq!(plan.summary, "4 steps in 3 stages; 2 write outside of the record");
    assert!(plan.requires_confirmation);
    let rows: Vec<_> = plan
        .steps
        .iter()
        .map(|step| {
            (
                step.id.as_str(),
                step.title.as_str(),
                step.executor.as_deref(),
                step.risk,
                step.stage,
                step.completion.as_str(),
                step.blocking,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("join", "Send it", Some("http.send"), RiskLevel::High, 2, "output_accepted", true),
            ("left", "Left", Some("cli.write"), RiskLevel::Medium, 1, "output_accepted", true),
            ("right", "right", Some("builtin.person"), RiskLevel::Low, 1, "manual", false),
            ("publish", "publish", Some("builtin.markdown-publication"), RiskLevel::Low, 3, "artifact_created", true),
        ]
    );
    assert_eq!(plan.steps[0].rules.keys().collect::<Vec<_>>(), ["retry"]);
    assert!(plan.steps.iter().all(|step| step.problem.is_none()));
}

#[test]
fn what_cannot_be_run_is_shown_with_the_reason() {
    let plan = planned(
        &Shelf::default(),
        r#"{"steps":[
            {"id":"a","type":"tool.task","from":"b","params":{"capability_id":"none"}},
            {"id":"b","type":"tool.task","from":"a"},
            {"type":"odd.task","params":7},
            {"id":"plan-article","type":"agent.task"},
            {"id":"other","type":"agent.task","session_group":"a b"}]}"#,
    );
    let problems: Vec<_> = plan.steps.iter().map(|step| step.problem.as_deref()).collect();
    assert_eq!(
        problems,
        [
            Some("there is no capability \"none\""),
            Some("tool.task must be bound to a capability"),
            Some("\"odd.task\" is no type of step"),
            None,
            Some("must be bound to a capability, or run by an agent that is chosen with the run"),
        ]
    );
    assert_eq!(plan.summary, "5 steps in 1 stage; 4 cannot be run here yet");
    assert_eq!((plan.title.as_str(), plan.requires_confirmation), ("Untitled flow", false));
    assert_eq!(plan.steps[2].id, "step-3");
    for (text, path) in
        [(r#"{"steps":[1]}"#, "/steps/0"), (r#"{"steps":7}"#, "/steps"), (r#"{"steps":[null]}"#, "/steps/0")]
    {
        let problem = plan_of(text).expect_err(text);
        assert_eq!(problem.path, path);
    }
    assert_eq!(planned(&Shelf::default(), "{}").steps, []);
}

fn plan_of(text: &str) -> Result<Plan, crate::flow::Problem> {
    plan(&document(text), &Shelf::default(), Profile::Deterministic)
}
