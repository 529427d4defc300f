//! `segue-mcp-conformance`: the handler of `segue mcp` behind HTTP, for the protocol's conformance suite.
//!
//! The suite speaks HTTP and asks for tools, prompts and resources of certain names. They are added here
//! around the real handler; whatever is not a fixture is the real handler's.
//!
//! Binds a free port of loopback, prints the address on one line, and serves until it is killed.

#![expect(deprecated, reason = "the suite asks the older revisions for what the newer ones dropped")]

mod fixtures;
mod idle;
mod prompts;
mod resources;
mod rounds;
mod tools;

use std::{error::Error, io::Write, sync::Arc};

use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use crate::fixtures::Fixtures;

/// Pages that may call: those of this machine. The suite sends one of them, and one from elsewhere.
const OWN_ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let fixtures = Fixtures::new(Arc::new(idle::Idle));
    let service: StreamableHttpService<Fixtures, LocalSessionManager> = StreamableHttpService::new(
        move || Ok(fixtures.clone()),
        Arc::default(),
        StreamableHttpServerConfig::default().with_allowed_origins(OWN_ORIGINS),
    );
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
