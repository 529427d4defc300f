//! A Run under way: a moving line for each node on a terminal, plain lines elsewhere.

use std::{collections::HashMap, io::IsTerminal, time::Duration};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use segue_flow::api::Published;

use super::{moment, plain, run_words, style};
use crate::output;

/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(120);

/// Shows a Run until it is dropped.
#[derive(Debug)]
pub struct RunProgress {
    shown: bool,
    /// `None` when standard error is no terminal.
    bars: Option<MultiProgress>,
    /// Of the nodes that are under way.
    bar_of: HashMap<String, ProgressBar>,
}

impl RunProgress {
    /// One that is not shown says nothing at all.
    #[must_use]
    pub fn new(shown: bool) -> Self {
        let bars = (shown && std::io::stderr().is_terminal()).then(MultiProgress::new);
        Self { shown, bars, bar_of: HashMap::new() }
    }

    pub fn show<'e>(&mut self, events: impl IntoIterator<Item = &'e Published>) {
        for event in events {
            let node = event.node_id.as_ref().map(|node| node.as_str());
            if let (Some(bars), Some(node)) = (&self.bars, node) {
                match event.event_type {
                    "executor.started" | "person.asked" => {
                        let bar = self.bar_of.entry(node.to_owned()).or_insert_with(|| bar(bars, node));
                        bar.set_message(run_words::event(event).unwrap_or_default());
                    }
                    "node.succeeded" | "node.failed" | "node.cancelled" | "evaluation.rejected" | "node.repeated" => {
                        if let Some(bar) = self.bar_of.remove(node) {
                            bar.finish_and_clear();
                        }
                    }
                    _ => {}
                }
                // The moving line says it.
                if event.event_type == "executor.started" {
                    continue;
                }
            }
            if let Some(words) = run_words::event(event) {
                let node = node.map(|node| format!("{} ", style::bold(&plain::line(node)))).unwrap_or_default();
                self.say(&format!("{} {node}{words}", style::dim(&moment::clock(event.recorded_at))));
            }
        }
    }

    /// Says something between the moving lines.
    pub fn say(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| output::say(text)),
            None if self.shown => output::say(text),
            None => {}
        }
    }
}

fn bar(bars: &MultiProgress, node: &str) -> ProgressBar {
    let bar = bars.add(ProgressBar::new_spinner());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_prefix(plain::line(node));
    bar.enable_steady_tick(TICK);
    bar
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        if let Some(bars) = &self.bars {
            // What cannot be cleared stays on the screen; nothing else depends on it.
            let _ = bars.clear();
        }
    }
}
