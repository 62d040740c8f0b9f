#!/usr/bin/env bash
# Sets everything up and runs the main job: both servers and the calibration server on this machine.
# Takes the options and operands of `bench-edge run`, and its environment variables.
# Exits 0 when every server was measured, also if a result is marked INVALID: the table says why.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh host

# Three repeats of three servers in under three minutes, unless the caller asks for other times.
: "${GRPC_BENCHMARK_DURATION:=10s}" "${GRPC_BENCHMARK_WARMUP:=2s}"
export GRPC_BENCHMARK_DURATION GRPC_BENCHMARK_WARMUP

status=0
build/host/bench-edge run "$@" || status=$?
if [ "$status" = 3 ]; then # EDGE_EXIT_INVALID
    echo "bench.sh: not every result is valid on this machine; the table gives the reasons" >&2
    exit 0
fi
exit "$status"
