//! Writing to standard output and standard error. A reader that has gone ends the program quietly.

use std::io::{self, Write};

use serde_json::Value;

use crate::terminal::plain;

/// Writes text and a line end to standard output. Colours go only to a terminal that wants them.
pub fn line(text: &str) {
    write(&mut anstream::stdout().lock(), text);
}

/// Writes bytes to standard output as they are: content that was asked for.
pub fn bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Writes a value as indented JSON.
pub fn json(value: &Value) {
    line(&plain::json(&serde_json::to_string_pretty(value).unwrap_or_default()));
}

/// Writes a value as one line of JSON.
pub fn json_line(value: &Value) {
    line(&plain::json(&value.to_string()));
}

/// Says something to a person; what cannot be said is lost.
pub fn say(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says that something went wrong. The text may hold words of an agent.
pub fn error(text: &str) {
    say(&format!("segue: {}", plain::block(text)));
}

fn write(out: &mut impl Write, text: &str) {
    written(writeln!(out, "{text}").and_then(|()| out.flush()));
}

fn written(outcome: io::Result<()>) {
    match outcome {
        Ok(()) => {}
        // `segue … | head` is no fault; anything else is.
        Err(gone) if gone.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(fault) => {
            error(&format!("write to standard output: {fault}"));
            std::process::exit(1);
        }
    }
}
