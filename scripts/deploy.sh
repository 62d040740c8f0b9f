#!/usr/bin/env bash
# Copies a board's programs to it by hand, to where `bench-edge run --target ssh://` looks for them.
# usage: scripts/deploy.sh [USER@]HOST [BOARD [FOLDER]]
#   HOST    as ssh knows it; a port goes into ~/.ssh/config
#   BOARD   a name of boards/*.ini; without it, what the board's device tree says
#   FOLDER  on the board, below the home folder unless it begins with /; default .cache/bench-edge
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 1 ] || [ $# -gt 3 ]; then
    sed -n 's/^# usage: //p' "$0" >&2
    exit 2
fi
host=${1#ssh://}
board=${2:-}
folder=${3:-.cache/bench-edge}
if [[ ! "$folder" =~ ^[A-Za-z0-9/._+-]+$ ]]; then
    echo "deploy.sh: expected a folder of letters, digits and / . _ + -, found \"$folder\"" >&2
    exit 2
fi

if [ -z "$board" ]; then
    compatible=$(ssh -- "$host" 'tr "\000" "\n" </proc/device-tree/compatible' | head -n 1) || true
    for file in boards/*.ini; do
        known=$(sed -n 's/^compatible = //p' "$file")
        [[ -z "$compatible" || ", $known," != *", $compatible,"* ]] || board=$(basename -s .ini "$file")
    done
    if [ -z "$board" ]; then
        echo "deploy.sh: no board of the catalogue has the device tree \"$compatible\": name one" >&2
        exit 1
    fi
    echo "deploy.sh: it is a $board ($compatible)" >&2
fi
scripts/build.sh --programs "$board"

# One archive through one connection. tar removes a file before it writes another in its place: one
# that is running stays whole.
tar -C "build/$board" -c bench-edge servers | ssh -- "$host" "mkdir -p $folder && tar -C $folder -xf -"
ssh -- "$host" "$folder/bench-edge --version"
