//! The outcome of a Run (contract §12.2). The reading itself is written as the reply.

use segue_model::{
    flow::{NodeKind, fields::Word},
    reading::{
        RunStatus,
        outcome::{CONTRACT, FailureCode, ProjectedStatus},
    },
};

use crate::shape::{Named, Shape, has, version};

pub const OUTCOME: Named = Named {
    name: "RunOutcome",
    about: "How far a Run is, what it made, why it failed. It shows no payloads.",
    shape: Shape::Exact(&[
        version(CONTRACT),
        has("run_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("status", Shape::Words(RunStatus::WORDS)),
        has("started_at", Shape::Time),
        has("finished_at", Shape::OrNull(&Shape::Time)),
        has("progress", Shape::Exact(&[has("settled_nodes", Shape::Integer), has("total_nodes", Shape::Integer)])),
        has(
            "nodes",
            Shape::List(&Shape::Exact(&[
                has("node_id", Shape::Text),
                has("node_type", Shape::Words(NodeKind::WORDS)),
                has("status", Shape::Words(ProjectedStatus::WORDS)),
            ])),
        ),
        has(
            "artifacts",
            Shape::List(&Shape::Exact(&[
                has("artifact_id", Shape::Text),
                has("name", Shape::Text),
                has("media_type", Shape::Text),
                has("sha256", Shape::Text),
                has("content_url", Shape::Text),
            ])),
        ),
        has(
            "failure",
            Shape::OrNull(&Shape::Exact(&[
                has("code", Shape::Words(FailureCode::WORDS)),
                has("node_id", Shape::OrNull(&Shape::Text)),
                has("repair_from_node_id", Shape::OrNull(&Shape::Text)),
            ])),
        ),
    ]),
};
