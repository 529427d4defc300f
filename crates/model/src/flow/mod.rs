//! Flows: documents, what they compile to, and the words they are made of.
pub mod canonical;
pub mod json;
