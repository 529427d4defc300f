//! The handler: the real one, with the fixtures before it.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
        GetPromptRequestParams, GetPromptResponse, InitializeRequestParams, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
    },
    service::{RequestContext, SubscriptionContext, SubscriptionSink},
};
use segue_mcp::{Dispatch, Server};

use crate::{prompts, resources, rounds, tools};

/// Seals what travels through the client between two rounds. It protects nothing here.
const SEAL: &[u8] = b"the key of a test, known to everybody";

type Context = RequestContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

#[derive(Clone)]
pub struct Fixtures {
    real: Server,
    pub seal: RequestStateCodec,
    listening: Arc<Mutex<HashMap<u64, SubscriptionSink>>>,
    next_listener: Arc<AtomicU64>,
}

impl Fixtures {
    pub fn new(service: Arc<dyn Dispatch>) -> Self {
        Self {
            real: Server::new(service),
            seal: RequestStateCodec::new_unchecked(SEAL),
            listening: Arc::default(),
            next_listener: Arc::default(),
        }
    }

    /// Whoever listens for changes right now.
    pub fn listeners(&self) -> Vec<SubscriptionSink> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut config = self.real.get_info();
        config.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_completions()
            .enable_logging()
            .build();
        config
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.real.supported_protocol_versions()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let mut answer = self.real.initialize(request, context).await?;
        answer.capabilities = self.get_info().capabilities;
        Ok(answer)
    }

    async fn list_tools(&self, page: Page, context: Context) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.real.list_tools(page, context).await?;
        listed.tools.extend(tools::all());
        Ok(listed)
    }

    /// Asked by the HTTP service for parameters that travel as headers too.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().find(|tool| tool.name == name)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        if rounds::NAMES.contains(&request.name.as_ref()) {
            rounds::call(self, &request, &context)
        } else if tools::all().any(|tool| tool.name == request.name) {
            tools::call(self, &request, &context).await
        } else {
            self.real.call_tool(request, context).await
        }
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, _: Context) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request)
    }

    async fn list_resources(&self, _: Page, _: Context) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn list_resource_templates(&self, _: Page, _: Context) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri)
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let key = self.next_listener.fetch_add(1, Ordering::Relaxed);
        let listening = || self.listening.lock().unwrap_or_else(PoisonError::into_inner);
        listening().insert(key, context.sink().clone());
        context.cancelled().await;
        listening().remove(&key);
        Ok(())
    }

    async fn complete(&self, request: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let info = CompletionInfo::new(vec![format!("{}-value", request.argument.name)]);
        info.map(CompleteResult::new).map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }
}
