//! The built console as files in memory.
//!
//! `console/` is built into `dist/`, which is checked in, so that Rust alone builds the program; `make check-console`
//! says when the two differ. Nothing here knows HTTP. A debug build reads the files from the checkout instead, so that
//! a new `make console` is seen without another build of the program.

use std::borrow::Cow;

use rust_embed::Embed;

/// The page that every address of the console is answered with.
pub const INDEX: &str = "index.html";
/// What is named after its content, so that it never changes, lies below this.
pub const HASHED: &str = "assets/";
/// The evidence report: a page of its own, which is filled and written to disk, and never served.
const REPORT: &str = "report.html";
/// Behind the name of a file that has a compressed twin.
const COMPRESSED: &str = ".gz";

#[derive(Embed)]
#[folder = "dist"]
struct Dist;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asset {
    pub bytes: Cow<'static, [u8]>,
    /// Of the bytes.
    pub sha256: [u8; 32],
    pub media_type: &'static str,
}

/// A file by its path below the root, as it is.
#[must_use]
pub fn plain(path: &str) -> Option<Asset> {
    // The twins are no files of their own.
    if path.ends_with(COMPRESSED) || path == REPORT { None } else { get(path, path) }
}

/// The evidence report, to be filled.
#[must_use]
pub fn report() -> Option<Asset> {
    get(REPORT, REPORT)
}

/// As [`plain`], compressed with gzip, for what is smaller that way.
#[must_use]
pub fn compressed(path: &str) -> Option<Asset> {
    if path == REPORT {
        return None;
    }
    get(&format!("{path}{COMPRESSED}"), path)
}

fn get(stored: &str, path: &str) -> Option<Asset> {
    let file = Dist::get(stored)?;
    Some(Asset { bytes: file.data, sha256: file.metadata.sha256_hash(), media_type: media_type(path) })
}

/// What the console is made of is known; anything else is offered as bytes.
fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" => "application/json; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_a_known_type_and_a_twin_of_the_same_content_is_smaller() {
        let names: Vec<_> = Dist::iter().collect();
        assert!(names.iter().any(|name| name == INDEX), "{names:?}");
        for name in names.iter().filter(|name| !name.ends_with(COMPRESSED) && *name != REPORT) {
            let file = plain(name).expect("it was listed");
            assert_ne!(file.media_type, "application/octet-stream", "{name}");
            if let Some(twin) = compressed(name) {
                assert!(twin.bytes.len() < file.bytes.len(), "{name}");
                assert_eq!((twin.media_type, twin.bytes[..2].to_vec()), (file.media_type, vec![0x1f, 0x8b]), "{name}");
            }
        }
        for twin in names.iter().filter_map(|name| name.strip_suffix(COMPRESSED)) {
            assert!(names.iter().any(|name| name == twin), "{twin}");
        }
    }

    #[test]
    fn nothing_outside_is_found() {
        for path in ["", "/", "../Cargo.toml", "assets/../../Cargo.toml", "/etc/passwd", "assets", "nothing.js"] {
            assert_eq!((plain(path), compressed(path)), (None, None), "{path}");
        }
    }

    #[test]
    fn the_report_is_there_to_be_filled_and_is_not_served() {
        assert_eq!((plain(REPORT), compressed(REPORT)), (None, None));
        assert_eq!(report().map(|report| report.media_type), Some("text/html; charset=utf-8"));
    }

    #[test]
    fn no_source_maps_are_embedded() {
        assert_eq!(Dist::iter().filter(|name| name.ends_with(".map")).count(), 0);
    }
}
