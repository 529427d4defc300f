//! The sample service that the HTTP sample capability calls (contract §11).

use segue_model::flow::{Json, Object, Problem, fields::Fields, json::object};

use crate::shape::{Named, Shape, has};

const VERSION: &str = "1.0";
const ID: &str = "http.sample-json";

pub const REQUEST: Named = Named {
    name: "SampleRequest",
    about: "",
    shape: Shape::Open(&[has("contract_version", Shape::Const(VERSION)), has("context", Shape::Map)]),
};

pub const REPLY: Named = Named {
    name: "SampleReply",
    about: "The members of the context, and this one.",
    shape: Shape::Open(&[has(
        "http_sample",
        Shape::Exact(&[
            has("accepted", Shape::Flag),
            has("contract_version", Shape::Const(VERSION)),
            has("sample_id", Shape::Const(ID)),
        ]),
    )]),
};

/// # Errors
/// It is of another version, or has no context.
pub fn answered(body: &Object) -> Result<Object, Problem> {
    let fields = Fields::new(body, "");
    fields.literal("contract_version", VERSION)?;
    let context = fields.object("context")?.ok_or_else(|| fields.problem("context", "must be an object"))?;
    let mut reply = context.members().clone();
    let sample = object([("accepted", true.into()), ("contract_version", VERSION.into()), ("sample_id", ID.into())]);
    reply.insert("http_sample".to_owned(), Json::Object(sample));
    Ok(reply)
}
