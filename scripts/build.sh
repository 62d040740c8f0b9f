#!/usr/bin/env bash
# Builds into build/<name>/.
# usage: scripts/build.sh [--programs] [--without-tls] [host | host-debug | host-clang | host-asan | host-tsan | BOARD | all]...
#   BOARD  a name of boards/*.ini: static, stripped programs for it, checked by scripts/gate.sh
#   all    every board
#   --programs     without the tests
#   --without-tls  boards without TLS, into build/<name>-without-tls: 250 KiB less each program
set -euo pipefail
cd "$(dirname "$0")/.."

targets=() suffix='' tls=ON
while [[ "${1:-}" == --* ]]; do
    case $1 in
    --programs) targets=(programs) ;;
    --without-tls) suffix=-without-tls tls=OFF ;;
    *)
        echo "build.sh: expected --programs or --without-tls, found $1" >&2
        exit 2
        ;;
    esac
    shift
done
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

build() { # build <name> <preset> <options of cmake>...
    local name=$1 preset=$2
    shift 2
    [ -f "build/$name/build.ninja" ] || echo "Configuring build/$name" >&2
    cmake --preset "$preset" -B "build/$name" --log-level=WARNING "$@" >/dev/null
    ninja -C "build/$name" --quiet ${EDGE_JOBS:+-j"$EDGE_JOBS"} ${targets[@]+"${targets[@]}"} >&2
}

scripts/deps.sh build
for name in ${presets[@]+"${presets[@]}"}; do
    build "$name" "$name"
done
for board in ${boards[@]+"${boards[@]}"}; do
    scripts/deps.sh "$(scripts/board.sh "$board" toolchain)" emulate
    scripts/libs.sh "$board"
    EDGE_BOARD=$board build "$board$suffix" board -DEDGE_TLS=$tls
    scripts/gate.sh "$board" "build/$board$suffix/bench-edge" "build/$board$suffix"/servers/* >&2
done
