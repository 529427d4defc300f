//! What the flows refuse, as the end of a command. A fault of the record is Segue's own; everything else is the
//! request's.

use segue_flow::error::{
    AdmitError, AnswerError, BundleError, CancelError, CapabilityError, CompareError, ExportError, FlowError,
    ForgetError, RestoreError, RunError, ScheduleError, StorageError,
};

use super::{CommandError, app};

/// An error with all of its causes on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        // Transparent variants say what their source says.
        if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

/// How a portable id is refused that names no single flow.
const SEVERAL: &str = "saved flows have the id";

/// How a replay is refused that would do nothing.
const NOTHING_LEFT: &str = "nothing is left to run";

/// What only a server brings is named as such.
fn with_advice(text: String) -> String {
    if text.contains(&format!("there is no capability \"{}\"", app::SAMPLE)) {
        return format!(
            "{text}: it is this machine's own segue app, and is there while one runs; run the flow over its interface"
        );
    }
    if text.contains(SEVERAL) {
        return format!(
            "{text}: name one of them by its local id (segue flow list shows them), or remove one with segue flow delete; \
             runs of a flow that was deleted are neither forked nor replayed"
        );
    }
    if text.contains(NOTHING_LEFT) {
        return format!("{text}; change an input with --input, or run it again from a node on with segue fork");
    }
    text
}

impl From<StorageError> for CommandError {
    fn from(error: StorageError) -> Self {
        Self::Internal(chain(&error))
    }
}

/// `$fault` is the variant that carries a [`StorageError`].
macro_rules! refusals {
    ($($error:ident: $($fault:pat_param)|+,)+) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                let text = with_advice(chain(&error));
                match error {
                    $($fault)|+ => Self::Internal(text),
                    _ => Self::Usage(text),
                }
            }
        })+
    };
}

refusals! {
    FlowError: FlowError::Storage(_),
    CapabilityError: CapabilityError::Storage(_),
    BundleError: BundleError::Storage(_),
    RunError: RunError::Storage(_) | RunError::Inconsistent { .. },
    CompareError: CompareError::Run(RunError::Storage(_)),
    CancelError: CancelError::Run(RunError::Storage(_)),
    ForgetError: ForgetError::Run(RunError::Storage(_)),
    RestoreError: RestoreError::Run(RunError::Storage(_)),
    AnswerError: AnswerError::Run(RunError::Storage(_)),
    ExportError: ExportError::Run(RunError::Storage(_)),
}

impl From<AdmitError> for CommandError {
    fn from(error: AdmitError) -> Self {
        match error {
            AdmitError::AuthorizationRequired(_) => Self::Unauthorized(error.to_string()),
            AdmitError::Storage(_) | AdmitError::Flow(FlowError::Storage(_)) => Self::Internal(chain(&error)),
            _ => Self::Usage(with_advice(chain(&error))),
        }
    }
}

impl From<ScheduleError> for CommandError {
    fn from(error: ScheduleError) -> Self {
        match error {
            ScheduleError::Admit(error) => error.into(),
            ScheduleError::Storage(error) => error.into(),
            ScheduleError::NotFound(_) | ScheduleError::Timing(_) => Self::Usage(error.to_string()),
        }
    }
}
