#!/usr/bin/env bash
# docs/fuzzing.md has a row for each fuzzer of tests/fuzz, and no other.
set -euo pipefail
cd "$(dirname "$0")/../.."

there=$(cd tests/fuzz && printf '%s\n' fuzz_*.c | sed 's/^fuzz_//; s/\.c$//' | sort)
told=$(grep -oE "^\| \`[a-z0-9_]+\`" docs/fuzzing.md | tr -d "|\` " | sort)
[ "$(wc -w <<<"$there")" -gt 10 ]
diff --label tests/fuzz --label docs/fuzzing.md <(echo "$there") <(echo "$told")
