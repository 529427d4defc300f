//! How a flow behaved over its Runs (contract §18). The reading itself is written as the reply.

use segue_model::{
    flow::fields::Word,
    reading::{
        NodeStatus,
        comparison::API_VERSION,
        stability::{Classification, KIND},
    },
};

use super::comparison::EXECUTOR;
use crate::shape::{Named, Shape, has};

pub const STABILITY: Named = Named {
    name: "RunStabilityReport",
    about: "Only Runs of exactly that task and flow count; forks do not.",
    shape: Shape::Exact(&[
        has("api_version", Shape::Const(API_VERSION)),
        has("kind", Shape::Const(KIND)),
        has("task_id", Shape::Text),
        has("flow_hash", Shape::Text),
        has("comparable_run_count", Shape::Integer),
        has("run_ids", Shape::List(&Shape::Text)),
        has(
            "nodes",
            Shape::List(&Shape::Exact(&[
                has("node_id", Shape::Text),
                has("classification", Shape::Words(Classification::WORDS)),
                has("observed_run_count", Shape::Integer),
                has("succeeded_count", Shape::Integer),
                has("failure_count", Shape::Integer),
                has("latest_status", Shape::OrNull(&Shape::Words(NodeStatus::WORDS))),
                has("executors", Shape::List(&Shape::Named(&EXECUTOR))),
                has("evidence_levels", Shape::List(&Shape::Text)),
            ])),
        ),
    ]),
};
