//! Blobs as files.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    slice,
};

use segue_journal::{AppendError, ArtifactRow, BlobError, OpenOptions, Row, open};
use segue_testkit::journal_suite::{admission, rows, run_row, settled, written};
use tempfile::TempDir;

fn file_of(folder: &Path, sha256: &str) -> PathBuf {
    folder.join("blobs").join(&sha256[..2]).join(&sha256[2..])
}

/// All files below `blobs`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let below = |folder: PathBuf| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = below(folder.join("blobs")).flat_map(below).collect();
    files.sort();
    files
}

#[test]
fn a_blob_is_one_private_file() {
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let sha256 = journal.put_blob(b"abc").unwrap();
    assert_eq!(journal.put_blob(b"abc"), Ok(sha256.clone()));
    let file = file_of(folder.path(), &sha256);
    assert_eq!(files(folder.path()), slice::from_ref(&file));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&folder.path().join("blobs"))), (0o600, 0o700));
    assert_eq!(fs::read(file).unwrap(), b"abc");
}

#[test]
fn a_changed_file_is_never_given_out_and_is_mended_by_its_bytes() {
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let bytes = b"abc".repeat(5_000);
    let sha256 = journal.put_blob(&bytes).unwrap();
    let file = file_of(folder.path(), &sha256);
    let changes: [&dyn Fn(); 3] = [
        &|| fs::File::options().write(true).open(&file).unwrap().set_len(4_096).unwrap(),
        &|| fs::write(&file, "").unwrap(),
        &|| fs::write(&file, [&bytes[1..], b"x"].concat()).unwrap(),
    ];
    for change in changes {
        change();
        assert_eq!(journal.blob(&sha256), Err(BlobError::Changed { sha256: sha256.clone() }));
        assert_eq!(journal.put_blob(&bytes), Ok(sha256.clone()));
        assert_eq!(journal.blob(&sha256), Ok(Some(bytes.clone())));
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(journal.blob(&sha256), Ok(None));
    fs::create_dir(&file).unwrap();
    assert!(matches!(journal.blob(&sha256), Err(BlobError::Storage(_))));
    assert!(matches!(journal.put_blob(&bytes), Err(BlobError::Storage(_))));
    assert_eq!(files(folder.path()), [file]);
}

#[test]
fn what_a_killed_process_began_goes_with_the_next_start() {
    let folder = TempDir::new().unwrap();
    let journal = open(&OpenOptions::new(folder.path())).unwrap();
    let nameless = folder.path().join("blobs/new");
    let living = nameless.join(format!("{}.0", journal.instance()));
    for name in [&living, &nameless.join("inst_00000000000000aa.0"), &nameless.join("odd")] {
        fs::write(name, "half").unwrap();
    }
    let other = open(&OpenOptions::new(folder.path())).unwrap();
    assert_eq!(files(folder.path()), [living]);
    other.put_blob(b"abc").unwrap();
    assert_eq!(files(folder.path()).len(), 2);
}

/// A Run is forgotten between the moment at which another process finds a blob there and the one at
/// which it names it.
#[test]
fn a_blob_that_went_meanwhile_is_not_named() {
    let folder = TempDir::new().unwrap();
    let [journal, other] = [(); 2].map(|()| open(&OpenOptions::new(folder.path())).unwrap());
    written(&*journal, admission(&[run_row("r1", journal.instance())]));
    written(&*other, admission(&[run_row("r2", other.instance())]));
    let artifact = |run: &str, sha256: &String| {
        let row = ArtifactRow {
            id: format!("of {run}"),
            workspace: "w".to_owned(),
            run: run.to_owned(),
            node: "n".to_owned(),
            name: "article.md".to_owned(),
            media_type: "text/markdown".to_owned(),
            sha256: sha256.clone(),
            bytes: 3,
        };
        rows(vec![Row::Artifact(row)])
    };
    let sha256 = journal.put_blob(b"abc").unwrap();
    written(&*journal, artifact("r1", &sha256));
    assert_eq!(other.put_blob(b"abc"), Ok(sha256.clone()));
    written(&*journal, rows(vec![Row::ForgetRun("r1".to_owned())]));
    let refused = settled(other.append(artifact("r2", &sha256)));
    assert_eq!(refused, Err(AppendError::NoBlob { sha256: sha256.clone() }));
    other.put_blob(b"abc").unwrap();
    written(&*other, artifact("r2", &sha256));
    written(&*journal, rows(vec![Row::ForgetRun("r1".to_owned())]));
    assert_eq!(journal.blob(&sha256), Ok(Some(b"abc".to_vec())));
}
