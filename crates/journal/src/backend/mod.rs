//! The places a journal can be kept in.

pub mod memory;
pub mod sqlite;
