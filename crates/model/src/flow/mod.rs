//! Flows: what a document says, what it compiles to, and the words both are made of.
//!
//! A [`Document`] is what is saved and exchanged; [`compile()`] turns it into a [`Flow`], the immutable and
//! hashed form that Runs execute. Both schema versions compile to the same form. Nothing here runs a
//! flow, looks for a program or reads a file: what must be looked up is asked of a [`Catalogue`].

#[macro_use]
pub(crate) mod words;

pub mod authorization;
pub mod bundle;
pub mod canonical;
pub mod capability;
pub mod compile;
pub mod definition;
pub mod difference;
pub mod document;
pub mod effect;
pub mod executor;
pub mod fields;
pub mod granularity;
pub mod graph;
pub mod id;
pub mod inputs;
pub mod json;
pub mod kind;
pub mod node;
pub mod plan;
pub mod problem;
pub mod restore;
pub mod rules;
pub mod schema;
pub mod template;

pub use authorization::{Challenge, Scope};
pub use canonical::Hash;
pub use compile::{Catalogue, CompileError, Context, compile};
pub use definition::Flow;
pub use document::Document;
pub use effect::Effect;
pub use executor::{Binding, ExecutorRef, Profile};
pub use granularity::Granularity;
pub use id::{ArtifactId, NodeId, PortableId, RunId};
pub use json::{Json, Object};
pub use kind::NodeKind;
pub use node::{Node, Upstream};
pub use problem::Problem;

#[cfg(test)]
mod tests;
