//! The input rules of a capability definition (contract §13): what came in, checked and brought to normal
//! form. Unknown keys of a config are dropped in the kinds of the contract, as it says, and refused in our own: there a
//! key that is misspelt would be a permission or a token that is silently not there.

use super::{
    super::{
        effect::Effect,
        fields::{Fields, cut},
        id::{CapabilityId, is_word_byte, matches},
        json::{Json, Object},
        problem::Problem,
    },
    Capability, Kind, Source,
    config::{AcpAgent, Command, Config, InputMode, Method, OutputFormat, Probe, Resolve, ToolCall, protocol},
    url,
};
use crate::task::permission::ToolKind;

// Bounds of the contract, in characters and items.
const NAME_MAX: usize = 120;
const DESCRIPTION_MAX: usize = 500;
const EXECUTABLE_MAX: usize = 2048;
pub(super) const ARGS_MAX: usize = 32;
pub(super) const ARG_MAX: usize = 2048;
const VERSION_MAX: usize = 160;
const TOOL_MAX: usize = 128;
const URL_MAX: usize = 2048;

// Bounds of our own kinds; those of the channel where it has them.
const AGENT_MAX: usize = 64;
const SETTING_MAX: usize = 200;
const KEEP_IDLE: std::ops::RangeInclusive<u32> = 1..=600;
const KEEP_TURNS: std::ops::RangeInclusive<u32> = 1..=20;
const ENVIRONMENT_NAME_MAX: usize = 128;

const DEFAULT_CONTEXT_KEY: &str = "context";

/// Whether `source: "sample"` is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    Caller,
    Runtime,
}

impl Capability {
    /// Reads a definition that came in.
    ///
    /// # Errors
    /// The first rule that is broken; an executable that cannot be found is one of them.
    pub fn read(definition: &Json, resolve: Resolve<'_>, author: Author) -> Result<Self, Problem> {
        let fields = Fields::of(definition, "")?;
        let required = |name: &str| fields.problem(name, "is missing");
        let kind: Kind = fields.word("kind")?.ok_or_else(|| required("kind"))?;
        let name = fields.text("name", NAME_MAX)?.to_owned();
        let id = read_id(&fields, kind, &name)?;
        let source = fields.word("source")?.unwrap_or(Source::Manual);
        if source == Source::Sample && author == Author::Caller {
            return Err(fields.problem("source", "is reserved for what the runtime installs"));
        }
        let description = cut(fields.optional_string("description")?.unwrap_or_default(), DESCRIPTION_MAX);
        let longest = match author {
            Author::Caller => kind.longest_timeout(),
            Author::Runtime => kind.longest_timeout_of_runtime(),
        };
        let timeout = fields.integer("timeout_seconds", 1..=longest)?;
        let effects = read_effects(&fields, kind)?;
        let config = fields.object("config")?.ok_or_else(|| fields.problem("config", "must be an object"))?;
        let config = read_config(kind, &config, resolve)?;
        let timeout_seconds = timeout.unwrap_or(kind.default_timeout());
        Ok(Self { id, name, source, description, effects, timeout_seconds, config })
    }

    /// Reads a definition that was accepted before. Its program may have gone since: that is found when it is
    /// used, and the catalogue stays readable.
    ///
    /// # Errors
    /// The stored text was not written by this product.
    pub fn from_saved(definition: &Json) -> Result<Self, Problem> {
        Self::read(definition, &|executable| Some(executable.to_owned()), Author::Runtime)
    }
}

fn read_id(fields: &Fields<'_>, kind: Kind, name: &str) -> Result<CapabilityId, Problem> {
    let given = fields.optional_string("id")?;
    let text = given.map_or_else(|| slug(kind, name), str::to_owned);
    CapabilityId::parse(&text).ok_or_else(|| {
        fields.problem("id", "must be 3 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit")
    })
}

/// The id of a definition that names none: lower case, each run of other characters one dash.
fn slug(kind: Kind, name: &str) -> String {
    let mut slug = String::new();
    for character in format!("{kind}-{name}").to_lowercase().chars() {
        let allowed = u8::try_from(character).is_ok_and(|byte| byte.is_ascii() && CapabilityId::may_hold(byte));
        if allowed {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(CapabilityId::MAX);
    slug.trim_end_matches('-').to_owned()
}

fn read_effects(fields: &Fields<'_>, kind: Kind) -> Result<Vec<Effect>, Problem> {
    let given: Option<Vec<Effect>> = fields.word_list("effects")?;
    let Some(effects) = given else { return Ok(kind.default_effects().to_vec()) };
    if kind == Kind::EvaluatorCli && effects.iter().any(|effect| effect.is_write()) {
        return Err(fields.problem("effects", "an evaluator must not write"));
    }
    // An agent may do more than its `allow` list says without ever asking, so nothing narrower is true.
    if kind == Kind::AcpAgent && effects != kind.default_effects() {
        return Err(fields.problem("effects", "those of an ACP agent cannot be chosen; leave them out"));
    }
    Ok(effects)
}

fn read_config(kind: Kind, config: &Fields<'_>, resolve: Resolve<'_>) -> Result<Config, Problem> {
    match kind {
        Kind::AgentCli if config.get("adapter_protocol").is_some() => read_agent_server(config, resolve),
        Kind::AgentCli => read_agent_cli(config, resolve),
        Kind::ModelCli => {
            config.literal("protocol", protocol::MODEL)?;
            Ok(Config::ModelCli { command: read_command(config, resolve)?, probe: read_probe(config)? })
        }
        Kind::EvaluatorCli => {
            config.literal("protocol", protocol::EVALUATION)?;
            Ok(Config::EvaluatorCli { command: read_command(config, resolve)?, probe: read_probe(config)? })
        }
        Kind::Cli => Ok(Config::Cli { command: read_command(config, resolve)? }),
        Kind::McpStdio => {
            Ok(Config::McpStdio { command: read_command(config, resolve)?, call: read_tool_call(config)? })
        }
        Kind::Http => Ok(Config::Http {
            url: read_url(config)?,
            method: read_method(config)?,
            body: read_object(config, "body")?,
            context_key: read_context_key(config)?,
        }),
        Kind::AcpAgent => read_acp_agent(config),
        Kind::McpHttp => {
            config.only(&["url", "tool", "arguments", "context_key", "token_env"])?;
            Ok(Config::McpHttp {
                url: read_url(config)?,
                call: read_tool_call(config)?,
                token_env: read_environment_name(config, "token_env")?,
            })
        }
    }
}

fn read_agent_cli(config: &Fields<'_>, resolve: Resolve<'_>) -> Result<Config, Problem> {
    let input = config.word("input_mode")?.unwrap_or(InputMode::Stdin);
    let output = config.word("output_format")?.unwrap_or(OutputFormat::Text);
    let session = [
        ("input_mode", input == InputMode::SessionJson),
        ("output_format", output == OutputFormat::SessionJson),
        ("session_protocol", config.get("session_protocol").is_some()),
    ];
    if session.iter().any(|(_, is_session)| *is_session) {
        if let Some((name, _)) = session.iter().find(|(_, is_session)| !is_session) {
            let message = "session input, session output and session_protocol require each other";
            return Err(config.problem(name, message));
        }
        config.literal("session_protocol", protocol::AGENT_SESSION)?;
    }
    Ok(Config::AgentCli { command: read_command(config, resolve)?, input, output, probe: read_probe(config)? })
}

fn read_agent_server(config: &Fields<'_>, resolve: Resolve<'_>) -> Result<Config, Problem> {
    config.literal("adapter_protocol", protocol::OPENCODE_SERVER)?;
    config.literal("workspace_profile", protocol::EPHEMERAL_TEXT_ONLY)?;
    let one_shot = ["args", "input_mode", "output_format", "session_protocol"];
    if let Some(name) = one_shot.into_iter().find(|name| config.get(name).is_some()) {
        return Err(config.problem(name, "cannot be combined with adapter_protocol"));
    }
    let probe = read_probe(config)?;
    let version = probe.version.ok_or_else(|| config.problem("version", "is required with adapter_protocol"))?;
    Ok(Config::AgentServer { executable: read_executable(config, resolve)?, probe_args: probe.args, version })
}

fn read_command(config: &Fields<'_>, resolve: Resolve<'_>) -> Result<Command, Problem> {
    let executable = read_executable(config, resolve)?;
    let args = config.strings("args", ARGS_MAX, ARG_MAX)?.unwrap_or_default();
    Ok(Command { executable, args })
}

fn read_executable(config: &Fields<'_>, resolve: Resolve<'_>) -> Result<String, Problem> {
    let named = config.text("executable", EXECUTABLE_MAX)?;
    let found = resolve(named);
    found.ok_or_else(|| config.problem("executable", "is neither a command on PATH nor the absolute path of a file"))
}

fn read_probe(config: &Fields<'_>) -> Result<Probe, Problem> {
    let args = config.strings("probe_args", ARGS_MAX, ARG_MAX)?;
    if args.as_ref().is_some_and(Vec::is_empty) {
        return Err(config.problem("probe_args", "must not be empty"));
    }
    let version = config.optional_string("version")?.map(|text| cut(text.trim(), VERSION_MAX));
    Ok(Probe { args, version: version.filter(|text| !text.is_empty()) })
}

fn read_tool_call(config: &Fields<'_>) -> Result<ToolCall, Problem> {
    Ok(ToolCall {
        tool: config.text("tool", TOOL_MAX)?.to_owned(),
        arguments: read_object(config, "arguments")?,
        context_key: read_context_key(config)?,
    })
}

fn read_object(config: &Fields<'_>, name: &str) -> Result<Object, Problem> {
    Ok(config.object(name)?.map(|fields| fields.members().clone()).unwrap_or_default())
}

/// Here, unlike elsewhere, `null` is not the same as absent: it says that no context is passed.
fn read_context_key(config: &Fields<'_>) -> Result<Option<String>, Problem> {
    match config.members().get("context_key") {
        None => Ok(Some(DEFAULT_CONTEXT_KEY.to_owned())),
        Some(_) => Ok(config.optional_string("context_key")?.map(str::to_owned)),
    }
}

fn read_url(config: &Fields<'_>) -> Result<String, Problem> {
    let text = config.text("url", URL_MAX)?;
    url::check(text).map_err(|message| config.problem("url", message))?;
    Ok(text.to_owned())
}

fn read_method(config: &Fields<'_>) -> Result<Method, Problem> {
    let Some(text) = config.optional_string("method")? else { return Ok(Method::Post) };
    Method::parse(&text.to_ascii_uppercase()).ok_or_else(|| config.problem("method", "must be GET or POST"))
}

fn read_environment_name(config: &Fields<'_>, name: &str) -> Result<Option<String>, Problem> {
    let Some(text) = config.optional_string(name)? else { return Ok(None) };
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !matches(text, 1, ENVIRONMENT_NAME_MAX, first, rest) {
        return Err(config.problem(name, "must be the name of an environment variable"));
    }
    Ok(Some(text.to_owned()))
}

fn read_acp_agent(config: &Fields<'_>) -> Result<Config, Problem> {
    config.only(&["agent", "model", "effort", "allow", "keep_idle", "keep_turns"])?;
    let agent = config.text("agent", AGENT_MAX)?;
    if !agent.bytes().all(is_word_byte) {
        return Err(config.problem("agent", "must be the name of an agent: letters, digits, '_' and '-'"));
    }
    let kinds = config.strings("allow", ToolKind::ALLOWABLE.len(), SETTING_MAX)?.unwrap_or_default();
    let mut allow = Vec::with_capacity(kinds.len());
    for text in kinds {
        let kind = ToolKind::ALLOWABLE.into_iter().find(|kind| kind.as_str() == text && !allow.contains(kind));
        let words = ToolKind::ALLOWABLE.map(ToolKind::as_str).join(", ");
        allow.push(kind.ok_or_else(|| config.problem("allow", format!("must be distinct words of {words}")))?);
    }
    Ok(Config::AcpAgent(AcpAgent {
        agent: agent.to_owned(),
        model: config.optional_text("model", SETTING_MAX)?.map(str::to_owned),
        effort: config.optional_text("effort", SETTING_MAX)?.map(str::to_owned),
        allow,
        keep_idle: config.integer("keep_idle", KEEP_IDLE)?,
        keep_turns: config.integer("keep_turns", KEEP_TURNS)?,
    }))
}
