#!/usr/bin/env bash
# Counts the instructions of each server, scenario and kind of call, and renews qemu/baseline; with
# "check" compares with it instead: exit 4 beyond the tolerance, 77 where nothing can be compared.
# usage: scripts/baseline.sh [check] [BOARD...]     boards: one of each kind of ARM, unless named
set -euo pipefail
cd "$(dirname "$0")/.."

do=renew
if [ "${1:-}" = check ]; then
    do=check
    shift
fi
[ $# -gt 0 ] || set -- rpizero rpi2 rpi4

scripts/build.sh --programs host "$@" >&2

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
# The environment's parameters are for speeds: counts compare only with the same ones.
unset GRPC_CLIENT_CONNECTIONS GRPC_CLIENT_CONCURRENCY GRPC_CLIENT_QPS

count() { # count <board> <options and servers of bench-edge run>...
    local board=$1
    shift
    build/host/bench-edge run --target "qemu:$board" --duration 1s --warmup 300ms --repeat 1 \
        --results-dir "$results" "$@" >"$results/$board.log" 2>&1 ||
        { cat "$results/$board.log" >&2 && return 1; }
}

count_all() { # count_all <board>
    local call scenario
    for call in SayHello SayHellos SayHelloCS SayHelloBidi; do
        count "$1" --scenario complex_proto --call "$call" c_nghttp2_{nanopb,protobufc} || return
    done
    for scenario in string_1kB empty; do
        count "$1" --scenario "$scenario" c_nghttp2_{nanopb,protobufc} || return
    done
}

# At once: what is counted is no time.
counting=()
for board in "$@"; do
    count_all "$board" &
    counting+=($!)
done
failed=0
for pid in "${counting[@]}"; do wait "$pid" || failed=1; done
[ $failed = 0 ] || exit 1
python3 qemu/baseline.py "$do" qemu/baseline "$results"/*/*.jsonl
