//! What goes to the program's stdin: each numbered input once and whole, in order, without blocking the loop.
//!
//! An input is held whole before its first byte is written: a client that dies half-way through sending one must not
//! leave half a line in the program. Its number is on file before that byte, so that nobody sends it again.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use bytes::{Buf, Bytes};

use crate::folder::Folder;

/// Bytes waiting at which no more are taken from the client. One input may go over.
const WAITING_MAX_BYTES: usize = 256 << 20;
/// The most that is offered to the pipe at once; it takes 64 kB as a rule.
const WRITE_BYTES: usize = 1 << 20;

#[derive(Debug)]
struct Waiting {
    /// `None` for what the host itself says.
    n: Option<u64>,
    bytes: Bytes,
    begun: bool,
}

#[derive(Debug)]
pub(crate) struct Input {
    record: File,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// The last number taken in.
    taken: u64,
    /// The last number whose first byte was written.
    begun: u64,
    /// Close stdin when nothing waits any more.
    close: bool,
}

impl Input {
    pub fn new(record: File) -> Self {
        Self { record, waiting: VecDeque::new(), waiting_bytes: 0, taken: 0, begun: 0, close: false }
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }

    pub fn begun(&self) -> u64 {
        self.begun
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.waiting_bytes >= WAITING_MAX_BYTES
    }

    /// Takes in a client's input; false for a repeat.
    pub fn take(&mut self, n: u64, bytes: Bytes) -> bool {
        let fresh = n > self.taken && !self.close;
        if fresh {
            self.taken = n;
            self.push(Some(n), bytes);
        }
        fresh
    }

    /// Something the host says itself.
    pub fn say(&mut self, bytes: Bytes) {
        self.push(None, bytes);
    }

    fn push(&mut self, n: Option<u64>, bytes: Bytes) {
        self.waiting_bytes += bytes.len();
        self.waiting.push_back(Waiting { n, bytes, begun: false });
    }

    /// Closes stdin after what waits.
    pub fn close_when_written(&mut self) {
        self.close = true;
    }

    /// Writes what the pipe takes, and closes it (`None`) when it is to be closed or nobody reads it any more.
    pub fn write(&mut self, stdin: &mut Option<File>) {
        let Some(pipe) = stdin else {
            self.drop_all();
            return;
        };
        while let Some(next) = self.waiting.front_mut() {
            if !next.begun {
                next.begun = true;
                if let Some(n) = next.n {
                    self.begun = n;
                    // On a full disk the number stays behind. That matters only if the host dies too, and then the
                    // pipe, and whatever was written to it, is gone as well.
                    let _ = self.record.write_all_at(&n.to_le_bytes(), 0);
                }
            }
            if next.bytes.is_empty() {
                self.waiting.pop_front();
                continue;
            }
            let end = next.bytes.len().min(WRITE_BYTES);
            match pipe.write(&next.bytes[..end]) {
                Ok(written) => {
                    next.bytes.advance(written);
                    self.waiting_bytes -= written;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    // The program does not read any more. That is its right; it may still have much to say.
                    *stdin = None;
                    self.drop_all();
                    return;
                }
            }
        }
        if self.close {
            *stdin = None;
        }
    }

    /// Gives up what waits.
    pub fn drop_all(&mut self) {
        self.waiting = VecDeque::new();
        self.waiting_bytes = 0;
    }
}

/// The last input whose first byte went to the program, as far as a host that is gone recorded; 0 for none.
pub(crate) fn last_begun(folder: &Folder) -> io::Result<u64> {
    let mut n = [0; 8];
    match folder.input_file()?.read_exact_at(&mut n, 0) {
        Ok(()) => Ok(u64::from_le_bytes(n)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        Err(error) => Err(error),
    }
}
