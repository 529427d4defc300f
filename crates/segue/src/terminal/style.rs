//! Colours: one table. Whether they reach the terminal is decided where text is written.

use clap::builder::styling::{AnsiColor, Style};
use segue_model::task::Status;

/// The colour of a status.
#[must_use]
pub const fn colour(status: Status) -> AnsiColor {
    match status {
        Status::Created | Status::Starting => AnsiColor::Blue,
        Status::Running => AnsiColor::Cyan,
        Status::Succeeded => AnsiColor::Green,
        Status::Failed => AnsiColor::Red,
        Status::Cancelled => AnsiColor::Yellow,
    }
}

/// A status in its colour.
#[must_use]
pub fn status(status: Status) -> String {
    coloured(status.as_str(), colour(status))
}

#[must_use]
pub fn coloured(text: &str, colour: AnsiColor) -> String {
    styled(text, Style::new().fg_color(Some(colour.into())))
}

/// What is less important.
#[must_use]
pub fn dim(text: &str) -> String {
    styled(text, Style::new().dimmed())
}

#[must_use]
pub fn bold(text: &str) -> String {
    styled(text, Style::new().bold())
}

fn styled(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}
