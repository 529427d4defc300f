//! Bytes into lines of bounded length.

use std::io;

use tokio_util::{
    bytes::{Buf, Bytes, BytesMut},
    codec::Decoder,
};

/// The longest message that is read. Prompts have no limit of their own; this one keeps a client that never
/// ends its line from filling the memory.
pub const LINE_BYTES_MAX: usize = 128 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// Without its line feed. The last one need not have had one.
    Whole(Bytes),
    /// It was too long and is dropped up to its end.
    TooLong,
}

/// Splits at line feeds.
#[derive(Debug)]
pub struct Lines {
    bytes_max: usize,
    /// How far the buffered bytes are known to hold no line feed.
    scanned: usize,
    /// The rest of a line that was too long is being dropped.
    dropping: bool,
}

impl Lines {
    pub const fn new(bytes_max: usize) -> Self {
        Self { bytes_max, scanned: 0, dropping: false }
    }
}

impl Decoder for Lines {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Line>> {
        loop {
            let end = bytes[self.scanned..].iter().position(|b| *b == b'\n').map(|at| self.scanned + at);
            match (end, self.dropping) {
                (Some(end), true) => {
                    bytes.advance(end + 1);
                    self.scanned = 0;
                    self.dropping = false;
                }
                (Some(end), false) => {
                    self.scanned = 0;
                    let line = bytes.split_to(end).freeze();
                    bytes.advance(1);
                    return Ok(Some(if line.len() > self.bytes_max { Line::TooLong } else { Line::Whole(line) }));
                }
                (None, true) => {
                    bytes.clear();
                    return Ok(None);
                }
                (None, false) if bytes.len() > self.bytes_max => {
                    bytes.clear();
                    self.scanned = 0;
                    self.dropping = true;
                    return Ok(Some(Line::TooLong));
                }
                (None, false) => {
                    self.scanned = bytes.len();
                    return Ok(None);
                }
            }
        }
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> io::Result<Option<Line>> {
        if let Some(line) = self.decode(bytes)? {
            return Ok(Some(line));
        }
        self.scanned = 0;
        Ok((!bytes.is_empty()).then(|| Line::Whole(bytes.split().freeze())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out when the input arrives in pieces of that size.
    fn split(input: &[u8], piece: usize) -> Vec<Line> {
        let mut lines = Lines::new(4);
        let mut buffer = BytesMut::new();
        let mut out = Vec::new();
        for chunk in input.chunks(piece) {
            buffer.extend_from_slice(chunk);
            while let Ok(Some(line)) = lines.decode(&mut buffer) {
                out.push(line);
            }
        }
        while let Ok(Some(line)) = lines.decode_eof(&mut buffer) {
            out.push(line);
        }
        out
    }

    #[test]
    fn lines_are_the_same_however_they_arrive() {
        let whole = |text: &'static str| Line::Whole(Bytes::from_static(text.as_bytes()));
        for piece in 1..30 {
            assert_eq!(
                split(b"ab\r\n\nabcd\nabcdefghi\nef", piece),
                [whole("ab\r"), whole(""), whole("abcd"), Line::TooLong, whole("ef")],
                "{piece}"
            );
            assert_eq!(split(b"abcdefghi", piece), [Line::TooLong], "{piece}");
        }
    }
}
