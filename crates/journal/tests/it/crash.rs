//! What a power cut leaves of the log.

use std::{fs, path::Path};

use segue_journal::{Authority, Batch, EventFilter, OpenOptions, StreamName, open};
use segue_testkit::journal_suite::{append, event, one, put, task_row, written};
use tempfile::TempDir;

const NAMES: [&str; 2] = ["journal.sqlite3", "journal.sqlite3-wal"];

fn copy(from: &Path, to: &Path) {
    for name in NAMES {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[test]
fn a_torn_log_loses_whole_transactions_from_its_end_only() {
    const COMMITS: u64 = 40;
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let name = StreamName::new("task", "task_1");
    for last in 0..COMMITS {
        let authority = if last == 0 { Authority::Create } else { Authority::Owner(1) };
        let mut row = task_row("task_1", journal.instance());
        row.last_seq = last + 1;
        let batch = Batch { rows: vec![put(&row)], ..one(append(&name, authority, last, vec![event("step", 1)])) };
        written(&*journal, batch);
    }
    // The machine stops while the journal is open.
    let image = TempDir::new().unwrap();
    copy(folder.path(), image.path());
    let len = fs::metadata(image.path().join(NAMES[1])).unwrap().len();
    let mut before = COMMITS;
    for cut in (0..24).map(|part| len - part * len / 24 - part % 7) {
        let torn = TempDir::new().unwrap();
        copy(image.path(), torn.path());
        fs::File::options().write(true).open(torn.path().join(NAMES[1])).unwrap().set_len(cut).unwrap();
        let journal = open(&OpenOptions::new(torn.path())).unwrap();
        let page = journal.events(&name, 0, usize::MAX, &EventFilter::default()).unwrap();
        let (last, row) = page.map_or((0, 0), |page| {
            assert_eq!(page.events.len() as u64, page.last);
            (page.last, page.task.map_or(0, |row| row.last_seq))
        });
        assert_eq!(last, row);
        assert!(last <= before, "{last} after {before}");
        before = last;
    }
    assert!(before < COMMITS / 4, "the log was hardly cut: {before}");
}
