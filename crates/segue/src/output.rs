//! Writing to standard output and standard error. A reader that has gone ends the program quietly.

use std::io::{self, Write};

use serde_json::Value;

/// Writes text and a line end to standard output.
pub fn line(text: &str) {
    write(&mut anstream::stdout().lock(), text);
}

/// Writes a value as indented JSON.
pub fn json(value: &Value) {
    line(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// Writes one line of JSON.
pub fn json_line(value: &Value) {
    line(&value.to_string());
}

/// Says something to a person; what cannot be said is lost.
pub fn say(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says that something went wrong.
pub fn error(text: &str) {
    say(&format!("segue: {text}"));
}

fn write(out: &mut impl Write, text: &str) {
    let outcome = writeln!(out, "{text}").and_then(|()| out.flush());
    if let Err(error) = outcome {
        // `segue … | head` is no fault; anything else is.
        let status = if error.kind() == io::ErrorKind::BrokenPipe { 0 } else { 1 };
        std::process::exit(status);
    }
}
