//! How things look to a person. Nothing here reads the record or decides anything.

pub mod event_line;
pub mod moment;
pub mod page;
pub mod plain;
pub mod progress;
pub mod run_progress;
pub mod run_words;
pub mod style;
pub mod table;
pub mod task_page;
