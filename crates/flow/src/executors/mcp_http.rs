//! `mcp_http`: one call of one tool of a remote MCP server over Streamable HTTP (design §7).
//!
//! A server with sessions is initialized first; one without is asked in the newer form. Answers come as JSON or as a
//! stream of events. The bearer token is read from the environment at the moment of the call and is kept nowhere.

use std::time::Duration;

use reqwest::{
    Client, RequestBuilder, Url,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};
use segue_host::mcp_client::{Act, Ask, Conversation, Lifecycle, Outgoing, Reply, STATELESS, Step};
use segue_model::{
    flow::capability::Config,
    run::{Outcome, attempt::Loss},
};

use super::{
    Answer, Call, Executor, Start, Surroundings, Terms, failure,
    mcp_stdio::{self, CLIENT, CLIENT_VERSION},
    request::Request,
    sse::Events,
    table::unbound,
    web::{self, BODY_MAX_BYTES, Trouble},
};

const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const ANSWERS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: &str = "text/event-stream";
/// With these a server without sessions, or of other revisions, refuses `initialize`.
const NO_SESSIONS: [u16; 4] = [400, 404, 405, 422];
/// Saying that the session is over is a courtesy.
const FAREWELL: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct McpHttp;

impl Executor for McpHttp {
    fn needs_host(&self) -> bool {
        false
    }

    fn execute<'a>(&'a self, call: &'a Call, around: &'a dyn Surroundings) -> Answer<'a, Outcome> {
        Box::pin(async move {
            // The call of a dead process may have been carried out.
            if call.start == Start::Again {
                return Outcome::Lost(Loss::Crash);
            }
            let Some((capability, Config::McpHttp { url, call: tool, token_env })) = call.bound() else {
                return unbound();
            };
            let ask = mcp_stdio::request_of(tool, Request::of(call).input);
            match converse(url, token_env.as_deref(), ask, &call.terms(), around).await {
                Ok(Reply::Called(result)) => mcp_stdio::interpret(capability, result),
                Ok(Reply::Listed(_)) => unbound(),
                Err(outcome) => outcome,
            }
        })
    }
}

/// Asks the server. The time is for each of its answers.
///
/// # Errors
/// The outcome of an attempt that has no reply.
pub(super) async fn converse(
    url: &str,
    token_env: Option<&str>,
    ask: Ask,
    terms: &Terms,
    around: &dyn Surroundings,
) -> Result<Reply, Outcome> {
    let url = web::url(url).map_err(|trouble| trouble.outcome())?;
    let client = web::client(&url).map_err(|trouble| trouble.outcome())?;
    let token = token_env.map(|name| token(name, around)).transpose()?;
    let mut line = Line { client, url, token, session: None };
    let (mut conversation, acts) = Conversation::begin(CLIENT, CLIENT_VERSION, ask, Lifecycle::SessionOrNone);
    let result = line.carry_out(&mut conversation, acts, terms).await;
    line.farewell(conversation.version()).await;
    result
}

fn token(name: &str, around: &dyn Surroundings) -> Result<HeaderValue, Outcome> {
    let refused = |what| failure(None, "TokenUnusable", format!("the environment variable {name} {what}"));
    let environment = around.environment();
    let value = environment.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let value = value.and_then(|value| value.to_str()).filter(|value| !value.trim().is_empty());
    let value = value.ok_or_else(|| refused("is not set"))?;
    let mut header =
        HeaderValue::from_str(&format!("Bearer {}", value.trim())).map_err(|_| refused("holds no token"))?;
    header.set_sensitive(true);
    Ok(header)
}

struct Line {
    client: &'static Client,
    url: Url,
    token: Option<HeaderValue>,
    session: Option<HeaderValue>,
}

impl Line {
    async fn carry_out(
        &mut self,
        conversation: &mut Conversation,
        first: Vec<Act>,
        terms: &Terms,
    ) -> Result<Reply, Outcome> {
        let mut acts = std::collections::VecDeque::from(first);
        while let Some(act) = acts.pop_front() {
            match act {
                Act::Done(reply) => return Ok(reply),
                Act::Failed(failure) => return Err(mcp_stdio::failed(&failure, None)),
                Act::Send(out) => {
                    let post = self.post(conversation, &out);
                    acts.extend(web::within(&terms.stop, terms.timeout, post).await??);
                }
            }
        }
        Err(unbound())
    }

    /// One message, and what its answer makes of the conversation.
    async fn post(&mut self, conversation: &mut Conversation, out: &Outgoing) -> Result<Vec<Act>, Outcome> {
        let of = |trouble: Trouble| trouble.outcome();
        let request = self.request(conversation, out);
        let mut response = web::send(request).await.map_err(of)?;
        let status = response.status().as_u16();
        let begins = conversation.awaiting() == Some(Step::Initialize);
        if let Some(refused) = web::refused(status) {
            if begins && NO_SESSIONS.contains(&status) {
                let acts = conversation.without_session();
                if !acts.is_empty() {
                    return Ok(acts);
                }
            }
            return Err(refused);
        }
        if begins {
            self.session = response.headers().get(&SESSION).cloned();
        }
        if !out.awaits {
            return Ok(Vec::new());
        }
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is_stream = kind.trim_start().to_ascii_lowercase().starts_with(EVENTS);
        let (mut events, mut body, mut received) = (Events::default(), Vec::new(), 0);
        while let Some(bytes) = web::chunk(&mut response).await.map_err(of)? {
            received += bytes.len();
            if received > BODY_MAX_BYTES {
                return Err(Trouble::TooLarge.outcome());
            }
            if !is_stream {
                body.extend_from_slice(&bytes);
                continue;
            }
            for data in events.push(&bytes) {
                let acts = conversation.message(data.as_bytes());
                if !acts.is_empty() {
                    return Ok(acts);
                }
            }
        }
        let acts = conversation.message(&body);
        Ok(if acts.is_empty() { conversation.closed() } else { acts })
    }

    fn request(&self, conversation: &Conversation, out: &Outgoing) -> RequestBuilder {
        let mut request = self.to(self.client.post(self.url.clone()));
        request = request.header(ACCEPT, ANSWERS).header(CONTENT_TYPE, web::JSON).body(out.line.clone());
        if out.method != "initialize" {
            request = request.header(REVISION, conversation.version());
        }
        if conversation.version() == STATELESS {
            request = request.header(METHOD, out.method);
            // A name that no header can hold travels in the message alone.
            let name = conversation.tool().and_then(|tool| HeaderValue::from_str(tool).ok());
            if let Some(name) = name {
                request = request.header(NAME, name);
            }
        }
        request
    }

    fn to(&self, mut request: RequestBuilder) -> RequestBuilder {
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.clone());
        }
        if let Some(session) = &self.session {
            request = request.header(SESSION, session.clone());
        }
        request
    }

    async fn farewell(&self, version: &str) {
        if self.session.is_some() {
            let request = self.to(self.client.delete(self.url.clone())).header(REVISION, version);
            // Whatever it says, the session is not used again.
            let _ = tokio::time::timeout(FAREWELL, web::send(request)).await;
        }
    }
}
