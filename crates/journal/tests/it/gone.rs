//! The state folder is taken away under an open journal: from then on nothing is claimed to be recorded.

use std::{fs, path::Path, sync::Arc, time::Duration};

use segue_journal::{AppendError, Authority, BlobError, Gone, Journal, OpenOptions, ReadError, open};
use segue_testkit::journal_suite::{append, create, numbers, one, settled, steps, stream};
use tempfile::TempDir;

/// Far longer than the second after which everyone looks.
const LONG: Duration = Duration::from_secs(60);

fn opened(dir: &Path) -> Arc<dyn Journal> {
    open(&OpenOptions::new(dir)).unwrap()
}

fn remove(dir: &Path) {
    fs::remove_dir_all(dir).unwrap();
}

fn move_away(dir: &Path) {
    fs::rename(dir, dir.with_extension("old")).unwrap();
}

fn replace(dir: &Path) {
    move_away(dir);
    opened(dir).close();
}

fn remove_the_database(dir: &Path) {
    fs::remove_file(dir.join("journal.sqlite3")).unwrap();
}

type Way = (&'static str, fn(&Path));

const WAYS: [Way; 4] =
    [("removed", remove), ("moved", move_away), ("replaced", replace), ("without its database", remove_the_database)];

#[test]
fn nothing_is_written_or_read_in_a_folder_that_is_another() {
    for (way, take_away) in WAYS {
        let root = TempDir::new().unwrap();
        let dir = root.path().join("state");
        let journal = opened(&dir);
        let name = stream("a");
        create(&*journal, &name, 1);
        let blob = journal.put_blob(b"abc").unwrap();
        take_away(&dir);
        let gone = Gone { dir: dir.clone() };
        let write = || settled(journal.append(one(append(&name, Authority::Owner(1), 1, steps(1)))));
        assert_eq!(write(), Err(AppendError::Gone(gone.clone())), "{way}");
        assert_eq!(journal.take_over(&stream("b")), Err(AppendError::Gone(gone.clone())), "{way}");
        assert_eq!(journal.request(&name, "{}".to_owned(), 1), Err(AppendError::Gone(gone.clone())), "{way}");
        assert_eq!(journal.task("task_1"), Err(ReadError::Gone(gone.clone())), "{way}");
        assert_eq!(journal.hosts(), Err(ReadError::Gone(gone.clone())), "{way}");
        let refused = Err(BlobError::Storage(gone.to_string()));
        assert_eq!(journal.put_blob(b"abc"), refused, "{way}");
        assert_eq!(journal.blob(&blob), Err(BlobError::Storage(gone.to_string())), "{way}");
        assert!(gone.to_string().contains(dir.to_str().unwrap()));
        // Also when it comes back: others may have gone on meanwhile.
        let back = dir.with_extension("old");
        if back.exists() && way == "moved" {
            fs::rename(&back, &dir).unwrap();
            assert_eq!(write(), Err(AppendError::Gone(gone)), "{way}");
            journal.close();
            assert_eq!(numbers(&*opened(&dir), &name), [1], "{way}: what was recorded is there");
        }
    }
}

#[test]
fn a_journal_that_only_waits_notices_and_wakes_who_waits() {
    for (way, take_away) in WAYS {
        let root = TempDir::new().unwrap();
        let dir = root.path().join("state");
        let journal = opened(&dir);
        let mut changes = journal.changes();
        create(&*journal, &stream("a"), 1);
        changes.mark_unchanged();
        take_away(&dir);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let noticed = async {
            while journal.hosts().is_ok() {
                changes.changed().await.unwrap();
            }
        };
        runtime.block_on(async { tokio::time::timeout(LONG, noticed).await }).unwrap_or_else(|_| panic!("{way}"));
        assert_eq!(journal.hosts(), Err(ReadError::Gone(Gone { dir })), "{way}");
    }
}

/// Two processes at one path, of which one lost its folder: the other's files stay as they are, also when the first
/// one closes its own.
#[test]
fn the_journal_that_took_the_place_is_left_alone() {
    let root = TempDir::new().unwrap();
    let dir = root.path().join("state");
    let first = opened(&dir);
    create(&*first, &stream("a"), 1);
    fs::rename(&dir, root.path().join("old")).unwrap();
    let second = opened(&dir);
    create(&*second, &stream("b"), 3);
    assert!(settled(first.append(one(append(&stream("a"), Authority::Owner(1), 1, steps(1))))).is_err());
    first.close();
    settled(second.append(one(append(&stream("b"), Authority::Owner(1), 3, steps(1))))).unwrap();
    second.close();
    assert_eq!(numbers(&*opened(&dir), &stream("b")), [1, 2, 3, 4]);
}
