//! Blobs, and the rows that name them.

use segue_journal::{AppendError, ArtifactRow, BlobError, Journal, ReadError, Row};

use super::{Home, admission, rows, run_row, settled, stream, written};

/// The digest of `abc`: <https://csrc.nist.gov/csrc/media/projects/cryptographic-standards-and-guidelines/documents/examples/sha256.pdf>.
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn artifact(id: &str, run: &str, sha256: &str) -> ArtifactRow {
    ArtifactRow {
        id: id.to_owned(),
        workspace: "w".to_owned(),
        run: run.to_owned(),
        node: "publish".to_owned(),
        name: "article.md".to_owned(),
        media_type: "text/markdown".to_owned(),
        sha256: sha256.to_owned(),
        bytes: 3,
    }
}

fn publish(row: &ArtifactRow) -> Row {
    Row::Artifact(row.clone())
}

fn admit(journal: &dyn Journal, ids: &[&str]) {
    let admitted: Vec<_> = ids.iter().map(|id| run_row(id, journal.instance())).collect();
    written(journal, admission(&admitted));
}

pub fn bytes_come_back_by_their_digest(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    assert_eq!(journal.blob(ABC), Ok(None));
    assert_eq!(journal.put_blob(b"abc"), Ok(ABC.to_owned()));
    assert_eq!(other.put_blob(b"abc"), Ok(ABC.to_owned()));
    assert_eq!(other.blob(ABC), Ok(Some(b"abc".to_vec())));
    let long: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
    for bytes in [&[][..], &[0, 255, 10], &long] {
        let sha256 = journal.put_blob(bytes).expect("kept");
        assert_eq!(other.blob(&sha256), Ok(Some(bytes.to_vec())));
    }
    // Nothing else is a name, whatever a path may make of it.
    for nothing in ["", "abc", "../journal.sqlite3", &ABC.to_uppercase(), &ABC[1..], &format!("{ABC}0")] {
        assert_eq!(journal.blob(nothing), Ok(None), "{nothing}");
    }
    // Neither wakes anybody: there is nothing to look at before a row names it.
    assert_eq!(other.changed_since(0, 9), Ok((vec![], 0)));
    journal.close();
    assert_eq!(journal.put_blob(b"abc"), Err(BlobError::Closed));
    assert_eq!(journal.blob(ABC), Err(BlobError::Closed));
    assert_eq!(other.blob(ABC), Ok(Some(b"abc".to_vec())));
}

pub fn artifacts_are_kept_in_their_order(home: &dyn Home) {
    let journal = home.open();
    admit(&*journal, &["r1", "r2"]);
    let sha256 = journal.put_blob(b"abc").expect("kept");
    let stored = ["b", "a", "c"].map(|id| artifact(id, if id == "c" { "r2" } else { "r1" }, &sha256));
    written(&*journal, rows(stored.iter().map(publish).collect()));
    assert_eq!(journal.artifact("a"), Ok(Some(stored[1].clone())));
    assert_eq!(journal.artifact("d"), Ok(None));
    assert_eq!(journal.artifacts_of("r1"), Ok(stored[..2].to_vec()));
    assert_eq!(journal.artifacts_of("r3"), Ok(vec![]));
    // It never changes.
    let mut other = stored[0].clone();
    other.run = "r2".to_owned();
    other.name = "other.md".to_owned();
    written(&*journal, rows(vec![publish(&other)]));
    assert_eq!(journal.artifacts_of("r1"), Ok(stored[..2].to_vec()));
    assert_eq!(journal.artifacts_of("r2"), Ok(stored[2..].to_vec()));
    journal.close();
    assert!(matches!(journal.artifact("a"), Err(ReadError::Storage(_))));
}

pub fn an_artifact_needs_its_run_and_its_blob(home: &dyn Home) {
    let journal = home.open();
    let row = artifact("a", "r1", ABC);
    let refused = |row: &ArtifactRow| settled(journal.append(rows(vec![publish(row)])));
    assert_eq!(refused(&row), Err(AppendError::NoStream { stream: stream("r1") }));
    admit(&*journal, &["r1"]);
    assert_eq!(refused(&row), Err(AppendError::NoBlob { sha256: ABC.to_owned() }));
    let odd = artifact("a", "r1", "../journal.sqlite3");
    assert_eq!(refused(&odd), Err(AppendError::NoBlob { sha256: odd.sha256.clone() }));
    assert_eq!(journal.artifacts_of("r1"), Ok(vec![]));
    journal.put_blob(b"abc").expect("kept");
    written(&*journal, rows(vec![publish(&row)]));
    assert_eq!(journal.artifacts_of("r1"), Ok(vec![row]));
}

pub fn a_blob_that_events_name_goes_with_the_last_of_their_runs(home: &dyn Home) {
    let journal = home.open();
    admit(&*journal, &["r1", "r2", "r3"]);
    let put = |bytes: &[u8]| journal.put_blob(bytes).expect("kept");
    let (shared, own, published) = (put(b"shared"), put(b"own"), put(b"published"));
    let name = |run: &str, sha256: &str| Row::RunBlob { run: run.to_owned(), sha256: sha256.to_owned() };
    let named = [("r1", &shared), ("r2", &shared), ("r1", &own), ("r1", &own), ("r1", &published)];
    let mut all: Vec<Row> = named.iter().map(|(run, sha256)| name(run, sha256)).collect();
    all.push(publish(&artifact("a", "r3", &published)));
    written(&*journal, rows(all));
    let there = || [&shared, &own, &published].map(|sha256| journal.blob(sha256).expect("readable").is_some());
    written(&*journal, rows(vec![Row::ForgetRun("r1".to_owned())]));
    assert_eq!(there(), [true, false, true]);
    let gone = AppendError::NoBlob { sha256: own.clone() };
    assert_eq!(settled(journal.append(rows(vec![name("r2", &own)]))), Err(gone));
    let forgotten = AppendError::NoStream { stream: stream("r1") };
    assert_eq!(settled(journal.append(rows(vec![name("r1", &shared)]))), Err(forgotten));
    written(&*journal, rows(vec![Row::ForgetRun("r3".to_owned())]));
    assert_eq!(there(), [true, false, false]);
    written(&*journal, rows(vec![Row::ForgetRun("r2".to_owned())]));
    assert_eq!(there(), [false, false, false]);
}

pub fn a_blob_goes_with_the_last_run_that_names_it(home: &dyn Home) {
    let journal = home.open();
    admit(&*journal, &["r1", "r2", "r3"]);
    let put = |bytes: &[u8]| journal.put_blob(bytes).expect("kept");
    let (shared, own, unnamed, passed_on) = (put(b"shared"), put(b"own"), put(b"unnamed"), put(b"passed on"));
    let stored = [
        artifact("a", "r1", &shared),
        artifact("b", "r1", &own),
        artifact("c", "r1", &own),
        artifact("d", "r1", &passed_on),
        artifact("e", "r2", &shared),
    ];
    written(&*journal, rows(stored.iter().map(publish).collect()));
    let there =
        || [&shared, &own, &unnamed, &passed_on].map(|sha256| journal.blob(sha256).expect("readable").is_some());
    // In one batch one Run is forgotten and another one names a blob of it.
    let mut batch = rows(vec![Row::ForgetRun("r1".to_owned()), publish(&artifact("f", "r3", &passed_on))]);
    written(&*journal, batch.clone());
    assert_eq!(there(), [true, false, true, true]);
    assert_eq!((journal.artifact("a"), journal.artifacts_of("r1")), (Ok(None), Ok(vec![])));
    // A refused batch removes nothing.
    batch.rows = vec![Row::ForgetRun("r2".to_owned()), publish(&artifact("g", "r3", &own))];
    assert_eq!(settled(journal.append(batch)), Err(AppendError::NoBlob { sha256: own.clone() }));
    assert_eq!(there(), [true, false, true, true]);
    written(&*journal, rows(vec![Row::ForgetRun("r2".to_owned()), Row::ForgetRun("r3".to_owned())]));
    assert_eq!(there(), [false, false, true, false]);
    assert_eq!(journal.put_blob(b"own"), Ok(own.clone()));
    assert_eq!(there(), [false, true, true, false]);
}
