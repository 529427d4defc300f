//! The channel: dispatch, observe, keep and resolve tasks.

pub mod api;
pub mod error;
pub mod service;

pub use error::{Code, Refusal};
pub use service::Channel;
