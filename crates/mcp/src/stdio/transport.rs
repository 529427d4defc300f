//! The connection as the protocol library drives it.
//!
//! Reading and writing are apart: the library asks for one message after the other, and a job of ours writes
//! the answers in the order in which they are made. Neither waits for the other, except that nothing more is
//! read while too many answers lie unread.

use std::{collections::VecDeque, io, sync::Arc};

use futures_util::StreamExt;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_util::{codec::FramedRead, sync::CancellationToken};

use super::{
    ServeEnd,
    calls::Calls,
    lines::{LINE_BYTES_MAX, Line, Lines},
    message,
};

/// How many answers may wait to be written before reading pauses. More than any client asks at once, and few
/// enough that one which never reads cannot fill the memory.
const ANSWERS_WAITING_MAX: usize = 1_024;

/// Why a message could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("encode the message")]
    Encode(#[from] serde_json::Error),
    #[error("the output is closed")]
    Closed,
}

/// A line for the client.
#[derive(Debug)]
struct Answer {
    /// Of the request that it answers.
    id: Option<RequestId>,
    line: Vec<u8>,
}

pub struct StdioTransport<R> {
    input: FramedRead<R, Lines>,
    /// Read and not yet passed on.
    messages: VecDeque<ClientJsonRpcMessage>,
    refusals: VecDeque<ServerJsonRpcMessage>,
    output: mpsc::Sender<Answer>,
    calls: Arc<Calls>,
    report: watch::Sender<Option<ServeEnd>>,
    stop_reading: CancellationToken,
}

/// The transport, and the job that writes. The job ends when the transport and all that is being sent through
/// it are gone, or when the output is closed; the latter also ends the reading.
pub fn open<R, W>(
    input: R,
    output: W,
    report: watch::Sender<Option<ServeEnd>>,
    stop_reading: CancellationToken,
    calls: Arc<Calls>,
) -> (StdioTransport<R>, JoinHandle<()>)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (lines, queue) = mpsc::channel(ANSWERS_WAITING_MAX);
    let (writer_report, writer_stop, writer_calls) = (report.clone(), stop_reading.clone(), Arc::clone(&calls));
    let writer = tokio::spawn(async move {
        if let Err(error) = write(output, queue, &writer_calls).await {
            tracing::info!(%error, "the output is closed");
            end(&writer_report, ServeEnd::OutputClosed);
            writer_stop.cancel();
        }
    });
    let input = FramedRead::new(input, Lines::new(LINE_BYTES_MAX));
    (
        StdioTransport {
            input,
            messages: VecDeque::new(),
            refusals: VecDeque::new(),
            output: lines,
            calls,
            report,
            stop_reading,
        },
        writer,
    )
}

async fn write<W: AsyncWrite + Unpin>(
    mut output: W,
    mut queue: mpsc::Receiver<Answer>,
    calls: &Calls,
) -> io::Result<()> {
    while let Some(Answer { id, line }) = queue.recv().await {
        if let Some(id) = &id {
            calls.answer(id);
        }
        output.write_all(&line).await?;
        if queue.is_empty() {
            output.flush().await?;
        }
    }
    Ok(())
}

/// The first reason stands.
fn end(report: &watch::Sender<Option<ServeEnd>>, why: ServeEnd) {
    report.send_if_modified(|ended| ended.is_none() && ended.replace(why).is_none());
}

fn encode(message: &ServerJsonRpcMessage) -> Result<Answer, serde_json::Error> {
    let id = match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    };
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(Answer { id, line })
}

impl<R: AsyncRead + Send + Unpin + 'static> StdioTransport<R> {
    /// The next message. The library drops this future whenever something else happens first, so all that is
    /// read lives in `self` before the next wait.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let room = self.output.reserve().await.ok()?;
            if let Some(refusal) = self.refusals.pop_front() {
                match encode(&refusal) {
                    Ok(answer) => room.send(answer),
                    Err(error) => tracing::error!(%error, "a refusal could not be encoded"),
                }
                continue;
            }
            drop(room);
            if let Some(message) = self.messages.pop_front() {
                self.calls.hear(&message);
                return Some(message);
            }
            match self.input.next().await {
                Some(Ok(Line::Whole(line))) => {
                    let read = message::read(&line);
                    self.messages.extend(read.messages);
                    self.refusals.extend(read.refusals);
                }
                Some(Ok(Line::TooLong)) => self.refusals.push_back(message::too_long(LINE_BYTES_MAX)),
                Some(Err(error)) => {
                    tracing::error!(%error, "the input cannot be read");
                    end(&self.report, ServeEnd::InputFailed);
                    return None;
                }
                None => {
                    end(&self.report, ServeEnd::InputEnded);
                    return None;
                }
            }
        }
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for StdioTransport<R> {
    type Error = SendError;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let output = self.output.clone();
        async move { output.send(encode(&message)?).await.map_err(|_| SendError::Closed) }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let stop = self.stop_reading.clone();
        tokio::select! {
            biased;
            () = stop.cancelled() => None,
            message = self.next() => message,
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        Ok(())
    }
}
