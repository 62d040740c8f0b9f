#!/usr/bin/env bash
# Refuses a program that its board could not run: wrong machine, instructions newer than the board's,
# not static, or not starting under the board's cpu model.
# usage: scripts/gate.sh BOARD PROGRAM...
set -euo pipefail
root=$(dirname "$0")/..

if [ $# -lt 2 ]; then
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
fi
board=$1
shift
isa=$("$root/scripts/board.sh" "$board" isa)
emulator=$("$root/scripts/board.sh" "$board" emulator)

case $isa in
ARMv6*) machine=ARM architectures=' v4 v4T v5T v5TE v5TEJ v6 v6K v6KZ ' ;;
ARMv7*) machine=ARM architectures=' v4 v4T v5T v5TE v5TEJ v6 v6K v6KZ v6T2 v7 ' ;;
ARMv8*) machine=AArch64 architectures= ;; # the file does not tell: the emulator decides
# The last ones are parts of m, a and c, which newer linkers name too.
RV64GC) machine=RISC-V architectures=' i m a f d c zicsr zifencei zmmul zaamo zalrsc zca zcd ' ;;
esac

attribute() { readelf -A "$1" 2>/dev/null | sed -n "s/^ *$2: *//p" | head -1; }

# Prints why `board` cannot run a program; nothing if it can.
reason() {
    local file=$1 found tag
    if ! found=$(readelf -h "$file" 2>/dev/null | sed -n 's/^ *Machine: *//p') || [ -z "$found" ]; then
        echo "expected an ELF program"
    elif [ "$found" != "$machine" ]; then
        echo "expected a program for $machine, found one for $found"
    elif readelf -lW "$file" 2>/dev/null | grep -qE '^ *(INTERP|DYNAMIC) '; then
        echo "expected a static program, found a dynamic one"
    elif [ "$machine" = ARM ]; then
        found=$(attribute "$file" Tag_CPU_arch)
        if [[ "$architectures" != *" ${found:-none} "* ]]; then
            echo "expected code for $isa or older, found Tag_CPU_arch ${found:-none}"
        elif [[ "$isa" == ARMv6* && "$(attribute "$file" Tag_THUMB_ISA_use)" == Thumb-2 ]]; then
            echo "expected code for $isa, found Thumb-2"
        fi
    elif [ "$machine" = RISC-V ]; then
        for tag in $(attribute "$file" Tag_RISCV_arch | tr -d '"' | sed -E 's/^rv64//; s/[0-9]+p[0-9]+//g; s/_/ /g'); do
            [[ "$architectures" == *" $tag "* ]] || echo "expected code for $isa, found extension $tag"
        done
    fi
}

failed=0
for file in "$@"; do
    why=$(reason "$file")
    if [ -z "$why" ] && [ -z "$emulator" ]; then
        why="cannot be started here: $("$root/scripts/board.sh" "$board" qemu) is missing or too old \
for the board's cpu model (scripts/deps.sh emulate)"
    elif [ -z "$why" ]; then
        text=$($emulator "$file" --version 2>&1 </dev/null) ||
            why="does not start under $emulator: exit status $?: $text"
    fi
    if [ -n "$why" ]; then
        echo "$file: not for $board: $why" >&2
        failed=1
    fi
done
exit $failed
