//! The server as the protocol library calls it: who we are, which tools there are, how a call is answered.
//!
//! One handler serves every protocol revision; which one a request speaks is the library's business.

use std::{fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode,
        Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool as WireTool, ToolsCapability,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    args::{self, Args},
    dispatch::Dispatch,
    error::ToolError,
    instructions,
    stdio::Calls,
    tools::{self, TOOLS},
};

/// JSON-RPC code of a call that was under way when the connection closed, from the range that JSON-RPC
/// leaves to servers.
const CLOSING: ErrorCode = ErrorCode(-32000);

/// Methods that fall through to the library's "custom request" only when their parameters do not fit.
const SERVED_METHODS: [&str; 8] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

/// The tools of one channel. Cheap to clone; all clones serve the same channel.
#[derive(Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    service: Arc<dyn Dispatch>,
    /// As listed: empty inside an agent.
    tools: Vec<WireTool>,
    config: ServerConfig,
    closing: CancellationToken,
    calls: Arc<Calls>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("tools", &self.0.tools.len()).finish_non_exhaustive()
    }
}

impl Server {
    /// A server that answers until it is dropped.
    #[must_use]
    pub fn new(service: Arc<dyn Dispatch>) -> Self {
        Self::until(service, CancellationToken::new(), Arc::default())
    }

    /// Once `closing` is cancelled, calls under way are dropped and answered with an error. `calls` knows who made them.
    pub(crate) fn until(service: Arc<dyn Dispatch>, closing: CancellationToken, calls: Arc<Calls>) -> Self {
        let nested = service.nested();
        let agents = service.agents();
        let tools = if nested { Vec::new() } else { TOOLS.iter().map(|tool| tool.listed(&agents)).collect() };
        let mut capabilities = ServerCapabilities::default();
        let mut offered = ToolsCapability::default();
        offered.list_changed = Some(false);
        capabilities.tools = Some(offered);
        let config = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("segue", env!("CARGO_PKG_VERSION")).with_title("Segue"))
            .with_instructions(if nested { instructions::NESTED } else { instructions::DISPATCHING });
        Self(Arc::new(Inner { service, tools, config, closing, calls }))
    }

    async fn call(&self, name: &str, arguments: Args) -> Result<Value, ToolError> {
        match tools::find(name).filter(|_| !self.0.tools.is_empty()) {
            Some(tool) => (tool.call)(&*self.0.service, arguments).await,
            None => Err(ToolError::UnknownTool(args::cut(name, args::ECHO_CHARS).into_owned())),
        }
    }
}

/// One text block, with the same object beside it when the call succeeded: older clients read the text.
fn result(outcome: Result<Value, ToolError>) -> Result<CallToolResult, ErrorData> {
    match outcome {
        Ok(value) => {
            let text = serde_json::to_string_pretty(&value)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            Ok(result)
        }
        Err(error) => Ok(CallToolResult::error(vec![ContentBlock::text(error.to_string())])),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.0.config.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        // What was agreed on and not what was asked for, also when the client asks a second time.
        let mut peer = request;
        peer.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(peer);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Args::new(request.arguments.unwrap_or_default()).by(self.0.calls.caller(&context.id));
        let call = self.call(&request.name, arguments);
        tokio::select! {
            biased;
            outcome = call => result(outcome).map(CallToolResponse::from),
            // The library drops this answer; what matters is that the call is dropped.
            () = context.ct.cancelled() => Err(ErrorData::new(CLOSING, "the call was cancelled", None)),
            () = self.0.closing.cancelled() => Err(ErrorData::new(CLOSING, "the server is shutting down", None)),
        }
    }

    // Neither is announced; an empty answer keeps a careless client going.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::default())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::default())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::default())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if SERVED_METHODS.contains(&request.method.as_str()) {
            return Err(ErrorData::invalid_params(format!("the parameters of {} do not fit", request.method), None));
        }
        Err(ErrorData::new(
            ErrorCode::METHOD_NOT_FOUND,
            format!("there is no method {}", args::cut(&request.method, args::ECHO_CHARS)),
            None,
        ))
    }
}
