#!/usr/bin/env bash
# Building and packing twice, in two folders, gives the same bytes; and no path of this machine.
# usage: dist.sh BOARD BUILD_FOLDER
set -euo pipefail
board=$1 build=$2
command -v dpkg-deb >/dev/null || { echo "dpkg-deb is not on this machine"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# It is not built again here: other tests run its programs meanwhile.
cmake -DSOURCE="$PWD" -DHEADER="$work/git_id.h" -P cmake/git_id.cmake
if ! cmp -s "$work/git_id.h" "$build/src/base/git_id.h"; then
    echo "$build is of another commit: scripts/build.sh $board"
    exit 1
fi
EDGE_BOARD=$board cmake --preset board -B "$work/build" -DBUILD_TESTING=OFF --log-level=WARNING >/dev/null
ninja -C "$work/build" --quiet
scripts/dist.sh "$board" "$build" "$work/one"
scripts/dist.sh "$board" "$work/build" "$work/two"
diff -r "$work/one" "$work/two"

if grep -rlaF -e "$PWD" -e "$work" "$build/bench-edge" "$build/servers"; then
    echo "a path of this machine is in the programs above"
    exit 1
fi
