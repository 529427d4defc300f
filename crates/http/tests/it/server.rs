//! The server with a socket: who is let in, what is bounded, how it stops.

use segue_http::{Listener, serve};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinHandle,
};

use crate::world::{LONG, World, chain};

struct Server {
    port: u16,
    stop: Option<oneshot::Sender<()>>,
    job: JoinHandle<()>,
}

impl Server {
    async fn start(world: &World) -> Self {
        let listener = Listener::bind("127.0.0.1", 0).await.unwrap();
        let port = listener.address().port();
        let (stop, stopped) = oneshot::channel();
        let app = world.app.clone();
        let job = tokio::spawn(serve(listener, app, async move { drop(stopped.await) }));
        Self { port, stop: Some(stop), job }
    }

    async fn stop(mut self) {
        drop(self.stop.take());
        tokio::time::timeout(LONG, self.job).await.expect("it stops").unwrap();
    }

    /// Everything that comes back for these bytes.
    async fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = Vec::new();
        let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut reply)).await.expect("an answer");
        String::from_utf8(reply).unwrap()
    }

    async fn get(&self, host: &str, more: &str) -> String {
        let request = format!("GET /api/v1/runs HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n");
        self.send(&request).await
    }
}

fn status(reply: &str) -> &str {
    reply.get(9..12).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_the_same_user_needs_no_token_and_no_origin() {
    let world = World::new().await;
    let server = Server::start(&world).await;
    let port = server.port;
    for host in [format!("127.0.0.1:{port}"), format!("LOCALHOST.:{port}"), format!("[::1]:{port}")] {
        let reply = server.get(&host, "").await;
        if cfg!(target_os = "linux") {
            assert_eq!(status(&reply), "200", "{host}: {reply}");
            assert!(reply.ends_with("{\"items\":[],\"next\":null}\n"), "{reply}");
        }
    }
    let token = format!("Authorization: Bearer {}\r\n", "07".repeat(32));
    assert_eq!(status(&server.get(&format!("127.0.0.1:{port}"), &token).await), "200");
    assert_eq!(status(&server.get("example.org", &token).await), "421");
    assert_eq!(status(&server.get(&format!("localhost:{port}"), "Origin: http://example.org\r\n").await), "403");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_malformed_or_too_large_is_answered_and_harms_nobody() {
    let world = World::new().await;
    let server = Server::start(&world).await;
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    for request in ["odd\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /a b c HTTP/1.1\r\n\r\n"] {
        assert!(matches!(status(&server.send(request).await), "400" | "505" | ""), "{request:?}");
    }
    assert_eq!(status(&server.send("GET /api/v1/runs HTTP/1.0\r\n\r\n").await), "421", "no name");
    let large = "x".repeat(300_000);
    let post = format!("POST /api/v1/tasks HTTP/1.1\r\n{host}Connection: close\r\nContent-Type: application/json\r\n");
    let reply = server.send(&format!("{post}Content-Length: {}\r\n\r\n{large}", large.len())).await;
    assert_eq!(status(&reply), "400", "{reply}");
    let chunked = server.send(&format!("{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n")).await;
    assert_eq!(status(&chunked), "400", "{chunked}");
    assert_eq!(status(&server.get(&format!("127.0.0.1:{}", server.port), "").await), "200");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_live_events_and_waiting_connections() {
    let world = World::new().await;
    world.add_tool("tool.plain", &["execute_process"]).await;
    world.save(&chain("holding", "tool.plain", &["hold"])).await;
    let run = world.admit("holding").await;
    let server = Server::start(&world).await;
    let mut idle = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let mut live = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let request = format!("GET /api/v1/runs/{run}/events/stream HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", server.port);
    live.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains("executor.started") {
        let read = tokio::time::timeout(LONG, live.read(&mut buffer)).await.expect("events").unwrap();
        assert_ne!(read, 0, "{text}");
        text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
    }
    let port = server.port;
    server.stop().await;
    let mut rest = Vec::new();
    let _ = live.read_to_end(&mut rest).await;
    let _ = idle.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains("event: end"), "the run has not ended");
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "nobody listens any more");
    world.open_gate();
    world.ended(&run).await;
}
