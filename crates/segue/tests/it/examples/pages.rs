//! Every page with something to follow is followed.

use std::fs;

use super::{
    transcript::{follow, has_steps},
    world,
};

macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {
        const PAGES: &[&str] = &[$($page),*];

        $(#[test]
        fn $name() {
            let world = world();
            follow(&world, $page);
            world.assert_nothing_left();
        })*
    };
}

pages! {
    action_items: "examples/action-items/README.md",
    document_digest: "examples/document-digest/README.md",
    email_triage: "examples/email-triage/README.md",
    implement_and_review: "examples/implement-and-review/README.md",
    link_check: "examples/link-check/README.md",
    notes: "examples/notes/README.md",
}

#[test]
fn none_is_forgotten() {
    let mut pages = Vec::new();
    for folder in ["examples", "docs"] {
        collect(&super::repository(), folder, &mut pages);
    }
    pages.sort_unstable();
    assert_eq!(pages, PAGES);
}

fn collect(root: &std::path::Path, folder: &str, pages: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().expect("a kind").is_dir() {
            collect(root, &name, pages);
        } else if name.ends_with(".md") && has_steps(&fs::read_to_string(entry.path()).expect("text")) {
            pages.push(name);
        }
    }
}
