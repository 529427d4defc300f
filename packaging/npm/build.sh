#!/usr/bin/env bash
# Packs the program for npm:  packaging/npm/build.sh PROGRAM OUT
#
# Makes two archives in OUT: `segue-mcp`, and `segue-mcp-PLATFORM-ARCH` for the platform this runs on, which holds
# PROGRAM. A release packs the second one on each platform.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$(realpath "$1")
mkdir -p "$2"
out=$(cd "$2" && pwd)
readonly here program out

case $(uname -s) in
Linux) platform=linux ;;
Darwin) platform=darwin ;;
*) echo "build.sh: no package for $(uname -s)" >&2; exit 1 ;;
esac
case $(uname -m) in
x86_64) arch=x64 ;;
aarch64 | arm64) arch=arm64 ;;
*) echo "build.sh: no package for $(uname -m)" >&2; exit 1 ;;
esac
version=$("$program" --version | cut -d' ' -f2)

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# The wrapper asks for exactly the program that it was packed with.
cp -R "$here/segue-mcp" "$made/"
cp "$here/README.md" "$made/segue-mcp/"
sed -i.old -E "s/\"(version|segue-mcp-[a-z0-9-]+)\": \"[^\"]*\"/\"\1\": \"$version\"/" "$made/segue-mcp/package.json"
rm "$made/segue-mcp/package.json.old"

mkdir "$made/program"
install -m 755 "$program" "$made/program/segue"
cat >"$made/program/package.json" <<PACKAGE
{
  "name": "segue-mcp-$platform-$arch",
  "version": "$version",
  "description": "The program of segue-mcp for $platform on $arch",
  "license": "(Apache-2.0 OR MIT)",
  "repository": { "type": "git", "url": "git+https://github.com/segue-dev/segue.git" },
  "os": ["$platform"],
  "cpu": ["$arch"],
  "files": ["segue"]
}
PACKAGE
for package in segue-mcp program; do
    (cd "$made/$package" && npm pack --silent --pack-destination "$out")
done
