#!/usr/bin/env bash
# Sets everything up and runs the main job: the servers on this machine, then on an emulated board.
# Takes the options and operands of `bench-edge run`, and its environment variables, for this
# machine; the emulated board counts instructions, which compare only at fixed settings.
# Exits 0 when every server was measured, also if a result is marked INVALID: the table says why.
set -euo pipefail
cd "$(dirname "$0")/.."

board=rpizero
scripts/build.sh --programs host
emulate=yes
scripts/build.sh --programs "$board" || emulate=no

measure() { # measure <options of bench-edge run>...
    local status=0
    build/host/bench-edge run "$@" || status=$?
    if [ "$status" = 3 ]; then # EDGE_EXIT_INVALID
        echo "bench.sh: not every result is valid on this machine; the table gives the reasons" >&2
    elif [ "$status" != 0 ]; then
        exit "$status"
    fi
}

# Three repeats of three servers in two minutes, unless the caller asks for other times.
GRPC_BENCHMARK_DURATION=${GRPC_BENCHMARK_DURATION:-10s} \
    GRPC_BENCHMARK_WARMUP=${GRPC_BENCHMARK_WARMUP:-2s} measure "$@"

if [ "$emulate" = yes ]; then
    unset "${!GRPC_@}"
    measure --target "qemu:$board" --repeat 2
else
    echo "bench.sh: $board cannot be built here (see above), so nothing was emulated" >&2
fi
