//! Folders and files that are not opened, and stay as they were.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use rusqlite::Connection;
use segue_journal::{OpenError, OpenOptions, open};
use segue_testkit::journal_suite::{create, stream};
use tempfile::TempDir;

/// A closed journal with a few hundred pages.
fn stored() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    create(&*journal, &stream("a"), 20_000);
    journal.close();
    let path = folder.path().join("journal.sqlite3");
    (folder, path)
}

/// Opens, and checks that the refusal names the file and that the file is as it was.
fn refused(folder: &Path, file: &Path) -> OpenError {
    let names = || -> Vec<_> {
        let database = |name: &String| name.starts_with("journal.sqlite3");
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(database)
            .collect();
        names.sort();
        names
    };
    let before = (fs::read(file).ok(), names());
    let error = open(&OpenOptions::new(folder)).expect_err("the file is refused");
    assert_eq!((fs::read(file).ok(), names()), before);
    assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
    error
}

#[test]
fn an_empty_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    fs::write(&path, "").unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Empty { .. }));
}

#[test]
fn random_bytes_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    for len in [1, 99, 100, 10_000] {
        fs::write(&path, (0..len).map(|number: u32| (number * 31 % 251) as u8).collect::<Vec<_>>()).unwrap();
        assert!(matches!(refused(folder.path(), &path), OpenError::NotADatabase { .. }));
    }
}

#[test]
fn a_folder_in_the_place_of_the_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    fs::create_dir(&path).unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::NotAFile { .. }));
}

#[test]
fn an_unreadable_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    symlink(&path, &path).unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Unreadable { .. }));
}

#[test]
fn another_programs_database_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.sqlite3");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE moz_places (id INTEGER); PRAGMA application_id = 7").unwrap();
    other.close().unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Foreign { application_id: 7, .. }));
}

#[test]
fn a_newer_schema_is_refused() {
    let (folder, path) = stored();
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 9_999).unwrap();
    newer.close().unwrap();
    assert!(matches!(refused(folder.path(), &path), OpenError::Newer { found: 9_999, .. }));
}

#[test]
fn a_newer_schema_that_is_only_in_the_log_is_refused() {
    let (folder, path) = stored();
    let newer = Connection::open(&path).unwrap();
    newer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    newer.pragma_update(None, "user_version", 9_999).unwrap();
    let copy = TempDir::new().unwrap();
    for name in ["journal.sqlite3", "journal.sqlite3-wal"] {
        fs::copy(folder.path().join(name), copy.path().join(name)).unwrap();
    }
    let error = open(&OpenOptions::new(copy.path())).expect_err("the file is refused");
    assert!(matches!(error, OpenError::Newer { found: 9_999, .. }), "{error}");
    let log = fs::read(copy.path().join("journal.sqlite3-wal")).unwrap();
    assert_eq!(log, fs::read(folder.path().join("journal.sqlite3-wal")).unwrap());
}

#[test]
fn a_file_that_was_cut_off_is_refused() {
    let (folder, path) = stored();
    let len = fs::metadata(&path).unwrap().len();
    for left in [len / 2, len - 1, 4_096] {
        fs::File::options().write(true).open(&path).unwrap().set_len(left).unwrap();
        assert!(matches!(refused(folder.path(), &path), OpenError::Truncated { .. }));
    }
}

#[test]
fn garbage_behind_a_good_header_is_refused() {
    let (folder, path) = stored();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4_096..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let error = open(&OpenOptions::new(folder.path())).expect_err("the file is refused");
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
}

#[test]
fn a_log_without_its_database_is_refused() {
    let folder = TempDir::new().unwrap();
    let log = folder.path().join("journal.sqlite3-wal");
    fs::write(&log, "frames").unwrap();
    assert!(matches!(refused(folder.path(), &log), OpenError::LeftOver { .. }));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("state");
    fs::write(&path, "mine").unwrap();
    let error = open(&OpenOptions::new(&path)).expect_err("the folder is refused");
    assert!(matches!(error, OpenError::NotAFolder { .. }), "{error}");
    let below = open(&OpenOptions::new(path.join("below"))).expect_err("the folder is refused");
    assert!(matches!(below, OpenError::Folder { .. }), "{below}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn the_folder_is_made_and_is_private() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a/b");
    fs::create_dir(folder.path().join("a")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    open(&OpenOptions::new(&path)).unwrap().close();
    assert_eq!(mode(&path), 0o700);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let journal = open(&OpenOptions::new(&path)).unwrap();
    assert_eq!(mode(&path), 0o700);
    create(&*journal, &stream("a"), 1);
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm", "journal.gate", "journal.bell"] {
        assert_eq!(mode(&path.join(name)), 0o600, "{name}");
    }
}
