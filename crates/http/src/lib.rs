//! The HTTP face: routes, versioned wire types, guard, live events.
//!
//! One table of routes ([`openapi::document`] reads it, the router is built from it) over the two services, the
//! channel and the flows. It translates and decides nothing: what a request means is the services' affair. It does
//! not know what MCP, SQL or processes are.

mod app;
mod body;
mod call;
mod caller;
mod error;
mod guard;
mod live;
pub mod openapi;
mod pages;
mod reply;
pub mod report;
mod routes;
mod serve;
mod shape;
mod spelling;
mod table;
mod token;
mod wire;

pub use app::{App, Setup};
pub use caller::Caller;
pub use serve::{Listener, ServeError, serve};
pub use token::{Token, TokenError};
