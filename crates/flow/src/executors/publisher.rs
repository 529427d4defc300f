//! The publisher: text that was accepted becomes a file (contract §9).

use segue_model::{
    flow::{Hash, Json, Object, Upstream, json::object},
    run::{
        Outcome,
        attempt::{Artifact, EvidenceLevel},
    },
};

use super::{Answer, Call, Executor, Surroundings, evaluator_cli, failure};

const MEDIA_TYPE: &str = "text/markdown";
/// Where the text is looked for, in order, and what the file is called then.
const SOURCES: [(&str, &str); 3] =
    [("article_markdown", "article.md"), ("agent_output", "result.md"), ("model_output", "result.md")];

#[derive(Debug)]
pub struct Publisher;

/// What is published.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    pub name: &'static str,
    pub content: String,
    pub output: Object,
}

/// `None` if the input holds no text to publish.
#[must_use]
pub fn publication(input: &Object) -> Option<Publication> {
    let source = unwrapped(input);
    let mut texts = SOURCES.iter().filter_map(|(key, name)| Some((source.get(*key)?.non_blank()?, *name)));
    let (content, name) = texts.next()?;
    let member = |key: &str| Json::from(source.get(key).cloned());
    let output = object([
        ("role", "publisher".into()),
        ("topic", member("topic")),
        ("granularity", member("granularity")),
        ("accepted_source_hash", member("stage_hash")),
        ("artifact_name", name.into()),
        ("content_sha256", (&Hash::of_bytes(content.as_bytes())).into()),
    ]);
    Some(Publication { name, content: content.to_owned(), output })
}

/// What a step publishes: of several outputs that it receives by name, the first that holds a text, in the order of
/// `from`. So that an answer can stand beside what it is about.
fn of_step(upstream: &Upstream, input: &Object) -> Option<Publication> {
    let gathered = match upstream {
        Upstream::Gathered(ids) => ids.as_slice(),
        Upstream::FlowInput | Upstream::Output(_) => &[],
    };
    let mut sources = gathered.iter().filter_map(|id| input.get(id.as_str()).and_then(Json::as_object));
    publication(input).or_else(|| sources.find_map(publication))
}

/// What a gate let through stands in its candidate. One level only.
fn unwrapped(input: &Object) -> &Object {
    let passed = input.get("evaluation").is_some_and(|evaluation| {
        let word = |key: &str| evaluation.get(key).and_then(Json::as_str);
        word("contract_version") == Some(evaluator_cli::RESULT) && word("verdict") == Some("pass")
    });
    match input.get("candidate") {
        Some(Json::Object(candidate)) if passed => candidate,
        _ => input,
    }
}

impl Executor for Publisher {
    fn needs_host(&self) -> bool {
        false
    }

    /// Done again it gives the same file under another id: the first was never recorded.
    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            let Some(Publication { name, content, output }) = of_step(&call.node.upstream, &call.input) else {
                return failure(None, "NothingToPublish", "the accepted input holds no text to publish");
            };
            let bytes = content.len() as u64;
            match around.put_blob(content.into_bytes()).await {
                Ok(sha256) => Outcome::Returned {
                    output: Json::Object(output),
                    level: EvidenceLevel::Deterministic,
                    session: None,
                    artifact: Some(Artifact {
                        artifact_id: around.draw_artifact_id(),
                        name: name.to_owned(),
                        media_type: MEDIA_TYPE.to_owned(),
                        sha256,
                        bytes,
                    }),
                },
                Err(cause) => failure(None, "ArtifactNotStored", format!("{name} could not be stored: {cause}")),
            }
        })
    }
}
