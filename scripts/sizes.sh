#!/usr/bin/env bash
# Prints how large each program of a board's build is, in KiB, and what it is made of: bytes of code
# and data of each room and library. An inlined function counts where it was inlined.
# usage: scripts/sizes.sh BOARD...
#   The build without TLS is in the table too, where scripts/build.sh --without-tls has made it.
set -euo pipefail
cd "$(dirname "$0")/.."

parts() { # "part bytes" lines, from the symbols and the source file each comes from
    "$1-nm" -S -l -t d --defined-only "$2" | awk '
        $2 ~ /^[0-9]+$/ && $3 ~ /^[tTrRdDwWvV]$/ {
            if (seen[$1]++) next # a second name of the same bytes
            part = "libc"
            if (match($0, /\/build\/libs\/sources\/[a-z0-9-]+/)) {
                part = substr($0, RSTART, RLENGTH); sub(/.*\//, "", part)
            } else if (match($0, /\/generated\/[a-z0-9-]+/)) part = "generated"
            else if (match($0, /\/src\/[a-z]+\//)) {
                part = substr($0, RSTART, RLENGTH); gsub(/\/src\/|\//, "", part)
            }
            bytes[part] += $2
        }
        END { for (part in bytes) print part, bytes[part] }' | sort -k2,2nr
}

printf '%-20s %-22s %8s  %s\n' build program KiB parts
for board in "$@"; do
    triple=$(scripts/board.sh "$board" toolchain)
    for build in "$board" $([ ! -e "build/$board-without-tls/bench-edge" ] || echo "$board-without-tls"); do
        for file in bench-edge servers/c_nghttp2_nanopb servers/c_nghttp2_protobufc servers/null_server; do
            if [ ! -e "build/$build/$file" ]; then
                echo "sizes.sh: no build/$build/$file: run scripts/build.sh $board" >&2
                exit 1
            fi
            bytes=$(stat -c %s "build/$build/$file")
            made_of=$(parts "$triple" "build/$build/symbols/$file" | paste -sd ',' | sed 's/,/, /g')
            printf '%-20s %-22s %8d  %s\n' "$build" "${file##*/}" $(((bytes + 1023) / 1024)) "$made_of"
        done
    done
done
