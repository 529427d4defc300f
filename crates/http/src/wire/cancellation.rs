//! Cancellation of a Run (contract §12.3).

use segue_flow::api::Cancelled;
use segue_model::flow::{Json, Object, Problem, RunId, fields::Fields, json::object};

use crate::shape::{Named, Shape, follows, has, version};

const CONTRACT: &str = "symphlo.run-cancellation.v1";
/// Characters of a flow id.
const FLOW_ID_MAX: usize = 128;

pub const CANCELLATION_REQUEST: Named = Named {
    name: "RunCancellationRequest",
    about: "`flow_id` must be that of the Run.",
    shape: Shape::Exact(&[version("symphlo.run-cancellation-request.v1"), has("flow_id", Shape::Text)]),
};

pub const CANCELLATION: Named = Named {
    name: "RunCancellation",
    about: "`accepted` only for the request that moved the Run from running.",
    shape: Shape::Exact(&[
        version(CONTRACT),
        has("run_id", Shape::Text),
        has("flow_id", Shape::Text),
        has("status", Shape::Text),
        has("accepted", Shape::Flag),
    ]),
};

/// The flow that the caller believes the Run to be of.
///
/// # Errors
/// The request does not follow the contract exactly.
pub fn read(body: &Object) -> Result<&str, Problem> {
    let fields = Fields::new(body, "");
    follows(&fields, &[&CANCELLATION_REQUEST])?;
    let id = fields.get("flow_id").and_then(Json::as_str);
    let id = id.filter(|id| !id.is_empty() && id.trim() == *id && id.chars().count() <= FLOW_ID_MAX);
    id.ok_or_else(|| {
        fields.problem("flow_id", format!("must be 1 to {FLOW_ID_MAX} characters without surrounding white space"))
    })
}

#[must_use]
pub fn written(run: &RunId, flow_id: &str, cancelled: Cancelled) -> Object {
    object([
        ("contract_version", CONTRACT.into()),
        ("run_id", run.into()),
        ("flow_id", flow_id.into()),
        ("status", cancelled.status.as_str().into()),
        ("accepted", cancelled.accepted.into()),
    ])
}
