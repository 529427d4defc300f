//! One connection to the host: requests in, records out.
//!
//! Records are copied from the spool's file, so a client that reads slowly costs no memory, and one that comes late
//! gets exactly what one that was there got.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;

use crate::facts::Offsets;
use crate::folder::Folder;
use crate::protocol::{self, Hello, REQUEST_HEAD_BYTES, Request};
use crate::record::{self, GapBody, HEAD_BYTES, Head, Kind, Stream, Trim};
use crate::spool::{Place, Spool};

/// What is read from the spool, and from a request's body, at once.
const COPY_BYTES: usize = 64 << 10;
/// So much is sent in one go before the loop looks at others.
const SEND_ROUNDS: usize = 16;
/// So much of an input is read in one go.
const READ_BYTES: u64 = 1 << 20;

/// A peer that broke the protocol or went away.
#[derive(Debug)]
pub(crate) struct Gone;

#[derive(Debug)]
pub(crate) struct Client {
    socket: UnixStream,
    request_head: [u8; REQUEST_HEAD_BYTES],
    request_head_len: usize,
    request_body: Vec<u8>,
    /// Bytes that go before anything from the spool.
    first: Vec<u8>,
    cursor: Option<Cursor>,
    /// The last write did not go through.
    pub blocked: bool,
}

#[derive(Debug)]
struct Cursor {
    place: Place,
    open: Option<(u64, File)>,
    /// The client has some of the records ahead; gone when it has none.
    trim: Option<Trim>,
    /// Where both streams stand at `place`; kept only while trimming.
    at: Offsets,
}

impl Client {
    pub fn new(socket: UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            request_head: [0; REQUEST_HEAD_BYTES],
            request_head_len: 0,
            request_body: Vec::new(),
            first: Vec::new(),
            cursor: None,
            blocked: false,
        })
    }

    pub fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// The next whole request; `None` when it has not all arrived.
    pub fn request(&mut self) -> Result<Option<Request>, Gone> {
        loop {
            while self.request_head_len < REQUEST_HEAD_BYTES {
                match self.socket.read(&mut self.request_head[self.request_head_len..]) {
                    Ok(0) => return Err(Gone),
                    Ok(read) => self.request_head_len += read,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return Err(Gone),
                }
            }
            let [a, b, c, d, kind] = self.request_head;
            let len = u32::from_le_bytes([a, b, c, d]) as usize;
            if len > protocol::INPUT_MAX_BYTES + HEAD_BYTES {
                return Err(Gone);
            }
            let missing = (len - self.request_body.len()) as u64;
            if missing > 0 {
                // Reads no further than this request, straight into its place, and not for ever.
                match (&self.socket).take(missing.min(READ_BYTES)).read_to_end(&mut self.request_body) {
                    Ok(0) => return Err(Gone),
                    Ok(read) if (read as u64) < missing => return Ok(None),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        if self.request_body.len() < len {
                            return Ok(None);
                        }
                    }
                    Err(_) => return Err(Gone),
                }
            }
            self.request_head_len = 0;
            match Request::decode(kind, std::mem::take(&mut self.request_body)) {
                Ok(Some(request)) => return Ok(Some(request)),
                Ok(None) => {}
                Err(_) => return Err(Gone),
            }
        }
    }

    /// Says why not. The connection is closed afterwards.
    pub fn refuse(&mut self, why: &str) {
        let _ = self.socket.write_all(&record::encode(Kind::Refused, 0, why.as_bytes()));
    }

    /// From now on the client gets everything after `from`.
    pub fn attach(&mut self, hello: &Hello, spool: &Spool, from: Offsets) {
        let json = |value: serde_json::Result<Vec<u8>>| value.unwrap_or_default();
        self.first = record::encode(Kind::Hello, 0, &json(serde_json::to_vec(hello)));
        for (stream, from, to) in [(Stream::Out, from.out, hello.kept.out), (Stream::Err, from.err, hello.kept.err)] {
            if from < to {
                self.first.extend(record::encode(
                    Kind::Gap,
                    from,
                    &json(serde_json::to_vec(&GapBody { stream, from, to })),
                ));
            }
        }
        self.cursor =
            Some(Cursor { place: spool.place_of(from), open: None, trim: Some(Trim(from)), at: Offsets::default() });
    }

    /// There is something to send.
    pub fn is_behind(&mut self, spool: &Spool) -> bool {
        !self.first.is_empty() || self.cursor.as_mut().is_some_and(|cursor| spool.reach(&mut cursor.place).is_some())
    }

    /// Sends what the socket takes, up to a bound.
    pub fn send(&mut self, folder: &Folder, spool: &Spool, buffer: &mut Vec<u8>) -> Result<(), Gone> {
        self.blocked = false;
        for _ in 0..SEND_ROUNDS {
            if !self.first.is_empty() {
                let Some(sent) = self.write_from(None)? else { return Ok(()) };
                self.first.drain(..sent);
                continue;
            }
            let Some(cursor) = &mut self.cursor else { return Ok(()) };
            let Some(reach) = spool.reach(&mut cursor.place) else { return Ok(()) };
            if cursor.trim.is_some() {
                self.first = cursor.trimmed(folder).map_err(|_| Gone)?;
                continue;
            }
            buffer.resize(COPY_BYTES, 0);
            let want = usize::try_from(reach - cursor.place.pos).unwrap_or(COPY_BYTES).min(COPY_BYTES);
            let read =
                cursor.file(folder).and_then(|(file, pos)| file.read_at(&mut buffer[..want], pos)).map_err(|_| Gone)?;
            if read == 0 {
                return Err(Gone);
            }
            let Some(sent) = self.write_from(Some(&buffer[..read]))? else { return Ok(()) };
            if let Some(cursor) = &mut self.cursor {
                cursor.place.pos += sent as u64;
            }
        }
        Ok(())
    }

    /// Writes these bytes, or those that go first. `None` when the socket is full.
    fn write_from(&mut self, bytes: Option<&[u8]>) -> Result<Option<usize>, Gone> {
        loop {
            match self.socket.write(bytes.unwrap_or(&self.first)) {
                Ok(0) => return Err(Gone),
                Ok(sent) => return Ok(Some(sent)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.blocked = true;
                    return Ok(None);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Err(Gone),
            }
        }
    }
}

impl Cursor {
    fn file(&mut self, folder: &Folder) -> io::Result<(&File, u64)> {
        let segment = self.place.segment;
        if self.open.as_ref().is_none_or(|(open, _)| *open != segment) {
            self.open = Some((segment, folder.segment(segment)?));
        }
        match &self.open {
            Some((_, file)) => Ok((file, self.place.pos)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The next record, less what the client has: nothing, a shortened one, or the whole.
    fn trimmed(&mut self, folder: &Folder) -> io::Result<Vec<u8>> {
        let torn = || io::Error::from(io::ErrorKind::InvalidData);
        let (file, pos) = self.file(folder)?;
        let mut head = [0; HEAD_BYTES];
        file.read_exact_at(&mut head, pos)?;
        let head = Head::decode(&head).ok_or_else(torn)?;
        let front = self.trim.as_ref().and_then(|trim| trim.front(&head));
        let mut sent = Vec::new();
        if let (Some(front), Some(kind)) = (front, head.kind) {
            let mut body = vec![0; head.len - front];
            self.file(folder)?.0.read_exact_at(&mut body, pos + (HEAD_BYTES + front) as u64)?;
            if kind == Kind::Start {
                self.at = serde_json::from_slice::<crate::spool::StartBody>(&body)?.at;
            }
            sent = record::encode(kind, head.offset + front as u64, &body);
        }
        match head.kind {
            Some(Kind::Out) => self.at.out = head.offset + head.len as u64,
            Some(Kind::Err) => self.at.err = head.offset + head.len as u64,
            // Counted stderr has no chunks; its end says how far it came.
            Some(Kind::ErrEof) => self.at.err = head.offset,
            _ => {}
        }
        self.place.pos += (HEAD_BYTES + head.len) as u64;
        if self.trim.is_some_and(|trim| self.at.covers(trim.0)) {
            self.trim = None;
        }
        Ok(sent)
    }
}
