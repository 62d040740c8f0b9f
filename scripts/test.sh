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

computing=$(nproc) waiting=$((2 * $(nproc))) # tests at a time: those of whole programs mostly wait

run() { # run <build> <jobs> <ctest options>...
    local build=$1 jobs=$2
    shift 2
    echo "== $build =="
    ctest --test-dir "build/$build" -j "$jobs" --output-on-failure --no-tests=error "$@"
}

run host-tsan "$waiting" -R '^(unit\.|e2e\.load(_timing)?$)' "$@"  # data races, in all that has threads
run host-clang "$computing" -R '^(unit|fuzz|lint\.tidy)' "$@"      # the other compiler, clang-tidy, the fuzzers
run host-asan "$waiting" -LE lint "$@"                             # memory errors and undefined behaviour
for name in "${emulated[@]}"; do
    run "$name" "$waiting" "$@"                                    # as ARM code
done
run host "$waiting" "$@"                                           # as shipped, and the other linters
