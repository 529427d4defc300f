//! The bars of the channel and of flows, measured on the built program as its users run it.
//!
//! One file a bar. Each measures whole processes from outside, over MCP and HTTP, with the scripted
//! agent in place of real ones, so what is timed is Segue. A figure stands beside its bar and the sync time of
//! the disk it was taken on; nothing here judges.

mod flow_nodes;
mod flow_start;
mod memory;
mod recovery;
mod spawn;
mod start;
mod streams;
mod sync;
mod together;

use serde_json::{Value, json};

use crate::program::Program;

/// One figure beside its bar.
#[derive(Debug, Clone)]
pub struct Figure {
    pub what: &'static str,
    pub unit: &'static str,
    pub seen: f64,
    /// The figure may be at most this.
    pub bar: f64,
    /// How many times it was measured.
    pub runs: usize,
    /// The largest of them.
    pub worst: f64,
}

impl Figure {
    /// Below 1 the bar is kept.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.seen / self.bar
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "what": self.what,
            "unit": self.unit,
            "seen": self.seen,
            "worst": self.worst,
            "bar": self.bar,
            "ratio_to_bar": self.ratio(),
            "runs": self.runs,
        })
    }

    /// The median of what was seen against a bar.
    fn median(what: &'static str, unit: &'static str, mut seen: Vec<f64>, bar: f64) -> Self {
        seen.sort_by(f64::total_cmp);
        let middle = seen.get(seen.len() / 2).copied().unwrap_or(f64::NAN);
        let worst = seen.last().copied().unwrap_or(f64::NAN);
        Self { what, unit, seen: middle, bar, runs: seen.len(), worst }
    }
}

/// A bar by the name it can be asked for with.
type Bar = (&'static str, fn(sync_ms: f64) -> Vec<Figure>);

/// Every bar, in the order in which they are measured.
pub const BARS: [Bar; 9] = [
    ("start", |_| start::measure()),
    ("memory", |_| memory::measure()),
    ("spawn", spawn::measure),
    ("together", |_| together::measure()),
    ("streams", |_| streams::measure()),
    ("recovery", |_| recovery::measure()),
    ("commands", flow_nodes::commands),
    ("runs", |_| flow_start::measure()),
    ("taken-over", |_| flow_nodes::taken_over()),
];

/// Milliseconds of one append of 4 KiB with fdatasync, in the folder for temporary files.
#[must_use]
pub fn sync_ms() -> f64 {
    sync::median_ms()
}

/// A world without the debug build's checks in the way: programs come from the folder of this binary.
fn world() -> Program {
    Program::new()
}

fn ms(elapsed: std::time::Duration) -> f64 {
    elapsed.as_secs_f64() * 1_000.0
}
