#!/usr/bin/env bash
# Building and packing twice, in two folders, gives the same bytes; and no path of this machine.
# usage: dist.sh BOARD BUILD_FOLDER
set -euo pipefail
board=$1 build=$2
command -v dpkg-deb >/dev/null || { echo "dpkg-deb is not on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ninja -C "$build" --quiet # the commit may have changed since
EDGE_BOARD=$board cmake --preset board -B "$work/build" -DBUILD_TESTING=OFF --log-level=WARNING >/dev/null
ninja -C "$work/build" --quiet
scripts/dist.sh "$board" "$build" "$work/one"
scripts/dist.sh "$board" "$work/build" "$work/two"
diff -r "$work/one" "$work/two"

if grep -rlaF -e "$PWD" -e "$work" "$build/bench-edge" "$build/servers"; then
    echo "a path of this machine is in the programs above"
    exit 1
fi
