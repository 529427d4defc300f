//! What every error looks like (contract §10).

use crate::shape::{Named, Shape, has, may};

pub const PROBLEM: Named = Named {
    name: "Problem",
    about: "The text is for people. Refusals of the channel have a code as well.",
    shape: Shape::Exact(&[has("error", Shape::Text), may("code", Shape::Text)]),
};
