#!/usr/bin/env bash
# Builds into build/<name>/.
# usage: scripts/build.sh [--programs] [host | host-debug | host-clang | host-asan | host-tsan | BOARD | all]...
#   BOARD  a name of boards/*.ini: static, stripped programs for it, checked by scripts/gate.sh
#   all    every board
#   --programs  without the tests
set -euo pipefail
cd "$(dirname "$0")/.."

targets=()
if [ "${1:-}" = --programs ]; then
    targets=(programs)
    shift
fi
[ $# -gt 0 ] || set -- host
mapfile -t hosts < <(sed -n 's/.*"name": "\(host[a-z-]*\)".*/\1/p' CMakePresets.json)
presets=() boards=()
for name in "$@"; do
    if [ "$name" = all ]; then
        mapfile -t -O "${#boards[@]}" boards < <(basename -s .ini boards/*.ini)
    elif [[ " ${hosts[*]} " == *" $name "* ]]; then
        presets+=("$name")
    elif scripts/board.sh "$name" toolchain >/dev/null; then
        boards+=("$name")
    else
        echo "build.sh: expected a board, all, or one of ${hosts[*]}" >&2
        exit 2
    fi
done

build() { # build <name> <preset>
    [ -f "build/$1/build.ninja" ] || echo "Configuring build/$1" >&2
    cmake --preset "$2" --log-level=WARNING >/dev/null
    ninja -C "build/$1" --quiet ${EDGE_JOBS:+-j"$EDGE_JOBS"} ${targets[@]+"${targets[@]}"} >&2
}

scripts/deps.sh build
for name in ${presets[@]+"${presets[@]}"}; do
    build "$name" "$name"
done
for board in ${boards[@]+"${boards[@]}"}; do
    scripts/deps.sh "$(scripts/board.sh "$board" toolchain)" emulate
    scripts/libs.sh "$board"
    EDGE_BOARD=$board build "$board" board
    scripts/gate.sh "$board" "build/$board/bench-edge" "build/$board"/servers/* >&2
done
