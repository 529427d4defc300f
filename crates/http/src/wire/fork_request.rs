//! Forks (contract §16).

use segue_flow::api::Admitted;
use segue_model::flow::{Json, Object, Problem, fields::Fields, json::object};

use super::authorization::AUTHORIZATION;
use crate::shape::{Named, Shape, follows, has, version};

const ADMISSION_CONTRACT: &str = "symphlo.run-fork-admission.v1";

pub const FORK_REQUEST: Named = Named {
    name: "RunForkRequest",
    about: "",
    shape: Shape::Exact(&[version("symphlo.run-fork-request.v1"), has("from_node_id", Shape::Text)]),
};

pub const AUTHORIZED_FORK_REQUEST: Named = Named {
    name: "AuthorizedRunForkRequest",
    about: "",
    shape: Shape::Exact(&[
        version("symphlo.authorized-run-fork-request.v1"),
        has("from_node_id", Shape::Text),
        has("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

/// Beyond the contract: what is taken over is not made again for the new input.
pub const CHANGED_FORK_REQUEST: Named = Named {
    name: "ChangedRunForkRequest",
    about: "A fork with other inputs; null takes one away. Results that are taken over are not made again for them.",
    shape: Shape::Exact(&[
        version("segue.changed-run-fork-request.v1"),
        has("from_node_id", Shape::Text),
        has("inputs", Shape::Map),
        has("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

pub const FORK_ADMISSION: Named = Named {
    name: "RunForkAdmission",
    about: "",
    shape: Shape::Exact(&[
        version(ADMISSION_CONTRACT),
        has("parent_run_id", Shape::Text),
        has("run_id", Shape::Text),
        has("from_node_id", Shape::Text),
        has("status", Shape::Text),
    ]),
};

/// What a request wants.
#[derive(Debug, Clone, PartialEq)]
pub struct ForkRequest {
    pub from_node: String,
    pub inputs: Option<Object>,
    pub authorization: Option<Json>,
}

/// # Errors
/// It follows no version exactly, or the node's id is blank.
pub fn read(body: &Object) -> Result<ForkRequest, Problem> {
    let fields = Fields::new(body, "");
    follows(&fields, &[&FORK_REQUEST, &AUTHORIZED_FORK_REQUEST, &CHANGED_FORK_REQUEST])?;
    let inputs = fields.object("inputs")?.map(|inputs| inputs.members().clone());
    if fields.members().contains_key("inputs") && inputs.is_none() {
        return Err(fields.problem("inputs", "must be an object"));
    }
    Ok(ForkRequest {
        from_node: fields.text("from_node_id", segue_model::flow::NodeId::MAX)?.to_owned(),
        inputs,
        authorization: fields.get("effect_authorization").cloned(),
    })
}

#[must_use]
pub fn admission(parent: &str, from_node: &str, admitted: &Admitted) -> Object {
    object([
        ("contract_version", ADMISSION_CONTRACT.into()),
        ("parent_run_id", parent.into()),
        ("run_id", (&admitted.run_id).into()),
        ("from_node_id", from_node.into()),
        ("status", admitted.status.as_str().into()),
    ])
}
