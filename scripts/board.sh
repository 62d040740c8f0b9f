#!/usr/bin/env bash
# Prints a fact about a board for the other scripts; an unknown board is an error, with near names.
# usage: scripts/board.sh BOARD toolchain|isa|bits|qemu|libraries|emulator
#   libraries  the folder of its libraries
#   emulator   the command that runs its programs here; empty if there is none
set -euo pipefail
cd "$(dirname "$0")/.."

ids() { basename -s .ini boards/*.ini; }

near() { # near <name>: the ids up to two edits away
    ids | awk -v a="$1" '
        function min(x, y) { return x < y ? x : y }
        {
            n = length(a); m = length($0)
            for (j = 0; j <= m; j++) row[j] = j
            for (i = 1; i <= n; i++) {
                last = row[0]; row[0] = i
                for (j = 1; j <= m; j++) {
                    above = row[j]
                    differ = substr(a, i, 1) != substr($0, j, 1)
                    row[j] = min(min(above, row[j - 1]) + 1, last + differ)
                    last = above
                }
            }
            if (row[m] <= 2) print
        }' | paste -sd ' '
}

if [ $# != 2 ]; then
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
fi
if [[ ! "$1" =~ ^[a-z0-9-]+$ ]] || [ ! -e "boards/$1.ini" ]; then
    names=$(near "$1")
    echo "unknown board \"$1\"${names:+: near: $names}; all: $(ids | paste -sd ' ')" >&2
    exit 2
fi
cmake -DBOARD="$1" -P cmake/board_facts.cmake | sed -n "s/^$2=//p"
