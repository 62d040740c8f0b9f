#!/usr/bin/env bash
# Each test that docs/security.md names must exist.
set -euo pipefail
cd "$(dirname "$0")/../.."

names=$(sed -n '/^## Attacks/,/^## Why/p' docs/security.md | grep -oE "\`[a-z0-9]+(_[a-z0-9]+){2,}\`" | tr -d "\`" | sort -u)
[ "$(wc -w <<<"$names")" -gt 20 ]
missing=0
for name in $names; do
    if ! grep -rqwE "$name" tests/unit tests/e2e; then
        echo "docs/security.md names a test that does not exist: $name"
        missing=1
    fi
done
exit $missing
