#!/usr/bin/env bash
# Lets the fuzzers of tests/fuzz search for new inputs, one per CPU at a time, and prints what came of
# it. What they learn stays in build/fuzz/NAME/corpus and is where the next run begins. Exits 1 if
# one found something: the input is in build/fuzz/NAME/found, docs/fuzzing.md says what to do with it.
# usage: scripts/fuzz.sh [SECONDS] [NAME...]     (600 seconds for each of all fuzzers)
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=600
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
    seconds=$1
    shift
fi
names=("$@")
if [ ${#names[@]} = 0 ]; then
    mapfile -t names < <(sed -n 's/^ *edge_fuzz(\([a-z0-9_]*\) .*/\1/p' tests/fuzz/CMakeLists.txt)
fi
for name in "${names[@]}"; do
    if [ ! -f "tests/fuzz/fuzz_$name.c" ]; then
        echo "fuzz.sh: no fuzzer \"$name\": expected one of tests/fuzz/fuzz_*.c" >&2
        exit 2
    fi
done

scripts/deps.sh build test
[ -f build/host-clang/build.ninja ] || cmake --preset host-clang --log-level=WARNING >&2
ninja -C build/host-clang --quiet "${names[@]/#/fuzz_}" >&2

fuzz() { # fuzz NAME
    local work=build/fuzz/$1
    mkdir -p "$work/corpus" "$work/found"
    "build/host-clang/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$work/found/" "$work/corpus" \
        "tests/fuzz/corpus/$1" >"$work/log" 2>&1 || true # what it found tells
}
echo "${#names[@]} fuzzers, $seconds seconds each" >&2
running=0
for name in "${names[@]}"; do
    if [ $running = "$(nproc)" ]; then
        wait -n
        running=$((running - 1))
    fi
    fuzz "$name" &
    running=$((running + 1))
done
wait

# The last line that libFuzzer writes about progress holds the edges, features and corpus size; the
# executions come last of all, even after a finding.
report() { # report NAME
    local work=build/fuzz/$1 progress executions finding
    progress=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$work/log" | tail -n 1)
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
    finding=$(find "$work/found" -type f | head -n 1)
    [ -n "$executions" ] || finding=${finding:-ended early: $work/log}
    [ -z "$finding" ] || failed=1
    read -r _ edges _ features _ inputs <<<"${progress:-cov: - ft: - corp: -}"
    printf '%-14s %12s %8s %9s %8s  %s\n' "$1" "${executions:--}" "$edges" "$features" "$inputs" \
        "${finding:-none}"
}
failed=0
printf '%-14s %12s %8s %9s %8s  %s\n' fuzzer executions edges features inputs finding
for name in "${names[@]}"; do
    report "$name"
done
exit $failed
