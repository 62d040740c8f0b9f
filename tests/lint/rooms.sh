#!/usr/bin/env bash
# Arrows point down only: a room includes rooms of lower floors, and never a neighbour.
# usage: rooms.sh SRC_FOLDER
set -euo pipefail
cd "$1"

floor() {
    case $1 in
    base) echo 0 ;;
    net | wire | grpc | result | power) echo 1 ;;
    load | agent | server) echo 2 ;;
    run | report) echo 3 ;;
    *) echo 9 ;;
    esac
}

bad=0
while IFS=: read -r file include; do
    room=${file%%/*}
    used=${include%%/*}
    [ "$room" != "$used" ] || continue
    if [ "$(floor "$used")" -ge "$(floor "$room")" ]; then
        echo "src/$file includes $include: src/$room may use lower floors only"
        bad=1
    fi
done < <(grep -rHoP '^#include "\K[a-z]+/[^"]+' --include='*.[ch]' --include='*.cpp' -- */ | sort)

# The borders at which foreign libraries stop.
while read -r file; do
    echo "src/$file uses nghttp2's session API: only grpc/h2.c and its parts may"
    bad=1
done < <(grep -rlE 'nghttp2_(session|submit|option)_' --include='*.[ch]' -- */ | grep -vxE 'grpc/h2(_internal\.h|_limits\.c|_receive\.c|_send\.c|\.c)' | sort)

while read -r file; do
    echo "src/$file uses libprotobuf: only load/schema.cpp may"
    bad=1
done < <(grep -rlF '#include <google/protobuf/' -- */ | grep -vxF 'load/schema.cpp' | sort)

while read -r file; do
    echo "src/$file uses mbedTLS: only net/tls*.[ch] may"
    bad=1
done < <(grep -rlE 'mbedtls|MBEDTLS' --include='*.[ch]' -- */ | grep -vE '^net/tls[a-z_]*\.[ch]$' | sort)

exit $bad
