//! Supervised process trees, and the clients that speak through them.

pub mod acp;
pub mod adapters;
