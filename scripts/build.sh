#!/usr/bin/env bash
# Builds into build/<name>/.
# usage: scripts/build.sh [host | host-debug | host-clang | host-asan | host-tsan]...
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- host
mapfile -t known < <(sed -n 's/.*"name": "\(host[a-z-]*\)".*/\1/p' CMakePresets.json)
for name in "$@"; do
    if [[ " ${known[*]} " != *" $name "* ]]; then
        echo "build.sh: unknown build \"$name\": expected one of ${known[*]}" >&2
        exit 2
    fi
done

scripts/deps.sh build
for name in "$@"; do
    if [ ! -f "build/$name/build.ninja" ]; then
        echo "Configuring build/$name" >&2
        cmake --preset "$name" --log-level=WARNING >&2
    fi
    ninja -C "build/$name" --quiet >&2
done
