//! The history of some flows (contract §12.4). The reading itself is written as the reply.

use segue_model::{
    flow::fields::Word,
    reading::{RunStatus, history::CONTRACT},
};

use crate::shape::{Named, Shape, has, version};

pub const HISTORY: Named = Named {
    name: "RunHistory",
    about: "Runs of the flows that were asked for, newest first.",
    shape: Shape::Exact(&[
        version(CONTRACT),
        has("flow_ids", Shape::List(&Shape::Text)),
        has(
            "items",
            Shape::List(&Shape::Exact(&[
                has("run_id", Shape::Text),
                has("flow_id", Shape::Text),
                has("status", Shape::Words(RunStatus::WORDS)),
                has("started_at", Shape::Time),
                has("finished_at", Shape::OrNull(&Shape::Time)),
                has("settled_nodes", Shape::Integer),
                has("total_nodes", Shape::Integer),
                has("parent_run_id", Shape::OrNull(&Shape::Text)),
                has("forked_from_node_id", Shape::OrNull(&Shape::Text)),
            ])),
        ),
    ]),
};
