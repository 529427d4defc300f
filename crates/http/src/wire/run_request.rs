//! Admission of a Run by the portable id of its flow (contract §12.1).

use segue_flow::api::Admitted;
use segue_model::flow::{
    Json, Object, Problem, Profile,
    fields::{Fields, Word},
    json::object,
};

use super::authorization::AUTHORIZATION;
use crate::shape::{Named, Shape, follows, has, version};

const ADMISSION_CONTRACT: &str = "symphlo.run-admission.v1";

pub const RUN_REQUEST: Named = Named {
    name: "RunRequest",
    about: "",
    shape: Shape::Exact(&[
        version("symphlo.run-request.v1"),
        has("executor", Shape::Words(Profile::WORDS)),
        has("inputs", Shape::Map),
    ]),
};

pub const AUTHORIZED_RUN_REQUEST: Named = Named {
    name: "AuthorizedRunRequest",
    about: "",
    shape: Shape::Exact(&[
        version("symphlo.authorized-run-request.v1"),
        has("executor", Shape::Words(Profile::WORDS)),
        has("inputs", Shape::Map),
        has("effect_authorization", Shape::OrNull(&Shape::Named(&AUTHORIZATION))),
    ]),
};

pub const RUN_ADMISSION: Named = Named {
    name: "RunAdmission",
    about: "The Run goes on in the background; it may be over when this arrives.",
    shape: Shape::Exact(&[
        version(ADMISSION_CONTRACT),
        has("flow_id", Shape::Text),
        has("run_id", Shape::Text),
        has("status", Shape::Text),
    ]),
};

/// What a request wants.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    pub profile: Profile,
    pub inputs: Object,
    pub authorization: Option<Json>,
}

/// # Errors
/// It follows neither version exactly.
pub fn read(body: &Object) -> Result<RunRequest, Problem> {
    let fields = Fields::new(body, "");
    follows(&fields, &[&RUN_REQUEST, &AUTHORIZED_RUN_REQUEST])?;
    let profile = fields.word("executor")?.ok_or_else(|| fields.problem("executor", "is missing"))?;
    let inputs = fields.object("inputs")?.ok_or_else(|| fields.problem("inputs", "must be an object"))?;
    Ok(RunRequest {
        profile,
        inputs: inputs.members().clone(),
        authorization: fields.get("effect_authorization").cloned(),
    })
}

#[must_use]
pub fn admission(admitted: &Admitted) -> Object {
    object([
        ("contract_version", ADMISSION_CONTRACT.into()),
        ("flow_id", admitted.flow_id.as_str().into()),
        ("run_id", (&admitted.run_id).into()),
        ("status", admitted.status.as_str().into()),
    ])
}
