//! Versioned documents.

use std::thread;

use segue_journal::{AppendError, Authority, Batch, Document, DocumentChange, EventFilter, Journal};

use super::{Home, append, settled, steps, stream, written};

const WORKSPACE: &str = "w";
const KIND: &str = "flow";

fn create(id: &str, at: i64, body: &str) -> DocumentChange {
    let (workspace, kind) = (WORKSPACE.to_owned(), KIND.to_owned());
    DocumentChange::Create { workspace, kind, id: id.to_owned(), at, body: body.to_owned() }
}

fn ensure(id: &str, at: i64, body: &str) -> DocumentChange {
    let (workspace, kind) = (WORKSPACE.to_owned(), KIND.to_owned());
    DocumentChange::Ensure { workspace, kind, id: id.to_owned(), at, body: body.to_owned() }
}

fn update(id: &str, expected: u64, at: i64, body: &str) -> DocumentChange {
    let (workspace, kind) = (WORKSPACE.to_owned(), KIND.to_owned());
    DocumentChange::Update { workspace, kind, id: id.to_owned(), expected, at, body: body.to_owned() }
}

fn delete(id: &str, expected: Option<u64>) -> DocumentChange {
    let (workspace, kind) = (WORKSPACE.to_owned(), KIND.to_owned());
    DocumentChange::Delete { workspace, kind, id: id.to_owned(), expected }
}

fn changes(documents: Vec<DocumentChange>) -> Batch {
    Batch { documents, ..Batch::default() }
}

fn stored(id: &str, version: u64, ordinal: u64, (created_at, updated_at): (i64, i64), body: &str) -> Document {
    Document {
        workspace: WORKSPACE.to_owned(),
        kind: KIND.to_owned(),
        id: id.to_owned(),
        version,
        ordinal,
        created_at,
        updated_at,
        body: body.to_owned(),
    }
}

fn all(journal: &dyn Journal) -> Vec<Document> {
    journal.documents(WORKSPACE, KIND).expect("readable")
}

fn exists(id: &str) -> AppendError {
    AppendError::Exists { kind: KIND.to_owned(), id: id.to_owned() }
}

fn missing(id: &str) -> AppendError {
    AppendError::NoDocument { kind: KIND.to_owned(), id: id.to_owned() }
}

fn stale(id: &str, found: u64) -> AppendError {
    AppendError::Stale { kind: KIND.to_owned(), id: id.to_owned(), found }
}

pub fn documents_have_versions(home: &dyn Home) {
    let (journal, other) = (home.open(), home.open());
    written(&*journal, changes(vec![create("b", 1, "one"), create("a", 2, "x")]));
    written(&*journal, changes(vec![update("b", 1, 7, "two")]));
    let expected = [stored("b", 2, 1, (1, 7), "two"), stored("a", 1, 2, (2, 2), "x")];
    assert_eq!(all(&*other), expected);
    assert_eq!(other.document(WORKSPACE, KIND, "b"), Ok(Some(expected[0].clone())));
    // The same text is a version of its own, for somebody wrote it.
    written(&*other, changes(vec![update("b", 2, 9, "two")]));
    assert_eq!(all(&*journal)[0], stored("b", 3, 1, (1, 9), "two"));
    for (workspace, kind, id) in [("v", KIND, "b"), (WORKSPACE, "capability", "b"), (WORKSPACE, KIND, "B")] {
        assert_eq!(journal.document(workspace, kind, id), Ok(None));
    }
    assert_eq!(journal.documents("v", KIND), Ok(vec![]));
}

pub fn a_document_is_changed_by_who_has_seen_it(home: &dyn Home) {
    let journal = home.open();
    let refused = |change| settled(journal.append(changes(vec![change]))).expect_err("it is refused");
    assert_eq!(refused(update("a", 1, 1, "x")), missing("a"));
    assert_eq!(refused(delete("a", None)), missing("a"));
    assert_eq!(refused(delete("a", Some(1))), missing("a"));
    written(&*journal, changes(vec![create("a", 1, "one")]));
    assert_eq!(refused(create("a", 2, "one")), exists("a"));
    assert_eq!(refused(ensure("a", 2, "two")), exists("a"));
    for expected in [0, 2] {
        assert_eq!(refused(update("a", expected, 2, "two")), stale("a", 1));
        assert_eq!(refused(delete("a", Some(expected))), stale("a", 1));
    }
    assert_eq!(all(&*journal), [stored("a", 1, 1, (1, 1), "one")]);
    // Of many who saw one version, one changes it.
    let others = [home.open(), home.open(), home.open()];
    let results: Vec<_> = thread::scope(|scope| {
        let writers: Vec<_> = others
            .iter()
            .map(|other| scope.spawn(|| settled(other.append(changes(vec![update("a", 1, 3, "new")])))))
            .collect();
        writers.into_iter().map(|writer| writer.join().expect("no panic").err()).collect()
    });
    let mut losers: Vec<_> = results.into_iter().flatten().collect();
    assert_eq!(losers.pop(), Some(stale("a", 2)));
    assert_eq!(losers, [stale("a", 2)]);
}

pub fn a_document_is_ensured_once(home: &dyn Home) {
    let journal = home.open();
    written(&*journal, changes(vec![ensure("a", 1, "one"), ensure("a", 2, "one")]));
    written(&*journal, changes(vec![ensure("a", 3, "one")]));
    assert_eq!(all(&*journal), [stored("a", 1, 1, (1, 1), "one")]);
    written(&*journal, changes(vec![update("a", 1, 4, "two"), ensure("a", 5, "two")]));
    assert_eq!(all(&*journal), [stored("a", 2, 1, (1, 4), "two")]);
}

pub fn a_deleted_document_makes_room(home: &dyn Home) {
    let journal = home.open();
    written(&*journal, changes(vec![create("a", 1, "one"), create("b", 1, "one")]));
    written(&*journal, changes(vec![delete("a", Some(1)), delete("b", None), create("b", 5, "again")]));
    // It is a new one, behind all others.
    written(&*journal, changes(vec![create("c", 6, "one"), create("a", 7, "again")]));
    let expected = [("b", 3, 5, "again"), ("c", 4, 6, "one"), ("a", 5, 7, "again")]
        .map(|(id, ordinal, at, body)| stored(id, 1, ordinal, (at, at), body));
    assert_eq!(all(&*journal), expected);
}

pub fn documents_and_events_are_one_transaction(home: &dyn Home) {
    let journal = home.open();
    written(&*journal, changes(vec![create("a", 1, "one")]));
    let name = stream("r1");
    let together = |change| Batch {
        documents: vec![create("b", 1, "one"), change],
        ..super::one(append(&name, Authority::Create, 0, steps(1)))
    };
    assert_eq!(settled(journal.append(together(update("a", 9, 2, "two")))), Err(stale("a", 1)));
    assert_eq!(journal.events(&name, 0, 9, &EventFilter::default()), Ok(None));
    assert_eq!(all(&*journal), [stored("a", 1, 1, (1, 1), "one")]);
    assert_eq!(written(&*journal, together(update("a", 1, 2, "two"))).position, 2);
    assert_eq!(all(&*journal), [stored("a", 2, 1, (1, 2), "two"), stored("b", 1, 2, (1, 1), "one")]);
}
