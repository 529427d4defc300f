#!/usr/bin/env bash
# Installs real MCP clients to hold our server against: the conformance suite and the inspector of the
# protocol's authors, and their Python library.
#
#   crates/testkit/conformance/install.sh DIR
#
# DIR/<name> is an npm prefix or a Python environment of its own. What is there in the pinned version is left
# alone. Only npm and pip are used, as they are set up on this machine, and only by package name.
#
# The versions are pinned because the suite changes what it asks for; take a newer one in a change of its own.
set -euo pipefail

# The suite crashes on older ones.
readonly OLDEST_NODE=22

packages_of() {
    case $1 in
    conformance) echo "@modelcontextprotocol/conformance@${CONFORMANCE_VERSION:-0.2.0-alpha.12}" ;;
    inspector) echo "@modelcontextprotocol/inspector@${INSPECTOR_VERSION:-2.12.0}" ;;
    python) echo "mcp==${PYTHON_CLIENT_VERSION:-2.3.0}" ;;
    esac
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# installed NAME: whether DIR/NAME holds what it should. The stamp is written last, so that an interrupted
# install is done again.
installed() {
    local stamp="$dir/$1/.installed"
    [ -f "$stamp" ] && [ "$(<"$stamp")" = "$(packages_of "$1")" ]
}

install_npm() {
    if installed "$1"; then return; fi
    echo "$1: $(packages_of "$1")"
    rm -rf "${dir:?}/$1"
    mkdir -p "$dir/$1"
    npm install --prefix "$dir/$1" --no-audit --no-fund --no-update-notifier --loglevel=error "$(packages_of "$1")"
    packages_of "$1" >"$dir/$1/.installed"
}

install_python() {
    if installed python; then return; fi
    echo "python: $(packages_of python)"
    rm -rf "${dir:?}/python"
    python3 -m venv "$dir/python"
    "$dir/python/bin/pip" install --quiet --disable-pip-version-check "$(packages_of python)"
    packages_of python >"$dir/python/.installed"
}

[ $# -eq 1 ] || fail "usage: install.sh DIR"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p' || true)
if [ "${node_major:-0}" -lt "$OLDEST_NODE" ]; then
    ln -sfn "$("$here/../../../.ci/install-node" "$dir")" "$dir/node-bin"
else
    ln -sfn "$(dirname "$(command -v node)")" "$dir/node-bin"
fi
"$dir/node-bin/node" --version >/dev/null || fail "the Node.js from npm does not run here"
install_npm conformance
install_npm inspector
install_python
