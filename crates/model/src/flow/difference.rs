//! What is different between two documents: steps by their ids, members by their places.

use super::{
    document::Document,
    json::{Json, Object},
};

/// Where an editor keeps the places of steps; it means nothing to a Run.
const LAYOUT: &str = "/ui";

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Difference {
    /// Members of the document beside its steps.
    pub fields: Vec<Change>,
    /// Ids, in the order of the later document.
    pub added: Vec<String>,
    /// Ids, in the order of the earlier document.
    pub removed: Vec<String>,
    /// In the order of the later document.
    pub changed: Vec<(String, Vec<Change>)>,
    /// The steps that both have stand in another order.
    pub reordered: bool,
}

/// One value that is another one. What is not there is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// A JSON pointer into the document, or into the step.
    pub path: String,
    pub before: Option<Json>,
    pub after: Option<Json>,
}

impl Change {
    /// It only moves something on the screen.
    #[must_use]
    pub fn is_layout(&self) -> bool {
        self.path == LAYOUT || self.path.strip_prefix(LAYOUT).is_some_and(|rest| rest.starts_with('/'))
    }
}

#[must_use]
pub fn difference(before: &Document, after: &Document) -> Difference {
    let (old, new) = (steps(before), steps(after));
    let find =
        |steps: &[(String, Json)], id: &str| steps.iter().find(|(known, _)| known == id).map(|(_, step)| step.clone());
    let mut difference = Difference::default();
    let rest = |document: &Document| {
        let mut members = document.members().clone();
        members.shift_remove("steps");
        Json::Object(members)
    };
    compare(Some(&rest(before)), Some(&rest(after)), "", &mut difference.fields);
    for (id, step) in &new {
        match find(&old, id) {
            None => difference.added.push(id.clone()),
            Some(earlier) => {
                let mut changes = Vec::new();
                compare(Some(&earlier), Some(step), "", &mut changes);
                if !changes.is_empty() {
                    difference.changed.push((id.clone(), changes));
                }
            }
        }
    }
    difference.removed = old.iter().filter(|(id, _)| find(&new, id).is_none()).map(|(id, _)| id.clone()).collect();
    let common = |steps: &[(String, Json)], others: &[(String, Json)]| -> Vec<String> {
        steps.iter().filter(|(id, _)| find(others, id).is_some()).map(|(id, _)| id.clone()).collect()
    };
    difference.reordered = common(&old, &new) != common(&new, &old);
    difference
}

/// The steps by their ids; one without an id, or with that of an earlier one, is known by its place.
fn steps(document: &Document) -> Vec<(String, Json)> {
    let items = document.members().get("steps").and_then(Json::as_array).unwrap_or_default();
    let mut steps: Vec<(String, Json)> = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let id = item.get("id").and_then(Json::non_blank).map(|id| id.trim().to_owned());
        let id = id.filter(|id| steps.iter().all(|(known, _)| known != id));
        steps.push((id.unwrap_or_else(|| format!("step-{}", index + 1)), item.clone()));
    }
    steps
}

fn compare(before: Option<&Json>, after: Option<&Json>, path: &str, changes: &mut Vec<Change>) {
    match (before, after) {
        (Some(Json::Object(old)), Some(Json::Object(new))) => {
            let names = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name)));
            for name in names {
                let part = name.replace('~', "~0").replace('/', "~1");
                compare(member(old, name), member(new, name), &format!("{path}/{part}"), changes);
            }
        }
        (before, after) if before == after => {}
        (before, after) => {
            changes.push(Change { path: path.to_owned(), before: before.cloned(), after: after.cloned() });
        }
    }
}

fn member<'a>(object: &'a Object, name: &str) -> Option<&'a Json> {
    object.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::read(Json::parse(text).expect("valid JSON")).expect("an object")
    }

    #[test]
    fn steps_are_told_apart_by_their_ids() {
        let before = document(
            r#"{"id":"a","name":"Old","steps":[{"id":"x","type":"t","params":{"title":"X","k":1}},{"id":"y"},{"id":"z","ui":{"position":{"x":1}}}]}"#,
        );
        let after = document(
            r#"{"id":"a","description":"d","steps":[{"id":"z","ui":{"position":{"x":2}}},{"id":"x","type":"t","params":{"title":"X2","l":[1]}},{"id":"n"}]}"#,
        );
        let found = difference(&before, &after);
        let change = |path: &str, before: &str, after: &str| {
            let value = |text: &str| (!text.is_empty()).then(|| Json::parse(text).expect("valid JSON"));
            Change { path: path.to_owned(), before: value(before), after: value(after) }
        };
        let expected = Difference {
            fields: vec![change("/description", "", r#""d""#), change("/name", r#""Old""#, "")],
            added: vec!["n".to_owned()],
            removed: vec!["y".to_owned()],
            changed: vec![
                ("z".to_owned(), vec![change("/ui/position/x", "1", "2")]),
                (
                    "x".to_owned(),
                    vec![
                        change("/params/title", r#""X""#, r#""X2""#),
                        change("/params/l", "", "[1]"),
                        change("/params/k", "1", ""),
                    ],
                ),
            ],
            reordered: true,
        };
        assert_eq!(found, expected);
        let layout: Vec<bool> =
            found.changed.iter().flat_map(|(_, changes)| changes.iter().map(Change::is_layout)).collect();
        assert_eq!(layout, [true, false, false, false]);
        assert_eq!(difference(&after, &after), Difference::default());
        let odd = document(r#"{"steps":[1,{"id":"x"},{"id":"x"}]}"#);
        assert_eq!(difference(&odd, &odd), Difference::default());
        assert_eq!(difference(&document("{}"), &odd).added, ["step-1", "x", "step-3"]);
    }
}
