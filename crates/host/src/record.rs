//! The one record format: what lies in the spool is what crosses the socket to a client.
//!
//! `[len u32][kind u8][offset u64][crc u32][len bytes]`, little-endian. The CRC covers everything but itself, so a torn
//! or foreign tail ends the reading instead of becoming data. `offset` is the position of the first byte in the
//! stream of its kind, which makes a record meaningful without the ones before it. This file knows no files and no sockets.

use crate::facts::{EndRecord, Exit, Offsets};

/// Bytes before the body.
pub(crate) const HEAD_BYTES: usize = 17;
/// No record has a longer body. Chunks are smaller; an end record with a full process list is about 30 kB.
pub(crate) const BODY_MAX_BYTES: usize = 1 << 20;
/// The largest piece of output in one record: what one read of a pipe can give.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;

/// What a record carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// First in every segment: where both streams stand (JSON).
    Start = 0,
    Out = 1,
    Err = 2,
    OutEof = 3,
    ErrEof = 4,
    /// The program's first process ended (JSON).
    Exit = 5,
    /// Last of all (JSON).
    End = 6,
    /// Bytes that were asked for and are no longer kept (JSON).
    Gap = 7,
    /// First to every client, never in the spool (JSON).
    Hello = 8,
    /// Instead of the hello: why the attach was refused (text).
    Refused = 9,
}

impl Kind {
    fn parse(byte: u8) -> Option<Self> {
        [
            Self::Start,
            Self::Out,
            Self::Err,
            Self::OutEof,
            Self::ErrEof,
            Self::Exit,
            Self::End,
            Self::Gap,
            Self::Hello,
            Self::Refused,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == byte)
    }
}

/// A record's head, read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head {
    pub len: usize,
    /// `None`: written by a newer host; skipped by whoever does not know it.
    pub kind: Option<Kind>,
    pub offset: u64,
    crc: u32,
    crc_of_head: u32,
}

impl Head {
    /// `None` when the length cannot be true.
    pub fn decode(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let (covered, crc) = bytes.split_at(HEAD_BYTES - 4);
        let (len, rest) = covered.split_at(4);
        let (kind, offset) = rest.split_at(1);
        let len = u32::from_le_bytes(len.try_into().ok()?) as usize;
        (len <= BODY_MAX_BYTES).then_some(Self {
            len,
            kind: Kind::parse(kind[0]),
            offset: u64::from_le_bytes(offset.try_into().ok()?),
            crc: u32::from_le_bytes(crc.try_into().ok()?),
            crc_of_head: crc32fast::hash(covered),
        })
    }

    /// The head of what is left of a record whose check is done.
    pub fn without_front(self, bytes: usize) -> Self {
        Self { offset: self.offset + bytes as u64, ..self }
    }

    /// The body belongs to this head.
    pub fn fits(&self, body: &[u8]) -> bool {
        let mut hasher = crc32fast::Hasher::new_with_initial_len(self.crc_of_head, (HEAD_BYTES - 4) as u64);
        hasher.update(body);
        hasher.finalize() == self.crc
    }
}

/// Fills the first [`HEAD_BYTES`] of `record`, whose body is already in place behind them.
pub(crate) fn seal(record: &mut [u8], kind: Kind, offset: u64) {
    let (head, body) = record.split_at_mut(HEAD_BYTES);
    debug_assert!(body.len() <= BODY_MAX_BYTES, "a record of {} bytes", body.len());
    head[..4].copy_from_slice(&(body.len() as u32).to_le_bytes());
    head[4] = kind as u8;
    head[5..13].copy_from_slice(&offset.to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[..13]);
    hasher.update(body);
    head[13..].copy_from_slice(&hasher.finalize().to_le_bytes());
}

/// A whole record.
pub(crate) fn encode(kind: Kind, offset: u64, body: &[u8]) -> Vec<u8> {
    let mut record = vec![0; HEAD_BYTES + body.len()];
    record[HEAD_BYTES..].copy_from_slice(body);
    seal(&mut record, kind, offset);
    record
}

/// Which of the two streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Out,
    Err,
}

/// What a host says, after its hello. Ends that came before the attach are in [`crate::Hello`] and may not be repeated.
#[derive(Debug, Clone, PartialEq)]
pub enum HostEvent {
    /// Bytes of stdout; `offset` is the position of the first.
    Out { offset: u64, bytes: bytes::Bytes },
    /// Bytes of stderr.
    Err { offset: u64, bytes: bytes::Bytes },
    /// Stdout is at its end; `len` bytes came in all.
    OutEof { len: u64 },
    /// Stderr is at its end. With counted stderr, `len` is the count.
    ErrEof { len: u64 },
    /// The program's first process ended. Its tree may live on; [`HostEvent::End`] says when it does not.
    Exited(Exit),
    /// Nothing follows. The host waits for the release.
    End(Box<EndRecord>),
    /// Bytes `from..to` were acknowledged earlier and are gone.
    Gap { stream: Stream, from: u64, to: u64 },
}

#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct GapBody {
    pub stream: Stream,
    pub from: u64,
    pub to: u64,
}

impl HostEvent {
    /// The event of a record that passed its check; `None` for a record that is not one (a segment's start, an unknown kind).
    pub(crate) fn from_record(head: &Head, body: bytes::Bytes) -> Result<Option<Self>, serde_json::Error> {
        Ok(Some(match head.kind {
            Some(Kind::Out) => Self::Out { offset: head.offset, bytes: body },
            Some(Kind::Err) => Self::Err { offset: head.offset, bytes: body },
            Some(Kind::OutEof) => Self::OutEof { len: head.offset },
            Some(Kind::ErrEof) => Self::ErrEof { len: head.offset },
            Some(Kind::Exit) => Self::Exited(serde_json::from_slice(&body)?),
            Some(Kind::End) => Self::End(Box::new(serde_json::from_slice(&body)?)),
            Some(Kind::Gap) => {
                let gap: GapBody = serde_json::from_slice(&body)?;
                Self::Gap { stream: gap.stream, from: gap.from, to: gap.to }
            }
            Some(Kind::Start | Kind::Hello | Kind::Refused) | None => return Ok(None),
        }))
    }
}

/// Where a reader stands: drops what it already has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trim(pub Offsets);

impl Trim {
    /// How many bytes at the front of this record the reader already has; `None` when it has them all.
    pub fn front(&self, head: &Head) -> Option<usize> {
        let have = match head.kind {
            Some(Kind::Out) => self.0.out,
            Some(Kind::Err) => self.0.err,
            _ => return Some(0),
        };
        let known = usize::try_from(have.saturating_sub(head.offset)).unwrap_or(usize::MAX);
        (known < head.len).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_of(record: &[u8]) -> Option<Head> {
        Head::decode(record[..HEAD_BYTES].try_into().unwrap())
    }

    #[test]
    fn a_record_comes_back_whole_and_any_changed_bit_is_noticed() {
        let record = encode(Kind::Out, 77, b"hello");
        let head = head_of(&record).unwrap();
        assert_eq!((head.len, head.kind, head.offset), (5, Some(Kind::Out), 77));
        assert!(head.fits(b"hello"));
        for bit in 0..record.len() * 8 {
            let mut bent = record.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            let ok = head_of(&bent).is_some_and(|head| head.len == 5 && head.fits(&bent[HEAD_BYTES..]));
            assert!(!ok, "bit {bit}");
        }
    }

    #[test]
    fn a_reader_gets_what_it_lacks() {
        let head = head_of(&encode(Kind::Err, 100, b"0123456789")).unwrap();
        let front = |err| Trim(Offsets { out: 1_000, err }).front(&head);
        assert_eq!(
            [front(0), front(100), front(104), front(109), front(110), front(500)],
            [Some(0), Some(0), Some(4), Some(9), None, None]
        );
    }
}
