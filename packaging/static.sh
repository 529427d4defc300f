#!/usr/bin/env bash
# Builds a program that needs no C library of the machine, with musl:  packaging/static.sh OUT
#
# Needs Rust's target for musl (`rustup target add $(uname -m)-unknown-linux-musl`) and a C compiler for it (Debian:
# musl-tools).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$(uname -m)-unknown-linux-musl
libraries=$(rustc --print target-libdir --target "$target")
if ! ls "$libraries"/libstd-*.rlib >/dev/null 2>&1; then
    echo "static.sh: Rust's target $target is missing: rustup target add $target" >&2
    exit 1
fi
if ! command -v musl-gcc >/dev/null; then
    echo "static.sh: a C compiler for musl is missing: on Debian, apt-get install musl-tools" >&2
    exit 1
fi
cargo build --locked --release -p segue --target "$target"
program=${CARGO_TARGET_DIR:-target}/$target/release/segue
if [ "$(ldd "$program" 2>&1 | grep -c '=>')" != 0 ]; then
    echo "static.sh: $program still needs libraries of the machine" >&2
    exit 1
fi
mkdir -p "$1"
install -m 755 "$program" "$1/segue-$target"
