//! The writing end of the spool: segments that grow, are given back when imported, and are never rewritten.
//!
//! Nothing is synced except on request. A failed append leaves the spool as it was, so the caller can try again; the
//! bytes are the caller's until then. Reading is `spool_reader.rs` and, for a live client, `guest/client.rs`.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::{Deserialize, Serialize};

use crate::facts::Offsets;
use crate::folder::Folder;
use crate::record::{self, HEAD_BYTES, Kind};

/// The body of a segment's first record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct StartBody {
    /// Of this format.
    pub version: u32,
    #[serde(flatten)]
    pub at: Offsets,
}

const VERSION: u32 = 1;

#[derive(Debug)]
struct Segment {
    index: u64,
    len: u64,
    /// Where both streams stood at its first byte.
    start: Offsets,
}

#[derive(Debug)]
pub(crate) struct Spool {
    segments: VecDeque<Segment>,
    active: File,
    segment_bytes: u64,
    end: Offsets,
}

/// A place between two records of the spool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub segment: u64,
    pub pos: u64,
}

impl Spool {
    pub fn create(folder: &Folder, segment_bytes: u64) -> io::Result<Self> {
        let (active, segment) = open_segment(folder, 0, Offsets::default())?;
        Ok(Self { segments: VecDeque::from([segment]), active, segment_bytes, end: Offsets::default() })
    }

    /// How far both streams have come.
    pub fn end(&self) -> Offsets {
        self.end
    }

    /// The oldest positions that are still kept.
    pub fn kept(&self) -> Offsets {
        self.segments[0].start
    }

    /// What it takes on the disk.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.len).sum()
    }

    /// Appends a record whose body is in place behind [`HEAD_BYTES`] free bytes. On an error nothing was appended.
    pub fn append(&mut self, folder: &Folder, kind: Kind, offset: u64, framed: &mut [u8]) -> io::Result<()> {
        if self.last().len >= self.segment_bytes {
            let (active, segment) = open_segment(folder, self.last().index + 1, self.end)?;
            self.active = active;
            self.segments.push_back(segment);
        }
        record::seal(framed, kind, offset);
        let at = self.last().len;
        if let Err(error) = self.active.write_all_at(framed, at) {
            // Part of it may be there. If even that fails, the next append overwrites it.
            let _ = self.active.set_len(at);
            return Err(error);
        }
        let body = (framed.len() - HEAD_BYTES) as u64;
        match kind {
            Kind::Out => self.end.out = offset + body,
            Kind::Err => self.end.err = offset + body,
            Kind::ErrEof => self.end.err = offset,
            _ => {}
        }
        let last = self.segments.len() - 1;
        self.segments[last].len += framed.len() as u64;
        Ok(())
    }

    fn last(&self) -> &Segment {
        &self.segments[self.segments.len() - 1]
    }

    /// Gives back the segments that lie wholly before `acked`. The one being written stays.
    pub fn release(&mut self, folder: &Folder, acked: Offsets) {
        while self.segments.len() > 1 && acked.covers(self.segments[1].start) {
            if let Some(gone) = self.segments.pop_front() {
                // What cannot be unlinked now goes with the folder.
                let _ = folder.remove_segment(gone.index);
            }
        }
    }

    /// Where a reader begins who has everything before `from`.
    pub fn place_of(&self, from: Offsets) -> Place {
        let known = self.segments.iter().skip(1).take_while(|segment| from.covers(segment.start)).count();
        Place { segment: self.segments[known].index, pos: 0 }
    }

    /// How far the segment of `place` reaches, moving the place on where its segment is finished or gone.
    /// `None`: there is nothing more yet.
    pub fn reach(&self, place: &mut Place) -> Option<u64> {
        let first = self.segments[0].index;
        if place.segment < first {
            *place = Place { segment: first, pos: 0 };
        }
        loop {
            let at = usize::try_from(place.segment - first).ok()?;
            let segment = self.segments.get(at)?;
            if place.pos < segment.len {
                return Some(segment.len);
            }
            if at + 1 == self.segments.len() {
                return None;
            }
            *place = Place { segment: segment.index + 1, pos: 0 };
        }
    }

    /// Makes everything so far survive a power cut.
    pub fn sync(&self, folder: &Folder) -> io::Result<()> {
        self.active.sync_data()?;
        folder.sync()
    }
}

fn open_segment(folder: &Folder, index: u64, at: Offsets) -> io::Result<(File, Segment)> {
    let file = folder.new_segment(index)?;
    let body = serde_json::to_vec(&StartBody { version: VERSION, at })?;
    let first = record::encode(Kind::Start, 0, &body);
    file.write_all_at(&first, 0)?;
    Ok((file, Segment { index, len: first.len() as u64, start: at }))
}
