#!/usr/bin/env bash
# Opens the real window on a screen of its own and closes it in each way:  packaging/desktop/smoke.sh WINDOW PROGRAM SHOTS
#
# WINDOW is the built segue-desktop, PROGRAM the built segue, SHOTS a folder for a picture of what was seen. Ends with
# "N passed, N failed".
set -euo pipefail

readonly window=$1 program=$2 shots=$3
# What a slow machine may take for one step; every step is waited for by what it makes visible.
readonly LIMIT=${SMOKE_LIMIT:-120}

mark=$(cat /proc/sys/kernel/random/uuid)
place=$(mktemp -d)
passed=0 failed=0

# until WHAT COMMAND...: waits until the command succeeds.
until_true() {
    local what=$1 began=$SECONDS
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS - began > LIMIT)); then
            echo "not within $LIMIT s: $what" >&2
            return 1
        fi
        sleep 0.1
    done
}

# Every process that was started here carries the mark, whoever its parent is now.
marked() { grep -lsz "^SEGUE_DESKTOP_SMOKE=$mark$" /proc/[0-9]*/environ | cut -d/ -f3; }
none_left() { [ -z "$(marked)" ]; }

end_everything() {
    marked | xargs -r kill -9 2>/dev/null || true
    [ -z "${screen:-}" ] || kill "$screen" "$manager" 2>/dev/null || true
    rm -rf "$place"
}
trap end_everything EXIT

mkdir -p "$shots" "$place/home" "$place/run"
chmod 700 "$place/run"
mkfifo "$place/display"
Xvfb -displayfd 3 -screen 0 1600x1000x24 -nolisten tcp 3<>"$place/display" >/dev/null 2>&1 &
screen=$!
read -r number <"$place/display"
export DISPLAY=":$number" HOME="$place/home" XDG_RUNTIME_DIR="$place/run" XDG_CONFIG_HOME="$place/home/.config"
export XDG_DATA_HOME="$place/home/.local/share" GDK_BACKEND=x11 NO_AT_BRIDGE=1
# A screen without a graphics card; and the sandbox of WebKit needs rights that a container does not give.
export WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1
# Only a window manager closes a window as a person does.
openbox >/dev/null 2>&1 &
manager=$!
until_true "a window manager" wmctrl -m

open_window() {
    env SEGUE_DESKTOP_SMOKE="$mark" "$window" --program "$program" --state-root "$place/state" --workspace "$place/home" \
        >"$place/said" 2>&1 &
    opened=$!
    until_true "a window called Segue" shown || { cat "$place/said" >&2; return 1; }
}
shown() { wmctrl -l | grep -q ' Segue$'; }
# A page has been drawn when the picture has more than the few colours of an empty window.
drawn() {
    import -window root "$shots/desktop.png"
    [ "$(identify -format %k "$shots/desktop.png")" -gt 200 ]
}
runtime_pid() { marked | while read -r pid; do grep -qzx app "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"; done; }
ended_with() {
    local status=0
    wait "$opened" || status=$?
    [ "$status" = "$1" ] || { echo "ended with $status, not $1: $(cat "$place/said")" >&2; return 1; }
}

shows_the_console() {
    open_window &&
    until_true "the console in it" drawn
}
a_second_start_brings_it_to_the_front() {
    timeout "$LIMIT" env SEGUE_DESKTOP_SMOKE="$mark" "$window" --program "$program" --state-root "$place/state" &&
    [ "$(wmctrl -l | grep -c ' Segue$')" = 1 ]
}
closing_it_leaves_no_process() {
    wmctrl -c Segue &&
    ended_with 0 &&
    until_true "the end of every process" none_left
}
a_signal_ends_it_in_order() {
    open_window &&
    kill -TERM "$opened" &&
    ended_with 0 &&
    until_true "the end of every process" none_left
}
its_death_ends_its_runtime() {
    open_window &&
    kill -9 "$opened" &&
    ended_with 137 &&
    until_true "the end of every process" none_left
}
the_death_of_its_runtime_is_told() {
    open_window &&
    kill -9 "$(runtime_pid)" &&
    until_true "a message" two_windows &&
    import -window root "$shots/desktop-stopped.png" &&
    close_all &&
    ended_with 0 &&
    until_true "the end of every process" none_left
}
two_windows() { [ "$(wmctrl -l | wc -l)" = 2 ]; }
close_all() { wmctrl -l | cut -d' ' -f1 | while read -r id; do wmctrl -i -c "$id" || true; done; }
a_runtime_that_cannot_be_had_is_told() {
    env SEGUE_DESKTOP_SMOKE="$mark" "$window" --program /nonexistent/segue --state-root "$place/other" >"$place/said" 2>&1 &
    opened=$!
    until_true "a message" shown &&
    close_all &&
    ended_with 2 &&
    grep -q '/nonexistent/segue cannot be started' "$place/said" &&
    until_true "the end of every process" none_left
}

for test in shows_the_console a_second_start_brings_it_to_the_front closing_it_leaves_no_process \
    a_signal_ends_it_in_order its_death_ends_its_runtime the_death_of_its_runtime_is_told \
    a_runtime_that_cannot_be_had_is_told; do
    # In a condition nothing stops at a failure, so the steps of a test are joined by &&.
    if "$test"; then
        echo "ok      $test"
        passed=$((passed + 1))
    else
        echo "FAILED  $test"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
