//! Lines from bytes that arrive in pieces of any size.

/// The longest line of standard output that is read whole; a longer one is skipped. The channel
/// contract asks for at least 64 MiB; agents were seen to send 2 MB.
pub const MAX_LINE: usize = 80 * 1024 * 1024;

/// The longest piece of a line of standard error, in bytes. Fixed by the channel contract.
pub const STDERR_PIECE: usize = 1024 * 1024;

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
    /// How many bytes of the present line were dropped.
    skipped: u64,
    offset: u64,
    max_line: usize,
}

/// Cuts standard error into texts of one line, or of a piece of one.
#[derive(Debug)]
pub struct StderrLines {
    held: Vec<u8>,
    piece: usize,
}
