#!/usr/bin/env bash
# Installs real coding agents that speak the Agent Client Protocol, for tests.
#
#   crates/testkit/agents/install.sh DIR [claude|codex|copilot|cline|opencode]...
#
# Without names it installs all five (about 2 GB). Each agent is an npm prefix of its own, DIR/<agent>, so
# that their dependencies never meet; DIR/bin holds one launcher per agent. An agent that is there in the
# pinned version is left alone. Only npm is used, as it is set up on this machine, and only by package name.
#
# The versions are pinned because the tests say what these agents do, and agents change weekly. To try
# another one: CLAUDE_VERSION=… and so on (see `packages_of`).
set -euo pipefail

readonly ALL_AGENTS=(claude codex copilot cline opencode)
# The oldest Node.js that all five accept.
readonly OLDEST_NODE=22

packages_of() {
    case $1 in
    claude) echo "@agentclientprotocol/claude-agent-acp@${CLAUDE_VERSION:-0.101.0}" ;;
    codex) echo "@agentclientprotocol/codex-acp@${CODEX_ACP_VERSION:-2.6.0} @openai/codex@${CODEX_VERSION:-0.166.0}" ;;
    copilot) echo "@github/copilot@${COPILOT_VERSION:-1.0.102}" ;;
    cline) echo "cline@${CLINE_VERSION:-3.0.65}" ;;
    opencode) echo "opencode-ai@${OPENCODE_VERSION:-1.18.33}" ;;
    *) fail "unknown agent: $1 (known: ${ALL_AGENTS[*]})" ;;
    esac
}

# The executable that speaks ACP, in the package's .bin folder.
program_of() {
    case $1 in
    claude) echo claude-agent-acp ;;
    codex) echo codex-acp ;;
    *) echo "$1" ;;
    esac
}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

# install_prefix NAME: makes DIR/NAME hold exactly the packages of NAME. The stamp is written last, so that
# an interrupted install is done again.
install_prefix() {
    local prefix="$dir/$1" packages stamp
    packages=$(packages_of "$1")
    stamp="$prefix/.installed"
    if [ -f "$stamp" ] && [ "$(<"$stamp")" = "$packages" ]; then
        echo "$1: $packages (there already)"
        return
    fi
    echo "$1: $packages"
    rm -rf "$prefix"
    mkdir -p "$prefix"
    # Unquoted on purpose: one word per package.
    # shellcheck disable=SC2086
    npm install --prefix "$prefix" --no-audit --no-fund --no-update-notifier --loglevel=error $packages
    echo "$packages" >"$stamp"
}

# write_launcher AGENT: a script in DIR/bin that starts the agent, with the newer Node.js where one is needed.
write_launcher() {
    local program target
    program=$(program_of "$1")
    target="$dir/$1/node_modules/.bin/$program"
    [ -x "$target" ] || fail "$1: $program is missing after the install"
    {
        echo '#!/bin/sh'
        if [ -n "$node_bin" ]; then printf 'PATH=%q:"$PATH"; export PATH\n' "$node_bin"; fi
        printf 'exec %q "$@"\n' "$target"
    } >"$dir/bin/$program"
    chmod +x "$dir/bin/$program"
}

[ $# -ge 1 ] || fail "usage: install.sh DIR [agent...]"
mkdir -p "$1/bin"
dir=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift
[ $# -gt 0 ] || set -- "${ALL_AGENTS[@]}"
# An unknown name is refused before anything is downloaded.
for agent in "$@"; do packages_of "$agent" >/dev/null; done

node_bin=
node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p' || true)
if [ "${node_major:-0}" -lt "$OLDEST_NODE" ]; then
    node_bin=$("$here/../../../.ci/install-node" "$dir")
fi

for agent in "$@"; do
    install_prefix "$agent"
    write_launcher "$agent"
done
echo "launchers: $dir/bin"
