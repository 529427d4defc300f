//! From nothing to `tools/list` answered.

use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
    time::Instant,
};

use super::{Figure, ms, world};

const STARTS: usize = 40;
const BAR_MS: f64 = 25.0;
const LINES: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n"
);

pub fn measure() -> Vec<Figure> {
    let world = world();
    let times = (0..=STARTS).map(|_| {
        let begun = Instant::now();
        let mut server = world
            .command(["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("segue starts");
        let mut input = server.stdin.take().expect("a pipe");
        input.write_all(LINES.as_bytes()).expect("it reads");
        let mut output = BufReader::new(server.stdout.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("\"tools\":[") {
            line.clear();
            assert!(output.read_line(&mut line).expect("it answers") > 0, "it ended early");
        }
        let taken = ms(begun.elapsed());
        drop(input);
        server.wait().expect("it ends");
        taken
    });
    // The first one makes the state folder.
    let times = times.skip(1).collect();
    vec![Figure::median("segue mcp: start to tools/list answered", "ms", times, BAR_MS)]
}
