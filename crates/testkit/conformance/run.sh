#!/usr/bin/env bash
# Holds the built programs against real MCP clients: the conformance suite, the inspector, the Python client.
#
#   crates/testkit/conformance/run.sh DIR
#
# DIR is where the clients are installed, if they are not there yet (install.sh). The programs are those of
# `cargo build`; SEGUE_BUILT names another folder. Ends with "N passed, N failed"; the exit status is 1 if
# anything failed.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here

# The revisions the suite judges. Each lists what it requires; expected-failures.yaml says what else fails.
readonly REVISIONS=(2025-11-25 2026-07-28)
# Seconds for one client to do all it does. They need a few.
readonly PATIENCE=300
readonly TOOLS=13

fail() {
    echo "run.sh: $1" >&2
    exit 1
}

[ $# -eq 1 ] || fail "usage: run.sh DIR"
"$here/install.sh" "$1"
clients=$(cd "$1" && pwd)
target=${CARGO_TARGET_DIR:-$here/../../../target}
built=$(cd "${SEGUE_BUILT:-$target/debug}" 2>/dev/null && pwd) || fail "there is no build; run cargo build first"
for program in segue segue-scripted-agent segue-mcp-conformance; do
    [ -x "$built/$program" ] || fail "$built/$program is not there; run cargo build first"
done

# A world of its own: nothing of the user's is read or written, and the one agent is the scripted one.
world=$(mktemp -d)
server=
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$world"
}
trap finish EXIT
mkdir "$world/agents" "$world/home" "$world/run" "$world/state" "$world/tmp" "$world/workspace"
chmod 700 "$world/run"
ln -s "$built/segue-scripted-agent" "$world/agents/claude-agent-acp"

in_world() (
    cd "$world/workspace"
    exec timeout "$PATIENCE" env -i PATH="$world/agents:$clients/node-bin:/usr/local/bin:/usr/bin:/bin" \
        HOME="$world/home" TMPDIR="$world/tmp" XDG_RUNTIME_DIR="$world/run" SEGUE_STATE_DIR="$world/state" "$@"
)

passed=0 failed=0

# verdict NAME STATUS [LOG]: counts one check, and shows the log of one that failed.
verdict() {
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1"
        if [ -n "${3:-}" ]; then sed 's/^/        /' "$3"; fi
    fi
}

# checked NAME LOG COMMAND...: runs a check that writes into LOG.
checked() {
    local name=$1 log=$2 status=0
    shift 2
    "$@" >"$log" 2>&1 || status=$?
    verdict "$name" "$status" "$log"
}

# count PASSED FAILED: adds what a client counted itself.
count() {
    passed=$((passed + $1)) failed=$((failed + $2))
}

conformance() {
    local suite="$clients/conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js"
    local revision log status numbers
    "$built/segue-mcp-conformance" >"$world/address" &
    server=$!
    for _ in $(seq 100); do
        [ -s "$world/address" ] && break
        kill -0 "$server" 2>/dev/null || fail "segue-mcp-conformance did not start"
        sleep 0.1
    done
    for revision in "${REVISIONS[@]}"; do
        log="$world/conformance-$revision.log" status=0
        in_world "$clients/node-bin/node" "$suite" server --url "$(<"$world/address")" --requirements "$revision" \
            --expected-failures "$here/expected-failures.yaml" -o "$world/results-$revision" >"$log" 2>&1 || status=$?
        # "Total: 170 passed, 25 failed"; what failed and is expected is told beside it, not counted.
        numbers=$(sed -n 's/^Total: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$log")
        if [ "$status" -eq 0 ] && [ -n "$numbers" ]; then
            count "${numbers% *}" 0
            echo "ok      conformance $revision: ${numbers% *} checks passed, ${numbers#* } failed as expected"
        else
            verdict "conformance $revision" 1 "$log"
        fi
    done
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

inspect() {
    in_world "$clients/node-bin/node" "$clients/inspector/node_modules/.bin/mcp-inspector" --cli "$built/segue" mcp "$@"
}

inspector() {
    local log="$world/inspector.log"
    checked "inspector: lists the tools" "$log" inspect --method tools/list
    [ "$(grep -c '"inputSchema"' "$log" || true)" -eq "$TOOLS" ]
    verdict "inspector: there are $TOOLS" $? "$log"
    # It reads the published types to build the arguments: an integer must not arrive as text.
    checked "inspector: calls with an integer" "$log" inspect --method tools/call --tool-name list_tasks --tool-arg limit=5
    grep -q '"structuredContent"' "$log"
    verdict "inspector: gets structured content" $? "$log"
    inspect --method tools/call --tool-name get_task --tool-arg task_id=task_000000000000 >"$log" 2>&1 || true
    grep -q 'task_not_found: ' "$log"
    verdict "inspector: shows a refusal" $? "$log"
}

python_client() {
    local log="$world/python.log" numbers
    in_world "$clients/python/bin/python" "$here/python_client.py" "$built/segue" mcp >"$log" 2>&1 || true
    numbers=$(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
    if [ -n "$numbers" ]; then
        count "${numbers% *}" "${numbers#* }"
        grep '^FAILED' "$log" || echo "ok      Python client: ${numbers% *} checks passed"
    else
        verdict "Python client" 1 "$log"
    fi
}

# A check that fails is counted and does not end the run.
set +e
conformance
inspector
python_client
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
