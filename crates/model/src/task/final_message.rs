//! The last thing the agent said: the trailing message text, capped.

use serde::{Deserialize, Serialize};

/// How many characters (code points) of the trailing text are kept. Fixed by the channel contract.
pub const FINAL_MESSAGE_CHARS: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FinalMessage {
    text: String,
    truncated: bool,
}

impl FinalMessage {
    /// `None` when nothing was said since the last reset.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        (!self.text.is_empty()).then_some(self.text.as_str())
    }

    /// The cap cut something since the last reset.
    #[must_use]
    pub const fn truncated(&self) -> bool {
        self.truncated
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        // Counting is skipped while even one byte a character would fit.
        if self.text.len() > FINAL_MESSAGE_CHARS {
            let over = self.text.chars().count().saturating_sub(FINAL_MESSAGE_CHARS);
            if over > 0 {
                let cut = self.text.char_indices().nth(over).map_or(self.text.len(), |(at, _)| at);
                self.text.drain(..cut);
                self.truncated = true;
            }
        }
    }

    pub(super) fn reset(&mut self) {
        self.text.clear();
        self.truncated = false;
    }
}
