#!/usr/bin/env bash
# Packs both programs for Debian, unpacks them where nothing is installed, and opens the window from there:
#
#   packaging/desktop/check.sh PROGRAM WINDOW SHOTS
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
packaging/deb/build.sh "$1" "$2" "$place/packages"
for package in "$place"/packages/*.deb; do
    dpkg-deb --info "$package" | grep -E '^ (Package|Version|Architecture|Depends|Installed-Size):'
    dpkg-deb --extract "$package" "$place/installed"
done
packaging/desktop/smoke.sh "$place/installed/usr/bin/segue-desktop" "$place/installed/usr/bin/segue" "$3"
