//! A web server on loopback whose answers are scripted, byte for byte, and that remembers what it was asked.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What it was asked. Header names are in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// One thing it does with a connection.
#[derive(Debug, Clone)]
pub enum Part {
    Bytes(Vec<u8>),
    /// The same bytes again and again until the client goes.
    Endless(Vec<u8>),
    Rest(Duration),
    /// Says nothing more and keeps the connection.
    Hang,
}

type Answers = Arc<dyn Fn(&Asked) -> Vec<Part> + Send + Sync>;

pub struct Server {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    job: JoinHandle<()>,
}

impl Server {
    pub async fn start(answers: impl Fn(&Asked) -> Vec<Part> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, answers): (_, Answers) = (Arc::clone(&asked), Arc::new(answers));
        let job = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&log), Arc::clone(&answers)));
            }
        });
        Self { address, asked, job }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.job.abort();
    }
}

async fn serve(mut socket: TcpStream, log: Arc<Mutex<Vec<Asked>>>, answers: Answers) {
    let Some(asked) = read(&mut socket).await else { return };
    let parts = answers(&asked);
    log.lock().unwrap().push(asked);
    for part in parts {
        let written = match part {
            Part::Bytes(bytes) => socket.write_all(&bytes).await,
            Part::Endless(bytes) => loop {
                if let Err(error) = socket.write_all(&bytes).await {
                    break Err(error);
                }
            },
            Part::Rest(time) => {
                tokio::time::sleep(time).await;
                Ok(())
            }
            Part::Hang => {
                // Until the client closes.
                let _ = socket.read(&mut [0; 64]).await;
                return;
            }
        };
        if written.is_err() {
            return;
        }
    }
    let _ = socket.shutdown().await;
}

async fn read(socket: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let end = head + 4 + length.unwrap_or(0);
    while bytes.len() < end {
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { method, path, headers, body: String::from_utf8_lossy(&bytes[head + 4..end]).into_owned() })
}

/// A whole answer.
pub fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Vec<Part> {
    let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    vec![Part::Bytes(format!("{head}\r\n{body}").into_bytes())]
}

pub fn json(status: u16, body: &str) -> Vec<Part> {
    answer(status, &[("Content-Type", "application/json")], body)
}

/// The head of an answer that ends with its connection.
pub fn head(headers: &[(&str, &str)]) -> Part {
    let mut head = "HTTP/1.1 200 OK\r\nConnection: close\r\n".to_owned();
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    Part::Bytes(format!("{head}\r\n").into_bytes())
}
