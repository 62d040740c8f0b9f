#!/usr/bin/env bash
# Writes docs/options.md from the option tables of a build.
# usage: scripts/docs.sh [--check] [BUILD_FOLDER]
#   --check  write nothing; exit 1 if docs/options.md is not current
set -euo pipefail

check=0
if [ "${1:-}" = --check ]; then
    check=1
    shift
fi
build=$(realpath -m "${1:-$(dirname "$0")/../build/host}")
cd "$(dirname "$0")/.."

page() {
    "$build/tests/docs/print_options"
    printf '## Servers\n\nEach server takes the same options.\n\n```\n'
    "$build/servers/c_nghttp2_nanopb" --help
    printf '```\n'
}

if [ "$check" = 0 ]; then
    page >docs/options.md
elif ! page | diff -u docs/options.md -; then
    echo "docs/options.md is not current: run scripts/docs.sh $build" >&2
    exit 1
fi
