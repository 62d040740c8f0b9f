#!/usr/bin/env bash
# Runs clients that nobody here wrote against the servers, and prints a table: gRPC's interoperability
# cases, HTTP/2, reflection, load. docs/conformance.md says what is in it, and what is known to fail.
# usage: scripts/conformance.sh [--h2c | --tls] [--board BOARD]
#   --h2c, --tls   only this transport; default: both
#   --board BOARD  the servers built for it, emulated; without the clients that measure time
# What comes from package registries stays in build/conformance. Exit 1: something failed that is not
# known; 77: no registry has anything for this machine.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=build/host
board=()
options=()
while [ $# -gt 0 ]; do
    case $1 in
    --h2c | --tls) options+=(--transport "${1#--}") ;;
    --board)
        board=("${2:?conformance.sh: --board needs a name: see boards/}")
        programs=build/$2/emulated
        for client in libgrpc++ grpcio grpc-js grpc-go grpcurl; do options+=(--client "$client"); done
        shift
        ;;
    *)
        sed -n 's/^# usage: //p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done

tools=$PWD/build/conformance
mkdir -p "$tools"

# have <name> <version> <command>...: runs the command, which puts a tool into $tools/<name>.new,
# unless that version is there. The others go on without it.
have() {
    local name=$1 version=$2 log=$tools/$1.log
    shift 2
    [ "$(cat "$tools/$name/.version" 2>/dev/null)" != "$version" ] || return 0
    rm -rf "${tools:?}/$name" "$tools/$name.new"
    if "$@" >"$log" 2>&1; then
        echo "$version" >"$tools/$name.new/.version"
        mv "$tools/$name.new" "$tools/$name"
    else
        echo "conformance.sh: no $name: $(tail -1 "$log")" >&2
    fi
}

from_go() { # from_go <name> <package>@<version>
    have "$1" "$2" env GOFLAGS=-mod=mod GOBIN="$tools/$1.new" go install "$2"
}

from_npm() { # from_npm <name> <package>@<version>...
    have "$1" "${*:2}" npm install --prefix "$tools/$1.new" --no-audit --no-fund "${@:2}"
}

scripts/deps.sh test
echo "Getting foreign clients, unless they are in build/conformance" >&2
from_go grpc-go google.golang.org/grpc/interop/client@v1.85.0 &
from_go grpcurl github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4 &
from_go ghz github.com/bojand/ghz/cmd/ghz@v0.93.0 &
from_go connectrpc connectrpc.com/conformance/cmd/connectconformance@v1.0.7 &
from_go h2spec github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible &
from_npm node @grpc/grpc-js@1.14.7 @grpc/proto-loader@0.8.1 &
wait
if ! compgen -G "$tools/*/.version" >/dev/null; then
    echo "conformance.sh: skipped: no registry has anything for this machine" >&2
    exit 77
fi

scripts/build.sh --programs host ${board[@]+"${board[@]}"}
ninja -C build/host --quiet interop_clients >&2
exec /usr/bin/python3 -B tests/interop/conformance.py --build build/host --programs "$programs" \
    --tools "$tools" ${options[@]+"${options[@]}"}
