#!/usr/bin/env bash
# Every C and C++ file is as clang-format 14 writes it. Other versions differ in details.
set -euo pipefail
tool=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -q 'version 14\.'; then
    echo "clang-format 14 is not on this machine"
    exit 77
fi
git ls-files -z -- '*.c' '*.h' '*.cpp' | xargs -0 "$tool" --dry-run -Werror
