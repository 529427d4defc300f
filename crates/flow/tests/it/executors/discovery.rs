//! Agents that are installed.

use std::time::Duration;

use segue_flow::executors::{codex, discover::discover, opencode_server};
use segue_model::flow::{Json, Problem, capability::Capability, capability::Source};

use super::harness::World;

/// A world with nothing on PATH but what it installs, a shell and what scripts need.
fn world() -> World {
    let mut world = World::new();
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    world.environment.retain(|(name, _)| name != "PATH");
    world.set("PATH", &path);
    world
}

async fn find(world: &World, file: Option<&str>) -> Result<Vec<Capability>, Problem> {
    let file = file.map(|text| Json::parse(text).unwrap());
    let found = discover(file.as_ref(), &|| world.draw_host(), &world.terms(Duration::from_secs(10)), world).await;
    let hosts: Vec<_> = world.partings.lock().unwrap().keys().cloned().collect();
    for host in hosts {
        world.let_go(&host).await;
    }
    world.is_clean().await;
    found
}

#[tokio::test]
async fn the_known_agents_are_found_with_their_versions() {
    let world = world();
    assert_eq!(find(&world, None).await, Ok(vec![]));
    let codex = world.install("codex", "#!/bin/sh\n[ \"$1\" = --version ] && echo && echo ' codex 1 ' && echo more\n");
    let opencode = world.install("opencode", "#!/bin/sh\nexit 1\n");
    let expected = [
        codex::capability(codex.to_str().unwrap(), "gpt-5.4", "codex 1").unwrap(),
        opencode_server::capability(opencode.to_str().unwrap(), "version unavailable").unwrap(),
    ];
    assert_eq!(find(&world, None).await, Ok(expected.to_vec()));
    assert!(expected.iter().all(|agent| agent.source == Source::Discovered && agent.timeout_seconds == 300));
    let ids: Vec<&str> = expected.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(ids, ["agent.codex", "agent.opencode"]);
}

#[tokio::test]
async fn the_users_agents_are_looked_for_on_path_then_by_path() {
    let world = world();
    let mine = world.install("mine", "#!/bin/sh\necho \"$1\"\n");
    let file = format!(
        r#"{{"version":1,"agents":[
            {{"id":"agent.a","name":"A","executable_names":["nothing","mine"],"version_args":["-v"]}},
            {{"id":"agent.b","name":"B","executable_paths":["/nonexistent","{}"]}},
            {{"id":"agent.c","name":"C","executable_names":["nothing"]}},
            {{"id":"agent.d","name":"D","executable_paths":["/bin/sh"],"executable_names":["mine"]}}]}}"#,
        mine.display()
    );
    let found = find(&world, Some(&file)).await.unwrap();
    let seen: Vec<_> = found
        .iter()
        .map(|agent| (agent.id.as_str(), agent.config.executable(), agent.config.to_json().get("version").cloned()))
        .collect();
    let path = mine.to_str();
    let usual = || Some("--version".into());
    assert_eq!(seen, [("agent.a", path, Some("-v".into())), ("agent.b", path, usual()), ("agent.d", path, usual())]);
}

#[tokio::test]
async fn an_id_that_occurs_twice_is_an_error() {
    let world = world();
    world.install("codex", "#!/bin/sh\necho 1\n");
    let file = r#"{"version":1,"agents":[{"id":"agent.codex","name":"A","executable_names":["codex"]}]}"#;
    let problem = find(&world, Some(file)).await.unwrap_err();
    assert_eq!(problem, Problem::new("/agents", "\"agent.codex\" occurs twice"));
    assert!(find(&world, Some(r#"{"version":2,"agents":[]}"#)).await.is_err());
}
