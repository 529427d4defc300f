//! From the program's pipes into the spool: kept, counted, or held back while the disk takes nothing.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use super::run::Host;
use crate::record::{CHUNK_BYTES, HEAD_BYTES, Kind, Stream};

/// When the disk is full, how long until the next attempt.
const RETRY: Duration = Duration::from_secs(1);

/// One of the program's two streams, on its way into the spool.
pub(crate) struct Output {
    stream: Stream,
    pub pipe: Option<File>,
    /// Bytes seen, spooled or counted.
    pub len: u64,
    /// Its end has been spooled.
    pub ended: bool,
    /// A chunk the disk did not take, with its head's room.
    stalled: Option<Vec<u8>>,
}

impl Output {
    pub fn new(stream: Stream, pipe: Option<File>) -> Self {
        Self { stream, pipe, len: 0, ended: false, stalled: None }
    }

    fn kinds(&self) -> (Kind, Kind) {
        match self.stream {
            Stream::Out => (Kind::Out, Kind::OutEof),
            Stream::Err => (Kind::Err, Kind::ErrEof),
        }
    }
}

impl Host {
    /// The pipes are read only while the spool takes what they give.
    pub(super) fn reads_output(&self) -> bool {
        let room = self.spool.bytes() < self.config.spool_limit_bytes;
        self.retry_at.is_none() && (room || self.is_draining())
    }

    fn output(&mut self, stream: Stream) -> &mut Output {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }

    /// Takes one chunk from the pipe; false when there was none.
    pub(super) fn read_output(&mut self, stream: Stream) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize(HEAD_BYTES + CHUNK_BYTES, 0);
        let Some(pipe) = &mut self.output(stream).pipe else { return false };
        let read = pipe.read(&mut buffer[HEAD_BYTES..]);
        let some = matches!(read, Ok(1..));
        match read {
            Ok(0) => self.end_output(stream),
            Ok(read) => self.keep(stream, &mut buffer[..HEAD_BYTES + read]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.end_output(stream),
        }
        self.buffer = buffer;
        some
    }

    fn keep(&mut self, stream: Stream, framed: &mut [u8]) {
        let body = framed.len() - HEAD_BYTES;
        if stream == Stream::Err && self.config.count_only_stderr {
            self.err.len += body as u64;
            return;
        }
        if stream == Stream::Out && self.config.json_rpc {
            self.watch.output(&framed[HEAD_BYTES..]);
        }
        let output = self.output(stream);
        let (kind, at) = (output.kinds().0, output.len);
        output.len += body as u64;
        if self.spool.append(&self.folder, kind, at, framed).is_err() {
            self.output(stream).stalled = Some(framed.to_vec());
            self.retry_later();
        }
    }

    /// The stream is at its end, or nobody waits for it any longer.
    pub(super) fn end_output(&mut self, stream: Stream) {
        self.output(stream).pipe = None;
        self.spool_end(stream);
    }

    fn spool_end(&mut self, stream: Stream) {
        let output = self.output(stream);
        if output.ended || output.pipe.is_some() || output.stalled.is_some() {
            return;
        }
        let (kind, len) = (output.kinds().1, output.len);
        if self.append(kind, len, &[]) {
            self.output(stream).ended = true;
        }
    }

    /// Appends a small record; false when the disk does not take it, and then the next attempt is on the clock.
    pub(super) fn append(&mut self, kind: Kind, offset: u64, body: &[u8]) -> bool {
        let mut framed = vec![0; HEAD_BYTES];
        framed.extend_from_slice(body);
        let done = self.spool.append(&self.folder, kind, offset, &mut framed).is_ok();
        if !done {
            self.retry_later();
        }
        done
    }

    fn retry_later(&mut self) {
        self.retry_at = Some(Instant::now() + RETRY);
    }

    /// Tries again what the disk did not take, oldest first.
    pub(super) fn retry(&mut self) {
        self.retry_at = None;
        for stream in [Stream::Out, Stream::Err] {
            if let Some(mut framed) = self.output(stream).stalled.take() {
                let output = self.output(stream);
                let (kind, at) = (output.kinds().0, output.len - (framed.len() - HEAD_BYTES) as u64);
                if self.spool.append(&self.folder, kind, at, &mut framed).is_err() {
                    self.output(stream).stalled = Some(framed);
                    self.retry_later();
                }
            }
            self.spool_end(stream);
        }
        self.spool_exit();
    }
}
