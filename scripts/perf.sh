#!/usr/bin/env bash
# Prints what the programs cost, as ratios to yardsticks measured in the same run: server CPU per
# request against C++ grpc, the generator against h2load, latency against a raw TCP ping-pong, and
# server memory, TLS beside h2c; and where a server's instructions go. A benchmark, not a test: it exits 0 whatever
# the verdicts, 1 if it cannot measure.
# usage: scripts/perf.sh [--rounds N] [server | generator | latency | memory | tls | instructions]...
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh perf
scripts/build.sh host
[ -f build/perf/build.ninja ] || cmake -S tests/perf -B build/perf -G Ninja --log-level=WARNING >&2
ninja -C build/perf --quiet >&2

exec /usr/bin/python3 tests/perf/measure.py --build build/host --yardsticks build/perf "$@"
