//! Reads what a host left, after it has gone: every record up to the end or a torn tail.
//!
//! Blocking file reads of at most one buffer; callers on an async thread use a blocking one for long spools.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bytes::Bytes;

use crate::facts::{EndRecord, Offsets};
use crate::folder::Folder;
use crate::record::{HEAD_BYTES, Head, HostEvent, Trim};

const BUFFER_BYTES: usize = 256 << 10;

/// An iterator over the rest of a spool. It ends at the end record, at the first record that is not whole, or at the
/// end of the last segment. An item is an error only when the disk says so.
#[derive(Debug)]
pub struct SpoolReader {
    folder: Folder,
    segments: VecDeque<u64>,
    current: Option<BufReader<File>>,
    trim: Trim,
    over: bool,
}

impl SpoolReader {
    /// Everything after `from` in the spool of `dir`.
    ///
    /// # Errors
    /// The folder cannot be read, or is not there.
    pub fn open(dir: &Path, from: Offsets) -> io::Result<Self> {
        let folder = Folder::open(dir)?;
        // Imported segments were given back, so there is little to pass over, and each may hold the end of a stream.
        let segments = folder.segments()?.into();
        Ok(Self { folder, segments, current: None, trim: Trim(from), over: false })
    }

    /// The end record, if the host came that far. Only the last segment is read.
    pub(crate) fn end_record(dir: &Path) -> io::Result<Option<EndRecord>> {
        let folder = Folder::open(dir)?;
        let last = folder.segments()?.pop();
        let mut reader = Self {
            folder,
            segments: last.into_iter().collect(),
            current: None,
            trim: Trim(Offsets { out: u64::MAX, err: u64::MAX }),
            over: false,
        };
        loop {
            match reader.read()? {
                Some(HostEvent::End(end)) => return Ok(Some(*end)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    fn read(&mut self) -> io::Result<Option<HostEvent>> {
        while !self.over {
            let Some(file) = &mut self.current else {
                let Some(index) = self.segments.pop_front() else { break };
                self.current = Some(BufReader::with_capacity(BUFFER_BYTES, self.folder.segment(index)?));
                continue;
            };
            let Some((head, body)) = read_record(file)? else {
                self.current = None;
                continue;
            };
            let Some(front) = self.trim.front(&head) else { continue };
            match HostEvent::from_record(&head.without_front(front), Bytes::from(body).slice(front..)) {
                Ok(Some(event)) => {
                    self.over = matches!(event, HostEvent::End(_));
                    return Ok(Some(event));
                }
                Ok(None) => {}
                // A body that passed its check and is not what its kind says comes from a newer host.
                Err(_) => self.over = true,
            }
        }
        Ok(None)
    }
}

impl Iterator for SpoolReader {
    type Item = io::Result<HostEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The next whole record; `None` at the end of the file or at a tail that is not whole.
fn read_record(file: &mut impl Read) -> io::Result<Option<(Head, Vec<u8>)>> {
    let mut head = [0; HEAD_BYTES];
    if !read_full(file, &mut head)? {
        return Ok(None);
    }
    let Some(head) = Head::decode(&head) else { return Ok(None) };
    let mut body = vec![0; head.len];
    if !read_full(file, &mut body)? || !head.fits(&body) {
        return Ok(None);
    }
    Ok(Some((head, body)))
}

fn read_full(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
