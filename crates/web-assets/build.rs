//! Says how the console is built when it is not there. Builds nothing itself: that takes Node.js.

use std::path::Path;

fn main() {
    // A debug build embeds nothing: it reads the files when they are asked for.
    let reads = std::env::var_os("CARGO_CFG_DEBUG_ASSERTIONS").is_some();
    println!("cargo::rerun-if-changed={}", if reads { "dist/index.html" } else { "dist" });
    let index = Path::new(env!("CARGO_MANIFEST_DIR")).join("dist/index.html");
    if !index.is_file() {
        println!(
            "cargo::error=the built console is missing: {} does not exist. It belongs to the repository; `make console` \
             builds it again, and a binary without it is built with `--no-default-features`",
            index.display()
        );
    }
}
