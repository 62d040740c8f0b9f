#!/usr/bin/env bash
# Every script passes shellcheck, and none is over 100 lines.
set -euo pipefail
command -v shellcheck >/dev/null || { echo "shellcheck is not on this machine"; exit 77; }
mapfile -t scripts < <(git ls-files -- '*.sh' .ci/run)
shellcheck "${scripts[@]}"
for script in "${scripts[@]}"; do
    lines=$(wc -l <"$script")
    [ "$lines" -le 100 ] || { echo "$script has $lines lines: more than 100"; exit 1; }
done
