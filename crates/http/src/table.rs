//! What a route is: a row of a table that the router, the checks of a request and the published document are made of.

use std::pin::Pin;

use axum::{http::StatusCode, response::Response, routing::MethodFilter};

use crate::{call::Call, error::ApiError, shape::Shape};

/// What a route answers with.
pub type Answer = Pin<Box<dyn Future<Output = Result<Response, ApiError>> + Send>>;

/// One method of one resource.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    pub method: Method,
    /// With its parts as `{name}`.
    pub path: &'static str,
    /// What it is called in the document; one word, as clients are generated from it.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    pub query: Query,
    pub body: Option<Body>,
    /// What comes back when nothing is wrong.
    pub replies: &'static [Reply],
    pub call: fn(Call) -> Answer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    #[must_use]
    pub const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Delete => MethodFilter::DELETE,
        }
    }

    /// As the document writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Delete => "delete",
        }
    }
}

/// The query that a route knows.
#[derive(Debug, Clone, Copy)]
pub enum Query {
    /// None; one that comes is let pass, as the contract's resource routes always did.
    Ignored,
    /// These parameters and no others.
    Only(&'static [Parameter]),
}

#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
    /// It may be given several times.
    pub repeated: bool,
    pub about: &'static str,
}

impl Parameter {
    #[must_use]
    pub const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: false, repeated: false, about }
    }

    #[must_use]
    pub const fn required(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self { name, shape, required: true, repeated: false, about }
    }

    #[must_use]
    pub const fn repeated(self) -> Self {
        Self { repeated: true, ..self }
    }
}

/// A JSON body.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    /// Bytes.
    pub max: usize,
    /// One of these.
    pub shapes: &'static [Shape],
}

#[derive(Debug, Clone, Copy)]
pub struct Reply {
    pub status: StatusCode,
    pub content: Content,
}

#[derive(Debug, Clone, Copy)]
pub enum Content {
    Json(Shape),
    /// Bytes of any type.
    Bytes,
    /// Server-sent events whose data have this shape.
    Events(Shape),
    Nothing,
}

/// A reply with JSON.
#[must_use]
pub const fn reply(status: StatusCode, shape: Shape) -> Reply {
    Reply { status, content: Content::Json(shape) }
}
