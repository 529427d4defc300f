#!/usr/bin/env bash
# Builds a wheel that holds the program:  packaging/wheel/build.sh OUT [PROFILE]
#
# PROFILE is release, or dev for tests. maturin is installed below .check/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly MATURIN=1.16.0
mkdir -p "$1"
out=$(cd "$1" && pwd)
readonly out profile=${2:-release}
# Next to the other builds, so that what is built already is not built again.
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR

place=$PWD/.check/maturin
if [ "$("$place/bin/maturin" --version 2>/dev/null || true)" != "maturin $MATURIN" ]; then
    rm -rf "$place"
    python3 -m venv "$place"
    "$place/bin/pip" install --quiet --disable-pip-version-check "maturin==$MATURIN"
fi
cd packaging/wheel
"$place/bin/maturin" build --locked --profile "$profile" --out "$out"
