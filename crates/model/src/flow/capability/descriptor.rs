//! The user's file of agent descriptors (contract §13, discovery): programs to look for and how to call them.
//! There are no fields for environment or credentials, and an entry with any other key is refused.

use super::{
    super::{
        fields::Fields,
        id::{CapabilityId, matches},
        json::{Json, Object, object},
        problem::Problem,
    },
    Kind, Source,
    read::{ARG_MAX, ARGS_MAX},
};

/// Entries of one file.
pub const AGENTS_MAX: usize = 16;
/// Names and paths of one entry. The contract names no bound; this is that of arguments.
const PLACES_MAX: usize = ARGS_MAX;
const DEFAULT_TIMEOUT: u32 = 300;
const DEFAULT_VERSION_ARG: &str = "--version";

const KEYS: [&str; 13] = [
    "id",
    "name",
    "description",
    "executable_names",
    "executable_paths",
    "args",
    "input_mode",
    "output_format",
    "session_protocol",
    "probe_args",
    "version_args",
    "timeout_seconds",
    "effects",
];

/// What of an entry goes into the capability's config as it is.
const CONFIG_KEYS: [&str; 5] = ["args", "input_mode", "output_format", "session_protocol", "probe_args"];

/// One agent to look for.
#[derive(Debug, Clone, PartialEq)]
pub struct Descriptor {
    pub id: CapabilityId,
    /// Searched on PATH, before the paths.
    pub executable_names: Vec<String>,
    /// Absolute; the first that is a file is taken.
    pub executable_paths: Vec<String>,
    /// Arguments that make the program print its version.
    pub version_args: Vec<String>,
    entry: Object,
}

/// Reads the file.
///
/// # Errors
/// Another version, an unknown key, a broken bound, or an id that occurs twice.
pub fn read_descriptors(file: &Json) -> Result<Vec<Descriptor>, Problem> {
    let fields = Fields::of(file, "")?;
    fields.only(&["version", "agents"])?;
    if fields.get("version").and_then(Json::as_i64) != Some(1) {
        return Err(fields.problem("version", "must be 1"));
    }
    let agents = fields.array("agents", AGENTS_MAX)?.ok_or_else(|| fields.problem("agents", "is missing"))?;
    let mut descriptors: Vec<Descriptor> = Vec::with_capacity(agents.len());
    for (index, agent) in agents.iter().enumerate() {
        let entry = Fields::of(agent, format!("/agents/{index}"))?;
        let descriptor = Descriptor::read(&entry)?;
        if descriptors.iter().any(|other| other.id == descriptor.id) {
            return Err(entry.problem("id", "occurs twice"));
        }
        descriptors.push(descriptor);
    }
    Ok(descriptors)
}

impl Descriptor {
    fn read(entry: &Fields<'_>) -> Result<Self, Problem> {
        entry.only(&KEYS)?;
        let id = entry.text("id", CapabilityId::MAX)?;
        let id = CapabilityId::parse(id).ok_or_else(|| entry.problem("id", "must be a capability id"))?;
        let executable_names = entry.strings("executable_names", PLACES_MAX, ARG_MAX)?.unwrap_or_default();
        if !executable_names.iter().all(|name| is_program_name(name)) {
            let message = "must hold names of 1 to 128 characters of letters, digits, '.', '_' and '-'";
            return Err(entry.problem("executable_names", message));
        }
        let executable_paths = entry.strings("executable_paths", PLACES_MAX, ARG_MAX)?.unwrap_or_default();
        if !executable_paths.iter().all(|path| is_absolute(path)) {
            return Err(entry.problem("executable_paths", "must hold absolute paths"));
        }
        if executable_names.is_empty() && executable_paths.is_empty() {
            return Err(entry.problem("executable_names", "give at least one name or path"));
        }
        let version_args = entry.strings("version_args", ARGS_MAX, ARG_MAX)?;
        let version_args = version_args.unwrap_or_else(|| vec![DEFAULT_VERSION_ARG.to_owned()]);
        if version_args.is_empty() {
            return Err(entry.problem("version_args", "must not be empty"));
        }
        let descriptor = Self { id, executable_names, executable_paths, version_args, entry: entry.members().clone() };
        // What is wrong with the rest is said now and not only where the program happens to be installed.
        super::Capability::from_saved(&descriptor.definition("/", ""))
            .map_err(|problem| Problem::new(entry.path(problem.path.trim_start_matches('/')), problem.message))?;
        Ok(descriptor)
    }

    /// The definition of a capability for the program that was found, to be read by the usual rules.
    /// `version` is what it printed; empty if it printed nothing.
    #[must_use]
    pub fn definition(&self, executable: &str, version: &str) -> Json {
        let mut config = object([("executable", executable.into()), ("version", version.into())]);
        config.extend(self.members(&CONFIG_KEYS));
        let mut definition = object([
            ("id", (&self.id).into()),
            ("kind", Kind::AgentCli.into()),
            ("source", Source::Discovered.into()),
            ("timeout_seconds", DEFAULT_TIMEOUT.into()),
            ("config", config.into()),
        ]);
        definition.extend(self.members(&["name", "description", "timeout_seconds", "effects"]));
        definition.into()
    }

    fn members(&self, names: &[&str]) -> Object {
        let given = names.iter().filter_map(|name| self.entry.get_key_value(*name));
        given.filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

fn is_program_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    matches(name, 1, 128, allowed, allowed)
}

/// An absolute path of a Unix system; this crate does not ask on which system it runs.
fn is_absolute(path: &str) -> bool {
    path.starts_with('/') && !path.contains('\0')
}
