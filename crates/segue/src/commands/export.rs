//! `segue export`: the evidence of Runs as a file that other programs read, and as a page that people open.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;
use serde_json::json;

use super::{CommandError, run_id};
use crate::{
    cli::Global,
    exit::Exit,
    flows::{self, Workspace},
    output, places, report,
    wiring::WiringError,
};

#[derive(Debug, Args)]
pub struct Export {
    /// The runs' ids, or the beginnings of them
    #[arg(required = true)]
    runs: Vec<String>,
    /// The SQLite file to write; it must not exist
    #[arg(long, value_name = "FILE", default_value = "evidence.sqlite3")]
    file: PathBuf,
    /// The page to write, which opens from disk; it must not exist [default: as --file, with .html]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write no page
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
    #[command(flatten)]
    workspace: Workspace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Export {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        let cwd = places::cwd().map_err(WiringError::from)?;
        let file = cwd.join(&self.file);
        let report = self.report.as_ref().map_or_else(|| file.with_extension("html"), |report| cwd.join(report));
        // A build without the console has no page; who asks for one is told.
        let report = (!self.no_report && (report::IS_HERE || self.report.is_some())).then_some(report);
        if let Some(report) = report.as_ref().filter(|report| place(report) == place(&file)) {
            return Err(CommandError::Usage(format!(
                "the evidence {} and the page {} would be one file; name another with --report, or write no page with \
                 --no-report",
                file.display(),
                report.display()
            )));
        }
        for path in [Some(&file), report.as_ref()].into_iter().flatten() {
            if path.exists() {
                return Err(CommandError::Usage(format!("{} exists; nothing was written", path.display())));
            }
        }
        let state_root = places::state_dir(global.state_dir.as_deref()).map_err(WiringError::from)?.path;
        flows::with_flows(global, &self.workspace, async |desk| {
            let mut runs = Vec::new();
            for text in &self.runs {
                let id = run_id::resolve(&desk.flows, text).await?;
                if !runs.contains(&id) {
                    runs.push(id);
                }
            }
            desk.flows.export(&runs, &file).await?;
            if let Some(report) = &report
                && let Err(error) = report::write(desk, &state_root, &runs, report, &file).await
            {
                // The next try is not refused for what this one left.
                let _ = std::fs::remove_file(&file);
                return Err(error);
            }
            if self.json {
                output::json(&json!({"file": file, "report": report, "run_ids": runs}));
            } else {
                for path in [Some(&file), report.as_ref()].into_iter().flatten() {
                    output::line(&path.display().to_string());
                }
            }
            Ok(Exit::Succeeded)
        })
    }
}

/// A file that need not be there, by the folder that it is in.
fn place(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(file.file_name()).map_or_else(|| file.to_owned(), |(folder, name)| folder.join(name))
}
