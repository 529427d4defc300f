//! `segue flow`: the saved flows of a workspace.

mod delete;
mod drawing;
mod graph;
mod list;
pub mod reference;
mod save;
mod schema;
mod show;
mod validate;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CommandError;
use crate::cli::Global;

#[derive(Debug, Args)]
pub struct Flow {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say what keeps a document from being run, if anything does
    Validate(validate::Validate),
    /// Save a document as a new flow, or in place of a saved one
    Save(save::Save),
    /// List saved flows, newest first
    List(list::List),
    /// Print a saved flow
    Show(show::Show),
    /// Draw a flow as text, for Graphviz or for Mermaid
    Graph(graph::Graph),
    /// Print the JSON Schema of flow documents
    Schema(schema::Schema),
    /// Delete a saved flow; its runs stay
    Delete(delete::Delete),
}

impl Flow {
    pub fn run(self, global: &Global) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::Validate(action) => action.run(global),
            Action::Save(action) => action.run(global),
            Action::List(action) => action.run(global),
            Action::Show(action) => action.run(global),
            Action::Graph(action) => action.run(global),
            Action::Schema(action) => action.run(),
            Action::Delete(action) => action.run(global),
        }
    }
}
