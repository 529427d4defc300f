//! Every page with something to follow is followed.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Stdio},
};

use segue_model::flow::capability::Kind;
use segue_testkit::program::Program;

use super::{
    repository,
    transcript::{follow, has_steps},
    world,
};

/// What has to go on beside the commands of a page.
type Beside = fn(&Program) -> Option<Server>;

macro_rules! pages {
    ($($name:ident: $page:literal, $beside:expr;)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(#[test]
        fn $name() {
            let world = world();
            let beside: Beside = $beside;
            let server = beside(&world);
            follow(&world, $page);
            drop(server);
            world.assert_nothing_left();
        })*
    };
}

pages! {
    readme: "README.md", nothing;
    capabilities: "docs/capabilities/README.md", nothing;
    acp_agent: "docs/capabilities/acp_agent.md", nothing;
    agent_cli: "docs/capabilities/agent_cli.md", nothing;
    built_in: "docs/capabilities/built-in.md", nothing;
    cli: "docs/capabilities/cli.md", nothing;
    evaluator_cli: "docs/capabilities/evaluator_cli.md", nothing;
    flow: "docs/capabilities/flow.md", nothing;
    http: "docs/capabilities/http.md", server;
    human: "docs/capabilities/human.md", nothing;
    mcp_http: "docs/capabilities/mcp_http.md", server;
    mcp_stdio: "docs/capabilities/mcp_stdio.md", nothing;
    model_cli: "docs/capabilities/model_cli.md", nothing;
    action_items: "examples/action-items/README.md", nothing;
    document_digest: "examples/document-digest/README.md", nothing;
    email_triage: "examples/email-triage/README.md", nothing;
    implement_and_review: "examples/implement-and-review/README.md", nothing;
    link_check: "examples/link-check/README.md", nothing;
    notes: "examples/notes/README.md", nothing;
}

fn nothing(_: &Program) -> Option<Server> {
    None
}

/// Killed when dropped.
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The port of the pages. A test takes one that is free, and says so in its copies of the capabilities.
pub const PORT: &str = "8311";

/// What a reader starts in another terminal.
pub fn server(world: &Program) -> Option<Server> {
    let mut command = world.command(["-c", "exec python3 examples/kinds/server.py 0"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("the server starts"));
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let port = line.trim().rsplit(':').next().expect("a port");
    for name in ["http", "mcp_http"] {
        let file = world.workspace().join(format!("examples/kinds/capabilities/{name}.yaml"));
        let definition = fs::read_to_string(&file).expect("a capability");
        fs::write(&file, definition.replace(PORT, port)).expect("a capability");
    }
    Some(server)
}

/// Every kind has a page and something to try it with.
#[test]
fn every_kind_is_explained_and_can_be_tried() {
    let kinds = repository().join("examples/kinds");
    let overview = fs::read_to_string(kinds.join("README.md")).expect("an overview");
    let index = fs::read_to_string(repository().join("docs/capabilities/README.md")).expect("an index");
    for kind in Kind::ALL {
        let page = format!("docs/capabilities/{kind}.md");
        assert!(PAGES.contains(&page.as_str()), "{page} is not followed");
        assert!(index.contains(&format!("[{kind}]({kind}.md)")), "{kind} is not in the index");
        assert!(overview.contains(&format!("`{kind}`")), "{kind} is not in the overview");
    }
    for folder in ["capabilities", "flows"] {
        for entry in fs::read_dir(kinds.join(folder)).expect("a folder") {
            let name = format!("{folder}/{}", entry.expect("an entry").file_name().to_string_lossy());
            assert!(overview.contains(&format!("({name})")), "{name} is not in the overview");
        }
    }
}

#[test]
fn none_is_forgotten() {
    let mut pages = vec!["README.md".to_owned()];
    for folder in ["examples", "docs"] {
        collect(&repository(), folder, &mut pages);
    }
    pages.sort_unstable();
    assert_eq!(pages, PAGES);
}

fn collect(root: &Path, folder: &str, pages: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().expect("a kind").is_dir() {
            collect(root, &name, pages);
        } else if name.ends_with(".md") && has_steps(&fs::read_to_string(entry.path()).expect("text")) {
            pages.push(name);
        }
    }
}
