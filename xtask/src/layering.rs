//! `layering`: dependencies point down, and each kind of knowledge stays in its crate.
//!
//! Reads manifests through cargo and source as text; the tables are in `rooms`.

use crate::{
    chore::{ChoreError, Problem},
    metadata::{Metadata, Package},
    repository::Repository,
    rooms::{KNOWLEDGE, OF_MODEL, RESERVED, ROOMS, Room, TESTKIT},
};

pub fn check(repository: &Repository) -> Result<Vec<Problem>, ChoreError> {
    let metadata = Metadata::workspace(&repository.root)?;
    let mut problems: Vec<_> = metadata.packages.iter().flat_map(of_manifest).collect();
    problems.extend(
        repository
            .texts()
            .filter_map(|(path, text)| Some((room_of(path)?, path, text)))
            .flat_map(|(room, path, text)| of_source(&room, path, text)),
    );
    Ok(problems)
}

fn of_manifest(package: &Package) -> Vec<Problem> {
    let Some(room) = ROOMS.iter().find(|room| room.name == package.name) else {
        return vec![Problem::new(&package.name, 0, "is not in the table of crates (xtask/src/rooms.rs)")];
    };
    let problem = |what| Problem::new(room.name, 0, what);
    let mut problems = Vec::new();
    for dependency in &package.dependencies {
        let name = dependency.name.as_str();
        let ours = ROOMS.iter().any(|room| room.name == name);
        // A test may use the testkit, and what lies below the crate it tests.
        let for_tests = dependency.kind.as_deref() == Some("dev");
        let may = room.ours.contains(&name) || for_tests && (name == TESTKIT || lies_below(name, room));
        if ours && !may {
            problems.push(problem(format!("must not depend on {name}")));
        }
        if for_tests {
            continue;
        }
        if ours && name == TESTKIT {
            problems.push(problem(format!("must not need {TESTKIT} at run time")));
        }
        if room.name == "segue-model" && !ours && !OF_MODEL.contains(&name) {
            problems.push(problem(format!("must not depend on {name}: the model stays pure")));
        }
        if let Some(reserved) =
            RESERVED.iter().find(|reserved| reserved.foreign == name && !reserved.rooms.contains(&room.name))
        {
            problems
                .push(problem(format!("must not depend on {name}, which is for {} only", reserved.rooms.join(", "))));
        }
    }
    problems.dedup();
    problems
}

/// Reached from a crate by what it and those below it may need.
fn lies_below(name: &str, room: &Room) -> bool {
    room.ours.contains(&name)
        || ROOMS.iter().filter(|below| room.ours.contains(&below.name)).any(|below| lies_below(name, below))
}

/// The crate whose product this file is part of. Tests belong to none: they may look anywhere.
fn room_of(path: &str) -> Option<String> {
    let test = |name: &str| name == "tests.rs" || name.ends_with("_tests.rs");
    if !path.ends_with(".rs") || path.split('/').any(|part| part == "tests" || part == "benches" || test(part)) {
        return None;
    }
    if path.starts_with("xtask/src/") {
        return Some("xtask".to_owned());
    }
    let (folder, inside) = path.strip_prefix("crates/")?.split_once('/')?;
    inside.starts_with("src/").then(|| if folder == "segue" { folder.to_owned() } else { format!("segue-{folder}") })
}

fn of_source(room: &str, path: &str, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (number, line) in product_lines(text) {
        for knowledge in KNOWLEDGE.iter().filter(|knowledge| !knowledge.who.may(room)) {
            if let Some(word) = knowledge.words.iter().find(|word| line.contains(*word)) {
                problems.push(Problem::new(path, number, format!("{word:?} does not belong here: {}", knowledge.why)));
            }
        }
    }
    problems
}

/// The lines of a file without comments and without the tests at its end.
fn product_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    text[..end].lines().enumerate().map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            license: None,
            repository: None,
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: kind.map(str::to_owned) })
                .collect(),
        }
    }

    fn said(package: &Package) -> Vec<String> {
        of_manifest(package).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn dependencies_point_down() {
        let good =
            [("segue-model", None), ("segue-testkit", Some("dev")), ("rusqlite", None), ("tempfile", Some("dev"))];
        assert_eq!(said(&package("segue-journal", &good)), [""; 0]);
        let bad = [("segue-channel", None), ("segue-testkit", None), ("rmcp", None), ("segue-host", Some("dev"))];
        assert_eq!(
            said(&package("segue-journal", &bad)),
            [
                "segue-journal: must not depend on segue-channel",
                "segue-journal: must not depend on segue-testkit",
                "segue-journal: must not need segue-testkit at run time",
                "segue-journal: must not depend on rmcp, which is for segue-mcp, segue-testkit, segue-testkit-conformance only",
                "segue-journal: must not depend on segue-host",
            ]
        );
        let below = [("segue-journal", Some("dev")), ("segue-host", None)];
        assert_eq!(said(&package("segue-http", &below)), ["segue-http: must not depend on segue-host"]);
        assert_eq!(
            said(&package("segue-model", &[("tokio", None)])),
            ["segue-model: must not depend on tokio: the model stays pure"]
        );
        assert_eq!(
            said(&package("segue-extra", &[])),
            ["segue-extra: is not in the table of crates (xtask/src/rooms.rs)"]
        );
    }

    #[test]
    fn files_belong_to_the_crate_they_are_in_and_tests_to_nobody() {
        assert_eq!(room_of("crates/segue/src/main.rs").as_deref(), Some("segue"));
        assert_eq!(room_of("crates/web-assets/src/lib.rs").as_deref(), Some("segue-web-assets"));
        for path in
            ["crates/host/tests/it/main.rs", "crates/model/src/task/tests.rs", "crates/host/Cargo.toml", "README.md"]
        {
            assert_eq!(room_of(path), None, "{path}");
        }
    }

    #[test]
    fn knowledge_outside_its_room_is_found() {
        let text = "// std::fs in a comment\nuse std::process::Command;\nlet now = SystemTime::now();\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        let said = |room| of_source(room, "x.rs", text).iter().map(|problem| problem.line).collect::<Vec<_>>();
        assert_eq!(said("segue-model"), [2, 2, 3]);
        assert_eq!(said("segue-channel"), [2]);
        assert_eq!(said("segue-host"), [0; 0]);
    }
}
