//! The scripted agent: a real process that speaks the Agent Client Protocol, version 1, over standard input and
//! output, and does in a turn what the prompt says.
//!
//! For tests, the demo and benchmarks. Installed under the name of a real agent's executable it offers what that
//! agent offers ([`persona`]). It starts in about a millisecond and has no runtime: a thread reads, a thread per
//! turn acts. It never contacts anything but its client.
//!
//! # Directives
//!
//! In a prompt, in double square brackets, carried out in order; other text is ignored; a prompt without any
//! gets the message `OK.`. Spelling and escapes: [`directive`]. A directive that cannot be read is answered as
//! invalid params. *asks* means `session/request_permission`; *says* means an agent message chunk.
//!
//! | Directive | What happens |
//! | --- | --- |
//! | `say:TEXT`, `think:TEXT` | one message or thought chunk |
//! | `chunks:N[:BYTES]` | N message chunks without pause, [`chunk_text`] each (16 bytes) |
//! | `stream:N[:MS]` | N message chunks with a pause (10 ms) |
//! | `bigline:BYTES` | one message chunk with that much text on one line |
//! | `echo_prompt` | the prompt as a user chunk |
//! | `echo_env:NAME`, `echo_cwd`, `echo_args`, `echo_settings`, `pid` | says `NAME=value` or `NAME=(unset)`; the working directory; the arguments as JSON; the settings in force as JSON; the process id |
//! | `remember:K:V`, `recall:K`, `history` | keeps; says what was kept; says the session's earlier prompts as JSON |
//! | `result` | says what came of the last tool call, question, request or spawn |
//! | `tool:KIND:TITLE` | a tool call pending, in progress, completed, that nobody is asked about |
//! | `tools:N` | N tool calls, each announced and completed, without pause |
//! | `offer:KIND,…` | the option kinds that later questions offer (otherwise `allow_always,allow_once,reject_once`) |
//! | `ask:KIND:TITLE` | a tool call that asks; completed if allowed, failed otherwise |
//! | `ask_raw:JSON` | asks with these parameters; `sessionId` is added when missing |
//! | `write:PATH:TEXT` | asks as `edit`, then writes; relative paths are the session's |
//! | `run:COMMAND` | asks as `execute`, then runs `sh -c` in a session of its own; result `exit status N` or `signal N` |
//! | `run_bg:COMMAND` | the same, but goes on at once |
//! | `plan`, `commands`, `usage_update[:USED:SIZE]` | that update (1000 of 200000 tokens, 0.25 USD) |
//! | `usage:IN:OUT`, `usage_null`, `meta:JSON` | members of the prompt's answer |
//! | `set_option:ID:VALUE` | the agent changes a setting itself and sends `config_option_update` |
//! | `sleep:S`, `hang` | rests, or for ever; a cancel ends either |
//! | `wait_file:PATH`, `mark:PATH` | rests until the file is there; makes an empty file without asking |
//! | `hang_ignore_cancel` | rests for ever; the prompt is never answered, and no cancel ends any part of the script |
//! | `linger:S` | if the turn is cancelled, goes on saying `lingering ` that long before it answers |
//! | `stop:REASON` | the stop reason, at the end of the script |
//! | `error_data:JSON`, `error:CODE:MESSAGE` | the error's data; answers the prompt with the error at once |
//! | `late:MS:TEXT` | a message chunk after the prompt's answer; 0 is in the same write |
//! | `late_stderr:MS:BYTES` | bytes on stderr after the prompt's answer |
//! | `exit:CODE`, `abort`, `close_stdout` | exits at once; SIGKILLs itself; closes stdout and goes on |
//! | `stderr:TEXT`, `stderr_bytes:N`, `stderr_hex:HEX` | a line; N bytes without a line end; these bytes |
//! | `noise` | lines that are not messages: banner, blank, scalars, array, half an object, BOM |
//! | `raw:LINE`, `bytes:HEX` | a line verbatim (`$SESSION` and `$PROMPT` are replaced); bytes without a line end |
//! | `split` | from now on writes one byte at a time |
//! | `surrogates` | cut UTF-16 halves; reads as [`SURROGATES_READ_AS`] |
//! | `wrong_session`, `unknown_update`, `unknown_notification` | updates and a notification nobody knows |
//! | `unknown_request[:METHOD[:PARAMS]]` | a request (`fs/write_text_file`); says `METHOD: result …` or `METHOD: error CODE` |
//! | `elicit` | `elicitation/create`; says `elicitation: result …` |
//! | `spawn_child`, `spawn_setsid`, `spawn_daemon` `[:S][:stubborn]` | a process that rests (an hour): in the group, holding stdout and stderr; in its own session; double-forked. `stubborn` ignores SIGTERM. Result `pid N` |
//!
//! # Environment
//!
//! Every variable may be written for one persona only: `SCRIPTED_LOAD__CODEX`. A *reply* is `normal`,
//! `slow:MS`, `hang`, `error`, `error:CODE:MESSAGE`, `not_found`, `auth` or `exit:CODE`.
//!
//! | Variable | Meaning |
//! | --- | --- |
//! | `SCRIPTED_AS` | `generic`, `claude_code`, `codex`, `copilot`, `cline`, `cursor`, `opencode`; otherwise by the executable's name |
//! | `SCRIPTED_SETTINGS` | a file of `NAME=VALUE` lines (names without `SCRIPTED_`) that count more than the environment, read at each start |
//! | `SCRIPTED_HOME` | a folder where sessions are kept, so that other processes can load, list and delete them |
//! | `SCRIPTED_LOG` | a file that gets a line `{"pid", "received"}` for every message received |
//! | `SCRIPTED_HOLD_IN`, `SCRIPTED_HOLD_OUT` | `N:PATH`: stands still at the Nth message received, before it acts on it, or at the Nth written, before the next; makes `PATH.held` and waits for `PATH.go` |
//! | `SCRIPTED_START` | `usage` (stderr, exit 2), `usage_wait` (stdout, then waits for input), `exit:CODE` |
//! | `SCRIPTED_NOISE=1`, `SCRIPTED_BOM=1` | noise, or a byte order mark, before the first message |
//! | `SCRIPTED_LINE_END` | `lf` or `crlf` |
//! | `SCRIPTED_INITIALIZE` | a reply, or `nulls` (nulls for objects, unknown members) |
//! | `SCRIPTED_PROTOCOL_VERSION`, `SCRIPTED_AGENT_VERSION` | what `initialize` answers (1, `1.0.0`) |
//! | `SCRIPTED_NO_LOAD=1` | `loadSession` is false and the method unknown |
//! | `SCRIPTED_CAPABILITIES` | which of `list,delete,close` are advertised and known, or `none` |
//! | `SCRIPTED_NEW`, `_LOAD`, `_LIST`, `_DELETE`, `_CLOSE`, `_SET` | replies for the session requests |
//! | `SCRIPTED_SESSION_ID` | the id of every new session |
//! | `SCRIPTED_LIST_PAGE` | sessions per page (20) |
//! | `SCRIPTED_NO_CONFIG_OPTIONS=1` | offers no settings, and asks before every action |
//! | `SCRIPTED_GROUPED=1`, `SCRIPTED_BROKEN_OPTION=1` | grouped values; an entry that is no option |
//! | `SCRIPTED_SUBSTITUTE=ID,ASKED,GIVEN` | setting ID to ASKED answers success and sets GIVEN |
//! | `SCRIPTED_SET_ANSWER_BARE=1` | setting answers `{}` |
//! | `SCRIPTED_ON_SIGTERM` | `at_once` (dies of it, leaving commands running), `after:MS` (ends commands, exit 0), `ignore` |
//! | `SCRIPTED_ON_EOF` | `at_once` (ends commands, exit 0), `after:MS`, `ignore` |
//! | `SCRIPTED_ON_CANCEL` | `end`, or `wait_permission` (waits for the answer to an open question; Cline does) |
//! | `SCRIPTED_ON_REFUSAL` | `go_on`, `end` (as `end_turn`), `end_cancelled` (as Codex does) |
//! | `SCRIPTED_COMMANDS` | `kill`, or `leave` commands running at a cancel and at the end (as Codex does) |
//! | `SCRIPTED_AFTER_ANSWER` | a line, with escapes, written with every prompt's answer |
//!
//! `--version` prints name and version. Under the name of an agent that needs `--acp` or `acp`, the program
//! prints its usage and exits 2 without it.

mod agent;
pub mod behaviour;
pub mod directive;
mod hold;
pub mod persona;
mod process;
mod session;
pub mod settings;
mod turn;
mod wire;

use std::fs::File;
use std::io::{BufReader, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use agent::Agent;
use behaviour::{Behaviour, Ending, Start};
use persona::Persona;

pub use turn::{SURROGATES_READ_AS, chunk_text};

/// The exit status of a program that was called wrongly.
const USAGE: u8 = 2;

/// Input is mostly short lines, at times a prompt of megabytes.
const INPUT_BUFFER_BYTES: usize = 64 * 1024;

/// The whole program.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if arguments.get(1).is_some_and(|first| first == process::HELPER) {
        return process::helper(&arguments[2..]);
    }
    let program = arguments.first().map(Path::new).and_then(Path::file_name);
    let program = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match run(&program, arguments.get(1..).unwrap_or_default()) {
        Ok(code) => code,
        Err(error) => {
            complain(&error.to_string());
            ExitCode::from(USAGE)
        }
    }
}

fn run(program: &str, arguments: &[String]) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let by_executable = Persona::from_executable(program);
    let file = match std::env::var_os("SCRIPTED_SETTINGS") {
        // The file need not be there: a test makes it when it needs it.
        Some(path) => behaviour::parse_settings_file(&std::fs::read_to_string(path).unwrap_or_default()),
        None => Default::default(),
    };
    let behaviour = Behaviour::read(
        |name| file.get(name).cloned().or_else(|| std::env::var(format!("SCRIPTED_{name}")).ok()),
        by_executable,
    )?;
    let mut stdout = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    if arguments.iter().any(|argument| argument == "--version") {
        writeln!(stdout, "{program} {}", behaviour.agent_version)?;
        return Ok(ExitCode::SUCCESS);
    }
    let usage = usage(program, by_executable);
    let required = by_executable.and_then(Persona::required_argument);
    if required.is_some_and(|required| !arguments.iter().any(|argument| argument == required)) {
        complain(&usage);
        return Ok(ExitCode::from(USAGE));
    }
    match behaviour.start {
        Start::Normal => {}
        Start::Exit(code) => std::process::exit(code),
        Start::Usage => {
            complain(&usage);
            return Ok(ExitCode::from(USAGE));
        }
        Start::UsageWait => {
            writeln!(stdout, "{usage}")?;
            std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink())?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    serve(behaviour, stdout)
}

fn serve(behaviour: Behaviour, stdout: File) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let on_sigterm = behaviour.on_sigterm;
    let agent = Arc::new(Agent::new(behaviour, stdout)?);
    if on_sigterm != Ending::AtOnce {
        let agent = Arc::clone(&agent);
        process::on_sigterm(move || {
            if let Ending::After(time) = on_sigterm {
                std::thread::sleep(time);
                agent.end_commands();
                std::process::exit(0);
            }
        })?;
    }
    let stdin = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    match agent.serve(BufReader::with_capacity(INPUT_BUFFER_BYTES, stdin)) {
        Ending::AtOnce => {}
        Ending::After(time) => std::thread::sleep(time),
        Ending::Ignore => loop {
            std::thread::park();
        },
    }
    agent.end_commands();
    Ok(ExitCode::SUCCESS)
}

fn usage(program: &str, persona: Option<Persona>) -> String {
    let argument = persona.and_then(Persona::required_argument).unwrap_or("");
    format!("Usage: {program} {argument}")
}

/// The one way in which the program itself speaks on stderr.
fn complain(message: &str) {
    // Nobody has to read it.
    let _ = writeln!(std::io::stderr(), "{message}");
}
