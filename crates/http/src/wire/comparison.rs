//! Two Runs side by side (contract §17). The reading itself is written as the reply.

use segue_model::{
    flow::{Effect, fields::Word},
    reading::{
        NodeStatus, RunStatus,
        comparison::{API_VERSION, Comparison, Difference, ExecutionMode, KIND, Lineage, Overall},
    },
};

use crate::shape::{Named, Shape, has};

const SAME: Shape = Shape::OrNull(&Shape::Flag);

const RUN: Named = Named {
    name: "ComparedRun",
    about: "",
    shape: Shape::Exact(&[
        has("run_id", Shape::Text),
        has("status", Shape::Words(RunStatus::WORDS)),
        has("started_at", Shape::Time),
        has("finished_at", Shape::OrNull(&Shape::Time)),
        has("parent_run_id", Shape::OrNull(&Shape::Text)),
        has("forked_from_node_id", Shape::OrNull(&Shape::Text)),
    ]),
};

/// As nodes name who executes them.
pub const EXECUTOR: Named = Named {
    name: "ExecutorReference",
    about: "",
    shape: Shape::Exact(&[has("executor_id", Shape::Text), has("version", Shape::Text)]),
};

const SIDE: Named = Named {
    name: "ComparedSide",
    about: "",
    shape: Shape::Exact(&[
        has("status", Shape::Words(NodeStatus::WORDS)),
        has("outcome", Shape::Words(NodeStatus::WORDS)),
        has("execution_mode", Shape::Words(ExecutionMode::WORDS)),
        has("executor", Shape::Named(&EXECUTOR)),
        has("effects", Shape::List(&Shape::Words(Effect::WORDS))),
        has("evidence_level", Shape::Text),
    ]),
};

pub const COMPARISON: Named = Named {
    name: "RunComparisonReport",
    about: "Inputs and outputs are compared and never shown.",
    shape: Shape::Exact(&[
        has("api_version", Shape::Const(API_VERSION)),
        has("kind", Shape::Const(KIND)),
        has("task_id", Shape::Text),
        has("flow_hash", Shape::Text),
        has("overall", Shape::Words(Overall::WORDS)),
        has("first_divergent_node_id", Shape::OrNull(&Shape::Text)),
        has("lineage_relation", Shape::Words(Lineage::WORDS)),
        has("left_run", Shape::Named(&RUN)),
        has("right_run", Shape::Named(&RUN)),
        has(
            "nodes",
            Shape::List(&Shape::Exact(&[
                has("node_id", Shape::Text),
                has("comparison", Shape::Words(Comparison::WORDS)),
                has("differences", Shape::List(&Shape::Words(Difference::WORDS))),
                has("same_input", SAME),
                has("same_outcome", SAME),
                has("same_executor", SAME),
                has("same_effects", SAME),
                has("same_output", SAME),
                has("same_evidence_level", SAME),
                has("left", Shape::OrNull(&Shape::Named(&SIDE))),
                has("right", Shape::OrNull(&Shape::Named(&SIDE))),
            ])),
        ),
    ]),
};
