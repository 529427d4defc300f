//! Conditions of documents: who changes one has seen its present version.

use std::collections::HashMap;

use super::{DocumentFacts, Facts, Stop};
use crate::{
    append::AppendError,
    document::{DocumentChange, DocumentKey},
};

pub(super) fn judge_documents<F: Facts>(changes: &[DocumentChange], facts: &F) -> Result<(), Stop<F::Fault>> {
    // The documents as the changes judged so far leave them.
    let mut after: HashMap<DocumentKey<'_>, Option<DocumentFacts>> = HashMap::new();
    for change in changes {
        let key = change.key();
        let found = match after.remove(&key) {
            Some(found) => found,
            None => facts.document(key).map_err(Stop::Fault)?,
        };
        after.insert(key, changed(change, found).map_err(Stop::Refused)?);
    }
    Ok(())
}

fn changed(change: &DocumentChange, found: Option<DocumentFacts>) -> Result<Option<DocumentFacts>, AppendError> {
    let (_, kind, id) = change.key();
    let (kind, id) = (|| kind.to_owned(), || id.to_owned());
    match (change, found) {
        (DocumentChange::Create { body, .. } | DocumentChange::Ensure { body, .. }, None) => {
            Ok(Some(DocumentFacts { version: FIRST_VERSION, body: body.clone() }))
        }
        (DocumentChange::Ensure { body, .. }, Some(found)) if found.body == *body => Ok(Some(found)),
        (DocumentChange::Create { .. } | DocumentChange::Ensure { .. }, Some(_)) => {
            Err(AppendError::Exists { kind: kind(), id: id() })
        }
        (DocumentChange::Update { .. } | DocumentChange::Delete { .. }, None) => {
            Err(AppendError::NoDocument { kind: kind(), id: id() })
        }
        (
            DocumentChange::Update { expected, .. } | DocumentChange::Delete { expected: Some(expected), .. },
            Some(found),
        ) if found.version != *expected => Err(AppendError::Stale { kind: kind(), id: id(), found: found.version }),
        (DocumentChange::Update { body, .. }, Some(found)) => {
            Ok(Some(DocumentFacts { version: found.version + 1, body: body.clone() }))
        }
        (DocumentChange::Delete { .. }, Some(_)) => Ok(None),
    }
}

/// The version of a new document.
const FIRST_VERSION: u64 = 1;
