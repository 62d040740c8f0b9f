#!/usr/bin/env bash
# Sets everything up and runs all tests: every sanitizer, both compilers, the fuzzers, the linters.
# usage: scripts/test.sh [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh test
scripts/deps.sh browser || echo "test.sh: going on without a browser: what needs one is skipped" >&2
scripts/build.sh host-asan host-tsan host-clang host

run() { # run <build> <ctest options>...
    local build=$1
    shift
    echo "== $build =="
    ctest --test-dir "build/$build" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
}

run host-tsan -R '^(unit\..*|e2e\.load)$' "$@" # data races, in all that has threads
run host-clang -LE e2e "$@"                    # the other compiler, clang-tidy, the fuzzers
run host-asan -LE lint "$@"                     # memory errors and undefined behaviour
run host "$@"                                   # as shipped, and the linters
