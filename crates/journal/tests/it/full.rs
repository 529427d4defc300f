//! A disk without space. Needs the right to mount a file system of its own; passes without it.

use std::{fs, path::Path, process::Command};

use segue_journal::{
    AppendError, Authority, BlobError, NewEvent, OpenOptions,
    export::{Evidence, ExportError, FlowEvidence, export_evidence},
    open,
};
use segue_testkit::journal_suite::{append, create, numbers, one, settled, steps, stream};
use tempfile::TempDir;

/// A small file system, unmounted when dropped.
struct Disk {
    folder: TempDir,
}

impl Disk {
    fn mount(size: &str) -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).output();
    }
}

#[test]
fn a_full_disk_is_told_and_the_journal_goes_on_when_there_is_room() {
    let Some(disk) = Disk::mount("4m") else {
        println!("no right to mount: not tested");
        return;
    };
    let ballast = disk.path().join("ballast");
    fs::write(&ballast, vec![1; 2 * 1024 * 1024]).unwrap();
    let journal = open(&OpenOptions::new(disk.path().join("state"))).unwrap();
    let (name, small) = (stream("a"), stream("small"));
    create(&*journal, &small, 1);
    create(&*journal, &name, 0);
    let big = |_| NewEvent { kind: "text".into(), at: 1, payload: "x".repeat(4_000) };
    let mut last = 0;
    // More than the whole disk holds.
    let refused = (0..2_000).find_map(|_| {
        let events = (0..10).map(big).collect();
        match settled(journal.append(one(append(&name, Authority::Owner(1), last, events)))) {
            Ok(done) => {
                last = done.last[0];
                None
            }
            Err(error) => Some(error),
        }
    });
    assert!(matches!(&refused, Some(AppendError::Full(_))), "{refused:?}");
    // What was answered as written is there, what was not is not, and reads go on.
    assert_eq!(numbers(&*journal, &name), (1..=last).collect::<Vec<_>>());
    fs::remove_file(&ballast).unwrap();
    let after = settled(journal.append(one(append(&name, Authority::Owner(1), last, (0..10).map(big).collect()))));
    assert_eq!(after.unwrap().last, [last + 10]);
    settled(journal.append(one(append(&small, Authority::Owner(1), 1, steps(1))))).unwrap();
    journal.close();
    let again = open(&OpenOptions::new(disk.path().join("state"))).unwrap();
    assert_eq!(numbers(&*again, &name), (1..=last + 10).collect::<Vec<_>>());
}

#[test]
fn a_blob_or_an_export_that_does_not_fit_leaves_nothing() {
    let Some(disk) = Disk::mount("4m") else {
        println!("no right to mount: not tested");
        return;
    };
    let state = disk.path().join("state");
    let journal = open(&OpenOptions::new(&state)).unwrap();
    let kept = journal.put_blob(b"abc").unwrap();
    let big = vec![7; 8 * 1024 * 1024];
    assert!(matches!(journal.put_blob(&big), Err(BlobError::Full(_))));
    assert_eq!(fs::read_dir(state.join("blobs/new")).unwrap().count(), 0);
    let flow = FlowEvidence {
        flow_id: "f".to_owned(),
        version: "1".to_owned(),
        semantic_hash: "h".to_owned(),
        definition_json: "x".repeat(big.len()),
    };
    let path = disk.path().join("evidence.sqlite3");
    let evidence = Evidence { flows: vec![flow], ..Evidence::default() };
    let refused = export_evidence(&path, &evidence).expect_err("there is no room");
    assert!(matches!(refused, ExportError::Full { path: named } if named == path));
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1);
    // There is room for what fits.
    assert_eq!(journal.put_blob(b"abc"), Ok(kept.clone()));
    assert_eq!(journal.blob(&kept), Ok(Some(b"abc".to_vec())));
    let small = journal.put_blob(b"def").unwrap();
    assert_eq!(journal.blob(&small), Ok(Some(b"def".to_vec())));
}
