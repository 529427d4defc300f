#!/usr/bin/env bash
# Makes two Debian packages:  packaging/deb/build.sh PROGRAM WINDOW OUT
#
# `segue` holds the program, `segue-desktop` the window, which needs the first and WebKit.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=$(realpath "$1") window=$(realpath "$2")
mkdir -p "$3"
out=$(cd "$3" && pwd)
readonly root program window out

version=$("$program" --version | cut -d' ' -f2)
arch=$(dpkg --print-architecture)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
umask 022

# package NAME DEPENDS DESCRIPTION: the tree in $made/NAME becomes an archive.
package() {
    local name=$1 tree=$made/$1
    install -D -m 644 "$root/NOTICE" "$tree/usr/share/doc/$name/NOTICE"
    install -m 644 "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$root/THIRD_PARTY.md" "$tree/usr/share/doc/$name/"
    mkdir "$tree/DEBIAN"
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: $name
Version: $version
Architecture: $arch
Maintainer: The Segue developers <segue-dev@users.noreply.github.com>
Section: devel
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$tree" | cut -f1)
Depends: $2
Description: $3
CONTROL
    dpkg-deb --root-owner-group --build "$tree" "$out" >/dev/null
}

# Without what only a debugger reads, as Debian has it.
install -D -m 755 --strip "$program" "$made/segue/usr/bin/segue"
package segue "libc6 (>= 2.36), libgcc-s1" "hands work to agents and carries it across boundaries
 Tasks for coding agents over the Model Context Protocol, and durable flows over agents, models, tools and people."

install -D -m 755 --strip "$window" "$made/segue-desktop/usr/bin/segue-desktop"
install -D -m 644 "$root/console/public/icon.svg" \
    "$made/segue-desktop/usr/share/icons/hicolor/scalable/apps/segue.svg"
install -D -m 644 "$root/packaging/deb/segue.desktop" "$made/segue-desktop/usr/share/applications/segue.desktop"
package segue-desktop "segue (= $version), libwebkit2gtk-4.1-0, libgtk-3-0 | libgtk-3-0t64" \
    "the console of Segue in a window of its own
 Starts Segue for its window and ends it with it."
