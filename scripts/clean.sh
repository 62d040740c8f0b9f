#!/usr/bin/env bash
# Removes everything that was built. Results are kept.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf build
