//! What npm's lock file says the console is made of.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct LockFile {
    /// By the folder that each is installed into.
    packages: BTreeMap<String, Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default)]
    version: String,
    license: Option<String>,
    /// Needed to build or to test only.
    #[serde(default)]
    dev: bool,
    #[serde(default, rename = "devOptional")]
    dev_optional: bool,
}

/// Name, version and licence of everything that can reach the built files, in order and each once.
///
/// # Errors
/// The text is no lock file.
pub fn shipped(text: &str) -> Result<Vec<(String, String, Option<String>)>, serde_json::Error> {
    let lock: LockFile = serde_json::from_str(text)?;
    let mut shipped: Vec<_> = lock
        .packages
        .into_iter()
        .filter(|(_, entry)| !entry.dev && !entry.dev_optional)
        // The console itself has no folder.
        .filter_map(|(folder, entry)| {
            let (_, name) = folder.rsplit_once("node_modules/")?;
            Some((name.to_owned(), entry.version, entry.license))
        })
        .collect();
    shipped.sort();
    shipped.dedup();
    Ok(shipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_builds_or_tests_is_not_shipped() {
        let text = r#"{"packages": {
            "": {"name": "console"},
            "node_modules/react": {"version": "19.3.1", "license": "MIT"},
            "node_modules/vite": {"version": "8.3.8", "license": "MIT", "dev": true},
            "node_modules/fsevents": {"version": "2.3.3", "devOptional": true},
            "node_modules/a/node_modules/@scope/b": {"version": "1.0.0"},
            "node_modules/c/node_modules/react": {"version": "19.3.1", "license": "MIT"}
        }}"#;
        let react = ("react".to_owned(), "19.3.1".to_owned(), Some("MIT".to_owned()));
        assert_eq!(shipped(text).unwrap(), [("@scope/b".to_owned(), "1.0.0".to_owned(), None), react]);
        assert!(shipped("[]").is_err());
    }
}
