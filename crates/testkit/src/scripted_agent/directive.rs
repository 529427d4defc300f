//! The language that prompts are scripted in: text in, list of directives out.
//!
//! Pure. Owns the spelling of directives (the table in the head of [`super`] is its manual) and refuses to know
//! what any of them does.
//!
//! A directive is `[[name]]` or `[[name:argument:…]]` and ends at the first `]]`; text between directives is
//! ignored. The last argument of a directive takes the rest, colons included. Escapes inside a directive:
//! `\n` `\r` `\t` `\0` `\\` `\:` `\]` `\[` and `\u{HEX}`; a backslash before anything else stays as it is, so
//! that JSON escapes such as `\"` and `\ud83d` need no doubling.

use std::time::Duration;

use serde_json::Value;

/// How long a spawned process lives when the prompt does not say: far beyond any test, short enough not to
/// pile up on a machine where tests were killed.
const SPAWNED_SECONDS: f64 = 3600.0;

/// Size of a chunk when the prompt does not say, in bytes.
const CHUNK_BYTES: usize = 16;

/// One thing the agent does in a turn. The fields are the arguments in the order in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Directive {
    Say(String),
    Think(String),
    Chunks { count: usize, bytes: usize },
    Stream { count: usize, pause: Duration },
    BigLine(usize),
    EchoPrompt,
    EchoEnv(String),
    EchoCwd,
    EchoArgs,
    EchoSettings,
    Pid,
    Remember { key: String, value: String },
    Recall(String),
    History,
    Result,

    Tool { kind: String, title: String },
    Tools(usize),
    Offer(Vec<String>),
    Ask { kind: String, title: String },
    AskRaw(Value),
    Write { path: String, text: String },
    Run(String),
    RunBackground(String),

    Plan,
    Commands,
    Usage { input: u64, output: u64 },
    UsageNull,
    UsageUpdate { used: u64, size: u64 },
    Meta(Value),
    SetOption { id: String, value: String },

    Sleep(Duration),
    WaitFile(String),
    Mark(String),
    Hang,
    HangIgnoreCancel,
    Linger(Duration),

    Stop(String),
    ErrorData(Value),
    Error { code: i64, message: String },
    Late { after: Duration, text: String },
    LateStderr { after: Duration, bytes: usize },
    Exit(i32),
    Abort,
    CloseStdout,

    Stderr(String),
    StderrBytes(usize),
    StderrHex(Vec<u8>),
    Noise,
    Raw(String),
    Bytes(Vec<u8>),
    Split,
    Surrogates,
    WrongSession,
    UnknownUpdate,
    UnknownNotification,
    UnknownRequest { method: String, params: Option<Value> },
    Elicit,

    SpawnChild(Spawned),
    SpawnSetsid(Spawned),
    SpawnDaemon(Spawned),
}

/// How a spawned process rests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawned {
    pub lifetime: Duration,
    /// It ignores SIGTERM.
    pub stubborn: bool,
}

/// Why a prompt is not a script. The agent answers such a prompt with an error, so that a misspelt test fails.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("directive without its end: [[{0}")]
    Unclosed(String),
    #[error("unknown directive [[{0}]]")]
    Unknown(String),
    #[error("[[{directive}]] takes {expected}")]
    Argument { directive: String, expected: &'static str },
}

/// Reads the script out of a prompt. A prompt without a directive is the script `[[say:OK.]]`.
///
/// # Errors
/// The first directive that cannot be read.
pub fn parse(prompt: &str) -> Result<Vec<Directive>, ParseError> {
    let mut script = Vec::new();
    let mut rest = prompt;
    while let Some(start) = rest.find("[[") {
        let body = &rest[start + 2..];
        let end = end_of_directive(body).ok_or_else(|| ParseError::Unclosed(body.chars().take(40).collect()))?;
        script.push(parse_one(&body[..end])?);
        rest = &body[end + 2..];
    }
    if script.is_empty() {
        script.push(Directive::Say("OK.".to_owned()));
    }
    Ok(script)
}

fn end_of_directive(body: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b']' if bytes[at + 1] == b']' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

fn parse_one(body: &str) -> Result<Directive, ParseError> {
    let (name, arguments) = match body.split_once(':') {
        Some((name, rest)) => (name, Some(rest)),
        None => (body, None),
    };
    let arguments = Arguments { directive: body, rest: arguments };
    Ok(match name {
        "say" => Directive::Say(arguments.text()?),
        "think" => Directive::Think(arguments.text()?),
        "chunks" => {
            let (count, bytes) = arguments.number_and("a count and perhaps a size")?;
            Directive::Chunks { count, bytes: bytes.unwrap_or(CHUNK_BYTES) }
        }
        "stream" => {
            let (count, pause) = arguments.number_and("a count and a pause in milliseconds")?;
            Directive::Stream { count, pause: Duration::from_millis(pause.unwrap_or(10) as u64) }
        }
        "bigline" => Directive::BigLine(arguments.number()?),
        "echo_prompt" => Directive::EchoPrompt,
        "echo_env" => Directive::EchoEnv(arguments.text()?),
        "echo_cwd" => Directive::EchoCwd,
        "echo_args" => Directive::EchoArgs,
        "echo_settings" => Directive::EchoSettings,
        "pid" => Directive::Pid,
        "remember" => {
            let (key, value) = arguments.pair("a key and a value")?;
            Directive::Remember { key, value }
        }
        "recall" => Directive::Recall(arguments.text()?),
        "history" => Directive::History,
        "result" => Directive::Result,

        "tool" => {
            let (kind, title) = arguments.pair("a kind and a title")?;
            Directive::Tool { kind, title }
        }
        "tools" => Directive::Tools(arguments.number()?),
        "offer" => {
            let kinds = arguments.text()?;
            let kinds = kinds.split(',').filter(|kind| !kind.is_empty());
            Directive::Offer(kinds.map(str::to_owned).collect())
        }
        "ask" => {
            let (kind, title) = arguments.pair("a kind and a title")?;
            Directive::Ask { kind, title }
        }
        "ask_raw" => Directive::AskRaw(arguments.json()?),
        "write" => {
            let (path, text) = arguments.pair("a path and a text")?;
            Directive::Write { path, text }
        }
        "run" => Directive::Run(arguments.text()?),
        "run_bg" => Directive::RunBackground(arguments.text()?),

        "plan" => Directive::Plan,
        "commands" => Directive::Commands,
        "usage" => {
            let (input, output) = arguments.number_and("input and output tokens")?;
            Directive::Usage { input: input as u64, output: output.unwrap_or(0) as u64 }
        }
        "usage_null" => Directive::UsageNull,
        "usage_update" => {
            let (used, size) = arguments.optional_numbers("used and size in tokens")?.unwrap_or((1_000, None));
            Directive::UsageUpdate { used: used as u64, size: size.unwrap_or(200_000) as u64 }
        }
        "meta" => Directive::Meta(arguments.json()?),
        "set_option" => {
            let (id, value) = arguments.pair("a setting and a value")?;
            Directive::SetOption { id, value }
        }

        "sleep" => Directive::Sleep(arguments.seconds()?),
        "wait_file" => Directive::WaitFile(arguments.text()?),
        "mark" => Directive::Mark(arguments.text()?),
        "hang" => Directive::Hang,
        "hang_ignore_cancel" => Directive::HangIgnoreCancel,
        "linger" => Directive::Linger(arguments.seconds()?),

        "stop" => Directive::Stop(arguments.text()?),
        "error_data" => Directive::ErrorData(arguments.json()?),
        "error" => {
            let expected = "a code and a message";
            let (code, message) = arguments.pair(expected)?;
            let code = code.parse().map_err(|_| arguments.wrong(expected))?;
            Directive::Error { code, message }
        }
        "late" => {
            let expected = "milliseconds and a text";
            let (after, text) = arguments.pair(expected)?;
            let after = after.parse().map_err(|_| arguments.wrong(expected))?;
            Directive::Late { after: Duration::from_millis(after), text }
        }
        "late_stderr" => {
            let (after, bytes) = arguments.number_and("milliseconds and a size")?;
            Directive::LateStderr { after: Duration::from_millis(after as u64), bytes: bytes.unwrap_or(CHUNK_BYTES) }
        }
        "exit" => Directive::Exit(arguments.number()?),
        "abort" => Directive::Abort,
        "close_stdout" => Directive::CloseStdout,

        "stderr" => Directive::Stderr(arguments.text()?),
        "stderr_bytes" => Directive::StderrBytes(arguments.number()?),
        "stderr_hex" => Directive::StderrHex(arguments.hex()?),
        "noise" => Directive::Noise,
        "raw" => Directive::Raw(arguments.text()?),
        "bytes" => Directive::Bytes(arguments.hex()?),
        "split" => Directive::Split,
        "surrogates" => Directive::Surrogates,
        "wrong_session" => Directive::WrongSession,
        "unknown_update" => Directive::UnknownUpdate,
        "unknown_notification" => Directive::UnknownNotification,
        "unknown_request" => unknown_request(&arguments)?,
        "elicit" => Directive::Elicit,

        "spawn_child" => Directive::SpawnChild(arguments.spawned()?),
        "spawn_setsid" => Directive::SpawnSetsid(arguments.spawned()?),
        "spawn_daemon" => Directive::SpawnDaemon(arguments.spawned()?),
        _ => return Err(ParseError::Unknown(name.to_owned())),
    })
}

fn unknown_request(arguments: &Arguments<'_>) -> Result<Directive, ParseError> {
    let Some(rest) = arguments.rest else {
        return Ok(Directive::UnknownRequest { method: "fs/write_text_file".to_owned(), params: None });
    };
    let (method, params) = match split_once_unescaped(rest) {
        Some((method, params)) => (method, Some(params)),
        None => (rest, None),
    };
    let params = params.map(|text| serde_json::from_str(&unescape(text)));
    Ok(Directive::UnknownRequest {
        method: unescape(method),
        params: params.transpose().map_err(|_| arguments.wrong("a method and perhaps its parameters as JSON"))?,
    })
}

/// What stands after the name of a directive, and how to say that it is wrong.
struct Arguments<'a> {
    directive: &'a str,
    rest: Option<&'a str>,
}

impl Arguments<'_> {
    fn wrong(&self, expected: &'static str) -> ParseError {
        ParseError::Argument { directive: self.directive.to_owned(), expected }
    }

    fn text(&self) -> Result<String, ParseError> {
        self.rest.map(unescape).ok_or_else(|| self.wrong("a text"))
    }

    fn pair(&self, expected: &'static str) -> Result<(String, String), ParseError> {
        let (first, second) = self.rest.and_then(split_once_unescaped).ok_or_else(|| self.wrong(expected))?;
        Ok((unescape(first), unescape(second)))
    }

    fn number<N: std::str::FromStr>(&self) -> Result<N, ParseError> {
        let text = self.rest.unwrap_or_default();
        text.parse().map_err(|_| self.wrong("a number"))
    }

    fn number_and(&self, expected: &'static str) -> Result<(usize, Option<usize>), ParseError> {
        self.optional_numbers(expected)?.ok_or_else(|| self.wrong(expected))
    }

    fn optional_numbers(&self, expected: &'static str) -> Result<Option<(usize, Option<usize>)>, ParseError> {
        let Some(rest) = self.rest else {
            return Ok(None);
        };
        let number = |text: &str| text.parse().map_err(|_| self.wrong(expected));
        match rest.split_once(':') {
            Some((first, second)) => Ok(Some((number(first)?, Some(number(second)?)))),
            None => Ok(Some((number(rest)?, None))),
        }
    }

    fn seconds(&self) -> Result<Duration, ParseError> {
        let text = self.rest.unwrap_or_default();
        text.parse()
            .ok()
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .ok_or_else(|| self.wrong("a number of seconds"))
    }

    fn json(&self) -> Result<Value, ParseError> {
        serde_json::from_str(&self.text()?).map_err(|_| self.wrong("JSON"))
    }

    fn hex(&self) -> Result<Vec<u8>, ParseError> {
        let text = self.rest.unwrap_or_default();
        let digits: Option<Vec<u8>> =
            text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => Ok(digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect()),
            _ => Err(self.wrong("bytes in hexadecimal")),
        }
    }

    fn spawned(&self) -> Result<Spawned, ParseError> {
        let expected = "perhaps seconds and perhaps `stubborn`";
        let mut spawned = Spawned { lifetime: Duration::from_secs_f64(SPAWNED_SECONDS), stubborn: false };
        for word in self.rest.into_iter().flat_map(|rest| rest.split(':')) {
            if word == "stubborn" {
                spawned.stubborn = true;
            } else {
                spawned.lifetime = word
                    .parse()
                    .ok()
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                    .ok_or_else(|| self.wrong(expected))?;
            }
        }
        Ok(spawned)
    }
}

fn split_once_unescaped(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b':' => return Some((&text[..at], &text[at + 1..])),
            _ => at += 1,
        }
    }
    None
}

/// Replaces the escapes of the directive language; used for [`super`]'s verbatim environment variables too.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let (replacement, taken) = match escaped.chars().next() {
            Some('n') => (Some('\n'), 1),
            Some('r') => (Some('\r'), 1),
            Some('t') => (Some('\t'), 1),
            Some('0') => (Some('\0'), 1),
            Some(c @ ('\\' | ':' | ']' | '[')) => (Some(c), 1),
            Some('u') => code_point(escaped).map_or((None, 0), |(c, taken)| (Some(c), taken)),
            _ => (None, 0),
        };
        out.push(replacement.unwrap_or('\\'));
        rest = &escaped[taken..];
    }
    out.push_str(rest);
    out
}

/// Reads `u{HEX}`; gives the character and the bytes that it took.
fn code_point(text: &str) -> Option<(char, usize)> {
    let hex = text.strip_prefix("u{")?;
    let end = hex.find('}')?;
    let code = u32::from_str_radix(&hex[..end], 16).ok()?;
    Some((char::from_u32(code)?, end + 3))
}

#[cfg(test)]
#[path = "directive_tests.rs"]
mod tests;
