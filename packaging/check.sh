#!/usr/bin/env bash
# Packs the built program for Python and for npm, installs both where nothing else is, and tries them:
#
#   packaging/check.sh PROGRAM
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "$1")
readonly program

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

packaging/wheel/build.sh "$place/wheel" dev
python3 -m venv "$place/venv"
# Without an index: the wheel needs nothing else.
"$place/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$place"/wheel/*.whl
echo "== the wheel"
PATH="$place/venv/bin:$PATH" python3 packaging/installed.py "$place/venv/bin/segue"

packaging/npm/build.sh "$program" "$place/npm"
mkdir "$place/node"
echo '{"private": true}' >"$place/node/package.json"
# The archives themselves; nothing is asked of a registry.
(cd "$place/node" && npm install --silent --offline --no-audit --no-fund --omit=optional "$place"/npm/*.tgz)
echo "== the npm package"
python3 packaging/installed.py "$place/node/node_modules/.bin/segue"
