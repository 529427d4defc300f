//! What can be said of Runs from what was recorded of them: outcome, history, comparison, stability (contract
//! §12.2, §12.4, §17, §18).
//!
//! Pure functions of [`RunFacts`]. They show no payloads, no hashes of payloads, no messages and no paths, and
//! they fail closed: evidence that contradicts itself has no reading.

pub mod comparison;
pub mod facts;
pub mod history;
pub mod instant;
pub mod outcome;
pub mod stability;

pub use comparison::compare;
pub use facts::{ArtifactFacts, NodeFacts, NodeStatus, Rejection, RunFacts, RunStatus};
pub use history::history;
pub use outcome::{Inconsistent, Outcome, outcome};
pub use stability::stability;

#[cfg(test)]
mod tests;
