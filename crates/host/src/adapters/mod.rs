//! Which agents there are, how each is started and what is set before its first prompt.
//!
//! An agent is a row of data ([`Adapter`]): the six built-in ones are a table, others come from a
//! configuration file. What cannot be data is one short file per agent. Everything here is pure: the
//! environment and the search path are arguments, and only [`locate()`] looks at files.

mod adapter;
mod agents_file;
mod builtin;
mod environment;
mod locate;
mod opencode;
mod options;
mod registry;

pub use adapter::{Adapter, Choice, Delivery, Pin};
pub use agents_file::AgentsFileError;
pub use environment::{DEPTH, Environment, EnvironmentError, HOSTING_MARKERS, depth};
pub use locate::{NotFound, Unavailable, locate};
pub use options::Options;
pub use registry::Registry;
