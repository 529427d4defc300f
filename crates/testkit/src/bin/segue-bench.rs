//! `make bench`: the bars on this machine, as JSON lines, with a table for people.
//!
//!     segue-bench [BAR...]
//!
//! The programs measured are those beside this one, so build it with `--release`.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "figures are what it is for")]

use std::{fs, path::Path, process::ExitCode};

use segue_testkit::bench::{BARS, Figure, sync_ms};
use serde_json::json;

/// Where the figures are kept, below the folder it is started in.
const KEPT: &str = "target/bench/bars.json";

fn main() -> ExitCode {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked.iter().find(|name| !BARS.iter().any(|(bar, _)| bar == name)) {
        let known: Vec<&str> = BARS.iter().map(|(bar, _)| *bar).collect();
        eprintln!("segue-bench: no bar {unknown:?}; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    let sync = sync_ms();
    println!("{}", json!({"what": "sync: 4 KiB appended and fdatasync", "unit": "ms", "seen": sync}));
    let mut figures = Vec::new();
    for (name, measure) in BARS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            for figure in measure(sync) {
                println!("{}", figure.to_json());
                figures.push(figure);
            }
        }
    }
    table(sync, &figures);
    let kept = json!({"sync_ms": sync, "figures": figures.iter().map(Figure::to_json).collect::<Vec<_>>()});
    let written = fs::create_dir_all(Path::new(KEPT).parent().unwrap_or(Path::new(".")))
        .and_then(|()| fs::write(KEPT, format!("{kept:#}\n")));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("segue-bench: {KEPT}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn table(sync: f64, figures: &[Figure]) {
    println!("\n{:<58} {:>10} {:>10} {:>10} {:>7}", "what", "seen", "worst", "bar", "ratio");
    println!("{:<58} {sync:>7.2} ms", "sync: 4 KiB appended and fdatasync");
    for figure in figures {
        println!(
            "{:<58} {:>7.1} {:<3} {:>6.1} {:<3} {:>6.1} {:<3} {:>6.2}",
            figure.what,
            figure.seen,
            figure.unit,
            figure.worst,
            figure.unit,
            figure.bar,
            figure.unit,
            figure.ratio()
        );
    }
}
