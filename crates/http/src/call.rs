//! One request as a route sees it: decoded, its query and body checked against what the route says of itself.

use axum::{
    RequestPartsExt,
    extract::{RawPathParams, Request},
    http::HeaderMap,
};
use segue_model::flow::{Json, Object};
use serde_json::{Map, Value};

use crate::{
    app::App,
    body,
    error::RequestError,
    table::{Query, Route},
};

/// See the module's documentation.
#[derive(Debug)]
pub struct Call {
    pub app: App,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: String,
}

impl Call {
    /// # Errors
    /// The path is malformed, the query has what the route does not know, or there is no proper body.
    pub async fn read(app: App, route: &Route, request: Request) -> Result<Self, RequestError> {
        let (mut parts, body) = request.into_parts();
        let path = parts.extract::<RawPathParams>().await.map_err(|_| RequestError::Path)?;
        let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let query = read_query(route, parts.uri.query())?;
        let body = match route.body {
            Some(wanted) => body::read(&parts.headers, body, wanted.max).await?,
            None => String::new(),
        };
        Ok(Self { app, path, query, headers: parts.headers, body })
    }

    /// A part of the path, decoded. Routes name their own parts, so there is one.
    #[must_use]
    pub fn id(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// The parameters of the query, decoded, in their order.
    pub fn query(&self) -> impl Iterator<Item = (&str, &str)> {
        self.query.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Every value of a parameter.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let all: Vec<&str> = self.query().filter(|(known, _)| *known == name).map(|(_, value)| value).collect();
        all.into_iter()
    }

    /// The value of a parameter that may be given once.
    ///
    /// # Errors
    /// It is there more than once.
    pub fn one(&self, name: &str) -> Result<Option<&str>, RequestError> {
        let mut all = self.all(name);
        match (all.next(), all.next()) {
            (first, None) => Ok(first),
            (_, Some(_)) => Err(RequestError::Query(format!("give {name} once"))),
        }
    }

    /// As [`Call::one`], of one that must be given.
    ///
    /// # Errors
    /// It is absent, or there more than once.
    pub fn required(&self, name: &str) -> Result<&str, RequestError> {
        self.one(name)?.ok_or_else(|| RequestError::Query(format!("give {name}")))
    }

    /// A number in decimal digits.
    ///
    /// # Errors
    /// It is none, or out of range.
    pub fn number(&self, name: &str, range: std::ops::RangeInclusive<u64>) -> Result<Option<u64>, RequestError> {
        let Some(text) = self.one(name)? else { return Ok(None) };
        let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|number| is_decimal && range.contains(number));
        let refuse = || {
            let (start, end) = (range.start(), range.end());
            RequestError::Query(format!("{name} must be an integer from {start} to {end}"))
        };
        number.map(Some).ok_or_else(refuse)
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// It is something else.
    pub fn flag(&self, name: &str) -> Result<bool, RequestError> {
        match self.one(name)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(RequestError::Query(format!("{name} must be true or false"))),
        }
    }

    /// A header, which must be text if it is there, and there once.
    ///
    /// # Errors
    /// It is no text, or which of several is meant is not known.
    pub fn one_header(&self, name: &'static str) -> Result<Option<&str>, RequestError> {
        let mut values = self.headers.get_all(name).iter();
        let (value, other) = (values.next(), values.next());
        match value.map(axum::http::HeaderValue::to_str).transpose() {
            Ok(text) if other.is_none() => Ok(text),
            Ok(_) | Err(_) => Err(RequestError::Header(name)),
        }
    }

    /// A header that is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The body, with its numbers as they were written.
    ///
    /// # Errors
    /// It is no JSON object.
    pub fn object(&self) -> Result<Object, RequestError> {
        match Json::parse(&self.body) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(_) => Err(RequestError::NoObject),
            Err(error) => Err(RequestError::Json(error.to_string())),
        }
    }

    /// The body, for the channel.
    ///
    /// # Errors
    /// It is no JSON object.
    pub fn map(&self) -> Result<Map<String, Value>, RequestError> {
        match serde_json::from_str(&self.body) {
            Ok(Value::Object(map)) => Ok(map),
            Ok(_) => Err(RequestError::NoObject),
            Err(error) => Err(RequestError::Json(error.to_string())),
        }
    }
}

fn read_query(route: &Route, query: Option<&str>) -> Result<Vec<(String, String)>, RequestError> {
    let query = query.unwrap_or_default();
    let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    match route.query {
        Query::Ignored => Ok(pairs),
        Query::Only([]) if !query.is_empty() => Err(RequestError::Query("no query is known here".to_owned())),
        Query::Only(known) => {
            if pairs.iter().all(|(name, _)| known.iter().any(|parameter| parameter.name == name)) {
                return Ok(pairs);
            }
            let known: Vec<&str> = known.iter().map(|parameter| parameter.name).collect();
            Err(RequestError::Query(format!("only {} are known here", known.join(", "))))
        }
    }
}
