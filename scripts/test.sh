#!/usr/bin/env bash
# Sets everything up and runs all tests: every sanitizer, both compilers, the fuzzers, the linters,
# and the whole suite as ARM code.
# usage: scripts/test.sh [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."

board=rpizero # the oldest ARM: what runs there has no newer instruction in it

scripts/deps.sh test
scripts/deps.sh browser || echo "test.sh: no browser: what needs one is skipped" >&2
scripts/deps.sh ssh-test || echo "test.sh: no sshd: what needs one is skipped" >&2
scripts/deps.sh virtual-board || echo "test.sh: no virtual board" >&2
emulated=()
if scripts/deps.sh "$(scripts/board.sh "$board" toolchain)" emulate; then
    emulated=("$board")
    scripts/libs.sh "$board" || { [ $? = 77 ] || exit 1; emulated=(); }
fi
[ ${#emulated[@]} -gt 0 ] ||
    echo "test.sh: no compiler, emulator or libraries for $board: nothing runs as ARM code" >&2
scripts/build.sh host-asan host-tsan host-clang "${emulated[@]}" host

run() { # run <build> <ctest options>...
    local build=$1
    shift
    echo "== $build =="
    ctest --test-dir "build/$build" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
}

run host-tsan -R '^(unit\.|e2e\.load$)' "$@"       # data races, in all that has threads
run host-clang -R '^(unit|fuzz|lint\.tidy)' "$@"   # the other compiler, clang-tidy, the fuzzers
run host-asan -LE lint "$@"                        # memory errors and undefined behaviour
for name in "${emulated[@]}"; do
    run "$name" -E '^e2e\.load$' "$@"             # all but the generator's timing, which is the emulator's
done
run host "$@"                                      # as shipped, and the other linters
