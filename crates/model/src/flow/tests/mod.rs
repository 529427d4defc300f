//! Documents against the contract: what compiles, to which hash, and what is refused.

mod authorization;
mod bundle;
mod document;
mod graph;
mod plan;
mod restore;
mod schema;
mod version_1;
mod words;

use std::collections::HashMap;

use super::{
    bundle::Installed,
    capability::{Capability, read::Author},
    compile::{Callee, Catalogue, CompileError, Compiled, Context, compile},
    *,
};

pub(super) const NOTE_DIGEST: &str = include_str!("../../../fixtures/flow/note-digest.json");
pub(super) const RELEASE_CHECK: &str = include_str!("../../../fixtures/flow/release-check.json");

pub(super) fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

pub(super) fn document(text: &str) -> Document {
    Document::read(json(text)).expect("an object")
}

/// A catalogue in memory.
#[derive(Default)]
pub(super) struct Shelf {
    pub capabilities: HashMap<String, Capability>,
    pub flows: HashMap<String, Callee>,
    pub documents: Vec<Document>,
    pub preset: Option<Binding>,
}

impl Catalogue for Shelf {
    fn capability(&self, id: &str) -> Option<Capability> {
        self.capabilities.get(id).cloned()
    }

    fn preset(&self, _: Profile) -> Option<Binding> {
        self.preset.clone()
    }

    fn flow(&self, id: &str) -> Option<Callee> {
        self.flows.get(id).cloned()
    }
}

impl Installed for Shelf {
    fn documents(&self, id: &PortableId) -> Vec<Document> {
        self.documents.iter().filter(|document| document.portable_id().as_ref() == Some(id)).cloned().collect()
    }
}

impl Shelf {
    pub(super) fn put(&mut self, definition: &str) -> Capability {
        let read = Capability::read(&json(definition), &|name| Some(format!("/bin/{name}")), Author::Runtime);
        let capability = read.unwrap_or_else(|problem| panic!("{problem}"));
        self.capabilities.insert(capability.id.to_string(), capability.clone());
        capability
    }

    pub(super) fn context(&self) -> Context<'_> {
        Context { catalogue: self, profile: Profile::Deterministic, unnamed: [0xab; 6] }
    }

    pub(super) fn compile(&self, text: &str) -> Result<Compiled, CompileError> {
        compile(&document(text), self.context())
    }

    pub(super) fn flow(&self, text: &str) -> Flow {
        self.compile(text).unwrap_or_else(|error| panic!("{error}: {text}")).flow
    }

    /// The path of the problem, or the message of another error.
    pub(super) fn refusal(&self, text: &str) -> String {
        match self.compile(text) {
            Ok(_) => panic!("compiles: {text}"),
            Err(CompileError::Unsupported(problem)) => problem.path,
            Err(other) => other.to_string(),
        }
    }
}

/// One capability of each kind that the tests bind, and the note digest as a saved flow.
pub(super) fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for definition in [
        r#"{"id":"model.local","kind":"model_cli","name":"Model","config":{"executable":"model","protocol":"symphlo.model-inference.v1"}}"#,
        r#"{"id":"evaluator.names","kind":"evaluator_cli","name":"Names","config":{"executable":"names","protocol":"symphlo.evaluation.v1"}}"#,
        r#"{"id":"cli.write","kind":"cli","name":"Writer","config":{"executable":"write"}}"#,
        r#"{"id":"http.read","kind":"http","name":"Reader","effects":["read_external"],"config":{"url":"http://127.0.0.1:1/x"}}"#,
        r#"{"id":"mcp.tool","kind":"mcp_stdio","name":"Tool","config":{"executable":"mcp","tool":"t"}}"#,
        r#"{"id":"mcp.remote","kind":"mcp_http","name":"Remote","config":{"url":"http://h/mcp","tool":"t"}}"#,
        r#"{"id":"agent.once","kind":"agent_cli","name":"Once","config":{"executable":"once"}}"#,
        r#"{"id":"acp.codex","kind":"acp_agent","name":"Codex","config":{"agent":"codex","allow":["read"]}}"#,
        r#"{"id":"agent.session-fixture","kind":"agent_cli","name":"Fixture","source":"sample","effects":["execute_process"],
            "timeout_seconds":30,"config":{"executable":"fixture","input_mode":"session_json","output_format":"session_json",
            "session_protocol":"symphlo.agent-session.v1"}}"#,
    ] {
        shelf.put(definition);
    }
    let callee = shelf.compile(NOTE_DIGEST).expect("compiles").into();
    shelf.flows.insert("note-digest".into(), callee);
    shelf
}
