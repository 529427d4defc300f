//! What a refusal becomes: a status, and a text for people. One match for each kind of refusal, without a wildcard.

use std::error::Error;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use segue_channel::{Code, Refusal};
use segue_flow::error::{
    AdmitError, AnswerError, BundleError, CancelError, CapabilityError, CompareError, FlowError, ForgetError,
    ForkError, RestoreError, RunError, ScheduleError, StabilityError, StorageError,
};
use segue_model::{
    flow::{CompileError, Problem},
    reading::{comparison::ComparisonError, history::QueryError},
    run::{AnswerError as RuleError, fork::ForkError as RuleForkError},
};

use crate::reply;

/// Characters of an error text: texts may name what came in, which can be long.
const TEXT_MAX: usize = 1000;

/// Why a request was not answered with what it asked for.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Answer(#[from] AnswerError),
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Cancel(#[from] CancelError),
    #[error(transparent)]
    Capability(#[from] CapabilityError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error(transparent)]
    Forget(#[from] ForgetError),
    #[error(transparent)]
    Restore(#[from] RestoreError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    #[error(transparent)]
    Stability(#[from] StabilityError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Channel(#[from] Refusal),
}

/// What is wrong with a request before any service has seen it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("this server is reached as 127.0.0.1, localhost or [::1] with its port, and by no other name")]
    ForeignHost,
    #[error("requests from pages of other origins are refused")]
    ForeignOrigin,
    #[error(
        "the caller is not known to be the user who runs this server: send the token of the state folder as a bearer token"
    )]
    Unauthorized,
    #[error("there is no such resource")]
    NoRoute,
    #[error("this build of segue has no console: build it with the feature `web`, or use the interface below /api/v1")]
    NoPages,
    #[error("this resource does not know that method")]
    Method,
    #[error("the path is not well-formed")]
    Path,
    #[error("{0}")]
    Query(String),
    #[error("the content type must be application/json")]
    ContentType,
    #[error("a body of 2 to {max} bytes with a Content-Length is needed")]
    BodySize { max: usize },
    #[error("the body did not arrive in time")]
    BodyTime,
    #[error("the body broke off")]
    BodyBroken,
    #[error("the body is not JSON: {0}")]
    Json(String),
    #[error("the body must be a JSON object")]
    NoObject,
    #[error("{0}")]
    Field(Problem),
    #[error("the header {0} must be given once, as text")]
    Header(&'static str),
    #[error("Last-Event-ID must be given once, as the number of an event in decimal digits")]
    EventId,
    #[error("the answer could not be written: {0}")]
    Unwritable(String),
    #[error("the request broke off inside")]
    Panicked,
}

impl From<Problem> for ApiError {
    fn from(problem: Problem) -> Self {
        RequestError::Field(problem).into()
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        RequestError::Query(error.to_string()).into()
    }
}

impl ApiError {
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Request(error) => of_request(error),
            Self::Admit(error) => of_admit(error),
            Self::Answer(error) => of_answer(error),
            Self::Bundle(error) => of_bundle(error),
            Self::Cancel(error) => match error {
                CancelError::OtherFlow { .. } => StatusCode::CONFLICT,
                CancelError::Run(error) => of_run(error),
            },
            Self::Capability(error) => of_capability(error),
            Self::Compare(error) => of_compare(error),
            Self::Flow(error) => of_flow(error),
            Self::Forget(error) => match error {
                ForgetError::Active(_) | ForgetError::NodeOf { .. } => StatusCode::CONFLICT,
                ForgetError::Run(error) => of_run(error),
            },
            Self::Restore(error) => match error {
                RestoreError::NotQuarantined(_) | RestoreError::StillBroken { .. } => StatusCode::CONFLICT,
                RestoreError::Run(error) => of_run(error),
            },
            Self::Run(error) => of_run(error),
            Self::Schedule(error) => match error {
                ScheduleError::NotFound(_) => StatusCode::NOT_FOUND,
                ScheduleError::Timing(_) => StatusCode::BAD_REQUEST,
                ScheduleError::Admit(error) => of_admit(error),
                ScheduleError::Storage(error) => of_storage(error),
            },
            Self::Stability(error) => match error {
                StabilityError::UnknownTask(_) | StabilityError::UnknownFlow { .. } => StatusCode::NOT_FOUND,
                StabilityError::Run(error) => of_run(error),
            },
            Self::Storage(error) => of_storage(error),
            Self::Channel(refusal) => of_channel(refusal.code),
        }
    }

    /// The text with what caused it.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            let said = error.to_string();
            // A message that only hands its cause on says the same.
            if !text.ends_with(&said) {
                text = format!("{text}: {said}");
            }
            cause = error.source();
        }
        match text.char_indices().nth(TEXT_MAX) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }
}

const fn of_request(error: &RequestError) -> StatusCode {
    match error {
        RequestError::ForeignHost => StatusCode::MISDIRECTED_REQUEST,
        RequestError::ForeignOrigin => StatusCode::FORBIDDEN,
        RequestError::Unauthorized => StatusCode::UNAUTHORIZED,
        RequestError::NoRoute | RequestError::NoPages => StatusCode::NOT_FOUND,
        RequestError::Method => StatusCode::METHOD_NOT_ALLOWED,
        RequestError::BodyTime => StatusCode::REQUEST_TIMEOUT,
        RequestError::Path
        | RequestError::Query(_)
        | RequestError::ContentType
        | RequestError::BodySize { .. }
        | RequestError::BodyBroken
        | RequestError::Json(_)
        | RequestError::NoObject
        | RequestError::Field(_)
        | RequestError::Header(_)
        | RequestError::EventId => StatusCode::BAD_REQUEST,
        RequestError::Unwritable(_) | RequestError::Panicked => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

const fn of_storage(error: &StorageError) -> StatusCode {
    match error {
        StorageError::Read(_) | StorageError::Append(_) | StorageError::Blob(_) | StorageError::Corrupt { .. } => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        StorageError::Stopping => StatusCode::SERVICE_UNAVAILABLE,
    }
}

const fn of_flow(error: &FlowError) -> StatusCode {
    match error {
        FlowError::NotFound(_) | FlowError::NoVersion { .. } => StatusCode::NOT_FOUND,
        FlowError::Taken { .. } => StatusCode::CONFLICT,
        FlowError::Changed(_) => StatusCode::PRECONDITION_FAILED,
        FlowError::Ambiguous { .. } | FlowError::Invalid(_) => StatusCode::BAD_REQUEST,
        FlowError::Compile(error) => match error {
            CompileError::UnknownCapability(_) | CompileError::UnknownFlow(_) => StatusCode::NOT_FOUND,
            CompileError::Unsupported(_) | CompileError::PresetMissing(_) => StatusCode::BAD_REQUEST,
        },
        FlowError::Storage(error) => of_storage(error),
    }
}

const fn of_capability(error: &CapabilityError) -> StatusCode {
    match error {
        CapabilityError::NotFound(_) => StatusCode::NOT_FOUND,
        CapabilityError::Invalid(_) | CapabilityError::Exists(_) => StatusCode::BAD_REQUEST,
        CapabilityError::Referenced { .. } => StatusCode::CONFLICT,
        CapabilityError::Storage(error) => of_storage(error),
    }
}

const fn of_admit(error: &AdmitError) -> StatusCode {
    match error {
        AdmitError::Flow(error) => of_flow(error),
        AdmitError::UnknownTask(_) => StatusCode::NOT_FOUND,
        AdmitError::Inputs(_) | AdmitError::Unavailable { .. } | AdmitError::AuthorizationUnneeded => {
            StatusCode::BAD_REQUEST
        }
        AdmitError::TooManyActive { .. } | AdmitError::KeyTaken(_) => StatusCode::CONFLICT,
        AdmitError::AuthorizationRequired(_) => StatusCode::PRECONDITION_REQUIRED,
        AdmitError::Fork(error) => of_fork(error),
        AdmitError::Storage(error) => of_storage(error),
    }
}

const fn of_fork(error: &ForkError) -> StatusCode {
    match error {
        ForkError::UnknownParent(_) | ForkError::FlowGone(_) => StatusCode::NOT_FOUND,
        ForkError::ParentActive(_)
        | ForkError::FlowChanged(_)
        | ForkError::NotCompiling { .. }
        | ForkError::NothingToRun => StatusCode::BAD_REQUEST,
        ForkError::Rule(error) => match error {
            RuleForkError::UnknownNode(_)
            | RuleForkError::NothingAccepted
            | RuleForkError::Unfinished { .. }
            | RuleForkError::SharedSession(_) => StatusCode::BAD_REQUEST,
        },
        ForkError::Quarantined { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

const fn of_run(error: &RunError) -> StatusCode {
    match error {
        RunError::NotFound(_) | RunError::NoArtifact(_) => StatusCode::NOT_FOUND,
        RunError::Newer { .. } => StatusCode::CONFLICT,
        RunError::Quarantined { .. } | RunError::Inconsistent { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        RunError::Storage(error) => of_storage(error),
    }
}

const fn of_compare(error: &CompareError) -> StatusCode {
    match error {
        CompareError::Run(error) => of_run(error),
        CompareError::Refused(error) => match error {
            ComparisonError::Same | ComparisonError::Active(_) | ComparisonError::Task | ComparisonError::Flow => {
                StatusCode::BAD_REQUEST
            }
            ComparisonError::Inconsistent(..) => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

const fn of_answer(error: &AnswerError) -> StatusCode {
    match error {
        AnswerError::Rule(error) => match error {
            RuleError::UnknownNode(_) => StatusCode::NOT_FOUND,
            RuleError::NotWaiting { .. } | RuleError::NotRunning(_) => StatusCode::CONFLICT,
            RuleError::UnknownOption { .. } => StatusCode::BAD_REQUEST,
        },
        AnswerError::Form { .. } => StatusCode::BAD_REQUEST,
        AnswerError::Run(error) => of_run(error),
    }
}

const fn of_bundle(error: &BundleError) -> StatusCode {
    match error {
        // A capability that a bundle lacks is the bundle's fault.
        BundleError::Invalid(_)
        | BundleError::Compile(_)
        | BundleError::Blocked
        | BundleError::OtherBundle
        | BundleError::WrongPhrase => StatusCode::BAD_REQUEST,
        BundleError::Storage(error) => of_storage(error),
    }
}

const fn of_channel(code: Code) -> StatusCode {
    match code {
        Code::UnknownAgent | Code::TaskNotFound | Code::AgentGone => StatusCode::NOT_FOUND,
        Code::Unsupported | Code::InvalidRequest => StatusCode::BAD_REQUEST,
        Code::InvalidTransition | Code::SessionInUse | Code::AgentLimit | Code::AgentBusy => StatusCode::CONFLICT,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        if let Self::Admit(AdmitError::AuthorizationRequired(challenge))
        | Self::Schedule(ScheduleError::Admit(AdmitError::AuthorizationRequired(challenge))) = &self
        {
            return reply::plain(status, &challenge.to_json());
        }
        let text = self.text();
        if status.is_server_error() {
            tracing::warn!(status = status.as_u16(), "{text}");
        }
        let mut response = match &self {
            // The channel's refusals have a code of their own, as published for its tools.
            Self::Channel(refusal) => {
                reply::plain(status, &serde_json::json!({"error": text, "code": refusal.code.as_str()}))
            }
            Self::Admit(AdmitError::KeyTaken(_)) => {
                reply::plain(status, &serde_json::json!({"error": text, "code": "key_taken"}))
            }
            _ => reply::plain(status, &serde_json::json!({"error": text})),
        };
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_each_cause_once_and_stays_short() {
        let error = ApiError::from(RunError::from(StorageError::Stopping));
        assert_eq!((error.text().as_str(), error.status().as_u16()), ("the runtime is being stopped", 503));
        let long = ApiError::from(FlowError::NotFound("é".repeat(5000)));
        assert_eq!(long.text().chars().count(), TEXT_MAX + 1);
    }

    /// Contract §10, §12: a record that contradicts itself is the server's failure, whatever was asked for.
    #[test]
    fn a_record_that_contradicts_itself_is_the_servers_failure() {
        let run = segue_model::flow::RunId::from_bytes([1; 16]);
        let why = segue_model::reading::Inconsistent::Lineage;
        for error in [
            ApiError::from(RunError::Inconsistent { run: run.clone(), why: why.clone() }),
            ApiError::from(CompareError::from(ComparisonError::Inconsistent(run, why))),
        ] {
            assert_eq!((error.status().as_u16(), error.text().is_empty()), (500, false), "{error:?}");
        }
    }
}
