//! A task: one turn of one agent.

pub mod because;
mod command;
pub mod event;
pub mod final_message;
pub mod next;
pub mod outcome;
pub mod permission;
pub mod receipt;
pub mod state;
#[cfg(test)]
mod tests;
mod title;
pub mod truncate;
pub mod usage;

pub use because::Because;
pub use event::{Created, Event, Facts, SettingInForce, StopReceipt, StoppedProcess, Usage, Verdict};
pub use state::{Phase, Resolution, Status, Task};
pub use title::title;
