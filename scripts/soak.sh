#!/usr/bin/env bash
# Serves REQUESTS calls from one server process and looks at its memory after each tenth: calls of
# every kind, on connections that come and go, broken ones among them. Exits 1 if a call failed, or
# if memory grew after the second tenth.
# usage: scripts/soak.sh [REQUESTS] [SERVER...]     (10000000, c_nghttp2_nanopb c_nghttp2_protobufc)
set -euo pipefail
cd "$(dirname "$0")/.."

total=10000000
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then
    total=$1
    shift
fi
[ $# -gt 0 ] || set -- c_nghttp2_nanopb c_nghttp2_protobufc
slack_kib=256 # a page or two of the C library's own

scripts/build.sh host
build=build/host
work=$(mktemp -d)
server='' status=0
stop() {
    [ -n "$server" ] || return 0
    kill "$server"
    wait "$server" || status=1
    server=
}
trap 'stop; rm -rf "$work"' EXIT

# Half are small unary calls, the others stream and are large. A process each: so do connections.
kinds=("SayHello complex_proto 50" "SayHellos complex_proto 10" "SayHello string_10kB 20"
       "SayHelloBidi complex_proto 20" "SayHelloCS complex_proto 20")
calls() { # calls NUMBER: about as many, over all kinds
    local kind call scenario percent
    for kind in "${kinds[@]}"; do
        read -r call scenario percent <<<"$kind"
        "$build/bench-edge" load --connections 50 -c 500 -n $(($1 * percent / 120 + 1)) \
            --call "$call" --scenario "$scenario" -O json "$address" >"$work/load" || {
            cat "$work/load" >&2
            return 1
        }
    done
    "$build/tests/raw_client" "$address" >"$work/raw" || {
        grep -v '^ok' "$work/raw" >&2
        return 1
    }
}
number() { # number FILE KEY
    sed -n "s/^$2:[[:space:]]*\([0-9]*\).*/\1/p" "$1"
}

soak() { # soak SERVER
    "$build/servers/$1" --port 0 --max-streams 100 --max-age 10s --max-age-grace 10s 2>"$work/said" &
    server=$!
    until grep -q listening "$work/said"; do sleep 0.1; done
    address=$(sed -n 's/.*listening on //p' "$work/said")
    local tenth first=0 pss=0 rss
    for tenth in 1 2 3 4 5 6 7 8 9 10; do
        # Ten rounds of connections for each line.
        for _ in 1 2 3 4 5 6 7 8 9 10; do calls $((total / 100)); done
        pss=$(number "/proc/$server/smaps_rollup" Pss)
        rss=$(number "/proc/$server/status" VmHWM)
        [ $tenth != 2 ] || first=$pss
        printf '%-22s %4d %% %12d calls %8d KiB %8d KiB peak %6d files\n' "$1" $((tenth * 10)) \
            $((total * tenth / 10)) "$pss" "$rss" "$(find "/proc/$server/fd" -type l | wc -l)"
    done
    kill -0 "$server"
    stop
    if [ "$pss" -gt $((first + slack_kib)) ]; then
        echo "soak.sh: $1 grew by $((pss - first)) KiB after the second tenth" >&2
        return 1
    fi
}

for name in "$@"; do
    soak "$name" || status=1
done
exit $status
