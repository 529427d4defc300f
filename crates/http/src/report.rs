//! The evidence report: one page that opens from disk and shows some Runs as the console does.
//!
//! It holds what the interface answered to the requests that its pages make, under their paths. So whatever the
//! console shows of a Run the report shows as well, and there is one place that knows the shapes: the routes.

use std::collections::BTreeMap;

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::{StatusCode, header},
};
use serde::Serialize;
use serde_json::Value;
use tower::ServiceExt;

use crate::app::App;

/// Events of one request, as the pages ask for them.
const EVENTS: usize = 500;
/// Bytes of one answer. Nothing of a Run that the console shows is nearly as large.
const ANSWER_MAX: usize = 256 * 1024 * 1024;
/// What stands in the page for what it is filled with.
const ISLAND: &str = r#"<script id="recording" type="application/json">null</script>"#;
/// Of what it is filled with.
const VERSION: u32 = 1;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("there is no run {0}")]
    NoRun(String),
    #[error("this build of segue has no console, and so no report: build it with the feature `web`")]
    NoPage,
    #[error("the page of the report has no place for its evidence: build the console again with `make console`")]
    NoPlace,
    #[error("an answer cannot be recorded: {0}")]
    Unreadable(String),
}

/// What the report is about.
#[derive(Debug, Clone)]
pub struct About<'a> {
    /// In their order; two are compared.
    pub run_ids: &'a [String],
    /// ISO-8601.
    pub made_at: String,
    /// Of this program.
    pub segue: &'a str,
}

#[derive(Debug, Serialize)]
struct Island<'a> {
    version: u32,
    made_at: &'a str,
    segue: &'a str,
    run_ids: &'a [String],
    answers: &'a BTreeMap<String, Answer>,
}

/// One recorded answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Answer {
    #[serde(rename = "type")]
    media_type: String,
    body: String,
}

/// The page with all evidence of these Runs.
///
/// # Errors
/// There is no such Run, or this build has no page.
pub async fn page(app: &App, about: About<'_>) -> Result<String, ReportError> {
    let page = template()?;
    let (before, after) = page.split_once(ISLAND).ok_or(ReportError::NoPlace)?;
    let mut recorder = Recorder { resources: app.resources(), answers: BTreeMap::new() };
    for run in about.run_ids {
        recorder.run(run).await?;
    }
    if let [left, right] = about.run_ids {
        for (left, right) in [(left, right), (right, left)] {
            recorder.get(&format!("{}/comparison?other_run_id={}", at(left), encoded(right))).await?;
        }
    }
    let island = Island {
        version: VERSION,
        made_at: &about.made_at,
        segue: about.segue,
        run_ids: about.run_ids,
        answers: &recorder.answers,
    };
    let json = serde_json::to_string(&island).map_err(|error| ReportError::Unreadable(error.to_string()))?;
    let place = ISLAND.split_once("null").unwrap_or_default();
    Ok([before, place.0, &escaped(&json), place.1, after].concat())
}

/// JSON that ends no element and begins none, whatever stands in its texts.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(feature = "web")]
fn template() -> Result<String, ReportError> {
    let page = segue_web_assets::report().ok_or(ReportError::NoPage)?;
    String::from_utf8(page.bytes.into_owned()).map_err(|error| ReportError::Unreadable(error.to_string()))
}

#[cfg(not(feature = "web"))]
const fn template() -> Result<String, ReportError> {
    Err(ReportError::NoPage)
}

struct Recorder {
    resources: Router,
    answers: BTreeMap<String, Answer>,
}

impl Recorder {
    async fn run(&mut self, run: &str) -> Result<(), ReportError> {
        let at = at(run);
        let summary = self.get(&at).await?.ok_or_else(|| ReportError::NoRun(run.to_owned()))?;
        for part in ["detail", "flow", "why"] {
            self.get(&format!("{at}/{part}")).await?;
        }
        for node in texts(&summary["node_order"]) {
            self.get(&format!("{at}/nodes/{}/detail", encoded(node))).await?;
        }
        let mut after = 0;
        while let Some(page) = self.get(&format!("{at}/events?after={after}&limit={EVENTS}")).await? {
            if page["has_more"] != true {
                break;
            }
            after += EVENTS;
        }
        let outcome = self.get(&format!("{at}/outcome")).await?.unwrap_or_default();
        for artifact in outcome["artifacts"].as_array().into_iter().flatten() {
            if let Some(id) = artifact["artifact_id"].as_str() {
                self.get(&format!("/api/v1/artifacts/{}/content", encoded(id))).await?;
            }
        }
        Ok(())
    }

    /// Records an answer, and reads it if it is JSON. `None`: it was refused, and the report will say so.
    async fn get(&mut self, path: &str) -> Result<Option<Value>, ReportError> {
        let unreadable = |error: String| ReportError::Unreadable(format!("{path}: {error}"));
        let request = Request::get(path).body(Body::empty()).map_err(|error| unreadable(error.to_string()))?;
        let Ok(response) = self.resources.clone().oneshot(request).await;
        if response.status() != StatusCode::OK {
            return Ok(None);
        }
        let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
        let bytes = to_bytes(response.into_body(), ANSWER_MAX).await.map_err(|error| unreadable(error.to_string()))?;
        // An artifact that is no text cannot stand in a page; its name and digest do.
        let Ok(body) = String::from_utf8(bytes.into()) else { return Ok(None) };
        let value = serde_json::from_str(&body).unwrap_or_default();
        self.answers.insert(path.to_owned(), Answer { media_type, body });
        Ok(Some(value))
    }
}

fn at(run: &str) -> String {
    format!("/api/v1/runs/{}", encoded(run))
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A part of a path as the pages write it, which is how JavaScript's `encodeURIComponent` does.
fn encoded(part: &str) -> String {
    let mut written = String::with_capacity(part.len());
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => written.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => written.push(char::from(byte)),
            _ => written.push_str(&format!("%{byte:02X}")),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_the_element_that_it_stands_in() {
        let json = escaped(&serde_json::json!({"a": "</script><!-- & <b>"}).to_string());
        assert_eq!(json, r#"{"a":"\u003c/script\u003e\u003c!-- \u0026 \u003cb\u003e"}"#);
        assert_eq!(serde_json::from_str::<Value>(&json).ok(), Some(serde_json::json!({"a": "</script><!-- & <b>"})));
    }

    #[test]
    fn parts_of_paths_are_written_as_a_browser_writes_them() {
        assert_eq!(encoded("plan-article (1)"), "plan-article%20(1)");
        assert_eq!(encoded("a/b?c#d%ü"), "a%2Fb%3Fc%23d%25%C3%BC");
    }
}
