//! Workspaces: absolute paths, made so without asking the file system.

use std::path::{Component, Path, PathBuf};

use crate::error::Refusal;

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
}
