//! Starts a program of the person's own desktop, and leaves it alone.
//!
//! It is no guest: it outlives this process, nothing of it is recorded, and nobody ends it. Refuses to know what it
//! shows.

use std::{
    io,
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

/// Starts `program` with one argument. In a process group of its own: Ctrl-C in the terminal is meant for us.
///
/// # Errors
/// It cannot be started.
pub fn launch(program: &str, argument: &str) -> io::Result<()> {
    let mut command = Command::new(program);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn()?;
    // Its end is of no interest, but a child that nobody waits for stays a zombie.
    std::thread::Builder::new().name("launched".to_owned()).spawn(move || child.wait())?;
    Ok(())
}
