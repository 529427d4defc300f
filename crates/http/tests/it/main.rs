//! The routes without a socket, and the server with one.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod contract;
mod document;
mod every_route;
mod own_pages;
#[cfg(feature = "web")]
mod pages;
mod reads;
mod requests;
mod resources;
mod server;
mod streams;
mod world;
