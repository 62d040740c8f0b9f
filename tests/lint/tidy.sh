#!/usr/bin/env bash
# clang-tidy 14 over src/, with the flags of a clang build.
# usage: tidy.sh BUILD_FOLDER
set -euo pipefail
tool=$(command -v clang-tidy-14 || command -v clang-tidy || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -q 'version 14\.'; then
    echo "clang-tidy 14 is not on this machine"
    exit 77
fi
git ls-files -z -- 'src/*.c' | xargs -0 -n 4 -P "$(nproc)" "$tool" -p "$1" --quiet
