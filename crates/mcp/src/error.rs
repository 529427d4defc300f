//! Why a tool call failed, as the text the calling model reads.

use segue_channel::Refusal;

use crate::args;

/// How many characters of a refusal are shown. It names what the client gave, and that can be of any length.
const MESSAGE_CHARS_MAX: usize = 4_000;

/// A failed call. Its text is the whole of what the client gets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Well-typed and refused: the text is `<code>: <message>`.
    #[error("{}: {}", .0.code.as_str(), args::cut(&.0.message, MESSAGE_CHARS_MAX))]
    Refused(#[from] Refusal),
    /// The argument does not fit the input schema. Such a text names the argument and carries no code.
    #[error("argument `{name}` {problem}")]
    Argument { name: &'static str, problem: String },
    /// There is no such tool. The name is as given, cut.
    #[error("there is no tool named `{0}`")]
    UnknownTool(String),
}
