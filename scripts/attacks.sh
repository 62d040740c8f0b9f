#!/usr/bin/env bash
# Prints what each attack of the raw-frame suite costs a client that means no harm: the share of its
# calls per second that it keeps, and the server's peak memory. A benchmark: two quiet CPUs are needed.
# Exits 1 if less than 80 % is kept, or the server took more than it says it may.
# usage: scripts/attacks.sh [--seconds S] [--rounds N] [--server NAME]... [ATTACK...]
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build perf
scripts/build.sh host
exec /usr/bin/python3 tests/perf/attacks.py --build build/host "$@"
