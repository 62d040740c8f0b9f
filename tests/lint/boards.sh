#!/usr/bin/env bash
# Each board keeps to the schema of cmake/EdgeBoard.cmake, which refuses the bad ones with the reason
# that stands in their first line; and this machine's qemu and compilers know what the boards name.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/check.cmake" <<CMAKE
include($PWD/cmake/EdgeBoard.cmake)
edge_board_read(\${FILE} board)
execute_process(COMMAND \${CMAKE_COMMAND} -E echo
                "\${board_qemu}|\${board_qemu_cpu}|\${board_toolchain}|\${board_cpu_flags}")
CMAKE

status=0
bad() {
    echo "$*"
    status=1
}
for file in tests/lint/bad_boards/*.ini; do
    wanted=$(sed -n '1s/^# refused: //p' "$file")
    if cmake -DFILE="$PWD/$file" -P "$work/check.cmake" >"$work/said" 2>&1; then
        bad "$file is accepted"
    elif ! tr -s ' \n' ' ' <"$work/said" | grep -qF -- "$wanted"; then
        bad "$file: expected \"$wanted\", found: $(cat "$work/said")"
    fi
done

for file in boards/*.ini; do
    if ! facts=$(cmake -DFILE="$PWD/$file" -P "$work/check.cmake" 2>&1); then
        bad "$facts"
        continue
    fi
    IFS='|' read -r qemu models triple flags <<<"$facts"
    read -ra flags <<<"$flags"
    if command -v "$qemu" >/dev/null; then
        known=" $({ "$qemu" -cpu help || true; } | tr -s ' \n' ' ') " # qemu-user 7.2 says 1
        found=
        for model in ${models//;/ }; do
            [[ "$known" != *" $model "* ]] || found=$model
        done
        [ -n "$found" ] || bad "$file: $qemu of this machine knows none of $models"
    fi
    if command -v "$triple-gcc" >/dev/null; then
        "$triple-gcc" "${flags[@]}" -x c -c - -o /dev/null <<<"int edge;" ||
            bad "$file: $triple-gcc does not take ${flags[*]}"
    fi
done
exit $status
