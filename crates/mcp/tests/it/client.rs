//! A client that knows lines and JSON and nothing of the server's types.

use std::{sync::Arc, time::Duration};

use segue_mcp::{Dispatch, Serving};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream},
    time::timeout,
};

/// Far beyond anything these tests wait for.
const DEADLINE: Duration = Duration::from_secs(60);
const PIPE_BYTES: usize = 64 * 1024;

pub struct Client {
    pub serving: Serving,
    output: Option<DuplexStream>,
    input: BufReader<DuplexStream>,
    next_id: i64,
}

impl Client {
    /// A connection on which nothing has been said.
    pub fn connect(service: Arc<dyn Dispatch>) -> Self {
        // Two, like two pipes, so that either can be closed alone.
        let (output, their_input) = tokio::io::duplex(PIPE_BYTES);
        let (their_output, input) = tokio::io::duplex(PIPE_BYTES);
        let serving = segue_mcp::serve(service, their_input, their_output);
        Self { serving, output: Some(output), input: BufReader::new(input), next_id: 0 }
    }

    /// A connection opened as clients of 2025-11-25 do.
    pub async fn open(service: Arc<dyn Dispatch>) -> Self {
        let mut client = Self::connect(service);
        client.initialize("2025-11-25").await;
        client
    }

    pub async fn initialize(&mut self, version: &str) -> Value {
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
        let answer = self.request("initialize", params).await;
        self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer["result"].clone()
    }

    pub async fn line(&mut self, line: impl AsRef<[u8]>) {
        let output = self.output.as_mut().expect("the input is open");
        output.write_all(line.as_ref()).await.expect("the server reads");
        output.write_all(b"\n").await.expect("the server reads");
    }

    pub async fn send(&mut self, message: Value) {
        self.line(message.to_string()).await;
    }

    /// The next message of the server.
    pub async fn receive(&mut self) -> Value {
        let mut line = String::new();
        timeout(DEADLINE, self.input.read_line(&mut line))
            .await
            .expect("the server answers")
            .expect("the output is open");
        assert!(line.ends_with('\n'), "the output ended with {line:?}");
        serde_json::from_str(&line).expect("every line is JSON")
    }

    /// The server closes its output without a further word.
    pub async fn expect_end(&mut self) {
        let mut line = String::new();
        timeout(DEADLINE, self.input.read_line(&mut line))
            .await
            .expect("the server closes")
            .expect("the output can be read");
        assert_eq!(line, "");
    }

    pub fn close_input(&mut self) {
        self.output = None;
    }

    /// Sends a request and returns its id.
    pub async fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})).await;
        self.next_id
    }

    /// Sends a request and returns the next message, which must be its answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        answer.get("result").cloned().unwrap_or_else(|| panic!("{answer}"))
    }

    /// The result object of a call that succeeds, after the checks that hold for every such result.
    pub async fn good(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        let object = result["structuredContent"].clone();
        let text = serde_json::to_string_pretty(&object).expect("a value can be encoded");
        assert_eq!(result["content"], json!([{"type": "text", "text": text}]));
        object
    }

    /// The text of a call that fails, after the checks that hold for every failure.
    pub async fn bad(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert_eq!(result, json!({"isError": true, "content": [{"type": "text", "text": text}]}));
        text
    }
}
