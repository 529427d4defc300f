//! The evidence report: one page that opens from disk and shows some Runs as the console does.
//!
//! It holds what the interface answered to the requests that its pages make, under their paths. So whatever the
//! console shows of a Run the report shows as well, and there is one place that knows the shapes: the routes.
//!
//! It has room for so much. What does not fit is left out whole, what a reader misses least first, and the page says so
//! and where it is.

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
/// Bytes of evidence in a page: what a browser opens within seconds, and what can still be sent by mail.
pub const ROOM: usize = 25_000_000;
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
    /// The name of the file beside the page that has all evidence.
    pub kept_in: &'a str,
    /// Bytes of evidence in the page; [`ROOM`].
    pub room: usize,
}

/// The report of some Runs.
#[derive(Debug)]
pub struct Report {
    pub page: String,
    pub left_out: LeftOut,
}

/// What a page has no room for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Nodes without their details.
    pub nodes: usize,
    /// Events.
    pub events: usize,
    /// Artifacts without their content. One that is no text never stands in a page, and is not counted.
    pub artifacts: usize,
    /// Of other answers: overviews and comparisons.
    pub others: usize,
}

impl LeftOut {
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Serialize)]
struct Island<'a> {
    version: u32,
    made_at: &'a str,
    segue: &'a str,
    kept_in: &'a str,
    room: usize,
    left_out: &'a LeftOut,
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

/// The page with the evidence of these Runs.
///
/// # Errors
/// There is no such Run, or this build has no page.
pub async fn page(app: &App, about: About<'_>) -> Result<Report, ReportError> {
    let page = template()?;
    let (before, after) = page.split_once(ISLAND).ok_or(ReportError::NoPlace)?;
    let left_out = LeftOut::default();
    let mut recorder = Recorder { resources: app.resources(), room: about.room, left_out, answers: BTreeMap::new() };
    recorder.all(about.run_ids).await?;
    let island = Island {
        version: VERSION,
        made_at: &about.made_at,
        segue: about.segue,
        kept_in: about.kept_in,
        room: about.room,
        left_out: &recorder.left_out,
        run_ids: about.run_ids,
        answers: &recorder.answers,
    };
    let json = serde_json::to_string(&island).map_err(|error| ReportError::Unreadable(error.to_string()))?;
    let place = ISLAND.split_once("null").unwrap_or_default();
    let page = [before, place.0, &escaped(&json), place.1, after].concat();
    Ok(Report { page, left_out: recorder.left_out })
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
    /// Bytes that are left.
    room: usize,
    left_out: LeftOut,
    answers: BTreeMap<String, Answer>,
}

/// What became of a request.
enum Recorded {
    Kept(Value),
    /// The page says so where it would stand.
    Refused,
    /// It cannot stand in a page; what is known about it does.
    NoText,
    NoRoom,
}

impl Recorder {
    /// What is missed most comes first.
    async fn all(&mut self, runs: &[String]) -> Result<(), ReportError> {
        let mut summaries = Vec::new();
        for run in runs {
            summaries.push(self.overview(run).await?);
        }
        if let [left, right] = runs {
            for (left, right) in [(left, right), (right, left)] {
                let path = format!("{}/comparison?other_run_id={}", at(left), encoded(right));
                self.left_out.others += self.get(&path).await?.without_room();
            }
        }
        for (run, summary) in runs.iter().zip(&summaries) {
            for node in texts(&summary["node_order"]) {
                let path = format!("{}/nodes/{}/detail", at(run), encoded(node));
                self.left_out.nodes += self.get(&path).await?.without_room();
            }
        }
        for (run, summary) in runs.iter().zip(&summaries) {
            self.events(run, summary["event_count"].as_u64().unwrap_or_default()).await?;
        }
        for run in runs {
            self.artifacts(run).await?;
        }
        Ok(())
    }

    /// What is told of a Run as a whole; its summary.
    async fn overview(&mut self, run: &str) -> Result<Value, ReportError> {
        let at = at(run);
        let summary = match self.get(&at).await? {
            Recorded::Kept(summary) => summary,
            Recorded::Refused | Recorded::NoText => return Err(ReportError::NoRun(run.to_owned())),
            Recorded::NoRoom => {
                self.left_out.others += 1;
                Value::Null
            }
        };
        for part in ["flow", "outcome", "why", "detail"] {
            self.left_out.others += self.get(&format!("{at}/{part}")).await?.without_room();
        }
        Ok(summary)
    }

    /// The first ones, as far as there is room: a replay needs all before the moment that it shows.
    async fn events(&mut self, run: &str, count: u64) -> Result<(), ReportError> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        for after in (0..count).step_by(EVENTS) {
            let path = format!("{}/events?after={after}&limit={EVENTS}", at(run));
            if let Recorded::NoRoom = self.get(&path).await? {
                self.left_out.events += count - after;
                break;
            }
        }
        Ok(())
    }

    async fn artifacts(&mut self, run: &str) -> Result<(), ReportError> {
        let outcome = self.answers.get(&format!("{}/outcome", at(run)));
        let outcome: Value = outcome.and_then(|held| serde_json::from_str(&held.body).ok()).unwrap_or_default();
        for artifact in outcome["artifacts"].as_array().into_iter().flatten() {
            if let Some(id) = artifact["artifact_id"].as_str() {
                let path = format!("/api/v1/artifacts/{}/content", encoded(id));
                self.left_out.artifacts += self.get(&path).await?.without_room();
            }
        }
        Ok(())
    }

    /// Records an answer, and reads it if it is JSON.
    async fn get(&mut self, path: &str) -> Result<Recorded, ReportError> {
        let request = Request::get(path).body(Body::empty());
        let request = request.map_err(|error| ReportError::Unreadable(format!("{path}: {error}")))?;
        let Ok(response) = self.resources.clone().oneshot(request).await;
        if response.status() != StatusCode::OK {
            return Ok(Recorded::Refused);
        }
        let media_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
        // No more is read than there is room for.
        let Ok(bytes) = to_bytes(response.into_body(), self.room).await else { return Ok(Recorded::NoRoom) };
        let Ok(body) = String::from_utf8(bytes.into()) else { return Ok(Recorded::NoText) };
        let Some(room) = self.room.checked_sub(path.len() + written(&body)) else { return Ok(Recorded::NoRoom) };
        self.room = room;
        let value = serde_json::from_str(&body).unwrap_or_default();
        self.answers.insert(path.to_owned(), Answer { media_type, body });
        Ok(Recorded::Kept(value))
    }
}

impl Recorded {
    /// 1 for what there was no room for.
    fn without_room(&self) -> usize {
        usize::from(matches!(self, Self::NoRoom))
    }
}

/// Bytes of a text as it stands in the page.
fn written(text: &str) -> usize {
    let size = |byte| match byte {
        b'<' | b'>' | b'&' => 6,
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(size).sum()
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
    fn a_text_is_as_long_as_it_is_written() {
        for text in ["", "plain ü", "a\"b\\c\n\t\r", "<&>", "\u{1}\u{7f}"] {
            let json = escaped(&serde_json::to_string(text).unwrap_or_default());
            assert_eq!(written(text), json.len() - 2, "{json}");
        }
    }

    #[test]
    fn parts_of_paths_are_written_as_a_browser_writes_them() {
        assert_eq!(encoded("plan-article (1)"), "plan-article%20(1)");
        assert_eq!(encoded("a/b?c#d%ü"), "a%2Fb%3Fc%23d%25%C3%BC");
    }
}
