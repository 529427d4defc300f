//! Standing still at one message, so that a test can do something to those at the other end just then.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Between two looks whether it may go on.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Counts messages of one direction and stands still at one of them.
#[derive(Debug)]
pub struct Hold {
    at: usize,
    /// Without `.held` and `.go`.
    files: PathBuf,
    passed: AtomicUsize,
}

impl Hold {
    /// From `N:PATH`.
    pub fn parse(text: &str) -> Option<Hold> {
        let (at, files) = text.split_once(':')?;
        Some(Hold { at: at.parse().ok()?, files: files.into(), passed: AtomicUsize::new(0) })
    }

    /// To be called once for each message. At the one that is meant it says so and waits.
    pub fn pass(&self) {
        if self.passed.fetch_add(1, Ordering::Relaxed) + 1 != self.at {
            return;
        }
        if let Err(error) = fs::write(self.files.with_extension("held"), "") {
            super::complain(&error.to_string());
            return;
        }
        while !self.files.with_extension("go").exists() {
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}
