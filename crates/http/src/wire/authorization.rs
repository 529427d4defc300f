//! Effect authorization (contract §15): the challenge of a 428, and what is sent back to say yes.

use axum::http::StatusCode;
use segue_model::flow::{Effect, fields::Word};

use crate::{
    shape::{Named, Shape, has, version},
    table::{Reply, reply},
};

/// What a request that starts a Run may be answered with as well.
pub const REQUIRED: Reply = reply(StatusCode::PRECONDITION_REQUIRED, Shape::Named(&CHALLENGE));

pub const AUTHORIZATION: Named = Named {
    name: "EffectAuthorization",
    about: "Sent back exactly as it was issued.",
    shape: Shape::Exact(&[
        version("symphlo.effect-authorization.v1"),
        has("authorization_id", Shape::Text),
        has("confirmation_phrase", Shape::Text),
    ]),
};

pub const CHALLENGE: Named = Named {
    name: "EffectAuthorizationRequired",
    about: "What a Run may write, and the authorization for exactly that flow, input and scope.",
    shape: Shape::Exact(&[
        version("symphlo.effect-authorization-required.v1"),
        has("policy_version", Shape::Const("symphlo.effect-policy.v1")),
        has("flow_id", Shape::Text),
        has("flow_version", Shape::Text),
        has("flow_hash", Shape::Text),
        has("input_hash", Shape::Text),
        has(
            "scope",
            Shape::Exact(&[
                has("node_ids", Shape::List(&Shape::Text)),
                has("parent_run_id", Shape::OrNull(&Shape::Text)),
                has("from_node_id", Shape::OrNull(&Shape::Text)),
            ]),
        ),
        has(
            "effects",
            Shape::List(&Shape::Exact(&[
                has("effect", Shape::Words(Effect::WORDS)),
                has("node_ids", Shape::List(&Shape::Text)),
                has("risk", Shape::Text),
            ])),
        ),
        has("authorization_id", Shape::Text),
        has("authorization", Shape::Named(&AUTHORIZATION)),
    ]),
};
