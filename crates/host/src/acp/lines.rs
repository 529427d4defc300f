//! Lines from bytes that arrive in pieces of any size.

/// The longest line of standard output that is read whole; a longer one is skipped. The channel
/// contract asks for at least 64 MiB; agents were seen to send 2 MB.
pub const MAX_LINE: usize = 80 * 1024 * 1024;

/// The longest piece of a line of standard error, in bytes. Fixed by the channel contract.
pub const STDERR_PIECE: usize = 1024 * 1024;

/// How much room is kept between lines. One large line should not hold memory for ever.
const KEPT_CAPACITY: usize = 256 * 1024;

/// What [`LineBuffer`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawLine<'a> {
    /// Without its line feed.
    Line(&'a [u8]),
    /// Skipped, line feed not counted.
    TooLong { bytes: u64 },
}

/// Cuts standard output into lines.
#[derive(Debug)]
pub struct LineBuffer {
    held: Vec<u8>,
    /// How many bytes of the present line were dropped; 0 while it is not too long.
    skipped: u64,
    offset: u64,
    max_line: usize,
}

impl LineBuffer {
    /// For a stream that begins at byte `offset`, which must be the begin of a line.
    #[must_use]
    pub const fn at(offset: u64) -> Self {
        Self::with_limit(offset, MAX_LINE)
    }

    const fn with_limit(offset: u64, max_line: usize) -> Self {
        Self { held: Vec::new(), skipped: 0, offset, max_line }
    }

    /// Calls `line` for every line that `bytes` completes, with the offset of the byte after its
    /// line feed: everything before that was handled.
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(RawLine<'_>, u64)) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            let (head, tail) = (&rest[..at], &rest[at + 1..]);
            self.offset += head.len() as u64 + 1;
            self.end_line(head, &mut line);
            rest = tail;
        }
        self.offset += rest.len() as u64;
        self.hold(rest);
    }

    /// The stream has ended: a last line without line feed is a line.
    pub fn finish(&mut self, mut line: impl FnMut(RawLine<'_>, u64)) {
        if !self.held.is_empty() || self.skipped > 0 {
            self.end_line(&[], &mut line);
        }
    }

    fn end_line(&mut self, head: &[u8], line: &mut impl FnMut(RawLine<'_>, u64)) {
        if self.held.is_empty() && self.skipped == 0 && head.len() <= self.max_line {
            return line(RawLine::Line(head), self.offset);
        }
        self.hold(head);
        if self.skipped > 0 {
            line(RawLine::TooLong { bytes: self.skipped }, self.offset);
        } else {
            line(RawLine::Line(&self.held), self.offset);
        }
        self.skipped = 0;
        self.held.clear();
        self.held.shrink_to(KEPT_CAPACITY);
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.skipped > 0 {
            self.skipped += bytes.len() as u64;
        } else if self.held.len() + bytes.len() > self.max_line {
            self.skipped = (self.held.len() + bytes.len()) as u64;
            self.held = Vec::new();
        } else {
            self.held.extend_from_slice(bytes);
        }
    }
}

/// Cuts standard error into texts: one per line, several for a very long one.
#[derive(Debug)]
pub struct StderrLines {
    held: Vec<u8>,
    /// Pieces of the present line were told already.
    continued: bool,
    piece: usize,
}

impl Default for StderrLines {
    fn default() -> Self {
        Self::with_piece(STDERR_PIECE)
    }
}

impl StderrLines {
    const fn with_piece(piece: usize) -> Self {
        Self { held: Vec::new(), continued: false, piece }
    }

    /// How many bytes of the present line were not told yet.
    #[must_use]
    pub const fn held(&self) -> usize {
        self.held.len()
    }

    /// Calls `text` for every line that `bytes` completes and for every full piece of one.
    pub fn push(&mut self, bytes: &[u8], mut text: impl FnMut(String)) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            self.hold(&rest[..at], &mut text);
            self.end_line(&mut text);
            rest = &rest[at + 1..];
        }
        self.hold(rest, &mut text);
    }

    /// The stream has ended: a last line without line feed is a line.
    pub fn finish(&mut self, mut text: impl FnMut(String)) {
        if !self.held.is_empty() {
            self.end_line(&mut text);
        }
    }

    fn hold(&mut self, bytes: &[u8], text: &mut impl FnMut(String)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            // Room for a piece and the carriage return that may still turn out to end the line.
            let room = self.piece + 1 - self.held.len();
            if rest.len() <= room {
                self.held.extend_from_slice(rest);
                return;
            }
            self.held.extend_from_slice(&rest[..room]);
            rest = &rest[room..];
            self.tell_piece(text);
        }
    }

    /// Tells a full piece and keeps the rest: whole characters only, and at most a piece.
    fn tell_piece(&mut self, text: &mut impl FnMut(String)) {
        let end = whole_characters(&self.held[..self.piece]);
        text(String::from_utf8_lossy(&self.held[..end]).into_owned());
        self.held.drain(..end);
        self.continued = true;
    }

    fn end_line(&mut self, text: &mut impl FnMut(String)) {
        if self.held.last() == Some(&b'\r') {
            self.held.pop();
        }
        if self.held.len() > self.piece {
            self.tell_piece(text);
        }
        if !self.held.is_empty() || !self.continued {
            text(String::from_utf8_lossy(&self.held).into_owned());
        }
        self.held.clear();
        self.held.shrink_to(KEPT_CAPACITY);
        self.continued = false;
    }
}

/// How many of `bytes` come before a character that begins but does not end in them.
fn whole_characters(bytes: &[u8]) -> usize {
    // A character has at most four bytes, so its first one is among the last three if it is cut.
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0x80..0xC0 => continue,
            0xC2..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0..0xF5 => 4,
            _ => 1,
        };
        return if length > back && bytes.len() > back { bytes.len() - back } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Eq, Clone)]
    enum Seen {
        Line(Vec<u8>, u64),
        TooLong(u64, u64),
    }

    fn lines(chunks: &[&[u8]], limit: usize) -> Vec<Seen> {
        let mut buffer = LineBuffer::with_limit(0, limit);
        let mut seen = Vec::new();
        let mut note = |line: RawLine<'_>, end| {
            seen.push(match line {
                RawLine::Line(bytes) => Seen::Line(bytes.to_vec(), end),
                RawLine::TooLong { bytes } => Seen::TooLong(bytes, end),
            });
        };
        chunks.iter().for_each(|chunk| buffer.push(chunk, &mut note));
        buffer.finish(&mut note);
        seen
    }

    fn stderr(chunks: &[&[u8]], piece: usize) -> Vec<String> {
        let mut lines = StderrLines::with_piece(piece);
        let mut seen = Vec::new();
        chunks.iter().for_each(|chunk| lines.push(chunk, |text| seen.push(text)));
        lines.finish(|text| seen.push(text));
        seen
    }

    fn bytewise(bytes: &[u8]) -> Vec<&[u8]> {
        bytes.chunks(1).collect()
    }

    #[test]
    fn lines_and_where_they_end() {
        let bytes = b"ab\n\nlonger than eight\nc\r\nend";
        let expected = [
            Seen::Line(b"ab".to_vec(), 3),
            Seen::Line(vec![], 4),
            Seen::TooLong(17, 22),
            Seen::Line(b"c\r".to_vec(), 25),
            Seen::Line(b"end".to_vec(), 28),
        ];
        assert_eq!(lines(&[bytes], 8), expected);
        assert_eq!(lines(&bytewise(bytes), 8), expected);
        assert_eq!(lines(&[b"12345678\n123456789"], 8), [Seen::Line(b"12345678".to_vec(), 9), Seen::TooLong(9, 18)]);
    }

    #[test]
    fn the_largest_line_is_read() {
        let mut buffer = LineBuffer::at(5);
        let mega = vec![b'x'; 1024 * 1024];
        (0..64).for_each(|_| buffer.push(&mega, |_, _| panic!("no line yet")));
        let mut seen = None;
        buffer.push(b"\n", |line, end| {
            seen = Some((matches!(line, RawLine::Line(bytes) if bytes.len() == 64 << 20), end))
        });
        assert_eq!(seen, Some((true, 5 + (64 << 20) + 1)));
        assert!(buffer.held.capacity() <= KEPT_CAPACITY);
    }

    #[test]
    fn stderr_lines_and_pieces() {
        for (bytes, expected) in [
            ("a\nb\r\n\nc", vec!["a", "b", "", "c"]),
            ("12345678\n", vec!["12345678"]),
            ("12345678\r\n", vec!["12345678"]),
            ("123456789\n", vec!["12345678", "9"]),
            ("12345678", vec!["12345678"]),
            ("12345678\r", vec!["12345678"]),
            ("1234567\r8", vec!["1234567\r", "8"]),
            ("1234567ü\n", vec!["1234567", "ü"]),
            ("123456\u{1F600}9\n", vec!["123456", "\u{1F600}9"]),
            ("\r\r\n", vec!["\r"]),
            ("0123456789abcdef0123456\n", vec!["01234567", "89abcdef", "0123456"]),
        ] {
            assert_eq!(stderr(&[bytes.as_bytes()], 8), expected, "{bytes:?}");
            assert_eq!(stderr(&bytewise(bytes.as_bytes()), 8), expected, "{bytes:?} bytewise");
        }
        assert_eq!(stderr(&[b"a\xFFb\n\0\x0C\x7F\n"], 8), ["a\u{FFFD}b", "\0\x0C\x7F"]);
    }

    proptest! {
        #[test]
        fn where_chunks_end_changes_nothing(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>(), Just(0xF0), Just(0x9F)], 0..200),
            cuts in proptest::collection::vec(0usize..200, 0..20),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut from = 0;
            let chunks: Vec<&[u8]> = cuts.iter().map(|to| { let chunk = &bytes[from..*to]; from = *to; chunk }).collect();
            prop_assert_eq!(lines(&chunks, 16), lines(&[&bytes], 16));
            prop_assert_eq!(stderr(&chunks, 16), stderr(&[&bytes], 16));
        }

        #[test]
        fn pieces_of_text_join_to_it(text in "[^\n\r]{1,200}") {
            prop_assert_eq!(stderr(&bytewise(text.as_bytes()), 7).concat(), text);
        }
    }
}
