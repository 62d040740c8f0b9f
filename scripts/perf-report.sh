#!/usr/bin/env bash
# Prints how long bench-edge report takes over many result files, and in how much memory. A
# benchmark, not a test.
# usage: scripts/perf-report.sh [FILES]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build
scripts/build.sh host
exec /usr/bin/python3 tests/perf/report.py build/host/bench-edge "$@"
