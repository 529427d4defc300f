//! The MCP clients whose settings Segue can be written into: where each keeps them, and in what shape.
//!
//! What a settings file holds besides the one entry is not ours: it is never read into types, reordered or reformatted.

pub mod entry;
mod json;
pub mod settings;
mod table;
mod toml;
pub mod undo;

use std::path::PathBuf;

pub use entry::{EditError, Launch};
pub use table::CLIENTS;

/// One MCP client.
#[derive(Debug)]
pub struct Client {
    /// What it is called on the command line.
    pub id: &'static str,
    pub name: &'static str,
    /// One of these being there says that the client is.
    signs: &'static [Spot],
    /// Its settings: the first that exists, else the first.
    files: &'static [Spot],
    pub shape: Shape,
}

/// A place, told relative to what each user and platform has elsewhere.
#[derive(Debug, Clone, Copy)]
enum Spot {
    Home(&'static str),
    /// Below the folder in which programs with windows keep their settings.
    Application(&'static str),
    /// Below `$XDG_CONFIG_HOME`, else `~/.config`, on every platform.
    Xdg(&'static str),
    /// Below the folder that a variable names. A client that obeys it looks nowhere else.
    Variable(&'static str, &'static str),
}

/// How a client writes down a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// JSON: `KEY: {NAME: {command, args}}`, with `"type": "stdio"` where `typed`.
    Table { key: &'static str, typed: bool },
    /// JSON: `mcp: {NAME: {type: "local", command: [command, args…], enabled: true}}`.
    OneCommand,
    /// TOML: `[mcp_servers.NAME]` with `command` and `args`.
    Toml,
}

/// The environment that places are told from.
#[derive(Debug, Clone)]
pub struct Surroundings {
    home: Option<PathBuf>,
    xdg: Option<PathBuf>,
    variable: fn(&str) -> Option<PathBuf>,
}

impl Surroundings {
    #[must_use]
    pub fn of_this_process() -> Self {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = variable("HOME");
        let xdg = variable("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Self { home, xdg, variable }
    }

    fn application(&self) -> Option<PathBuf> {
        if cfg!(target_os = "macos") {
            self.home.as_ref().map(|home| home.join("Library/Application Support"))
        } else {
            self.xdg.clone()
        }
    }

    fn path(&self, spot: Spot) -> Option<PathBuf> {
        match spot {
            Spot::Home(below) => self.home.as_ref().map(|home| home.join(below)),
            Spot::Application(below) => self.application().map(|folder| folder.join(below)),
            Spot::Xdg(below) => self.xdg.as_ref().map(|folder| folder.join(below)),
            Spot::Variable(name, below) => (self.variable)(name).map(|folder| folder.join(below)),
        }
    }

    /// The places that count: those of a variable alone where one is set.
    fn paths(&self, spots: &[Spot]) -> Vec<PathBuf> {
        let (named, usual): (Vec<Spot>, Vec<Spot>) = spots.iter().partition(|spot| matches!(spot, Spot::Variable(..)));
        let named: Vec<PathBuf> = named.into_iter().filter_map(|spot| self.path(spot)).collect();
        if named.is_empty() { usual.into_iter().filter_map(|spot| self.path(spot)).collect() } else { named }
    }
}

impl Client {
    /// The client of an id.
    #[must_use]
    pub fn by_id(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// Whether it seems to be used on this machine.
    #[must_use]
    pub fn is_here(&self, around: &Surroundings) -> bool {
        around.paths(self.signs).iter().any(|sign| sign.exists())
    }

    /// Its settings file, which need not exist. `None` where no home folder is known.
    #[must_use]
    pub fn file(&self, around: &Surroundings) -> Option<PathBuf> {
        let files = around.paths(self.files);
        files.iter().find(|file| file.exists()).or_else(|| files.first()).cloned()
    }
}
