//! Workspaces: absolute paths, made so without asking the file system.

use std::path::{Component, Path, PathBuf};

use crate::error::Refusal;

/// What Linux takes as a path, its end included.
const PATH_CHARS: usize = 4_096;

/// The workspace of a request. `None` and empty are the server's own folder; `..` is collapsed by
/// the letter, links are not followed and `~` is a name like any other.
///
/// # Errors
/// `invalid_request` for a path with a NUL.
pub fn resolve(asked: Option<&str>, server: &Path) -> Result<PathBuf, Refusal> {
    let asked = asked.unwrap_or_default();
    if asked.contains('\0') {
        return Err(Refusal::invalid("workspace must not contain a NUL character"));
    }
    let mut path = PathBuf::from("/");
    for part in server.join(asked).components() {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Ok(path)
}

/// Why nothing can be started there. No path that exists is longer than what is shown of it.
#[must_use]
pub fn not_a_directory(workspace: &str) -> String {
    let shown: String = workspace.chars().take(PATH_CHARS).collect();
    let more = if shown.len() < workspace.len() { "…" } else { "" };
    format!("workspace {shown}{more} is not a directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_absolute_by_the_letter() {
        let at = |asked| resolve(asked, Path::new("/srv/shop")).unwrap();
        for (asked, path) in [
            (None, "/srv/shop"),
            (Some(""), "/srv/shop"),
            (Some("a/./b/"), "/srv/shop/a/b"),
            (Some("../x"), "/srv/x"),
            (Some("../../../.."), "/"),
            (Some("/abs//y/../z"), "/abs/z"),
            (Some("~"), "/srv/shop/~"),
        ] {
            assert_eq!(at(asked), PathBuf::from(path));
        }
        assert!(resolve(Some("a\0b"), Path::new("/")).is_err());
    }

    #[test]
    fn a_path_that_cannot_be_is_not_repeated_whole() {
        assert_eq!(not_a_directory("/srv/shop"), "workspace /srv/shop is not a directory");
        let shown = not_a_directory(&"ü".repeat(5_000_000));
        assert_eq!(shown, format!("workspace {}… is not a directory", "ü".repeat(PATH_CHARS)));
    }
}
