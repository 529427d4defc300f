//! The scripted language model as a program, for use by hand and by harnesses that are not written in Rust.
//!
//! It ends when its standard input closes, so it never outlives whoever started it.

use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use segue_testkit::model_server::ModelServer;

/// A scripted language model on 127.0.0.1. Ends when standard input closes.
#[derive(Debug, Parser)]
struct Options {
    /// Write the port here once the server accepts connections
    #[arg(long, value_name = "FILE")]
    port_file: PathBuf,
    /// Append a line of JSON here at the start and at the end of every request
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    let server = ModelServer::start_with_log(options.log.as_deref())?;
    announce(&options.port_file, server.port())?;
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}

/// The file appears with its content in it, so whoever waits for it can read at once.
fn announce(file: &Path, port: u16) -> io::Result<()> {
    let draft = file.with_added_extension("draft");
    std::fs::write(&draft, format!("{port}\n"))?;
    std::fs::rename(draft, file)
}
