//! A server's connection to a host: attach anywhere in the streams, receive events, send input.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};

use crate::facts::{Offsets, OrphanPlan};
use crate::folder::Folder;
use crate::protocol::{self, Attach, Encoded, Hello, INPUT_MAX_BYTES, Idle, Request, Stop};
use crate::record::{HEAD_BYTES, Head, HostEvent, Kind};

/// A host answers at once unless it is stopped or the machine swaps; silence is not death, so the caller decides.
const HELLO: Duration = Duration::from_secs(5);
/// What one read takes; a few hundred small records.
const READ_BYTES: usize = 256 << 10;
/// Requests under way. Inputs are handed over, not copied, so this bounds their number and not their size.
const OUTGOING: usize = 64;
/// How long a stop waits behind input that the host does not take before it goes around it.
const STOP_IN_LINE: Duration = Duration::from_secs(1);
/// Smaller inputs are joined with their head into one write.
const JOIN_MAX_BYTES: usize = 16 << 10;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// The folder or its socket is gone, or nobody listens: ask [`crate::state`].
    #[error("reach the host")]
    Unreachable(#[source] io::Error),
    /// It took the connection and says nothing. It may be stopped; that is not its end.
    #[error("hear from the host within {} s", HELLO.as_secs())]
    Silent,
    #[error("attach to the host: {0}")]
    Refused(String),
    #[error("understand the host")]
    Broken(#[source] io::Error),
}

/// The host closed the connection: a newer server attached, or it is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the link to the host is closed")]
pub struct LinkClosed;

/// An attached connection. There is one at a time; attaching again closes the one before.
#[derive(Debug)]
pub struct Link {
    pub hello: Hello,
    pub sender: LinkSender,
    pub receiver: LinkReceiver,
}

impl Link {
    /// Attaches to the host of `dir` and receives everything after `from`.
    ///
    /// # Errors
    /// See [`AttachError`]; nothing has changed for whoever was attached before, unless the host was reached.
    pub async fn attach(dir: &Path, from: Offsets) -> Result<Self, AttachError> {
        let socket = connect(dir).await.map_err(AttachError::Unreachable)?;
        let (read, mut write) = socket.into_split();
        let attach = Request::Attach(Attach { version: protocol::VERSION, from }).encode();
        write.write_all(&attach.head).await.map_err(AttachError::Unreachable)?;
        let mut receiver = LinkReceiver { socket: read, buffer: BytesMut::new() };
        let hello = match tokio::time::timeout(HELLO, receiver.record()).await {
            Err(_) => return Err(AttachError::Silent),
            // A host that goes takes the connections with it that it had not accepted.
            Ok(Err(error)) if error.kind() != io::ErrorKind::InvalidData => {
                return Err(AttachError::Unreachable(error));
            }
            Ok(record) => match record.map_err(AttachError::Broken)? {
                Some((head, body)) if head.kind == Some(Kind::Hello) => {
                    serde_json::from_slice(&body).map_err(|error| AttachError::Broken(error.into()))?
                }
                Some((head, body)) if head.kind == Some(Kind::Refused) => {
                    return Err(AttachError::Refused(String::from_utf8_lossy(&body).into_owned()));
                }
                Some(_) => return Err(AttachError::Broken(io::ErrorKind::InvalidData.into())),
                None => return Err(AttachError::Unreachable(io::ErrorKind::ConnectionReset.into())),
            },
        };
        Ok(Self { hello, sender: LinkSender::new(write, dir.to_owned()), receiver })
    }

    /// The two halves, for a loop that sends while it waits. Dropping the last sender detaches.
    #[must_use]
    pub fn split(self) -> (LinkSender, LinkReceiver) {
        (self.sender, self.receiver)
    }
}

/// The host has its socket and says nothing to who greets it. Whoever is attached stays so.
pub async fn stands_still(dir: &Path) -> bool {
    // Nobody has heard so much: a host that is there refuses.
    let beyond = Offsets { out: u64::MAX, err: u64::MAX };
    matches!(Link::attach(dir, beyond).await, Err(AttachError::Silent))
}

async fn connect(dir: &Path) -> io::Result<UnixStream> {
    // The folder stays open until the address, which names its descriptor, has been used.
    let folder = Folder::open(dir)?;
    UnixStream::connect(folder.socket_path()).await
}

/// The receiving half.
#[derive(Debug)]
pub struct LinkReceiver {
    socket: OwnedReadHalf,
    buffer: BytesMut,
}

impl LinkReceiver {
    /// The next event; `None` when the connection is closed, and then [`crate::state`] says what became of the host.
    /// Nothing is lost when the future is dropped.
    pub async fn recv(&mut self) -> Option<HostEvent> {
        loop {
            let (head, body) = self.record().await.unwrap_or_else(closed)?;
            match HostEvent::from_record(&head, body) {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(error) => {
                    closed::<()>(error.into());
                    return None;
                }
            }
        }
    }

    /// Waits for an event and gives it with those that have already arrived, `max` at most; `None` as for `recv`.
    pub async fn recv_batch(&mut self, max: usize) -> Option<Vec<HostEvent>> {
        let mut batch = vec![self.recv().await?];
        while batch.len() < max {
            match self.take_record() {
                Ok(Some((head, body))) => match HostEvent::from_record(&head, body) {
                    Ok(event) => batch.extend(event),
                    Err(_) => break,
                },
                // What is wrong with it shows in the next call.
                Ok(None) | Err(_) => break,
            }
        }
        Some(batch)
    }

    async fn record(&mut self) -> io::Result<Option<(Head, Bytes)>> {
        loop {
            if let Some(record) = self.take_record()? {
                return Ok(Some(record));
            }
            self.buffer.reserve(READ_BYTES);
            if self.socket.read_buf(&mut self.buffer).await? == 0 {
                return if self.buffer.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// The record at the front of the buffer, if it is whole. A broken one stays there.
    fn take_record(&mut self) -> io::Result<Option<(Head, Bytes)>> {
        let Some(head) = self.buffer.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        let head = Head::decode(head).ok_or(io::ErrorKind::InvalidData)?;
        let end = HEAD_BYTES + head.len;
        let Some(body) = self.buffer.get(HEAD_BYTES..end) else { return Ok(None) };
        if !head.fits(body) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut record = self.buffer.split_to(end).freeze();
        Ok(Some((head, record.split_off(HEAD_BYTES))))
    }
}

fn closed<T>(error: io::Error) -> Option<T> {
    tracing::warn!(%error, "the link to a host broke");
    None
}

#[derive(Debug)]
struct Outgoing {
    request: Request,
    /// Told when the request has been written.
    written: Option<oneshot::Sender<()>>,
}

/// The sending half. Clones share one connection and one order.
#[derive(Debug, Clone)]
pub struct LinkSender {
    outgoing: mpsc::Sender<Outgoing>,
    acked: Arc<watch::Sender<Offsets>>,
    delivered: Arc<AtomicU64>,
    dir: Arc<PathBuf>,
}

impl LinkSender {
    fn new(socket: OwnedWriteHalf, dir: PathBuf) -> Self {
        let (outgoing, requests) = mpsc::channel(OUTGOING);
        let (acked, acks) = watch::channel(Offsets::default());
        let delivered = Arc::new(AtomicU64::new(0));
        // Ends with the last sender, or with the connection.
        tokio::spawn(write(socket, requests, acks, Arc::clone(&delivered)));
        Self { outgoing, acked: Arc::new(acked), delivered, dir: Arc::new(dir) }
    }

    /// The number of the last input that the kernel has taken for the host, whole: the host gets it even when this
    /// process dies now. 0 before the first over this connection.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Acquire)
    }

    async fn send(&self, request: Request) -> Result<(), LinkClosed> {
        self.outgoing.send(Outgoing { request, written: None }).await.map_err(|_| LinkClosed)
    }

    /// Bytes for the program's stdin, exactly as given: a line brings its own line end. `n` starts at 1 and grows with
    /// every input; one that the host already took ([`Hello::last_input`]) is ignored, so after an attach the
    /// unanswered ones are simply sent again.
    ///
    /// # Errors
    /// The link is closed, or the input is longer than [`INPUT_MAX_BYTES`].
    pub async fn send_line(&self, n: u64, bytes: Bytes) -> Result<(), LinkClosed> {
        if bytes.len() > INPUT_MAX_BYTES {
            return Err(LinkClosed);
        }
        self.send(Request::Line { n, bytes }).await
    }

    /// Closes the program's stdin after what was sent before.
    ///
    /// # Errors
    /// The link is closed.
    pub async fn close_input(&self) -> Result<(), LinkClosed> {
        self.send(Request::CloseInput).await
    }

    /// Everything before `to` has been stored; the host may forget it. Never waits: only the newest counts.
    pub fn ack(&self, to: Offsets) {
        self.acked.send_replace(to);
    }

    /// Ends the program's tree; [`HostEvent::End`] follows within 35 s and the configured grace. Reaches the host also
    /// when its program takes no input and everything before is stuck.
    ///
    /// # Errors
    /// The host cannot be reached.
    pub async fn stop(&self, reason: Option<String>) -> Result<(), LinkClosed> {
        let in_line = self.send_through(Request::Stop(Stop { reason: reason.clone() }));
        if let Ok(result) = tokio::time::timeout(STOP_IN_LINE, in_line).await {
            return result;
        }
        let around = async {
            let mut socket = connect(&self.dir).await?;
            socket.write_all(&Request::Stop(Stop { reason: reason.clone() }).encode().head).await
        };
        around.await.map_err(|_| LinkClosed)
    }

    /// How to end the turn should this server vanish. Send it before the prompt it belongs to; a later one replaces it,
    /// an empty one takes it back.
    ///
    /// # Errors
    /// The link is closed.
    pub async fn orphan_plan(&self, plan: OrphanPlan) -> Result<(), LinkClosed> {
        self.send(Request::OrphanPlan(plan)).await
    }

    /// Sets the idle clock: after this long, the program ends if nobody is attached then. `None` takes it off.
    ///
    /// # Errors
    /// The link is closed.
    pub async fn idle_clock(&self, ms: Option<u64>) -> Result<(), LinkClosed> {
        self.send(Request::Idle(Idle { ms })).await
    }

    /// The end has been stored: the host removes its folder and goes. Without effect before [`HostEvent::End`].
    /// On return the host is sure to hear it, also when this process ends now; it has removed its folder when
    /// [`LinkReceiver::recv`] gives `None`.
    ///
    /// # Errors
    /// The link is closed.
    pub async fn release(&self) -> Result<(), LinkClosed> {
        self.send_through(Request::Release).await
    }

    /// Sends and waits until the kernel has taken it.
    async fn send_through(&self, request: Request) -> Result<(), LinkClosed> {
        let (written, done) = oneshot::channel();
        self.outgoing.send(Outgoing { request, written: Some(written) }).await.map_err(|_| LinkClosed)?;
        done.await.map_err(|_| LinkClosed)
    }
}

async fn write(
    mut socket: OwnedWriteHalf,
    mut requests: mpsc::Receiver<Outgoing>,
    mut acks: watch::Receiver<Offsets>,
    delivered: Arc<AtomicU64>,
) {
    loop {
        let outgoing = tokio::select! {
            biased;
            Ok(()) = acks.changed() => Outgoing { request: Request::Ack(*acks.borrow_and_update()), written: None },
            outgoing = requests.recv() => match outgoing {
                Some(outgoing) => outgoing,
                None => return,
            },
        };
        let Encoded { mut head, bytes } = outgoing.request.encode();
        let result = if bytes.len() <= JOIN_MAX_BYTES {
            head.extend_from_slice(&bytes);
            socket.write_all(&head).await
        } else {
            match socket.write_all(&head).await {
                Ok(()) => socket.write_all(&bytes).await,
                error => error,
            }
        };
        // The receiving half sees the end of the connection; senders see the queue closed.
        if result.is_err() {
            return;
        }
        if let Request::Line { n, .. } = outgoing.request {
            delivered.store(n, Ordering::Release);
        }
        if let Some(written) = outgoing.written {
            let _ = written.send(());
        }
    }
}
