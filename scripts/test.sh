#!/usr/bin/env bash
# Sets everything up and runs all tests: every sanitizer, both compilers, the fuzzers, the linters.
# usage: scripts/test.sh [ctest options]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh test
scripts/build.sh host-asan host-tsan host-clang host

run() { # run <build> <ctest options>...
    local build=$1
    shift
    echo "== $build =="
    ctest --test-dir "build/$build" --output-on-failure --no-tests=error "$@"
}

run host-tsan -L 'unit|load' "$@"   # data races, in all that has threads
run host-clang -L 'unit|fuzz' "$@"  # the other compiler; the fuzzers search
run host-asan -LE lint "$@"         # memory errors and undefined behaviour, in everything
run host "$@"                       # as shipped, and the linters
