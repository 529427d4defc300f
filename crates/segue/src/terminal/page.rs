//! Labelled lines.

use super::{plain, style};

/// How wide labels are.
const LABEL: usize = 12;

/// A page of labelled lines, built from top to bottom.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// A line whose text is Segue's own and may hold colours.
    pub fn own(&mut self, label: &str, text: &str) {
        let label = style::dim(&format!("{label:LABEL$}"));
        self.0.push_str(&format!("{label} {text}\n"));
    }

    /// A line with text from elsewhere; nothing when there is none.
    pub fn add(&mut self, label: &str, text: &str) {
        let text = plain::block(text.trim_end());
        let mut lines = text.lines();
        if let Some(first) = lines.next() {
            self.own(label, first);
        }
        for line in lines {
            self.own("", line);
        }
    }

    pub fn add_some(&mut self, label: &str, text: Option<&str>) {
        self.add(label, text.unwrap_or_default());
    }

    /// Text from elsewhere under a heading of its own.
    pub fn section(&mut self, heading: &str, text: &str) {
        self.0.push_str(&format!("\n{}\n{}\n", style::bold(heading), plain::block(text.trim_end())));
    }

    /// The page without its last line end.
    #[must_use]
    pub fn finish(self) -> String {
        self.0.trim_end().to_owned()
    }
}
