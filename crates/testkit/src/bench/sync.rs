//! The disk's own time, which every durable answer has to pay.

use std::{fs::File, io::Write, time::Instant};

use super::ms;

const SYNCS: usize = 200;
const BLOCK: [u8; 4096] = [7; 4096];

pub fn median_ms() -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = File::create(folder.path().join("sync")).expect("a file");
    let mut times: Vec<f64> = (0..SYNCS)
        .map(|_| {
            let begun = Instant::now();
            file.write_all(&BLOCK).and_then(|()| file.sync_data()).expect("a synced block");
            ms(begun.elapsed())
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[SYNCS / 2]
}
