//! Whether this process runs inside an agent that was dispatched.

use std::{ffi::OsStr, path::Path};

use segue_host::adapters::DEPTH;

/// How far up the parents are asked. Fixed by the channel contract.
const STEPS: usize = 64;

/// The variable decides where it is set; otherwise an ancestor that carries it does.
#[must_use]
pub fn nested() -> bool {
    match std::env::var_os(DEPTH) {
        Some(value) => is_inside(&value),
        None => ancestor_inside(),
    }
}

/// `0` (also `00`) means outside; anything else, malformed values too, means inside.
fn is_inside(value: &OsStr) -> bool {
    let Some(text) = value.to_str() else { return true };
    let valid = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    !valid || text.bytes().any(|b| b != b'0')
}

/// Walks up the process table; an entry that cannot be read ends the walk.
fn ancestor_inside() -> bool {
    let mut seen = vec![std::process::id()];
    let mut pid = std::os::unix::process::parent_id();
    for _ in 0..STEPS {
        if pid <= 1 || seen.contains(&pid) {
            return false;
        }
        seen.push(pid);
        let proc = Path::new("/proc").join(pid.to_string());
        let Ok(environ) = std::fs::read(proc.join("environ")) else { return false };
        let prefix = format!("{DEPTH}=");
        let mark = environ.split(|b| *b == 0).find_map(|entry| entry.strip_prefix(prefix.as_bytes()));
        if mark.is_some_and(|value| is_inside(std::os::unix::ffi::OsStrExt::from_bytes(value))) {
            return true;
        }
        let Some(parent) = std::fs::read_to_string(proc.join("stat")).ok().and_then(|stat| parent_of(&stat)) else {
            return false;
        };
        pid = parent;
    }
    false
}

/// The fourth field; the second is in parentheses and may hold anything.
fn parent_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zero_is_outside() {
        for (value, inside) in [
            ("0", false),
            ("00", false),
            ("1", true),
            ("", true),
            ("-1", true),
            ("x", true),
            ("0000000000", true),
            ("999999999", true),
        ] {
            assert_eq!(is_inside(OsStr::new(value)), inside, "{value:?}");
        }
    }

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_of("17 (a) b (c)) S 5 17 17"), Some(5));
        assert_eq!(parent_of("nonsense"), None);
    }
}
